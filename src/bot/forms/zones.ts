// Reads time zones as people type them: a city, an abbreviation, an IANA name in any case. A digest at the wrong hour
// is worse than a question, so the bot asks when the input is not clear: for an offset (a place has it only half the
// year), a country or a typing error. Input that is close to no zone gets no suggestion.
import { countryCode, nearestCountries, resolveCountry } from '../../domain/countries.js';
import { isTimezone, RENAMED } from '../../domain/schedule.js';
import { typos } from '../../domain/typos.js';
import type { Choice } from '../runtime/request.js';

const ZONES: readonly string[] = [
  ...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', ...Object.values(RENAMED)]),
].filter(isTimezone);

/** Abbreviations as people use them: the zone with its daylight saving, not a fixed offset. */
const SHORT: Readonly<Record<string, string>> = {
  utc: 'UTC',
  gmt: 'UTC',
  z: 'UTC',
  bst: 'Europe/London',
  wet: 'Europe/Lisbon',
  cet: 'Europe/Berlin',
  cest: 'Europe/Berlin',
  mez: 'Europe/Berlin',
  mesz: 'Europe/Berlin',
  eet: 'Europe/Helsinki',
  msk: 'Europe/Moscow',
  ist: 'Asia/Kolkata',
  sgt: 'Asia/Singapore',
  hkt: 'Asia/Hong_Kong',
  jst: 'Asia/Tokyo',
  kst: 'Asia/Seoul',
  et: 'America/New_York',
  est: 'America/New_York',
  edt: 'America/New_York',
  ct: 'America/Chicago',
  cst: 'America/Chicago',
  cdt: 'America/Chicago',
  mst: 'America/Denver',
  mdt: 'America/Denver',
  pt: 'America/Los_Angeles',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  brt: 'America/Sao_Paulo',
  aest: 'Australia/Sydney',
};

/** Cities without a zone of their name, or with another name in our languages. */
const CITIES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    'Europe/Vienna': 'wien,viena',
    'Europe/Berlin': 'munich,munchen,hamburg,frankfurt,koln,cologne,stuttgart,dusseldorf,leipzig',
    'Europe/Zurich': 'zuerich,genf,geneva,ginebra,basel,bern,zug',
    'Europe/Madrid': 'barcelona,valencia,sevilla',
    'Europe/Lisbon': 'lissabon,lisboa,porto',
    'Europe/London': 'londres,manchester,edinburgh',
    'Europe/Rome': 'rom,roma,mailand,milan,milano',
    'Europe/Prague': 'prag,praga',
    'Europe/Warsaw': 'warschau,varsovia,warszawa,krakau,krakow',
    'Europe/Moscow': 'moskau,moscu',
    'Europe/Kyiv': 'kiew',
    'Europe/Athens': 'athen,atenas',
    'Europe/Brussels': 'brussel,bruxelles,bruselas',
    'Europe/Copenhagen': 'kopenhagen,copenhague',
    'Europe/Bucharest': 'bukarest,bucarest',
    'Europe/Belgrade': 'belgrad,belgrado',
    'America/New_York': 'nueva york,boston,miami,washington,atlanta',
    'America/Los_Angeles': 'san francisco,seattle,san diego',
    'America/Chicago': 'austin,dallas,houston',
    'America/Mexico_City': 'ciudad de mexico,mexico',
    'Asia/Kolkata': 'mumbai,delhi,new delhi,bangalore,bengaluru,hyderabad',
    'Asia/Shanghai': 'beijing,peking,pekin,shenzhen',
    'Asia/Tokyo': 'tokio',
    'Asia/Dubai': 'abu dhabi',
    'Asia/Singapore': 'singapur',
  }).flatMap(([zone, names]) => names.split(',').map((name) => [name, zone])),
);

const COMMON = (
  'UTC Europe/London Europe/Berlin Europe/Paris Europe/Madrid Europe/Lisbon Europe/Zurich Europe/Warsaw Europe/Kyiv ' +
  'Europe/Istanbul America/New_York America/Chicago America/Denver America/Los_Angeles America/Toronto ' +
  'America/Mexico_City America/Argentina/Buenos_Aires America/Sao_Paulo Africa/Lagos Asia/Dubai Asia/Kolkata ' +
  'Asia/Singapore Asia/Hong_Kong Asia/Tokyo Australia/Sydney'
).split(' ');

const OF_LANGUAGE: Readonly<Record<string, readonly string[]>> = {
  de: ['Europe/Berlin', 'Europe/Vienna', 'Europe/Zurich'],
  es: ['Europe/Madrid', 'America/Mexico_City', 'America/Argentina/Buenos_Aires', 'America/Bogota'],
  'en-GB': ['Europe/London'],
  fr: ['Europe/Paris'],
  'pt-BR': ['America/Sao_Paulo'],
  ja: ['Asia/Tokyo'],
};

function plain(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}+-]+/gu, ' ')
    .trim();
}

function cityOf(zone: string): string {
  return plain(zone.split('/').at(-1) ?? zone);
}

/** The zone that the text clearly names, or undefined. */
export function resolveZone(text: string): string | undefined {
  const wanted = plain(text);
  if (wanted === '') return undefined;
  const short = SHORT[wanted] ?? CITIES[wanted] ?? (offsetOf(text) === 0 ? 'UTC' : undefined);
  if (short) return short;
  const exact = ZONES.find((zone) => plain(zone) === wanted);
  if (exact) return exact;
  const cities = ZONES.filter((zone) => cityOf(zone) === wanted);
  return cities.length === 1 ? cities[0] : undefined;
}

/**
 * Up to `n` zones that contain the typed text, those beginning with it first. For an offset: the places that have it
 * at `now` (milliseconds since the epoch) or in the other half of the year. For a country: its zones. For an empty
 * text: the common zones. For a text close to no zone: none.
 */
export function nearestZones(
  text: string,
  n: number,
  first: readonly string[] = [],
  now = Date.now(),
): string[] {
  if (text.trim() === '') return [...new Set([...first, ...COMMON])].slice(0, n);
  const wanted = plain(text);
  const meant = resolveZone(text);
  const offset = offsetOf(text);
  const ranked = [
    ...(meant ? [meant] : []),
    ...(offset === undefined ? zonesNamed(wanted) : zonesAt(offset, [...first, ...COMMON], now)),
  ];
  const found = ranked.length > 0 || offset !== undefined ? ranked : zonesLike(text, wanted);
  return [...new Set(found)].slice(0, n);
}

function zonesNamed(wanted: string): string[] {
  if (wanted === '') return [];
  const words = (zone: string) => ` ${plain(zone)}`;
  return [
    ...ZONES.filter((zone) => cityOf(zone).startsWith(wanted)),
    ...Object.keys(CITIES).flatMap((city) => (city.startsWith(wanted) ? [CITIES[city] as string] : [])),
    ...ZONES.filter((zone) => words(zone).includes(` ${wanted}`)),
  ];
}

/** Zones for a city with other words around it, a country, or a typing error. */
function zonesLike(text: string, wanted: string): string[] {
  const pieces = text.split(/[,(/]/u).flatMap((piece) => resolveZone(piece) ?? []);
  if (pieces.length > 0) return pieces;
  const cities = wanted.split(' ').flatMap((word) => (word.length > 3 ? (resolveZone(word) ?? []) : []));
  const country = resolveCountry(text)?.slug ?? nearestCountries(text, 1)[0];
  const errors = (zone: string) => typos(wanted, cityOf(zone));
  const close = ZONES.filter(
    (zone) => errors(zone) <= Math.floor(Math.min(wanted.length, cityOf(zone).length) / 4),
  ).sort((a, b) => errors(a) - errors(b));
  return [...cities, ...close, ...(country ? zonesOf(country) : [])];
}

/** Zones of a country by CLDR, the common ones first. */
function zonesOf(country: string): string[] {
  const locale = new Intl.Locale(`und-${countryCode(country) ?? 'ZZ'}`) as Intl.Locale & {
    readonly timeZones?: readonly string[];
    getTimeZones?(): readonly string[];
  };
  const all = new Set(locale.getTimeZones?.() ?? locale.timeZones ?? []);
  return [...COMMON.filter((zone) => all.has(zone)), ...[...all].filter(isTimezone)];
}

/** Minutes east of UTC in "UTC+2", "GMT-03:30", "+02:00"; undefined for anything else. */
function offsetOf(text: string): number | undefined {
  const [, sign, hours, minutes = '0'] =
    /^\s*(?:utc|gmt)?\s*([+\-−–±])\s*(\d{1,2})(?::?([0-5]\d))?\s*h?\s*$/iu.exec(text) ?? [];
  if (sign === undefined || Number(hours) > 14) return undefined;
  const size = Number(hours) * 60 + Number(minutes);
  return size === 0 || sign === '+' ? size : sign === '±' ? undefined : -size;
}

const DAY = 86_400_000;

/** The common places with an offset, now or in the other half of the year; if none has it, any place. */
function zonesAt(offset: number, usual: readonly string[], now: number): string[] {
  const { present, other } = offsetsOn(Math.floor(now / DAY));
  const having = (zones: readonly string[]) => [
    ...zones.filter((zone) => present.get(zone) === offset),
    ...zones.filter((zone) => other.get(zone) === offset),
  ];
  const found = having(usual);
  return found.length > 0 ? found : having(ZONES);
}

interface Offsets {
  readonly present: ReadonlyMap<string, number | undefined>;
  readonly other: ReadonlyMap<string, number | undefined>;
}

let kept: (Offsets & { readonly day: number }) | undefined;

/**
 * Offsets of every zone on a day (days since the epoch) and half a year later. Computed once a day, because it is
 * slow.
 */
function offsetsOn(day: number): Offsets {
  if (kept?.day === day) return kept;
  const half = (day + 182) * DAY;
  const formats = [...new Set([...COMMON, ...ZONES])].map(
    (timeZone) =>
      [timeZone, new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })] as const,
  );
  const at = (ms: number) => new Map(formats.map(([zone, format]) => [zone, offsetIn(format, ms)] as const));
  kept = { day, present: at(day * DAY), other: at(half) };
  return kept;
}

function offsetIn(format: Intl.DateTimeFormat, at: number): number | undefined {
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return name === 'GMT' ? 0 : offsetOf(name);
}

/** Likely zones for the reader's language. English has none, except for en-GB, because it is spoken everywhere. */
export function likelyZones(locale: string): readonly string[] {
  return OF_LANGUAGE[locale] ?? OF_LANGUAGE[locale.slice(0, 2)] ?? [];
}

/** "Europe/Berlin (14:05)". */
export function zoneLabel(zone: string, now: number): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  return `${zone} (${time.format(now)})`;
}

export function zoneChoices(typed: string, first: readonly string[], now: number): Choice[] {
  return nearestZones(typed, 25, first, now).map((zone) => ({ name: zoneLabel(zone, now), value: zone }));
}
