// Pay is written freely ("$80k - 120k", "€5.000/month") or in wire fields. It is brought to one shape here,
// and the employer's figure never mixes with the board's estimate.

/** Amounts in whole units of `currency`, per `unit`. Absent means not said. */
export interface Pay {
  readonly min?: number;
  readonly max?: number;
  readonly currency?: string;
  readonly unit?: 'year' | 'month' | 'week' | 'day' | 'hour';
}

const SYMBOLS: Readonly<Record<string, string>> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
};
const CODE = 'USDT|USDC|USD|EUR|GBP|CHF|CAD|AUD|SGD|JPY|INR|BRL|PLN|SEK|NOK|DKK|AED|HKD|NZD|ETH|BTC|SOL';
const MARK = `(?:[$€£¥₹]|\\b(?:${CODE})\\b)`;
const AMOUNT = new RegExp(
  // A number, in any grouping; not the end of a word such as "web3".
  `(?<![\\p{L}\\d.,])(${MARK}\\s*)?(\\d[\\d.,'’]*(?:[ \\u00a0\\u202f]\\d{3})*)` +
    // k or m, then perhaps the currency; not the start of a word, a version or a percentage.
    `(?:\\s?([km]))?(?![\\p{L}\\d%])(?!\\s*%)(\\s*${MARK})?`,
  'giu',
);
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
/** "per month" outranks "monthly", which outranks a bare "month": a text may speak of a 4-day week too. */
const UNITS: readonly UnitPattern[] = [
  ...unitPatterns((noun) => `(?:/|\\bper|\\bpro|\\bpor|\\bal?|\\ban|\\beach)\\s*(?:${noun})(?!\\p{L})`),
  ...unitPatterns((_noun, adverb) => `(?<!\\p{L})(?:${adverb})(?!\\p{L})`),
  ...unitPatterns((noun) => `^\\s*(?:${noun})\\s*$`),
];
const PER_YEAR = { year: 1, month: 12, week: 52, day: 260, hour: 2080 } as const;

/** Currencies close enough to the dollar that a floor of "80k" means about the same in each. */
const COMPARABLE = new Set(['USD', 'EUR', 'GBP', 'CHF', 'CAD', 'AUD', 'SGD', 'NZD', 'USDT', 'USDC']);
/** What is past this is no statement of pay. */
const TEXT_MAX = 300;

/** The unit a word such as "YEAR", "per month" or "/hr" names. */
export function parseUnit(text: string): Pay['unit'] {
  return UNITS.find(([pattern]) => pattern.test(text.slice(0, TEXT_MAX)))?.[1];
}

interface Amount {
  readonly plain: number;
  /** 1,000 for "k", 1,000,000 for "m", else 1. */
  readonly scale: number;
  /** Something says that it is money. */
  readonly marked: boolean;
  readonly start: number;
  readonly end: number;
}

function amountOf(match: RegExpExecArray): Amount {
  const [all, before, digits = '', suffix = '', after] = match;
  const scale = { k: 1000, m: 1_000_000 }[suffix.toLowerCase()] ?? 1;
  const marked = before !== undefined || after !== undefined || scale > 1;
  return { plain: numberOf(digits), scale, marked, start: match.index, end: match.index + all.length };
}

/** "5.000" and "5,000" are five thousand, "5.5" is not; a leading zero makes the mark a decimal one ("0.125"). */
function numberOf(digits: string): number {
  const text = digits.replace(/[.,'’]+$/u, '').replace(/[\s'’]/gu, '');
  const grouped = /^0[.,]/u.test(text) ? text : text.replace(/[.,](?=\d{3}(?:\D|$))/gu, '');
  return Number(grouped.replace(',', '.'));
}

/** The first range or amount that is marked as money, else the first of all. */
function statement(text: string, amounts: readonly Amount[]): readonly Amount[] {
  const ranges = amounts.flatMap((low, index) => {
    const high = amounts[index + 1];
    return high && BETWEEN.test(text.slice(low.end, high.start)) ? [[low, high]] : [];
  });
  const marked = (range: readonly Amount[]) => range.some((amount) => amount.marked);
  const single = amounts.filter((amount) => amount.marked).map((amount) => [amount]);
  return ranges.find(marked) ?? single[0] ?? ranges[0] ?? amounts.slice(0, 1);
}

/** Reads a free-text range. Gives undefined when there is no amount in it. Never throws. */
export function parsePay(text: string): Pay | undefined {
  // A 401(k) is a pension plan.
  const words = text.slice(0, TEXT_MAX).replace(/\b401\s?\(?k\)?/giu, ' ');
  const amounts = [...words.matchAll(AMOUNT)].map(amountOf);
  const found = statement(words, amounts);
  // "80-120k": the mark counts for both, unless one of them is written out.
  const scale = Math.max(1, ...found.map((amount) => amount.scale));
  const values = found.map(({ plain }) => (plain < 1000 ? plain * scale : plain));
  const [first, second] = values;
  if (first === undefined || values.some((value) => !Number.isFinite(value) || value <= 0)) return undefined;
  const unit = parseUnit(words);
  const currency = currencyIn(words);
  return {
    ...(second === undefined
      ? openEnded(words.slice(0, found[0]?.start), words.slice(found[0]?.end), first)
      : { min: Math.min(first, second), max: Math.max(first, second) }),
    ...(currency ? { currency } : {}),
    ...(unit ? { unit } : {}),
  };
}

function currencyIn(text: string): string | undefined {
  const code = new RegExp(`\\b(?:${CODE})\\b`, 'iu').exec(text)?.[0].toUpperCase();
  const symbol = Object.keys(SYMBOLS).find((sign) => text.includes(sign));
  return code ?? (symbol && SYMBOLS[symbol]);
}

function openEnded(before: string, after: string, value: number): Pick<Pay, 'min' | 'max'> {
  if (/(?:\bup to|\bmax(?:imum|\.)?|≤|<|\bbis(?: zu)?|\bhasta)\s*$/iu.test(before)) return { max: value };
  if (/(?:\bfrom|\bmin(?:imum|\.)?|\bat least|\bstarting at|≥|>|\bab|\bdesde)\s*$/iu.test(before))
    return { min: value };
  return /^\s?\+/u.test(after) ? { min: value } : { min: value, max: value };
}

/**
 * The most this pay promises per year, in a dollar-like currency; undefined when it can't be compared.
 * An unstated unit is taken as a year from 10,000 on, an unstated currency as dollar-like.
 */
export function yearly(pay: Pay | undefined): number | undefined {
  const value = pay?.max ?? pay?.min;
  if (pay === undefined || value === undefined) return undefined;
  if (pay.currency && !COMPARABLE.has(pay.currency)) return undefined;
  const unit = pay.unit ?? (value >= 10_000 ? 'year' : undefined);
  return unit ? value * PER_YEAR[unit] : undefined;
}

/** What {@link renderPay} says in words. */
export interface PayWords {
  readonly payUpTo: (pay: string) => string;
  readonly payUnits: Readonly<Record<NonNullable<Pay['unit']>, string>>;
}

const ENGLISH: PayWords = {
  payUpTo: (pay) => `up to ${pay}`,
  payUnits: { year: 'year', month: 'month', week: 'week', day: 'day', hour: 'hour' },
};

/** "$80k–$120k / year", "$80k+", "8–10 SOL / month", "up to 120k CHF". Empty when there is no amount. */
export function renderPay(pay: Pay, words: PayWords = ENGLISH): string {
  const sign = Object.entries(SYMBOLS).find(([, code]) => code === pay.currency)?.[0];
  const range = rangeInWords(pay, sign ?? '', words);
  const money = range && !sign && pay.currency ? `${range} ${pay.currency}` : range;
  return money && pay.unit ? `${money} / ${words.payUnits[pay.unit]}` : money;
}

function rangeInWords({ min, max }: Pay, sign: string, words: PayWords): string {
  const one = (value: number) => `${sign}${shortNumber(value)}`;
  if (min === undefined) return max === undefined ? '' : words.payUpTo(one(max));
  if (max === undefined) return `${one(min)}+`;
  return min === max ? one(min) : `${one(min)}–${one(max)}`;
}

function shortNumber(value: number): string {
  if (value >= 1_000_000 && value % 10_000 === 0) return `${value / 1_000_000}M`;
  if (value >= 1000 && value % 500 === 0) return `${value / 1000}k`;
  return value.toLocaleString('en-US');
}
