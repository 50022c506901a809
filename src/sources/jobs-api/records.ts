// The last step that both wire formats share: turns raw records into postings. One bad record does not affect the
// others.
import { FeedError } from '../../domain/errors.js';
import { parsePosting, type ReadPosting } from '../../domain/posting.js';
import { pace } from '../../domain/serial.js';

/** Records read per response. The API gives at most 100; more than this is hostile or a mistake. */
export const MAX_RECORDS = 2000;

/** Longer texts and lists are cut before any pattern runs over them. A link over its own limit is refused and not cut. */
const MAX_TEXT = 20_000;
const MAX_HTML = 200_000;
const MAX_LIST = 100;
const HTML_FIELDS = new Set(['description', 'content']);

/** One record of either wire format, under its wire names. */
export type Raw = Readonly<Record<string, unknown>>;

/**
 * Normalises records. Those that are not records or can't be read are skipped. `lossy`: the text had bytes that were
 * not characters. `marks`: of the records, if they have any.
 */
export async function readSome(
  records: readonly unknown[],
  lossy: boolean,
  marks?: readonly string[],
): Promise<readonly ReadPosting[]> {
  const found: ReadPosting[] = [];
  for (const [index, record] of records.entries()) {
    const wait = pace();
    if (wait) await wait;
    const read = readRecord(record, lossy);
    const mark = marks?.[index];
    if (read) found.push(mark === undefined ? read : { mark, ...read });
  }
  return found;
}

/**
 * All records of an answer. Throws a malformed {@link FeedError} when there are records with content and none of them
 * can be read: the format has changed then, and an empty listing would hide that.
 */
export async function readRecords(
  ...[records, lossy, marks]: Parameters<typeof readSome>
): ReturnType<typeof readSome> {
  const read = await readSome(records, lossy, marks);
  if (read.length === 0 && records.some((record) => !isBlank(record)))
    throw new FeedError('malformed', 'The response has records, but none of them is a posting.');
  return read;
}

function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBlank(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

function readRecord(record: unknown, lossy: boolean): ReadPosting | undefined {
  if (!isRecord(record)) return undefined;
  try {
    const read = parsePosting(bounded(record));
    return read?.posting.applyUrl !== undefined && isAltered(read.posting.applyUrl, lossy)
      ? withoutLink(read)
      : read;
  } catch {
    return undefined;
  }
}

/** The record with its long texts and lists cut; the same one if it has none. */
function bounded(record: Raw): Raw {
  let cut: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(record)) {
    if (typeof value !== 'string' && !Array.isArray(value)) continue;
    const most = Array.isArray(value) ? MAX_LIST : HTML_FIELDS.has(name) ? MAX_HTML : MAX_TEXT;
    if (value.length > most) cut = { ...(cut ?? record), [name]: value.slice(0, most) };
  }
  return cut ?? record;
}

/**
 * True for a link that lost bytes in decoding, or holds half a character that no encoding can write: it can't be sent
 * exactly as it came.
 */
function isAltered(link: string, lossy: boolean): boolean {
  return (lossy && link.includes('\ufffd')) || /\p{Surrogate}/u.test(link);
}

function withoutLink({ posting, keys }: ReadPosting): ReadPosting {
  const { applyUrl: _, ...rest } = posting;
  return { posting: { ...rest, badLink: true }, keys };
}
