// A linear scan of the XML before any parser reads it. It refuses what would be expensive or dangerous to parse,
// repairs common mistakes of publishers, and finds where the items are and which fields they have.
import { FeedError } from '../../domain/errors.js';

const MAX_DEPTH = 64;
const MAX_ELEMENTS = 200_000;
const MAX_FIELDS = 200;
const MAX_REPAIRS = 10_000;
/** A longer start tag is hostile. Attributes are not used here. */
const MAX_TAG = 65_536;

/**
 * What a scan found. It holds positions and no part of the text, because V8 keeps what a result refers to in memory longer
 * than the result is used, and a text is large. Places are pairs of numbers in one list: where each begins and ends.
 */
export interface Scan {
  /** Where a `&` or `<` has to be escaped. */
  readonly repairs: readonly number[];
  /** Where the text to parse ends, and the end tags that it lacks. */
  readonly end: number;
  readonly closing: string;
  /** The number of items. */
  readonly items: number;
  /** The names of all elements found directly inside items. */
  readonly fields: ReadonlySet<string>;
  /** The places of the items; undefined when they are not complete and on one level. */
  readonly places: readonly number[] | undefined;
  /** The places of the elements in items that hold a date. */
  readonly dates: readonly number[];
}

const DATES = new Set(['pubDate', 'date', 'dc:date', 'postedAt', 'posted_at', 'date_epoch', 'updated']);

const ROOTS = new Set(['rss', 'rdf:RDF']);
const SLASH = 0x2f;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;
const NAME = /[^\s/>]*/uy;

/**
 * Scans `text` once. After `maxItems` items the rest is cut off and the open elements are closed. What follows the
 * root is cut off too. A `&` or `<` that does not start markup is escaped. Throws a malformed {@link FeedError} for a
 * document type declaration, for a root that is not a feed's, and for a document that is incomplete, too deep or too
 * large.
 */
export function scanXml(text: string, maxItems: number): Scan {
  const scan: Scanning = {
    fields: new Set(),
    open: [],
    repairs: [],
    places: [],
    dates: [],
    level: -1,
    ampersand: text.indexOf('&'),
  };
  const { open, fields } = scan;
  const nameAt = nameReader(text);
  let elements = 0;
  let items = 0;
  let at = 0;

  for (;;) {
    const tag = text.indexOf('<', at);
    if (tag < 0) throw malformed(elements === 0 ? 'The response is not XML.' : 'The feed is incomplete.');
    escapeAmpersands(text, scan, tag);
    const sign = text.charCodeAt(tag + 1);
    const skipped = sign === EXCLAMATION || sign === QUESTION ? endOfAside(text, tag) : undefined;
    if (skipped !== undefined) {
      skipAmpersands(text, scan, skipped);
      at = skipped;
      continue;
    }
    if (sign === SLASH) {
      at = endOfTag(text, tag + 2, tag);
      escapeAmpersands(text, scan, at);
      leave(scan, open.pop(), at);
      if (open.length === 0) return finish(scan, at);
      continue;
    }
    if (!startsName(sign)) {
      if (open.length === 0) throw malformed('The response is not XML.');
      escapeAt(scan, tag);
      at = tag + 1;
      continue;
    }
    const name = nameAt(tag + 1);
    const end = endOfTag(text, tag + 1 + name.length, tag);
    if (elements++ === 0 && !ROOTS.has(name)) throw malformed('The response is XML or HTML, but not a feed.');
    if (elements > MAX_ELEMENTS) throw malformed('The feed has too many elements.');
    const parent = open.at(-1);
    if (name === 'item' && parent !== 'item' && ++items > maxItems) return finish(scan, tag);
    if (parent === 'item' && fields.size < MAX_FIELDS && !fields.has(name)) fields.add(copyOf(name));
    enter(scan, name, tag);
    escapeAmpersands(text, scan, end);
    at = end;
    const isEmpty = text.charCodeAt(end - 2) === SLASH;
    if (isEmpty) leave(scan, name, end);
    if (!isEmpty) open.push(name);
    else if (open.length === 0) return finish(scan, end);
    if (open.length > MAX_DEPTH) throw malformed('The feed is nested too deeply.');
  }
}

/** The text to parse: up to the end of the scan, with its repairs and the end tags that it lacks. */
export function repaired(text: string, { repairs, end, closing }: Scan): string {
  const pieces: string[] = [];
  let copied = 0;
  for (const at of repairs) {
    pieces.push(text.slice(copied, at), text.charAt(at) === '&' ? '&amp;' : '&lt;');
    copied = at + 1;
  }
  pieces.push(text.slice(copied, end), closing);
  return pieces.join('');
}

/** A scan in progress. */
interface Scanning {
  readonly fields: Set<string>;
  /** The names of the elements that are open. */
  readonly open: string[];
  readonly repairs: number[];
  readonly places: number[];
  readonly dates: number[];
  /** The depth of the items, -1 before the first one; undefined when they differ. */
  level: number | undefined;
  /** Where the next `&` is; -1 if there is none. */
  ampersand: number;
}

function escapeAt({ repairs }: Scanning, position: number): void {
  if (repairs.length > MAX_REPAIRS) throw malformed('The feed has too many unescaped characters.');
  repairs.push(position);
}

/** The end of a place that is not closed yet. */
const OPEN = 0;

function enter(scan: Scanning, name: string, position: number): void {
  const { open, places, dates } = scan;
  if (name === 'item' && open.at(-1) !== 'item') {
    if (scan.level === -1) scan.level = open.length;
    if (scan.level !== open.length) scan.level = undefined;
    places.push(position, OPEN);
  } else if (places.at(-1) === OPEN && open.length - 1 === scan.level && DATES.has(name))
    dates.push(position, OPEN);
}

function leave({ open, places, dates, level }: Scanning, name: string | undefined, end: number): void {
  if (open.length === level && name === 'item') places[places.length - 1] = end;
  else if (dates.at(-1) === OPEN && open.length - 1 === level && DATES.has(name ?? ''))
    dates[dates.length - 1] = end;
}

function escapeAmpersands(text: string, scan: Scanning, end: number): void {
  while (scan.ampersand >= 0 && scan.ampersand < end) {
    if (!isReference(text, scan.ampersand)) escapeAt(scan, scan.ampersand);
    scan.ampersand = text.indexOf('&', scan.ampersand + 1);
  }
}

function skipAmpersands(text: string, scan: Scanning, end: number): void {
  if (scan.ampersand >= 0 && scan.ampersand < end) scan.ampersand = text.indexOf('&', end);
}

function finish({ fields, open, repairs, places, dates, level }: Scanning, end: number): Scan {
  let closing = '';
  for (const name of open.reverse()) closing += `</${name}>`;
  let areWhole = level !== undefined;
  for (let at = 1; at < places.length; at += 2) areWhole &&= places[at] !== OPEN;
  return {
    repairs,
    end,
    closing,
    items: places.length / 2,
    fields,
    places: areWhole ? places : undefined,
    dates,
  };
}

function malformed(message: string): FeedError {
  return new FeedError('malformed', message);
}

/**
 * The end of a comment, CDATA section or processing instruction that starts at `at` with `<!` or `<?`; undefined for anything
 * else.
 */
function endOfAside(text: string, at: number): number | undefined {
  if (text.charCodeAt(at + 1) === QUESTION) return endAfter(text, '?>', at + 2);
  if (text.startsWith('<!--', at)) return endAfter(text, '-->', at + 4);
  if (text.startsWith('<![CDATA[', at)) return endAfter(text, ']]>', at + 9);
  // Declarations allow entity bombs and external files, and a feed does not need them.
  if (/^<!(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)/iu.test(text.slice(at, at + 12)))
    throw malformed('The response has a document type declaration: an HTML page, or an unsafe feed.');
  return undefined;
}

function endAfter(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  if (end < 0) throw malformed('The feed is incomplete.');
  return end + mark.length;
}

/** One past the `>` of the tag at `at`, read from `from`; a `>` inside quotes does not end it. */
function endOfTag(text: string, from: number, at: number): number {
  const limit = Math.min(text.length, at + MAX_TAG);
  let quote = 0;
  for (let i = from; i < limit; i++) {
    const code = text.charCodeAt(i);
    if (quote !== 0) quote = code === quote ? 0 : quote;
    else if (code === 0x3e) return i + 1;
    else if (code === 0x22 || code === 0x27) quote = code;
  }
  throw malformed('The feed is incomplete, or one of its tags is never closed.');
}

/** Whether a name can start with a sign: letters, `_`, `:` and all that is not ASCII. */
function startsName(sign: number): boolean {
  const letter = sign | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || sign === 0x5f || sign === 0x3a || sign >= 0x80;
}

/**
 * Returns a function that reads the names of elements, in their order. The items of a feed have the same elements in the same
 * order, so a name is mostly the one that followed the last one before, or the last one again. To compare these costs less
 * than to make a string and to hash it.
 */
function nameReader(text: string): (from: number) => string {
  const following = new Map<string, string>();
  let last = '';
  const isAt = (name: string, from: number) =>
    text.startsWith(name, from) && endsName(text.charCodeAt(from + name.length));
  return (from) => {
    const expected = following.get(last);
    if (expected !== undefined && isAt(expected, from)) last = expected;
    else if (!isAt(last, from)) {
      const name = readName(text, from);
      following.set(last, name);
      last = name;
    }
    return last;
  };
}

/** The name that begins at `from`. */
function readName(text: string, from: number): string {
  let end = from;
  while (isNameSign(text.charCodeAt(end))) end++;
  // Only a name with other letters needs the pattern.
  if (text.charCodeAt(end) < 0x80) return text.slice(from, end);
  NAME.lastIndex = from;
  return NAME.exec(text)?.[0] ?? '';
}

/** Whether {@link NAME} matches a sign of ASCII: all but white space, `/` and `>`. */
function isNameSign(code: number): boolean {
  return code < 0x80 && !endsName(code);
}

/** Whether a sign is one of ASCII that ends a name. */
function endsName(code: number): boolean {
  return code === 0x3e || code === 0x2f || code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** V8 copies a shorter part of a string. A longer one keeps the whole string in memory (`SlicedString::kMinLength`). */
const SHORTEST_SLICE = 13;

/** The same text, which keeps no longer string in memory. */
function copyOf(part: string): string {
  return part.length < SHORTEST_SLICE ? part : Buffer.from(part).toString();
}

/**
 * Whether a reference that XML itself allows is at `at`. HTML's names are not among them: without a declaration they
 * are plain text.
 */
function isReference(text: string, at: number): boolean {
  // Nearly all of them, in links. To see that costs less than the pattern.
  if (text.startsWith('amp;', at + 1)) return true;
  const found = /^&(?:amp|lt|gt|quot|apos|#(\d{1,7})|#x([0-9a-f]{1,6}));/iu.exec(text.slice(at, at + 12));
  if (!found) return false;
  const code = found[1] ? Number(found[1]) : found[2] ? Number.parseInt(found[2], 16) : 0x20;
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code <= 0x10ffff);
}
