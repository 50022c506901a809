// Pay is written as free text ("$80k - 120k", "€5.000/month") or in wire fields. This file converts it to one shape,
// and never mixes the employer's figure with the board's estimate.
import { defined } from './defined.js';
import { remember } from './remember.js';

/**
 * Amounts in whole units of `currency`, per `unit`. An absent field is unknown or uncertain: never assume dollars or
 * a year.
 */
export interface Pay {
  readonly min?: number;
  readonly max?: number;
  readonly currency?: string;
  readonly unit?: 'year' | 'month' | 'week' | 'day' | 'hour';
}

/** ISO 4217 codes, except those that are also common words in capitals (ALL, TOP). */
const ISO =
  'AED AFN AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL';
const CRYPTO = 'USDT USDC DAI ETH BTC SOL';
/** Codes that are also read in lower case, because they are not words in any language. */
const FREE =
  'USD EUR GBP CHF CAD AUD SGD JPY CNY INR BRL PLN SEK NOK DKK AED HKD NZD KRW PHP ZAR MXN TWD CZK HUF USDT USDC ETH BTC SOL';

/** Signs of a single currency. Signs that contain letters count only beside an amount. */
const SIGNS: Readonly<Record<string, string>> = {
  US$: 'USD',
  A$: 'AUD',
  AU$: 'AUD',
  C$: 'CAD',
  CA$: 'CAD',
  S$: 'SGD',
  SG$: 'SGD',
  NZ$: 'NZD',
  HK$: 'HKD',
  NT$: 'TWD',
  TW$: 'TWD',
  MX$: 'MXN',
  R$: 'BRL',
  R: 'ZAR',
  'E£': 'EGP',
  'JP¥': 'JPY',
  'CN¥': 'CNY',
  RMB: 'CNY',
  円: 'JPY',
  元: 'CNY',
  원: 'KRW',
  '€': 'EUR',
  '₹': 'INR',
  '₩': 'KRW',
  '₱': 'PHP',
  '₪': 'ILS',
  '₫': 'VND',
  '₴': 'UAH',
  '₺': 'TRY',
  '₦': 'NGN',
  '₽': 'RUB',
  '฿': 'THB',
  '₿': 'BTC',
  Ξ: 'ETH',
  zł: 'PLN',
  Kč: 'CZK',
  Ft: 'HUF',
  'S/': 'PEN',
};

/**
 * Signs that several currencies share: `of` lists them, `alone` is the one meant when nothing else is said. No
 * `alone` where that would be a guess.
 */
const SHARED: Readonly<Record<string, { readonly of: string; readonly alone?: string }>> = {
  $: {
    of: 'USD CAD AUD NZD SGD HKD TWD MXN BRL ARS CLP COP UYU BBD BMD BSD BND BZD FJD GYD JMD KYD LRD NAD SBD SRD TTD XCD USDT USDC DAI',
    alone: 'USD',
  },
  '£': { of: 'GBP EGP FKP GIP LBP SHP SSP SYP', alone: 'GBP' },
  '¥': { of: 'JPY CNY' },
  kr: { of: 'SEK NOK DKK ISK' },
  Rs: { of: 'INR PKR LKR NPR MUR SCR' },
};
/** Other ways in which wire fields and full-width forms write some of these signs. */
const SAME: Readonly<Record<string, string>> = { '＄': '$', '￡': '£', '￥': '¥', '￦': '₩', '₨': 'Rs' };

const anyCase = (code: string) => [...code].map((sign) => `[${sign}${sign.toLowerCase()}]`).join('');
const CODES = [...FREE.split(' ').map(anyCase), ...ISO.split(' '), ...CRYPTO.split(' '), 'RMB'].join('|');
/** R stands for rand only before an amount that is written out, "R 450 000". Any other R is followed by a name. */
const RAND = String.raw`R(?=\s?(?:\d{1,3}(?:[ ,.\u00a0\u202f]\d{3})+|\d{4,}|\d+(?:[.,]\d+)?\s?[kKmM])(?![\d\p{L}]))`;
// Capitals right before a dollar, pound or yen sign belong to it, and make it another currency.
const SIGN = String.raw`\p{Lu}{0,3}[$＄£￡¥￥]|\p{Sc}|Ξ|[zZ][łŁ]|Kč|[kK][rR]\b\.?|Ft\b|Rs\b\.?|S/\.?(?=\s?\d)|[円元원]|${RAND}`;
const TOKEN = `(?:${CODES})(?!\\p{L})|${SIGN}`;
const MARK = `(?:${TOKEN})(?:[\\s/(]?(?:${TOKEN}))?`;
/** Words and letters beside a number that multiply it. A lakh is 100,000, a crore ten million. */
const SCALES: readonly (readonly [RegExp, number])[] = [
  [/^(?:k|thousand|tsd|mil)$/iu, 1000],
  [/^(?:m|mn|mio|millions?)$/iu, 1_000_000],
  [/^(?:l|lpa|lakhs?|lacs?)$/iu, 100_000],
  [/^(?:cr|crores?)$/iu, 10_000_000],
];
const SCALE =
  '[kK]|[mM]|[mM]n|[mM]io|[Mm]illions?|[Tt]housand|[Tt]sd|L|LPA|[Ll]pa|[Ll]akhs?|[Ll]acs?|[Cc]r|[Cc]rores?';
const AMOUNT = new RegExp(
  // A number, in any grouping; not the end of a word such as "web3".
  `(?<![\\p{L}\\d.,])((?:${MARK})[\\s:]*)?(\\d[\\d.,'’]*(?:[ \\u00a0\\u202f]\\d{3}(?!\\d))*)` +
    // The scale, then perhaps the currency; not the start of a word, a version or a percentage.
    `(?:\\s?(${SCALE})(?=[^\\p{L}]|$|${CODES}))?(\\s*\\(?(?:${MARK}))?(?![\\p{L}\\d%])(?!\\s*%)`,
  'gu',
);
const TOKENS = new RegExp(`(?<!\\p{L})(?:${TOKEN})`, 'gu');
const BETWEEN = /^\s*\+?\s*(?:-|–|—|~|to|and|bis|und|a|y|hasta)\s*$/iu;

const WORDS: Readonly<Record<NonNullable<Pay['unit']>, readonly [noun: string, adverb: string]>> = {
  year: ['years?|yrs?|y|annum|jahr|año', 'yearly|annual(?:ly)?|p\\.?\\s?a\\b|jährlich|anual'],
  month: ['months?|mo|mth|monat|mes', 'monthly|monatlich|mensual'],
  week: ['weeks?|wk|woche|semana', 'weekly'],
  day: ['days?|tag|día', 'daily'],
  hour: ['hours?|hrs?|h|stunde|hora', 'hourly'],
};
type UnitPattern = readonly [RegExp, NonNullable<Pay['unit']>];
const unitPatterns = (pattern: (noun: string, adverb: string) => string): readonly UnitPattern[] =>
  (Object.keys(WORDS) as NonNullable<Pay['unit']>[]).map((unit) => [
    new RegExp(pattern(...WORDS[unit]), 'iu'),
    unit,
  ]);
/**
 * "per month" takes precedence over "monthly", and "monthly" over a bare "month", because a text may also mention a
 * 4-day week.
 */
const UNITS: readonly UnitPattern[] = [
  ...unitPatterns((noun) => `(?:/|\\bper|\\bpro|\\bpor|\\bal?|\\ban|\\beach)\\s*(?:${noun})(?!\\p{L})`),
  ...unitPatterns((_noun, adverb) => `(?<!\\p{L})(?:${adverb})(?!\\p{L})`),
  ...unitPatterns((noun) => `^\\s*(?:${noun})\\s*$`),
];
const PER_YEAR = { year: 1, month: 12, week: 52, day: 260, hour: 2080 } as const;

/**
 * Currencies so close to the dollar that a floor of "80k" means about the same in each. `minSalary` is compared with
 * them without conversion.
 */
const COMPARABLE = new Set(['USD', 'EUR', 'GBP', 'CHF', 'CAD', 'AUD', 'SGD', 'NZD', 'USDT', 'USDC']);
/** Longest text that is read, in characters. What is longer is not a statement of pay. */
const TEXT_MAX = 300;

/** Returns the unit that a text such as "YEAR", "per month" or "/hr" names; undefined when it names none. */
export function parseUnit(text: string): Pay['unit'] {
  return UNITS.find(([pattern]) => pattern.test(text.slice(0, TEXT_MAX)))?.[1];
}

interface Amount {
  readonly plain: number;
  /** 1,000 for "k", 1,000,000 for "m", 100,000 for "lakh" and so on; otherwise 1. */
  readonly scale: number;
  /** The text beside the amount that names a currency. */
  readonly mark: string;
  /** True when a currency or a scale shows that this is money. */
  readonly marked: boolean;
  readonly start: number;
  readonly end: number;
}

function scaleOf(word: string | undefined): number {
  return (word && SCALES.find(([pattern]) => pattern.test(word))?.[1]) || 1;
}

function amountOf(match: RegExpExecArray): Amount {
  const [all, before, digits = '', suffix, after] = match;
  const scale = scaleOf(suffix);
  const mark = [before, after].filter(Boolean).join(' ');
  const marked = mark !== '' || scale > 1;
  return { plain: numberOf(digits), scale, mark, marked, start: match.index, end: match.index + all.length };
}

/**
 * "5.000" and "5,000" are five thousand, "5.5" is not. After a leading zero, the separator is a decimal point
 * ("0.125"). "30,00,000" is the Indian way to write three million.
 */
function numberOf(digits: string): number {
  const text = digits.replace(/[.,'’]+$/u, '').replace(/[\s'’]/gu, '');
  if (/^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$/u.test(text)) return Number(text.replaceAll(',', ''));
  const grouped = /^0[.,]/u.test(text) ? text : text.replace(/[.,](?=\d{3}(?:\D|$))/gu, '');
  return Number(grouped.replace(',', '.'));
}

/** The first range or amount that is marked as money; otherwise the first range, or the first amount. */
function statement(text: string, amounts: readonly Amount[]): readonly Amount[] {
  const ranges = amounts.flatMap((low, index) => {
    const high = amounts[index + 1];
    return high && BETWEEN.test(text.slice(low.end, high.start)) ? [[low, high]] : [];
  });
  const marked = (range: readonly Amount[]) => range.some((amount) => amount.marked);
  const single = amounts.filter((amount) => amount.marked).map((amount) => [amount]);
  return ranges.find(marked) ?? single[0] ?? ranges[0] ?? amounts.slice(0, 1);
}

/** Reads a range or amount from free text. Returns undefined when there is no amount. Never throws. */
export function parsePay(text: string): Pay | undefined {
  // A 401(k) is a pension plan.
  const words = text.slice(0, TEXT_MAX).replace(/\b401\s?\(?k\)?/giu, ' ');
  const amounts = [...words.matchAll(AMOUNT)].map(amountOf);
  const found = statement(words, amounts);
  // "80-120k": the scale applies to both numbers, unless one of them is written out.
  const scale = Math.max(1, ...found.map((amount) => amount.scale));
  const values = found.map(({ plain }) => (plain < 1000 ? plain * scale : plain));
  const [first, second] = values;
  if (first === undefined || values.some((value) => !Number.isFinite(value) || value <= 0)) return undefined;
  const unit = parseUnit(words) ?? (/\bLPA\b/iu.test(words) ? 'year' : undefined);
  const currency = currencyOf(found.map(({ mark }) => mark).join(' '), words);
  return {
    ...(second === undefined
      ? openEnded(words.slice(0, found[0]?.start), words.slice(found[0]?.end), first)
      : { min: Math.min(first, second), max: Math.max(first, second) }),
    ...defined({ currency: currency || undefined, unit }),
  };
}

/** Returns the signs and codes in a text, each in its one canonical form. */
function tokensIn(text: string): readonly string[] {
  return [...text.matchAll(TOKENS)].map(([token]) => {
    const plain = token.replace(/[＄￡￥￦₨]/gu, (sign) => SAME[sign] as string).replace(/\.$/u, '');
    if (/^kr$/iu.test(plain)) return 'kr';
    if (/^zł$/iu.test(plain)) return 'zł';
    // "AUD$" is AUD; "Z$" is an unknown currency.
    const code = /^\p{L}{3,4}/u.exec(plain)?.[0].toUpperCase();
    return code && KNOWN.has(code) ? code : plain;
  });
}

const KNOWN: ReadonlySet<string> = new Set([...ISO.split(' '), ...CRYPTO.split(' '), 'RMB']);

/**
 * The one currency these signs and codes stand for together; undefined if there is none, more than one, or a choice
 * of several.
 */
function meant(tokens: readonly string[]): string | undefined {
  const shared = tokens.flatMap((token) => SHARED[token] ?? []);
  const names = tokens.filter((token) => !(token in SHARED)).map((token) => SIGNS[token] ?? token);
  const [name, ...others] = [...new Set(names)];
  // A sign without an entry is a currency, but an unknown one.
  if (name !== undefined)
    return others.length === 0 && KNOWN.has(name) && shared.every(({ of }) => of.split(' ').includes(name))
      ? name
      : undefined;
  const alone = new Set(shared.map((one) => one.alone));
  return alone.size === 1 ? [...alone][0] : undefined;
}

/**
 * The currency of the marks beside an amount. A code elsewhere in the text decides between currencies that share a
 * sign, and names the currency of an amount without a mark.
 */
function currencyOf(marks: string, text: string): string | undefined {
  const near = tokensIn(marks);
  const all = tokensIn(text);
  if (near.length === 0) {
    const indian = all.length === 0 && /(?<!\p{L})(?:lakhs?|lacs?|lpa|crores?)(?!\p{L})/iu.test(text);
    return indian ? 'INR' : meant(all);
  }
  const codes = all.filter((token) => KNOWN.has(token) && meant([...near, token]) !== undefined);
  return meant([...near, ...codes]);
}

/**
 * Reads a field that holds only a currency: a code such as USD or a sign such as €. Returns undefined if it is
 * neither.
 */
export function parseCurrency(text: string): string | undefined {
  const given = text.trim();
  return /^[A-Za-z]{3,5}$/u.test(given) && !/^kr/iu.test(given)
    ? (meant(tokensIn(given.toUpperCase())) ?? given.toUpperCase())
    : meant(tokensIn(given));
}

function openEnded(before: string, after: string, value: number): Pick<Pay, 'min' | 'max'> {
  if (/(?:\bup to|\bmax(?:imum|\.)?|≤|<|\bbis(?: zu)?|\bhasta)\s*$/iu.test(before)) return { max: value };
  if (/(?:\bfrom|\bmin(?:imum|\.)?|\bat least|\bstarting at|≥|>|\bab|\bdesde)\s*$/iu.test(before))
    return { min: value };
  return /^\s?\+/u.test(after) ? { min: value } : { min: value, max: value };
}

/**
 * The period of an amount: the stated one; otherwise a year, if the amount is at least 10,000 in a comparable
 * currency (see COMPARABLE). In other currencies it could also be a month's pay.
 */
function periodOf(pay: Pay): Pay['unit'] {
  return pay.unit ?? assumedPeriod(pay);
}

function assumedPeriod({ min, max, currency }: Pay): Pay['unit'] {
  const value = max ?? min;
  if (value === undefined || value < 10_000) return undefined;
  return currency !== undefined && COMPARABLE.has(currency) ? 'year' : undefined;
}

/**
 * The highest pay per year, in `currency` or in one that can be compared with it (see COMPARABLE). Undefined when it
 * can't be compared: it is in another currency, or the currency or period is unknown.
 */
export function yearly(pay: Pay | undefined, currency = 'USD'): number | undefined {
  const value = pay?.max ?? pay?.min;
  if (value === undefined || pay?.currency === undefined) return undefined;
  const isClose = COMPARABLE.has(pay.currency) && COMPARABLE.has(currency);
  if (pay.currency !== currency && !isClose) return undefined;
  const unit = periodOf(pay);
  return unit ? value * PER_YEAR[unit] : undefined;
}

/** True when a text names no currency, or one that can be compared with a floor in dollars. */
export function isComparable(text: string): boolean {
  const tokens = tokensIn(text);
  return tokens.length === 0 || COMPARABLE.has(meant(tokens) ?? '');
}

/** With fewer amounts than this, there is no median. */
const LEAST_SAMPLES = 5;

/**
 * Returns the median of the disclosed pay, rounded to three digits, in the currency and period that most amounts are
 * in. Other amounts are left out, not converted. Undefined when there are fewer than five of that kind.
 */
export function medianPay(pays: readonly (Pay | undefined)[]): Pay | undefined {
  const most = mostCommon(pays);
  if (most === undefined || most.values.length < LEAST_SAMPLES) return undefined;
  const { currency, unit } = most;
  const sorted = most.values.sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [lower, upper] = [sorted[middle - 1] as number, sorted[middle] as number];
  const value = rounded(sorted.length % 2 === 1 ? upper : (lower + upper) / 2);
  return { min: value, max: value, currency, unit };
}

/** Returns the lowest and the highest amount of the disclosed pay, in the currency and period that most amounts are in. */
export function paySpan(pays: readonly (Pay | undefined)[]): Pay | undefined {
  const most = mostCommon(pays);
  return most && { min: most.low, max: most.high, currency: most.currency, unit: most.unit };
}

/** The pay in the most common currency and period: the middle of each range, and the ends of all. */
function mostCommon(pays: readonly (Pay | undefined)[]) {
  const kinds = new Map<
    string,
    { currency: string; unit: NonNullable<Pay['unit']>; values: number[]; low: number; high: number }
  >();
  for (const pay of pays) {
    const { min, max, currency } = pay ?? {};
    const unit = pay && periodOf(pay);
    const high = max ?? min;
    if (high === undefined || currency === undefined || unit === undefined) continue;
    const low = min ?? high;
    const kind = kinds.get(`${currency} ${unit}`) ?? { currency, unit, values: [], low, high };
    kinds.set(`${currency} ${unit}`, kind);
    kind.values.push((high + low) / 2);
    kind.low = Math.min(kind.low, low);
    kind.high = Math.max(kind.high, high);
  }
  return [...kinds.values()].sort((a, b) => b.values.length - a.values.length)[0];
}

/** The words that pay is written with. */
export interface PayWords {
  readonly payUpTo: (values: { readonly pay: string }) => string;
  readonly payUnits: Readonly<Record<NonNullable<Pay['unit']>, string>>;
}

const ENGLISH: PayWords = {
  payUpTo: ({ pay }) => `up to ${pay}`,
  payUnits: { year: 'year', month: 'month', week: 'week', day: 'day', hour: 'hour' },
};

/** Currencies shown by a sign that stands for no other currency. All others are shown by their code. */
const SHOWN: Readonly<Record<string, string>> = {
  USD: '$',
  EUR: '€',
  GBP: '£',
  INR: '₹',
  KRW: '₩',
  PHP: '₱',
};

/**
 * Returns pay as text for programs: "$80k–$120k / year", "$80k+", "8–10 SOL / month", "up to 120k CHF". Always names
 * the unit when it is known. Empty when there is no amount.
 */
export function renderPay(pay: Pay): string {
  const sign = SHOWN[pay.currency ?? ''] ?? '';
  const one = (value: number) => `${sign}${fullNumber(value)}`;
  const money = withCode(
    inWords(pay, one, (low, high) => `${one(low)}–${one(high)}`, ENGLISH),
    pay,
  );
  return money && pay.unit ? `${money} / ${ENGLISH.payUnits[pay.unit]}` : money;
}

/**
 * Returns pay as short text for people: "$80k–120k", "$140k–180k + tokens", "₹30L–45L", "€2k/month", "8–10 SOL/month".
 * Amounts have at most three digits. A year is not named where {@link periodOf} assumes one. `said`: the employer's
 * words, which may name more than money. Empty when there is no amount.
 */
export function shortPay(pay: Pay, words: PayWords, said = ''): string {
  const extras = said === '' ? [] : extrasIn(said);
  const { min, max, currency, unit } = pay;
  const sign = SHOWN[currency ?? ''] ?? '';
  const amount = (value: number) => shortNumber(value, currency);
  const one = (value: number) => `${sign}${amount(value)}`;
  // The plus of "$100k + equity" belongs to the equity.
  const range =
    extras.length > 0 && min !== undefined && max === undefined
      ? one(min)
      : inWords(pay, one, (low, high) => `${one(low)}–${amount(high)}`, words);
  const text = withCode(range, pay);
  if (text === '') return '';
  const isAssumed = unit === 'year' && assumedPeriod(pay) === 'year';
  return [unit && !isAssumed ? `${text}/${words.payUnits[unit]}` : text, ...extras].join(' + ');
}

/**
 * What is added to the pay besides money. "Paid in tokens" is the pay itself. Without the flag `u`, with which `\b` and
 * `\w` take ten times as long where case is ignored.
 */
const EXTRA =
  /(?:[+&,]|\bplus|\band|\bund|\by)\s*(?:(?!no\b|without\b)[\w%.–-]+\s){0,2}(tokens?|equity|stock|rsus?|options|bonus(?:es)?|commissions?)\b/gi;
/** One name for each, by the first letters of its words. */
const EXTRAS = {
  tok: 'tokens',
  equ: 'equity',
  sto: 'stock',
  rsu: 'stock',
  opt: 'stock',
  bon: 'bonus',
  com: 'commission',
};

/**
 * True when the words say more than {@link shortPay} shows: exact amounts that were rounded, a further amount, or words
 * other than currencies and units.
 */
export function saysMore(said: string, { min, max }: Pay): boolean {
  const text = said.slice(0, TEXT_MAX);
  const amounts = (min === max ? [min] : [min, max]).filter((amount) => amount !== undefined);
  if (amounts.some((amount) => rounded(amount) !== amount)) return true;
  const figures = text.match(/\d(?:[\d.,'’]|[ \u00a0\u202f](?=\d{3}(?!\d)))*/gu) ?? [];
  if (figures.length > amounts.length) return true;
  const words = text.match(/\p{L}+/gu) ?? [];
  return !words.every(isPlain);
}

const plain = new Map<string, boolean>();

/** True for a currency, a scale, a unit and what joins them. The words of pay are few, and many patterns read them. */
function isPlain(word: string): boolean {
  return plain.get(word) ?? remember(plain, word, readsPlain(word));
}

function readsPlain(word: string): boolean {
  const isKnown = /^(?:per|to|pa?|a)$/iu.test(word) || KNOWN.has(word.toUpperCase());
  return isKnown || scaleOf(word) > 1 || parseUnit(word) !== undefined;
}

function extrasIn(said: string): readonly string[] {
  const text = said.slice(0, TEXT_MAX);
  const names = new Set<string>();
  EXTRA.lastIndex = 0;
  for (let found = EXTRA.exec(text); found; found = EXTRA.exec(text)) {
    const [, word = ''] = found;
    names.add(EXTRAS[word.slice(0, 3).toLowerCase() as keyof typeof EXTRAS]);
  }
  return [...names];
}

/** Adds the code of a currency that has no sign. */
function withCode(range: string, { currency }: Pay): string {
  return range && currency && !SHOWN[currency] ? `${range} ${currency}` : range;
}

function inWords(
  { min, max }: Pay,
  one: (value: number) => string,
  range: (low: number, high: number) => string,
  words: PayWords,
): string {
  if (min === undefined) return max === undefined ? '' : words.payUpTo({ pay: one(max) });
  if (max === undefined) return `${one(min)}+`;
  return min === max ? one(min) : range(min, max);
}

function fullNumber(value: number): string {
  if (value >= 1_000_000 && value % 10_000 === 0) return `${value / 1_000_000}M`;
  if (value >= 1000 && value % 500 === 0) return `${value / 1000}k`;
  return value.toLocaleString('en-US');
}

/** To three digits. Most amounts have no more, and to see that costs less than to round. */
function rounded(value: number): number {
  const size = value >= 0 && Number.isInteger(value) ? value : Number.NaN;
  const isShort = size < 1000 || (size < 1_000_000 && size % 1000 === 0);
  return isShort ? value : Number(value.toPrecision(3));
}

/** Units of large amounts, the largest first. India counts in lakhs and crores. */
const STEPS: readonly (readonly [number, string])[] = [
  [1_000_000, 'M'],
  [1000, 'k'],
];
const INDIAN_STEPS: typeof STEPS = [
  [10_000_000, 'Cr'],
  [100_000, 'L'],
  [1000, 'k'],
];

/** At most three digits: "52.7k", and "1M" for 999,900. A number format would cost more than the rest of a posting. */
function shortNumber(value: number, currency: string | undefined): string {
  const steps = currency === 'INR' ? INDIAN_STEPS : STEPS;
  let [size, letter] = [1, ''];
  for (const step of steps)
    if (value >= step[0] * 0.9995) {
      [size, letter] = step;
      break;
    }
  return `${rounded(value / size)}${letter}`;
}
