// Divides a wish into its parts: words and phrases with their meaning, amounts of pay, time zones and texts in quotes.
// Every pattern is tried at the beginning of a word only, and reads a bounded stretch.
import { resolveCountry } from '../countries.js';
import { defined } from '../defined.js';
import { parseRegion } from '../regions.js';
import { readTerm, TERM_NAMES, type TermName } from '../rules/index.js';
import { resolveTag } from '../tags.js';
import { valuesOf } from './language.js';
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
const PERIOD = String.raw`(?:\s?(?:/|per\s|pro\s|por\s|al?\s|an\s|im\s|each\s)\s?|\s)(\p{L}{1,12})(?![\p{L}\d])`;
const AMOUNT = new RegExp(
  `(?:(US\\$|[€$£¥₹₩₱]|[A-Z]{3,4}\\s)\\s?)?(${FIGURE})(${THOUSANDS})(\\s?(?:${CURRENCY}))?(?:\\s?(?:-|–|—|to|bis|a|hasta)\\s?[€$£]?(${FIGURE})(${THOUSANDS})(\\s?(?:${CURRENCY}))?)?(?![\\p{L}\\d])(?!\\s?%)\\+?`,
  'uy',
);
const PERIOD_AFTER = new RegExp(PERIOD, 'uy');

const HOURS = String.raw`\d{1,2}(?::\d\d|\.\d{1,2})?`;
const SPREAD = String.raw`(?:\s?(?:±|\+\s?/?\s?-)\s?(\d{1,2})(?:\s?(?:hours?|hrs?|h|Stunden|Std\.?|horas?)(?!\p{L}))?)?`;
const ZONES = String.raw`(?:[\s-]?(?:time[\s-]?zones?|Zeitzonen?|hours|tz)(?!\p{L}))`;
const UTC = '(?:UTC|GMT|utc|gmt)';
/** "UTC-5 to UTC+1"; "CET ± 2h"; "US time zones ± 3h". */
const ZONE = new RegExp(
  `${UTC}\\s?([+\\-−–]${HOURS})\\s?(?:to|bis|a|-|–)\\s?${UTC}?([+\\-−–]${HOURS})(?!\\d)` +
    `|(${UTC}(?:\\s?[+\\-−–]\\s?${HOURS})?|CET|CEST|EET|EEST|WET|EST|EDT|ET|CST|CDT|MST|MDT|PST|PDT|PT|BST|IST|SGT|HKT|JST|KST|AEST|AEDT|MSK|GST|BRT|ART|cet|cest|pst|est)(?![\\p{L}\\d])${ZONES}?${SPREAD}` +
    `|(USA?|EU|European|American|LATAM|APAC|Asian)${ZONES}${SPREAD}`,
  'uy',
);

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * What divides two tokens. A stop only counts before a blank, so that "Node.js" is one name, and not
 * after an abbreviation. A colon divides nothing. `before`: the word before.
 */
function breakIn(gap: string, before: string): Break {
  if (gap.includes(';')) return ';';
  const isStop = /[.…](?:\s|$)/u.test(gap) && !/^(?:mind|min|max|sr|jr|bzw|tsd|st)$/u.test(before);
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
  const amount = amountAt(text, at);
  if (amount) return amount;
  const word = matchAt(WORD, text, at);
  return word ? { end: at + word[0].length } : undefined;
}

function zoneAt(text: string, at: number): ReturnType<typeof tokenAt> {
  const found = matchAt(ZONE, text, at);
  if (!found) return undefined;
  const [all, from, to, name, spread, region, wide] = found;
  const plain = (hours: string) => hours.replace(/\s/gu, '').replace(/[−–]/u, '-');
  const hours = spread ?? wide;
  const said =
    from !== undefined && to !== undefined
      ? `UTC${plain(from)} to UTC${plain(to)}`
      : `${name === undefined ? `${region} time zones` : plain(name).toUpperCase()}${hours ? ` ± ${hours}h` : ''}`;
  const value = parseRegion(said);
  return value === undefined ? undefined : { end: at + all.length, is: { term: 'region', value } };
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
  const period = PERIODS.get(folded(per?.[1] ?? ''));
  const mark = (before || after || upperAfter).trim();
  const currency = CURRENCY_WORDS.find(([pattern]) => pattern.test(mark))?.[1] ?? mark;
  const isShort = (one: string) => /^\d{1,3}(?:[.,]\d{1,2})?$/u.test(one);
  const hasThousands = k !== '' || (upperK !== '' && isShort(figure));
  const isHigh = hasThousands || /\d{5}|\d[.,'’\s]\d{3}/u.test(figure);
  // "60/hour" is pay, "3 days" is not.
  const isPeriod = period !== undefined && (isHigh || currency !== '' || !/^\s/u.test(per?.[0] ?? ''));
  const isGuess = currency !== '' && !isPeriod && !isHigh && isShort(figure);
  const end = at + all.length + (isPeriod && per ? per[0].length : 0);
  const said = `${figure}${hasThousands || isGuess ? 'k' : ''} ${currency || 'USD'}/${isPeriod ? period : 'year'}`;
  const value = isHigh || currency !== '' || isPeriod ? readTerm(`pay: ${said}`)?.values[0] : undefined;
  if (value !== undefined) return { end, is: { pay: value, isExact: upper === undefined && !isGuess } };
  // What looks like a currency is none, as in "80k NFT", or it is the word before: "RUST 80k".
  if (before !== '' || upper !== undefined) return undefined;
  const bare = at + figure.length + k.length;
  if (/^[\p{L}\p{N}]/u.test(text.slice(bare, bare + 2))) return undefined;
  const inDollars = isHigh ? readTerm(`pay: ${figure}${k && 'k'} USD/year`)?.values[0] : undefined;
  return inDollars === undefined
    ? { end: bare, is: { number: Number(figure.replace(',', '.')) } }
    : { end: bare, is: { pay: inDollars, isExact: true } };
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
    if (meaning) return { part: part((words.at(-1) ?? token).end, meaning), length };
  }
  return { part: part(token.end, is ?? { unknown: word }), length: 1 };
}

/** True if a token may continue a phrase. */
const joins = (token: Token | undefined) =>
  token !== undefined && (token.after === '' || token.after === '/') && (!token.is || 'number' in token.is);

function meaningAt(words: readonly Token[]): Meaning | undefined {
  const phrase = words.map(({ word }) => word).join(' ');
  // "Senior+" is a level with a sign, "C++" is a word.
  const known = meaningOf(phrase) ?? meaningOf(phrase.replace(/(?<=\p{L})\+$/u, ''));
  if (known) return known;
  const [first, ...more] = words;
  if (first && more.length === 0) {
    const tag = resolveTag(first.raw);
    if (tag) return { term: 'tag', value: tag };
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
