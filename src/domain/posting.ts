// One job advertisement in one shape, whatever the wire called its fields: both the names of the
// jobs API specification and those seen in the wild are read, every one is optional, unknown ones are kept.
import { createHash } from 'node:crypto';
import { type Pay, parseCurrency, parsePay, parseUnit } from './pay.js';
import { hasControls, unwrapCdata } from './text.js';
import { bool, calendarDay, line, list, num, str } from './wire-value.js';

/** A normalised posting. Absent means absent: no empty strings, no nulls. */
export interface Posting {
  /** Identity within a subscription, see {@link postingKeys}. */
  readonly key: string;
  readonly id?: string;
  readonly title?: string;
  readonly company?: string;
  readonly location?: string;
  /** Country slug as the wire gave it. */
  readonly country?: string;
  readonly remote?: boolean;
  /** Raw HTML in what the feed gave; cut to plain text once recorded (see {@link trimmed}). */
  readonly description?: string;
  readonly tags?: readonly string[];
  /** Byte for byte as received; absent when it is no usable http(s) address (then {@link badLink} is true). */
  readonly applyUrl?: string;
  readonly badLink?: true;
  /** The listing address without attribution: identity only, never shown in place of `applyUrl`. */
  readonly url?: string;
  /** The employer's words. */
  readonly salary?: string;
  readonly pay?: Pay;
  /** The board's guess, never the employer's word. */
  readonly estimatedPay?: Pay;
  /** Calendar day, YYYY-MM-DD. */
  readonly postedAt?: string;
  /** Fields this program has no name for, untouched. */
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
 * True when `text` may leave as a link: http(s), no credentials, no white space, no control character or one that
 * hides or reorders text, at most 2,048 characters. Nothing is repaired, because a repaired link is an altered one.
 */
export function usableLink(text: string): boolean {
  if (text.length > LINK_MAX || !/^https?:\/\/[^\s"<>\\`]+$/iu.test(text) || hasControls(text)) return false;
  try {
    const url = new URL(text);
    return url.username === '' && url.password === '' && url.hostname !== '';
  } catch {
    return false;
  }
}

/** The decimal posting id inside a link of the form `…/r/<reversed base64>__<partner>`; digits only, else undefined. */
export function idInLink(link: string): string | undefined {
  if (link.length > LINK_MAX) return undefined;
  const code = /\/r\/([A-Za-z0-9+/_=-]+?)__/u.exec(link)?.[1];
  if (!code) return undefined;
  const decoded = Buffer.from([...code].reverse().join(''), 'base64').toString('latin1');
  return /^\d{1,18}$/u.test(decoded) ? decoded : undefined;
}

/**
 * A key names a posting in JSON, buttons and logs, where an address in it would be one more link to the posting
 * (jobs API, Link attribution 1). So only plain words are kept readable; all else is hashed.
 */
function short(prefix: string, value: string): string {
  if (/^[\w.+-]{1,150}$/u.test(value)) return `${prefix}:${value}`;
  return `${prefix}#${createHash('sha256').update(value).digest('hex').slice(0, 40)}`;
}

/**
 * Every identity a posting can be recognised by, strongest first: id, guid, url, id decoded from the link,
 * the link, a hash of company + title + date. The first is its posting key; all are looked up, because thinned
 * records of the same posting may lack the stronger ones.
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
  // A guid that only repeats the link belongs to the token's owner and changes with the token.
  if (raw.guid && raw.guid !== raw.link) keys.push(short('guid', raw.guid));
  if (raw.url && raw.url !== raw.link) keys.push(short('url', raw.url));
  const decoded = raw.link ? idInLink(raw.link) : undefined;
  if (decoded) keys.push(short('id', decoded));
  if (raw.link) keys.push(short('link', raw.link));
  if (keys.length === 0) {
    const text = [raw.company, raw.title, raw.postedAt].map((part) => part?.toLowerCase() ?? '').join('\n');
    keys.push(`hash:${createHash('sha256').update(text).digest('hex').slice(0, 40)}`);
  }
  return [...new Set(keys)];
}

/** The keys a person may mean by a key, an id or a link. */
export function keysMeant(text: string): readonly string[] {
  const decoded = idInLink(text);
  const prefixes = ['id', 'guid', 'url', 'link'];
  return [text, ...prefixes.map((prefix) => short(prefix, text)), ...(decoded ? [short('id', decoded)] : [])];
}

/** A posting with every identity it can be recognised by. */
export interface ReadPosting {
  readonly posting: Posting;
  readonly keys: readonly string[];
  /** The same as long as the API says the same of it, its dates aside; see {@link Listing}. */
  readonly mark?: string;
}

/** What the field of the currency says; undefined when that is no currency, or could be several. */
function currencyOf(raw: Raw): string | undefined {
  const text = str(raw.salary_currency);
  return text === undefined ? undefined : parseCurrency(text.slice(0, 20));
}

function range(a: number | undefined, b: number | undefined): Pick<Pay, 'min' | 'max'> {
  if (a !== undefined && b !== undefined) return { min: Math.min(a, b), max: Math.max(a, b) };
  return defined<Pay>({ min: a, max: b });
}

function employerPay(raw: Raw, text: string | undefined): Pay | undefined {
  const min = num(raw.salary_min_value);
  const max = num(raw.salary_max_value);
  if (min === undefined && max === undefined) return text ? parsePay(text) : undefined;
  const unit = parseUnit(str(raw.salary_unit) ?? '');
  // The free text beside the figures may say what they are in.
  const currency = currencyOf(raw) ?? (text ? parsePay(text)?.currency : undefined);
  return defined<Pay>({ ...range(min, max), currency, unit });
}

function estimate(raw: Raw): Pay | undefined {
  const avg = num(raw.estimated_avg_salary);
  const min = num(raw.estimated_min_salary) ?? avg;
  const max = num(raw.estimated_max_salary) ?? avg;
  if (min === undefined && max === undefined) return undefined;
  return defined<Pay>({ ...range(min, max), currency: currencyOf(raw), unit: 'year' });
}

/** The fields that are there. The caller sees to those the type requires. */
function defined<T extends object>(fields: { readonly [K in keyof T]?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

function placeOf(raw: Raw): string | undefined {
  const written = line(raw.location);
  if (written) return written;
  const parts = [line(raw.city), line(raw.country)].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : undefined;
}

/**
 * Normalises one record of either wire form (jobs API, Job rules 1, 2 and 4). Undefined when there is
 * nothing in it to show or to recognise it by.
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
  const extra = Object.fromEntries(Object.entries(raw).filter(([name]) => !KNOWN.has(name)));
  // The link is taken as received, neither decoded nor repaired: what can't leave as it is does not leave.
  const applyUrl = link !== undefined && usableLink(link) ? link : undefined;
  const posting = defined<Posting>({
    key: keys[0],
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
    extra: Object.keys(extra).length > 0 ? extra : undefined,
  });
  return { posting, keys };
}

/** Identity across reposts: same company, title and place under whatever key; undefined without company and title. */
export function likeness(posting: Posting): string | undefined {
  if (!posting.company || !posting.title) return undefined;
  // The plus and the hash stay: C, C++ and C# are three languages.
  const fold = (text: string | undefined) =>
    (text ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}+#]+/gu, ' ')
      .trim();
  const text = [posting.company, posting.title, posting.location].map(fold).join('\n');
  return createHash('sha256').update(text).digest('base64url').slice(0, 10);
}

/** Title and company, by which a posting is compared when its keys can't be; undefined without a title. */
export function nameOf({ title, company = '' }: Posting): string | undefined {
  if (!title) return undefined;
  const text = `${title}\n${company}`.normalize('NFC').toLowerCase();
  return createHash('sha256').update(text).digest('base64url').slice(0, 10);
}
