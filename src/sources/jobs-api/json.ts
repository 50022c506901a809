// The JSON form of the listing: finds the jobs in a root of mixed types, and refuses what is too large to parse.
import { FeedError } from '../../domain/errors.js';
import type { ReadPosting } from '../../domain/posting.js';
import type { Listing } from '../../ports/feed.js';
import type { Parts, Text } from './decode.js';
import { recordMark } from './hashes.js';
import { MAX_RECORDS, readRecords, readSome } from './records.js';

const MAX_DEPTH = 64;
const MAX_VALUES = 500_000;
/** Some listings date every job again in each answer. */
const DATES = new Set(['date', 'date_epoch', 'postedAt', 'posted_at', 'pubDate', 'updated']);

/**
 * Opens a JSON answer (jobs API, Response envelope). Throws only a malformed {@link FeedError}. With `parts`, the
 * text is cleaned first.
 */
export function openJson({ text, lossy }: Text, parts?: Pick<Parts, 'clean'>): Listing {
  const clear = parts ? parts.clean(text) : text;
  checkSize(clear);
  const jobs = locateJobs(parseRoot(clear)).slice(0, MAX_RECORDS);
  const marks = jobs.map((job) =>
    recordMark([JSON.stringify(job, (name, value) => (DATES.has(name) ? null : value))]),
  );
  return {
    marks,
    count: jobs.length,
    async read(wanted) {
      if (!wanted) return readRecords(jobs, lossy, marks);
      const isWanted = (_: unknown, index: number) => wanted.has(marks[index] as string);
      return readSome(jobs.filter(isWanted), lossy, marks.filter(isWanted));
    },
  };
}

/** Postings of a JSON answer, all of them. Rejects as {@link openJson} throws. */
export async function parseJson(text: Text): Promise<readonly ReadPosting[]> {
  return openJson(text).read();
}

function parseRoot(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may contain parts of the request.
    throw new FeedError('malformed', 'The response is not JSON.');
  }
}

/** Finds the jobs by the rules, in their order. An empty root has neither an array nor objects in it. */
function locateJobs(root: unknown): readonly unknown[] {
  if (!Array.isArray(root)) throw new FeedError('malformed', 'The response is JSON, but not an array.');
  const jobs: unknown = root.find((element) => Array.isArray(element));
  if (Array.isArray(jobs)) return jobs;
  const objects = root.filter((element) => typeof element === 'object' && element !== null);
  if (objects.length === 0) throw new FeedError('malformed', 'The response is JSON without jobs.');
  return objects;
}

/** Counts brackets and commas outside strings. This limits the memory that parsing needs, before it is used. */
function checkSize(text: string): void {
  let depth = 0;
  let values = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at + 1);
    else if (code === 0x5b || code === 0x7b) depth++;
    else if (code === 0x5d || code === 0x7d) depth--;
    if (code === 0x2c || code === 0x5b || code === 0x7b) values++;
    if (depth > MAX_DEPTH) throw new FeedError('malformed', 'The response is nested too deeply.');
    if (values > MAX_VALUES) throw new FeedError('malformed', 'The response has too many values.');
    at++;
  }
}

function endOfString(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    at += code === 0x5c ? 2 : 1;
  }
  return at;
}
