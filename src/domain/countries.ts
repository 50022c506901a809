// The jobs API knows countries only as lower-case hyphenated slugs and returns no error for anything else. People
// write "USA", "Deutschland" or "Remote, Lisbon Portugal". This file turns those into slugs.
import { COUNTRY_ROWS } from './country-data.js';
import { CITIES, COUNTRY_BEFORE_STATE, REGION_CODES, REGIONS } from './country-places.js';
import { typos } from './typos.js';

/** The pattern of every country slug (jobs API, query parameter `country`). */
export const COUNTRY_SLUG_PATTERN = /^[a-z]+(-[a-z]+)*$/;

/** All country slugs in alphabetical order. */
export const COUNTRY_SLUGS: readonly string[] = COUNTRY_ROWS.map(([slug]) => slug);

const NAMES = new Map(COUNTRY_ROWS.map(([slug, , , name]) => [slug, name]));
const CODES = new Map(
  COUNTRY_ROWS.flatMap(([slug, two, three]): [string, string][] => [
    [two, slug],
    [three, slug],
  ]),
);
const SPELLINGS = new Map(
  COUNTRY_ROWS.flatMap(([slug, , , name, ...aliases]): [string, string][] =>
    [slug, name, ...aliases].map((spelling) => [plain(spelling), slug]),
  ),
);
/** Languages in which people type country names, besides the names in the list. */
const LANGUAGES =
  'de es fr it pt nl pl cs sv da fi hu ro tr id vi ru uk bg el he ar fa hi th ja ko zh zh-Hant'.split(' ');
let spoken: ReadonlyMap<string, string> | undefined;
const REGION_OF = invert(REGIONS);
const CITY_OF = invert(CITIES);
const REGION_CODE_OF = invert(REGION_CODES);
const LONGEST_NAME_WORDS = 6;
/** Longest text that is read as a location, in characters. The rest is ignored. */
const LONGEST_LOCATION = 500;

// Capitals that far more often mean a time, a time zone or a plain word than Estonia, Armenia or Andorra.
const NOT_CODES: ReadonlySet<string> = new Set(['AM', 'AND', 'EST', 'ET', 'PER', 'PM', 'TZ']);

/** True for the slug of a country in the list. */
export function isCountrySlug(value: unknown): value is string {
  return typeof value === 'string' && NAMES.has(value);
}

/**
 * Returns the slug of a country given as slug, English or local name, ISO code or common abbreviation. `exact` is
 * true if the input was the slug itself, and false if it was translated, so that the reader can be informed. Does not
 * correct typing errors: see `nearestCountries`.
 */
export function resolveCountry(input: string): { slug: string; exact: boolean } | undefined {
  if (isCountrySlug(input)) return { slug: input, exact: true };
  const words = plain(input);
  const slug =
    SPELLINGS.get(words) ?? CODES.get(words.replaceAll(' ', '').toUpperCase()) ?? spokenNames().get(words);
  return slug === undefined ? undefined : { slug, exact: false };
}

/**
 * Returns up to `n` slugs closest to the input, best first; none if nothing is close. An empty input returns the
 * first `n` of the list.
 */
export function nearestCountries(input: string, n = 5): string[] {
  const wanted = plain(input);
  if (wanted === '') return input.trim() === '' ? COUNTRY_SLUGS.slice(0, n) : [];
  const scores = new Map<string, number>();
  const meant = resolveCountry(input);
  if (meant) scores.set(meant.slug, 0);
  // With this many languages, almost any two letters start some name.
  const names = wanted.length < 3 ? SPELLINGS : [...SPELLINGS, ...spokenNames()];
  for (const [spelling, slug] of names) {
    const score = scoreOf(wanted, spelling);
    const best = scores.get(slug);
    if (score !== undefined && (best === undefined || score < best)) scores.set(slug, score);
  }
  return [...scores.entries()]
    .sort(([, a], [, b]) => a - b)
    .slice(0, n)
    .map(([slug]) => slug);
}

/** Returns the ISO 3166 alpha-2 code of a country slug. */
export function countryCode(slug: string): string | undefined {
  return COUNTRY_ROWS.find((row) => row[0] === slug)?.[1];
}

/** Returns the English name of a country slug. An unknown slug is returned with its words capitalised. */
export function displayCountry(slug: string): string {
  return NAMES.get(slug) ?? slug.replace(/(^|-)([a-z])/g, (_, gap, c) => (gap ? ' ' : '') + c.toUpperCase());
}

/**
 * Returns the country of a free-text location; undefined if it names none ("Remote", "Europe"). Of several
 * alternatives ("Berlin / London"), the first one with a country counts. Within one, a named country beats a region,
 * a region beats a city, and two-letter codes that are both a state and a country ("CA") come last.
 */
export function countryOfLocation(location: string): string | undefined {
  for (const place of location.slice(0, LONGEST_LOCATION).split(/[/;|•]|\s+or\s+/i)) {
    const slug = countryOfPlace(place);
    if (slug !== undefined) return slug;
  }
  return undefined;
}

/** True if a free-text location names the country itself, by name or code, and not only a city or region in it. */
export function namesCountry(location: string, slug: string): boolean {
  const text = location.slice(0, LONGEST_LOCATION);
  if (` ${plain(text)} `.includes(` ${plain(displayCountry(slug))} `)) return true;
  return text.split(/[^\p{L}\p{N}.]+/u).some((word) => {
    const code = word.replaceAll('.', '');
    return SPELLINGS.get(plain(word)) === slug || (/^[A-Z]+$/u.test(code) && CODES.get(code) === slug);
  });
}

/** Returns the slug of the country whose flag (two regional indicators) the text begins with. */
export function countryOfFlag(text: string): string | undefined {
  const flag = /^\p{RI}{2}/u.exec(text)?.[0];
  const letters = [...(flag ?? '')].map((sign) =>
    String.fromCodePoint((sign.codePointAt(0) ?? 0) - 0x1f1e6 + 65),
  );
  return CODES.get(letters.join(''));
}

/**
 * Country names in other languages, from CLDR. Names that mean another country in another language are left out.
 * Built on first use, because it takes a few milliseconds. Never used to read the location of a posting.
 */
function spokenNames(): ReadonlyMap<string, string> {
  if (spoken) return spoken;
  const found = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames(language, { type: 'region' });
    for (const [slug, code] of COUNTRY_ROWS) {
      const name = plain(names.of(code) ?? '');
      if (name === '' || SPELLINGS.has(name)) continue;
      if ((found.get(name) ?? slug) !== slug) ambiguous.add(name);
      found.set(name, slug);
    }
  }
  for (const name of ambiguous) found.delete(name);
  spoken = found;
  return found;
}

function countryOfPlace(place: string): string | undefined {
  const words = place
    .replace(/\b([A-Za-z])\.(?=[A-Za-z]\b)/g, '$1')
    .split(/[^\p{L}\p{N}'’.]+/u)
    .map((word) => word.replace(/\.+$/, ''))
    .filter((word) => word !== '');
  const city = lastMatch(words, (spelled) => CITY_OF.get(spelled));
  const region = lastMatch(words, regionOf);
  const country = lastMatch(words, namedCountry);
  // Georgia is the only name of both a state and a country: the city or region decides.
  if (country === 'georgia' && (city === 'united-states' || region !== undefined)) return 'united-states';
  // "New Mexico" and "Jersey City" are matched as places, so the country within their names does not count.
  return country ?? region ?? city ?? lastMatch(words, ambiguousCode);
}

type Lookup = (spelled: string, code: string | undefined) => string | undefined;

// Takes the longest match first, so that "New Jersey" is never read as Jersey; then the last match, because addresses
// end with the country.
function lastMatch(words: readonly string[], lookup: Lookup): string | undefined {
  let found: string | undefined;
  for (let start = 0; start < words.length; ) {
    const { slug, length } = longestAt(words, start, lookup);
    found = slug ?? found;
    start += length;
  }
  return found;
}

function longestAt(words: readonly string[], start: number, lookup: Lookup) {
  for (let length = Math.min(LONGEST_NAME_WORDS, words.length - start); length > 0; length--) {
    const spelled = plain(words.slice(start, start + length).join(' '));
    const slug = lookup(spelled, length === 1 ? codeAt(words, start) : undefined);
    if (slug !== undefined) return { slug, length };
    // A longer place name includes the words in it, whatever kind of place is looked for.
    if (length > 1 && (CITY_OF.has(spelled) || REGION_OF.has(spelled) || SPELLINGS.has(spelled))) {
      return { slug: undefined, length };
    }
  }
  return { slug: undefined, length: 1 };
}

// Only capitals are a code ("work with us" has none). In a text that is all capitals, only the last word can be a
// code.
function codeAt(words: readonly string[], at: number): string | undefined {
  const word = words[at] ?? '';
  if (!/^[A-Z]{2,3}$/.test(word) || NOT_CODES.has(word)) return undefined;
  const shouting = words.every((other) => other === other.toUpperCase()) && words.some((w) => w.length > 3);
  return shouting && at < words.length - 1 && !SPELLINGS.has(word.toLowerCase()) ? undefined : word;
}

function namedCountry(spelled: string, code: string | undefined): string | undefined {
  if (code !== undefined && !(code.length === 2 && REGION_CODE_OF.has(code.toLowerCase()))) {
    return SPELLINGS.get(spelled) ?? CODES.get(code);
  }
  return /^[a-z]{1,3}$/.test(spelled) ? undefined : SPELLINGS.get(spelled);
}

function regionOf(spelled: string, code: string | undefined): string | undefined {
  return code === undefined || CODES.has(code) ? REGION_OF.get(spelled) : REGION_CODE_OF.get(spelled);
}

function ambiguousCode(spelled: string, code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  return COUNTRY_BEFORE_STATE.has(code) ? CODES.get(code) : REGION_CODE_OF.get(spelled);
}

// Lower is closer: equal < starts with < a word starts with < few typing errors.
function scoreOf(wanted: string, spelling: string): number | undefined {
  if (spelling === wanted) return 0;
  if (spelling.startsWith(wanted)) return 1;
  if (wanted.length >= 2 && spelling.includes(` ${wanted}`)) return 2;
  if (wanted.length < 4 || spelling.length < 4) return undefined;
  const errors = typos(wanted, spelling);
  // At most one error per four letters. With more, "Albania" would be close to "Alemania".
  return errors > Math.floor(Math.min(wanted.length, spelling.length) / 4) ? undefined : 2 + errors;
}

function invert(table: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(table).flatMap(([slug, places]) =>
      places.split(',').map((place): [string, string] => [plain(place), slug]),
    ),
  );
}

/** Lower case, without accents and punctuation, with single spaces. "&" and "St." are read as words. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('&', ' and ')
    .replace(/\bst\.?(?=\s)/g, 'saint')
    .replace(/['’.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
