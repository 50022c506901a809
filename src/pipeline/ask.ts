// Combines the answers of the jobs API for one subscription, and judges their postings by its filter.
import {
  type Filter,
  judge,
  type Query,
  queriesOf,
  queryKey,
  questionOf,
  subjectOf,
  tagOf,
} from '../domain/filter.js';
import type { Ledger, Shown } from '../domain/ledger.js';
import type { Posting, ReadPosting } from '../domain/posting.js';
import { type ListedPosting, looksSame, mayBeVersions } from '../domain/recognise.js';
import type { RequestRef } from '../domain/request.js';
import { pace } from '../domain/serial.js';
import type { Subscription } from '../domain/subscription.js';
import type { FeedAnswer, Listing } from '../ports/feed.js';

/** A request of an account and its answer. `query`: as it was sent, which may be for more than a subscription wants. */
export interface Asked {
  readonly request: RequestRef;
  readonly query: Query;
  readonly answer: FeedAnswer;
  /** When it was answered before; milliseconds since the epoch. */
  readonly formerlyAt?: number | undefined;
}

/** How a filter's requests were answered. Questions are named with the filter's own limit, whatever limit was sent. */
export interface Answers {
  /** The listings of the answered questions. */
  readonly listings: readonly {
    readonly query: Query;
    readonly subject: string;
    readonly listing: Listing;
  }[];
  /** Questions whose answer was not the one known before. */
  readonly answered: readonly string[];
  /** Questions whose answer is the one known before. */
  readonly unchanged: readonly string[];
  /** Questions that were not asked, or whose request failed. */
  readonly unanswered: readonly string[];
  /** Questions whose answer held as many postings as were asked for. */
  readonly full: readonly string[];
  /** The versions of the answers, by subject. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Sorts answers for one subscription. `heard`: the versions it has recorded, by subject. */
export function sortAnswers(
  { filter }: Pick<Subscription, 'filter'>,
  asked: readonly Asked[],
  heard: Readonly<Record<string, string>> = {},
): Answers {
  const listings: { query: Query; subject: string; listing: Listing }[] = [];
  const answered: string[] = [];
  const unchanged: string[] = [];
  const unanswered: string[] = [];
  const full: string[] = [];
  const versions: Record<string, string> = {};
  const bySubject = new Map(asked.map((one) => [one.request.subject, one]));
  for (const own of queriesOf(filter)) {
    const question = queryKey(own);
    const subject = subjectOf(question);
    const one = bySubject.get(subject);
    if (!one) {
      unanswered.push(question);
      continue;
    }
    const { answer, query } = one;
    versions[subject] = answer.validator.hash;
    if (answer.kind === 'unchanged' || heard[subject] === answer.validator.hash) {
      unchanged.push(question);
      continue;
    }
    answered.push(question);
    if (answer.listing.count >= query.limit) full.push(question);
    listings.push({ query, subject, listing: answer.listing });
  }
  return { listings, answered, unchanged, unanswered, full, versions };
}

/** What answers contain. */
export interface News {
  readonly postings: readonly ListedPosting[];
  /** Postings that were shown before and were not read again. */
  readonly shown: readonly Shown[];
}

/** Every posting of the answers, once each, judged by the filter at `now`. Throws a malformed FeedError. */
export async function readAnswers(filter: Filter, { listings }: Answers, now: number): Promise<News> {
  const merged: Merged[] = [];
  for (const { query, listing } of listings) merge(merged, query, [...(await listing.read()).entries()]);
  return { postings: await judged(filter, merged, now), shown: [] };
}

/**
 * Finds what is new in answers by the marks of their records, and reads only new records. Returns undefined when
 * marks are not enough: too much of an answer is new, or it was not recorded with marks before.
 */
export async function readNews(
  filter: Filter,
  { listings }: Answers,
  { recent, marks = {} }: Ledger,
  now: number,
): Promise<News | undefined> {
  const merged: Merged[] = [];
  const shown: Shown[] = [];
  for (const { query, subject, listing } of listings) {
    const [keys = [], former] = [recent[subject], marks[subject]];
    if (!former || listing.marks.length !== listing.count) return undefined;
    const keyOf = new Map<string, string | undefined>();
    for (const [index, mark] of former.entries()) keyOf.set(mark, keys[index]);
    const unknown: string[] = [];
    for (const [place, mark] of listing.marks.entries()) {
      const key = keyOf.get(mark);
      if (key === undefined) unknown.push(mark);
      else shown.push({ key, subject, place: placeIn(query, place), mark });
    }
    const wanted = new Set(unknown);
    // If most records are new, they may be old ones under new keys. Two records with the same mark may be one posting
    // or two. Both cases need the whole listing.
    if (2 * unknown.length > listing.count || wanted.size < unknown.length) return undefined;
    const read = wanted.size > 0 ? await listing.read(wanted) : [];
    const placed: [number, ReadPosting][] = [];
    for (const one of read) {
      if (one.mark === undefined) return undefined;
      placed.push([listing.marks.indexOf(one.mark), one]);
    }
    merge(merged, query, placed);
  }
  return { postings: await judged(filter, merged, now), shown };
}

/** A posting before it is judged, to which further answers add themselves. */
type Merged = ReadPosting & { readonly by: string[]; readonly marks: (string | undefined)[] };

/**
 * Adds an answer to `merged`. The same posting under two tags is one posting, even when one answer is a little older
 * than the other. But two postings that share a key in one answer are two.
 */
function merge(
  merged: Merged[],
  query: Query,
  postings: readonly (readonly [place: number, posting: ReadPosting])[],
): void {
  const byKey = new Map<string, Merged[]>();
  for (const one of merged) byKey.set(one.posting.key, [...(byKey.get(one.posting.key) ?? []), one]);
  const subject = subjectOf(queryKey(query));
  const isHere = ({ by }: Merged) => by.some((question) => subjectOf(question) === subject);
  const rest: [number, ReadPosting][] = [];
  for (const [place, read] of postings) {
    const same = byKey.get(read.posting.key)?.find((one) => looksSame(one, read));
    if (same) addTo(same, questionAt(subject, query, place), read);
    else rest.push([place, read]);
  }
  for (const [place, read] of rest) {
    const known = byKey.get(read.posting.key) ?? [];
    const same =
      known.find((one) => looksSame(one, read)) ??
      known.find((one) => !isHere(one) && mayBeVersions(one, read));
    const one: Merged = same ?? { by: [], marks: [], ...read };
    addTo(one, questionAt(subject, query, place), read);
    if (same) continue;
    merged.push(one);
    byKey.set(read.posting.key, [...known, one]);
  }
}

function addTo({ by, marks }: Merged, question: string, { posting, mark }: ReadPosting): void {
  by.push(question);
  marks.push(markOf(posting, mark));
}

/** A posting that is identified only by its text and date has no mark, because marks leave dates out. */
const markOf = ({ key }: Posting, mark: string | undefined) => (key.startsWith('hash:') ? undefined : mark);

/** The question about a subject with the smallest limit whose answer includes the posting at this index. */
function questionAt(subject: string, query: Query, index: number): string {
  return questionOf(subject, placeIn(query, index));
}

/** The place of a posting from its index. Postings beyond the limit still count as an answer to the question. */
function placeIn({ limit }: Query, index: number): number {
  return Math.min(index + 1, limit);
}

/** A posting has a tag if it says so or if it is in the answer for that tag. */
async function judged(filter: Filter, merged: readonly Merged[], now: number): Promise<ListedPosting[]> {
  const found: ListedPosting[] = [];
  for (const one of merged) {
    const wait = pace();
    if (wait) await wait;
    const tags: string[] = [];
    for (const question of one.by) {
      const tag = tagOf(question);
      if (tag !== undefined) tags.push(tag);
    }
    for (const tag of filter.tags) if (one.posting.tags?.includes(tag)) tags.push(tag);
    found.push({ verdict: judge(filter, one.posting, tags, now), ...one });
  }
  return found;
}
