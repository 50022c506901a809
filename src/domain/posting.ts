// One job advertisement in one shape, whatever its fields are called on the wire. Reads the names of the jobs API
// specification and those seen in real feeds. Every field is optional, and unknown fields are kept.
import { hash } from 'node:crypto';
import type { ApplyBy } from './apply-by.js';
import { defined } from './defined.js';
import { type Pay, parseCurrency, parsePay, parseUnit } from './pay.js';
import { decodeOnce, hasControls, oneLine, unwrapCdata } from './text.js';

/** A normalised posting. Missing values are absent, never empty strings or nulls. */
export interface Posting {
  /** Identity within a subscription, see {@link postingKeys}. */
  readonly key: string;
  readonly id?: string;
  readonly title?: string;
  readonly company?: string;
  readonly location?: string;
  /** Country slug, as given on the wire. */
  readonly country?: string;
  readonly remote?: boolean;
  /** Raw HTML as given by the feed. After recording: shortened plain text (see {@link trimmed}). */
  readonly description?: string;
  readonly tags?: readonly string[];
  /** Byte for byte as received. Absent if it is not a usable http(s) address (then {@link badLink} is true). */
  readonly applyUrl?: string;
  readonly badLink?: true;
  /** The listing address without attribution. Used as identity only, never shown in place of `applyUrl`. */
  readonly url?: string;
  /** Pay in the employer's words. */
  readonly salary?: string;
  readonly pay?: Pay;
  /** The board's estimate, not the employer's figure. */
  readonly estimatedPay?: Pay;
  /** Calendar day, YYYY-MM-DD. */
  readonly postedAt?: string;
  /** Read when the posting is recorded, from its whole description. */
  readonly applyBy?: ApplyBy;
  /** Fields this program does not know, unchanged. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

type Raw = Readonly<Record<string, unknown>>;

const KNOWN = new Set(
  (
    'id guid title company company_name location city country remote is_remote description content tags categories ' +
    'apply_url link url salary postedAt posted_at date date_epoch pubDate isoDate salary_min_value salary_max_value ' +
    'salary_currency salary_unit estimated_min_salary estimated_max_salary estimated_avg_salary'
  ).split(' '),
);

const LINK_MAX = 2048;

/**
 * True when `text` may be sent as a link: http(s), no credentials, no white space, no control characters or
 * characters that hide or reorder text, at most 2,048 characters. Nothing is repaired, because a repaired link is an
 * altered link.
 */
export function usableLink(text: string): boolean {
  if (text.length > LINK_MAX || !/^https?:\/\/[^\s"<>\\`]+$/iu.test(text) || hasControls(text)) return false;
  try {
    const url = new URL(text);
    return url.username === '' && url.password === '';
  } catch {
    return false;
  }
}

/**
 * Returns the decimal posting id in a link of the form `…/r/<reversed base64>__<partner>`; undefined unless it is
 * only digits.
 */
export function idInLink(link: string): string | undefined {
  if (link.length > LINK_MAX) return undefined;
  const code = /\/r\/([A-Za-z0-9+/_=-]+?)__/u.exec(link)?.[1];
  if (!code) return undefined;
  const decoded = Buffer.from([...code].reverse().join(''), 'base64').toString('latin1');
  return /^\d{1,18}$/u.test(decoded) ? decoded : undefined;
}

/**
 * A key names a posting in JSON, buttons and logs, where an address in it would be one more link to the posting (jobs
 * API, Link attribution 1). So only plain words stay readable, and everything else is hashed.
 */
function short(prefix: string, value: string): string {
  if (/^[\w.+-]{1,150}$/u.test(value)) return `${prefix}:${value}`;
  return `${prefix}#${hash('sha256', value, 'hex').slice(0, 40)}`;
}

/**
 * Returns every key that identifies a posting, strongest first: id, guid, url, id decoded from the link, the link, or
 * if there is none of these, a hash of company + title + date. The first is its posting key. All are looked up,
 * because a record of the same posting with fewer fields may lack the stronger ones.
 */
export function postingKeys(raw: {
  id?: string | undefined;
  guid?: string | undefined;
  url?: string | undefined;
  link?: string | undefined;
  company?: string | undefined;
  title?: string | undefined;
  postedAt?: string | undefined;
}): readonly string[] {
  const keys: string[] = [];
  if (raw.id) keys.push(short('id', raw.id));
  // A guid that only repeats the link belongs to one token and changes with it.
  if (raw.guid && raw.guid !== raw.link) keys.push(short('guid', raw.guid));
  if (raw.url && raw.url !== raw.link) keys.push(short('url', raw.url));
  const decoded = raw.link ? idInLink(raw.link) : undefined;
  if (decoded) keys.push(short('id', decoded));
  if (raw.link) keys.push(short('link', raw.link));
  if (keys.length === 0) {
    const text = [raw.company, raw.title, raw.postedAt].map((part) => part?.toLowerCase() ?? '').join('\n');
    keys.push(`hash:${hash('sha256', text, 'hex').slice(0, 40)}`);
  }
  return [...new Set(keys)];
}

/** Returns the keys that a person may mean by a key, an id or a link. */
export function keysMeant(text: string): readonly string[] {
  const decoded = idInLink(text);
  const prefixes = ['id', 'guid', 'url', 'link'];
  return [text, ...prefixes.map((prefix) => short(prefix, text)), ...(decoded ? [short('id', decoded)] : [])];
}

/** A posting with every key that identifies it. */
export interface ReadPosting {
  readonly posting: Posting;
  readonly keys: readonly string[];
  /**
   * Stays the same while the API's data for the posting stays the same, apart from its dates; see {@link Listing}.
   */
  readonly mark?: string;
}

/** Reads the currency field. Undefined if it names no currency, or could mean several. */
function currencyOf(raw: Raw): string | undefined {
  const text = str(raw.salary_currency);
  return text === undefined ? undefined : parseCurrency(text.slice(0, 20));
}

function range(a: number | undefined, b: number | undefined): Pick<Pay, 'min' | 'max'> {
  if (a !== undefined && b !== undefined) return { min: Math.min(a, b), max: Math.max(a, b) };
  return defined({ min: a, max: b });
}

function employerPay(raw: Raw, text: string | undefined): Pay | undefined {
  const min = num(raw.salary_min_value);
  const max = num(raw.salary_max_value);
  if (min === undefined && max === undefined) return text ? parsePay(text) : undefined;
  const unit = parseUnit(str(raw.salary_unit) ?? '');
  // The free text beside the amounts may name their currency.
  const currency = currencyOf(raw) ?? (text ? parsePay(text)?.currency : undefined);
  return defined({ ...range(min, max), currency, unit });
}

function estimate(raw: Raw): Pay | undefined {
  const avg = num(raw.estimated_avg_salary);
  const min = num(raw.estimated_min_salary) ?? avg;
  const max = num(raw.estimated_max_salary) ?? avg;
  if (min === undefined && max === undefined) return undefined;
  return defined({ ...range(min, max), currency: currencyOf(raw), unit: 'year' });
}

/** Returns the fields that are set. The caller makes sure that all required ones are. */
function placeOf(raw: Raw): string | undefined {
  const written = line(raw.location);
  if (written) return written;
  const parts = [line(raw.city), line(raw.country)].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : undefined;
}

/**
 * Normalises one record of either wire form (jobs API, Job rules 1, 2 and 4). Returns undefined if it contains
 * nothing to show or to identify it by.
 */
export function parsePosting(raw: Raw): ReadPosting | undefined {
  const link = str(raw.apply_url) ?? str(raw.link);
  const title = line(raw.title);
  const company = line(raw.company) ?? line(raw.company_name);
  const postedAt =
    calendarDay(raw.postedAt) ??
    calendarDay(raw.posted_at) ??
    calendarDay(raw.date) ??
    calendarDay(raw.pubDate) ??
    calendarDay(raw.date_epoch);
  const id = str(raw.id);
  const url = str(raw.url);
  if (!title && !company && !link && !id && !url) return undefined;
  const keys = postingKeys({ id, guid: str(raw.guid), url, link, company, title, postedAt });
  const salary = line(raw.salary);
  const description = str(raw.description) ?? str(raw.content);
  const extra = Object.entries(raw).filter(([name]) => !KNOWN.has(name));
  // The link is taken as received, neither decoded nor repaired. A link that can't be sent as it is is not sent.
  const applyUrl = link !== undefined && usableLink(link) ? link : undefined;
  const fields = defined({
    id,
    title,
    company,
    location: placeOf(raw),
    country: line(raw.country)?.toLowerCase().replace(/\s+/gu, '-'),
    remote: bool(raw.remote) ?? bool(raw.is_remote),
    description: description === undefined ? undefined : unwrapCdata(description),
    tags: list(raw.tags) ?? list(raw.categories),
    applyUrl,
    badLink: link !== undefined && applyUrl === undefined ? true : undefined,
    url,
    salary,
    pay: employerPay(raw, salary),
    estimatedPay: estimate(raw),
    postedAt,
    extra: extra.length > 0 ? Object.fromEntries(extra) : undefined,
  });
  return { posting: { key: keys[0] as string, ...fields }, keys };
}

/**
 * Returns an identity that reposts share: same company, title and place, under any key. Undefined without company and
 * title.
 */
export function likeness(posting: Posting): string | undefined {
  if (!posting.company || !posting.title) return undefined;
  const text = [posting.company, posting.title, posting.location].map(fold).join('\n');
  return hash('sha256', text, 'base64url').slice(0, 10);
}

/** Lower case, words only. The plus and the hash are kept: C, C++ and C# are three languages. */
export function fold(text: string | undefined): string {
  const lower = (text ?? '').toLowerCase();
  return FOLDED.test(lower) ? lower : lower.replace(/[^\p{L}\p{N}+#]+/gu, ' ').trim();
}

/** Most companies and titles are only plain words. To see that costs less than to replace nothing. */
const FOLDED = /^[a-z\d+#]+(?: [a-z\d+#]+)*$/u;

/**
 * Returns a hash of title and company, to compare postings whose keys can't be compared; undefined without a title.
 */
export function nameOf({ title, company = '' }: Posting): string | undefined {
  if (!title) return undefined;
  const text = `${title}\n${company}`.normalize('NFC').toLowerCase();
  return hash('sha256', text, 'base64url').slice(0, 10);
}

// Values as they are received: a number may be text, a date has three forms, a list may be separated by commas. Each
// reader here returns one form or undefined, and never throws.

/** Returns trimmed text, or a number as text. Undefined if the text is empty or the value is anything else. */
function str(value: unknown): string | undefined {
  if (Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' ? undefined : text;
}

/** Returns one clean line, decoded one more time (some titles are encoded twice). */
function line(value: unknown): string | undefined {
  const text = str(value);
  if (text === undefined) return undefined;
  const clean = oneLine(decodeOnce(unwrapCdata(text)));
  return clean === '' ? undefined : clean;
}

/** Returns a number above zero, also from text. */
function num(value: unknown): number | undefined {
  const number = Number(str(value));
  return Number.isFinite(number) && number > 0 ? number : undefined;
}

/** Reads true and false as written in JSON, XML or words. */
function bool(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = str(value)?.toLowerCase();
  if (text === 'true' || text === '1' || text === 'yes') return true;
  if (text === 'false' || text === '0' || text === 'no') return false;
  return undefined;
}

/** Highest number of tags read. No publisher uses more on purpose; a page of tags is an accident or an attack. */
const TAGS_MAX = 50;

/** Returns the lower-case words of an array or a comma-separated list, each once. */
function list(value: unknown): readonly string[] | undefined {
  const items = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  const clean = items.map((item) => line(item)?.toLowerCase()).filter((item): item is string => !!item);
  return clean.length === 0 ? undefined : [...new Set(clean)].slice(0, TAGS_MAX);
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/**
 * Returns the calendar day (YYYY-MM-DD) as written, in any of the known forms: ISO, RFC 2822, epoch seconds or
 * milliseconds. Does not convert time zones.
 */
export function calendarDay(value: unknown): string | undefined {
  const text = str(value);
  const day = text === undefined ? undefined : writtenDay(text);
  return day !== undefined && isDay(day) ? day : undefined;
}

function writtenDay(text: string): string | undefined {
  const iso = /^\d{4}-\d{2}-\d{2}/u.exec(text);
  if (iso) return iso[0];
  if (/^\d{9,13}$/u.test(text)) {
    const epoch = Number(text) * (text.length > 10 ? 1 : 1000);
    return new Date(epoch).toISOString().slice(0, 10);
  }
  const [, day, name, year] = /(\d{1,2})\s+([A-Za-z]{3})[a-z]*\s+(\d{4})/u.exec(text) ?? [];
  if (day === undefined || name === undefined) return undefined;
  const month = String(MONTHS.indexOf(name.toLowerCase()) + 1);
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** A day such as 2026-02-31 is not corrected: it is not a date. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(8));
}
