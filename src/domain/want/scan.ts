// Divides a wish into its parts: words and phrases with their meaning, amounts of pay, time zones and texts in quotes.
// Every pattern is tried at the beginning of a word only, and reads a bounded stretch.
import { resolveCountry } from '../countries.js';
import { COUNTRY_ROWS } from '../country-data.js';
import { defined } from '../defined.js';
import { parseRegion } from '../regions.js';
import { readTerm, TERM_NAMES, type TermName } from '../rules/index.js';
import { resolveTag } from '../tags.js';
import { type Grammar, valuesOf } from './language.js';
import { folded, LANGUAGES, LONGEST_PHRASE, type Meaning, meaningOf } from './lexicon.js';

/** What stands before a part: nothing but a blank, a slash, a comma or the like, or a semicolon. */
type Break = '' | '/' | ',' | ';';

/** What a part is. */
type Is =
  | Meaning
  | { readonly quote: string }
  /** `isExact` is false for a range, of which the lower end counts, and for "80 EUR", which is 80,000. */
  | { readonly pay: string; readonly isExact: boolean }
  | { readonly number: number }
  /** The name of a term and a colon. */
  | { readonly head: TermName | 'tags' }
  | { readonly unknown: string };

interface Place {
  readonly start: number;
  readonly end: number;
  /** What divides it from the part before. */
  readonly after: Break;
  readonly raw: string;
}
export type Part = Place & Is;

interface Token extends Place {
  /** In the form in which words are compared. */
  readonly word: string;
  /** Left out for a word. */
  readonly is?: Is;
}

const QUOTED = /"((?:[^"]|"")*)"|[“„]([^“”„]*)[“”]|«([^«»]*)»/uy;
/** "Node.js" is one word, "Rust.Remote" is two. */
const WORD =
  /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’]\p{L}[\p{L}\p{N}\p{M}]*)*(?:\.(?:js|py|io|net)(?![\p{L}\p{N}]))?[+#%]*/iuy;

const FIGURE = String.raw`\d{1,12}(?:[.,'’]\d{1,12}){0,4}(?:[ \u00a0\u202f]\d{3}(?![\d\p{L}])){0,3}`;
const THOUSANDS = String.raw`(?:\s?(?:[kK]|[Tt]sd\.?|[Tt]ausend|[Tt]housand|mil)(?=[^\p{L}\d]|$|EUR|USD|GBP|CHF))?`;
const CURRENCY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^euro/iu, 'EUR'],
  [/^(?:dollar|d[oó]lar)/iu, 'USD'],
  [/^(?:pound|pfund|libra)/iu, 'GBP'],
  [/^(?:fran|schweizer)/iu, 'CHF'],
];
const CURRENCY = String.raw`US\$|zł|[€$£¥₹₩₱₪₫₺₽]|[A-Z]{3,5}(?!\p{L})|(?:usd|eur|gbp|chf|cad|aud|sgd|nzd|usdc|usdt|inr|brl|pln|sek|nok|dkk|btc|eth|sol)(?!\p{L})|(?:[Ee]uros?|[Dd]ollars?|[Dd][oó]lar(?:es)?|[Pp]ounds?|[Pp]fund|[Ll]ibras?|[Ff]ranken|[Ff]rancs?|[Ff]rancos?)(?!\p{L})`;
/** The periods of all languages by their folded names. */
const PERIODS = new Map(
  LANGUAGES.flatMap(({ periods }) =>
    valuesOf(periods).flatMap(([period, names]) =>
      names.map((name): [string, string] => [folded(name), period]),
    ),
  ),
);
const PERIOD = String.raw`(?:\s?(?:brutto|gross|netto|net|brutos?|netos?)(?=[\s/]))?(?:\s?(?:/|per\s|pro\s|por\s|al?\s|an\s|im\s|each\s)\s?|\s)(\p{L}{1,12})(?![\p{L}\d])`;
/** "Between 70k and 90k". Elsewhere an "and" joins no amounts. */
const AND = String.raw`(?<=(?:[Bb]etween|[Zz]wischen|[Ee]ntre|[Ff]rom|[Vv]on|[Dd]e)\s[^,;]{1,30})\s(?:and|und|y)\s`;
const AMOUNT = new RegExp(
  `(?:(US\\$|[€$£¥₹₩₱]|[A-Z]{3,4}\\s)\\s?)?(${FIGURE})(${THOUSANDS})(\\s?(?:${CURRENCY}))?(?:(?:\\s?(?:-|–|—|to|bis|a|hasta)\\s?|${AND})[€$£]?(${FIGURE})(${THOUSANDS})(\\s?(?:${CURRENCY}))?)?(?![\\p{L}\\d])(?!\\s?%)\\+?`,
  'uy',
);
const PERIOD_AFTER = new RegExp(PERIOD, 'uy');

const HOURS = String.raw`\d{1,2}(?::\d\d|\.\d{1,2})?`;
const SPREAD = String.raw`(?:\s?(?:±|\+\s?/?\s?-)\s?(\d{1,2})(?:\s?(?:hours?|hrs?|h|Stunden|Std\.?|horas?)(?!\p{L}))?)?`;
const ZONES = String.raw`(?:[\s-]?(?:time(?:[\s-]?zones?)?|Zeitzonen?|(?:(?:business|working|office|core)\s)?hours|tz)(?!\p{L}))`;
const UTC = '(?:UTC|GMT|utc|gmt)';
/** "UTC-5 to UTC+1"; "CET ± 2h"; "US time zones ± 3h". */
const ZONE = new RegExp(
  `${UTC}\\s?([+\\-−–]${HOURS})\\s?(?:to|bis|a|-|–)\\s?${UTC}?([+\\-−–]${HOURS})(?!\\d)` +
    `|(${UTC}(?:\\s?[+\\-−–]\\s?${HOURS})?|CET|CEST|MEZ|MESZ|EET|EEST|WET|EST|EDT|ET|CST|CDT|MST|MDT|PST|PDT|PT|BST|IST|SGT|HKT|JST|KST|AEST|AEDT|MSK|GST|BRT|ART|cet|cest|pst|est)(?![\\p{L}\\d])${ZONES}?${SPREAD}` +
    `|(USA?|EU|European|American|LATAM|APAC|Asian)${ZONES}${SPREAD}` +
    `|(?:US\\s)?([Pp]acific|[Mm]ountain|[Cc]entral|[Ee]astern)\\s(?:standard\\s|Standard\\s)?(?:[Tt]ime|hours)${ZONES}?${SPREAD}`,
  'uy',
);

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * What divides two tokens. A stop does not count after an abbreviation, or between the letters of one ("E.U."). A colon
 * divides nothing. `before`: the word before.
 */
function breakIn(gap: string, before: string): Break {
  if (gap.includes(';')) return ';';
  const isShort =
    /^(?:mind|min|max|sr|jr|bzw|tsd|st)$/u.test(before) || (gap === '.' && /^\p{L}$/u.test(before));
  const isStop = /[.…](?:\s|$)/u.test(gap) && !isShort;
  if (isStop || /[,!?\n\r•|()[\]]|\s[-–—]\s/u.test(gap)) return ',';
  return /[/&]/u.test(gap) ? '/' : '';
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let last = 0;
  while (at < text.length) {
    const found = tokenAt(text, at);
    if (!found) {
      at++;
      continue;
    }
    const { end, is } = found;
    const raw = text.slice(at, end);
    const after = breakIn(text.slice(last, at), tokens.at(-1)?.word ?? '');
    tokens.push({ start: at, end, after, raw, word: folded(raw).replaceAll('.', ' '), ...defined({ is }) });
    at = end;
    last = end;
  }
  return tokens;
}

function tokenAt(text: string, at: number): { readonly end: number; readonly is?: Is } | undefined {
  const quoted = matchAt(QUOTED, text, at);
  if (quoted) {
    const [all, straight, curly, angular] = quoted;
    const quote = straight?.replaceAll('""', '"') ?? curly ?? angular ?? '';
    return { end: at + all.length, is: { quote } };
  }
  const zone = zoneAt(text, at);
  if (zone) return zone;
  const sign = signAt(text, at);
  if (sign) return sign;
  const amount = amountAt(text, at);
  if (amount) return amount;
  const word = matchAt(WORD, text, at);
  return word ? { end: at + word[0].length } : undefined;
}

/** Zones that have a name instead of a code. */
const NAMED_ZONES: Readonly<Record<string, string>> = {
  pacific: 'PT',
  mountain: 'MST',
  central: 'CST',
  eastern: 'ET',
};
const zoneCode = (name: string) => name.toUpperCase().replace(/^MEZ/u, 'CET').replace(/^MESZ/u, 'CEST');

function zoneAt(text: string, at: number): ReturnType<typeof tokenAt> {
  const found = matchAt(ZONE, text, at);
  if (!found) return undefined;
  const [all, from, to, zone, spread, region, wide, coast, near] = found;
  const plain = (hours: string) => hours.replace(/\s/gu, '').replace(/[−–]/u, '-');
  const hours = spread ?? wide ?? near;
  const name = zone ?? (coast && NAMED_ZONES[coast.toLowerCase()]);
  const said =
    from !== undefined && to !== undefined
      ? `UTC${plain(from)} to UTC${plain(to)}`
      : `${name === undefined ? `${region} time zones` : zoneCode(plain(name))}${hours ? ` ± ${hours}h` : ''}`;
  const value = parseRegion(said);
  return value === undefined ? undefined : { end: at + all.length, is: { term: 'region', value } };
}

/** Signs that stand for a word: "-nft", "!nft" and "🚫 nft" exclude, "≥ 90k" is "at least 90k". */
const SIGNS: readonly (readonly [pattern: RegExp, does: Grammar])[] = [
  [/(?<![^\s,;(])[-–!](?=[\p{L}"„“«])|(?:🚫|❌|⛔|🙅)\ufe0f?/uy, 'not'],
  [/[≥>]=?(?=\s?[€$£\d])/uy, 'least'],
  [/[≤<]=?(?=\s?[€$£\d])/uy, 'most'],
];
/** The flag of a country, or of the EU. */
const FLAG = /[\u{1f1e6}-\u{1f1ff}]{2}/uy;
/** Names of countries whose dots would divide them. */
const DOTTED: readonly (readonly [pattern: RegExp, country: string])[] = [
  [/(?:U\.\s?S\.(?:\s?A\.)?|EE\.?\s?UU)(?![\p{L}\d])\.?/uy, 'united-states'],
  [/U\.\s?K\.(?![\p{L}\d])/uy, 'united-kingdom'],
];

function signAt(text: string, at: number): ReturnType<typeof tokenAt> {
  for (const [pattern, does] of SIGNS) {
    const found = matchAt(pattern, text, at);
    if (found) return { end: at + found[0].length, is: { does } };
  }
  for (const [pattern, value] of DOTTED) {
    const found = matchAt(pattern, text, at);
    if (found) return { end: at + found[0].length, is: { term: 'country', value } };
  }
  const flag = matchAt(FLAG, text, at)?.[0];
  if (flag === undefined) return undefined;
  const code = [...flag].map((one) => String.fromCharCode((one.codePointAt(0) ?? 0) - 0x1f1a5)).join('');
  const end = at + flag.length;
  const region = code === 'EU' ? parseRegion(code) : undefined;
  if (region !== undefined) return { end, is: { term: 'region', value: region } };
  const slug = COUNTRY_ROWS.find(([, alpha2]) => alpha2 === code)?.[0];
  return { end, is: slug === undefined ? { unknown: flag } : { term: 'country', value: slug } };
}

/**
 * An amount of pay, or any other number. It is pay if it has a currency, a period or thousands, or is as high as pay of
 * a year.
 */
function amountAt(text: string, at: number): ReturnType<typeof tokenAt> {
  const found = matchAt(AMOUNT, text, at);
  if (!found) return undefined;
  const [all, before = '', figure = '', k = '', after = '', upper, upperK = '', upperAfter = ''] = found;
  const per = matchAt(PERIOD_AFTER, text, at + all.length);
  const period = PERIODS.get(folded(per?.[1] ?? '')) ?? rateBefore(text, at);
  const mark = (before || after || upperAfter).trim();
  const currency = CURRENCY_WORDS.find(([pattern]) => pattern.test(mark))?.[1] ?? mark;
  const isShort = (one: string) => /^\d{1,3}(?:[.,]\d{1,2})?$/u.test(one);
  const hasThousands = k !== '' || (upperK !== '' && isShort(figure));
  const isRounded = !hasThousands && /[.,]\d{1,2}$/u.test(figure) && !/[.,]00?$/u.test(figure);
  const isHigh = hasThousands || /\d{5}|\d[.,'’\s]\d{3}/u.test(figure);
  // "60/hour" is pay, "3 days" is not.
  const isNamed = PERIODS.has(folded(per?.[1] ?? ''));
  // "Monthly", "monatlich", "mensuales".
  const isAdverb =
    isNamed &&
    /\d{3}/u.test(figure) &&
    /(?:ly|lich|ales?|rios?)$|(?:per|pro|por|al?|im|each)\s\p{L}+$/iu.test(per?.[0] ?? '');
  const isPeriod =
    period !== undefined &&
    (isHigh || currency !== '' || !isNamed || isAdverb || !/^\s/u.test(per?.[0] ?? ''));
  const isGuess = currency !== '' && !isPeriod && !isHigh && isShort(figure);
  const end = at + all.length + (isPeriod && isNamed && per ? per[0].length : 0);
  const said = `${figure}${hasThousands || isGuess ? 'k' : ''} ${currency || 'USD'}/${isPeriod ? period : 'year'}`;
  const value = isHigh || currency !== '' || isPeriod ? readTerm(`pay: ${said}`)?.values[0] : undefined;
  if (value !== undefined)
    return { end, is: { pay: value, isExact: upper === undefined && !isGuess && !isRounded } };
  // What looks like a currency is none, as in "80k NFT", or it is the word before: "RUST 80k".
  if (before !== '' || upper !== undefined) return undefined;
  const bare = at + figure.length + k.length;
  if (/^[\p{L}\p{N}]/u.test(text.slice(bare, bare + 2))) return undefined;
  const inDollars = isHigh ? readTerm(`pay: ${figure}${k && 'k'} USD/year`)?.values[0] : undefined;
  return inDollars === undefined
    ? { end: bare, is: { number: Number(figure.replace(',', '.')) } }
    : { end: bare, is: { pay: inDollars, isExact: true } };
}

/** Words before an amount that say for which time it is: "hourly rate from 90 EUR". */
const RATES: readonly (readonly [RegExp, string])[] = [
  [
    /(?:hourly(?: rate)?|rate per hour|stundensatz|stundenlohn|tarifa (?:por hora|horaria))[^\d,;]{0,24}$/iu,
    'hour',
  ],
  [/(?:daily rate|day rate|tagessatz|tarifa (?:diaria|por día))[^\d,;]{0,24}$/iu, 'day'],
  [/(?:monthly (?:salary|pay)|monatsgehalt|(?:sueldo|salario) mensual)[^\d,;]{0,24}$/iu, 'month'],
];

function rateBefore(text: string, at: number): string | undefined {
  const before = text.slice(Math.max(0, at - 48), at);
  return RATES.find(([pattern]) => pattern.test(before))?.[1];
}

/** Returns the parts of a sentence in their order. Together they have all its words. */
export function partsOf(text: string): readonly Part[] {
  const tokens = tokensOf(text);
  const parts: Part[] = [];
  for (let at = 0; at < tokens.length; ) {
    const { part, length } = partAt(text, tokens, at);
    parts.push(part);
    at += length;
  }
  return parts;
}

const HEADS: ReadonlySet<string> = new Set(['tags', ...TERM_NAMES.filter((name) => name !== 'remote')]);
const isHead = (word: string): word is TermName | 'tags' => HEADS.has(word);

function partAt(
  text: string,
  tokens: readonly Token[],
  at: number,
): { readonly part: Part; readonly length: number } {
  const token = tokens[at] as Token;
  const { start, after, word, is } = token;
  const part = (end: number, what: Is): Part => ({ start, end, after, raw: text.slice(start, end), ...what });
  if (text[token.end] === ':' && isHead(word))
    return { part: part(token.end + 1, { head: word }), length: 1 };
  if (is && !('number' in is)) return { part: part(token.end, is), length: 1 };
  let longest = 1;
  while (longest < LONGEST_PHRASE && joins(tokens[at + longest])) longest++;
  for (let length = longest; length > 0; length--) {
    const words = tokens.slice(at, at + length);
    const meaning = meaningAt(words);
    const compound = length === 1 && meaning && 'does' in meaning ? compoundAt(text, tokens, at) : undefined;
    if (compound)
      return { part: part((tokens[at + compound - 1] as Token).end, { unknown: word }), length: compound };
    if (meaning) return { part: part((words.at(-1) ?? token).end, meaning), length };
  }
  return { part: part(token.end, is ?? { unknown: word }), length: 1 };
}

/** How many tokens are one word that only begins like grammar: "on-call", "no-code", "non-profit"; undefined if it is none. */
function compoundAt(text: string, tokens: readonly Token[], at: number): number | undefined {
  let length = 1;
  for (;;) {
    const [before, next] = [tokens[at + length - 1] as Token, tokens[at + length]];
    if (!next || next.is || next.start !== before.end + 1 || text[before.end] !== '-') break;
    const own = meaningAt([next]);
    if (own && !('does' in own && (own.does === 'filler' || own.does === 'other'))) return undefined;
    length++;
  }
  return length > 1 ? length : undefined;
}

/** True if a token may continue a phrase. */
const joins = (token: Token | undefined) =>
  token !== undefined && (token.after === '' || token.after === '/') && (!token.is || 'number' in token.is);

/** Words that the options take for a tag which is only the closest one: the board has no tag for them. */
const BROADER: ReadonlySet<string> = new Set(
  'python typescript ts kubernetes infrastructure server data governance anchor contracts'.split(' '),
);

function meaningAt(words: readonly Token[]): Meaning | undefined {
  const phrase = words.map(({ word }) => word).join(' ');
  // "Senior+" is a level with a sign, "C++" is a word.
  const known = meaningOf(phrase) ?? meaningOf(phrase.replace(/(?<=\p{L})\+$/u, ''));
  if (known) return known;
  const [first, ...more] = words;
  if (first && more.length === 0) {
    const tag = resolveTag(first.raw);
    if (tag) return { term: 'tag', value: tag, ...(BROADER.has(first.word) ? { isNear: true } : {}) };
    // In small letters, "us" and "in" are words.
    if (/^(?:USA?|UK|UAE|EEUU|usa|uk|uae|eeuu|BRD)$/u.test(first.raw)) return countryOf(first.raw);
  }
  // Other codes of countries are words too often.
  return phrase.replaceAll(' ', '').length < 4 ? undefined : countryOf(phrase);
}

function countryOf(text: string): Meaning | undefined {
  const country = resolveCountry(text);
  return country && { term: 'country', value: country.slug };
}
