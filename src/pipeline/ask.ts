// What answers of the jobs API mean for one subscription: put together, and judged by its own rules.
import { judge, type Query, queriesOf, queryKey, subjectOf, wouldMatch } from '../domain/filter.js';
import {
  type Finding,
  type Ledger,
  type Owed,
  type Recorded,
  type RecordOptions,
  record,
  type Shown,
} from '../domain/ledger.js';
import type { Posting, ReadPosting } from '../domain/posting.js';
import { looksSame, mayBeVersions } from '../domain/recognise.js';
import type { RequestRef } from '../domain/request.js';
import { isPaused, type Subscription } from '../domain/subscription.js';
import type { FeedAnswer, Listing } from '../ports/feed.js';
import type { Pipeline } from './context.js';
import { subscriptionsSharing } from './shared-destinations.js';

export interface Found {
  readonly posting: ReadPosting;
  /** The requests that returned it, each with its place and mark in the answer. */
  readonly by: { readonly query: Query; readonly place: number; readonly mark: string | undefined }[];
}

/** A request of an account and its answer. `query`: as it was asked, which may be for more than a subscription wants. */
export interface Asked {
  readonly request: RequestRef;
  readonly query: Query;
  readonly answer: FeedAnswer;
  /** When it was answered before; milliseconds since the epoch. */
  readonly formerlyAt?: number | undefined;
}

/** How a filter's requests were answered. Questions are named by the filter's own limit, whatever was asked for. */
export interface Answers {
  /** What the questions answered list. */
  readonly listings: readonly {
    readonly query: Query;
    readonly subject: string;
    readonly listing: Listing;
  }[];
  /** Questions whose answer was not the one known before. */
  readonly answered: readonly string[];
  /** Questions whose answer is the one known before. */
  readonly unchanged: readonly string[];
  /** Those that were not asked, or failed. */
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

/** Every posting of the answers, once each. Fails with a malformed FeedError. */
export async function readAnswers({ listings }: Answers): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const { query, listing } of listings) putTogether(found, query, [...(await listing.read()).entries()]);
  return found;
}

/** What answers show beside what was shown before. */
export interface News {
  /** Postings whose records are not those that were shown before. */
  readonly found: readonly Found[];
  /** The others, by the keys they were recorded under. */
  readonly shown: readonly Shown[];
}

/**
 * What is new in answers, by the marks of their records alone, so that only new records are read. Undefined when marks
 * can't tell, because too much of an answer is new, or it was not recorded with marks before.
 */
export async function readNews(
  { listings }: Answers,
  { recent, marks = {} }: Ledger,
): Promise<News | undefined> {
  const found: Found[] = [];
  const shown: Shown[] = [];
  for (const { query, subject, listing } of listings) {
    const [keys = [], former] = [recent[subject], marks[subject]];
    if (!former || listing.marks.length !== listing.count) return undefined;
    const keyOf = new Map(former.map((mark, index) => [mark, keys[index]]));
    const unknown: string[] = [];
    for (const [place, mark] of listing.marks.entries()) {
      const key = keyOf.get(mark);
      if (key === undefined) unknown.push(mark);
      else shown.push({ key, by: [questionAt(query, place)], marks: [mark] });
    }
    const wanted = new Set(unknown);
    // Most of it new may be old under other keys; and two with the same mark are two or one, which only all of it tells.
    if (2 * unknown.length > listing.count || wanted.size < unknown.length) return undefined;
    const read = wanted.size > 0 ? await listing.read(wanted) : [];
    if (read.some(({ mark }) => mark === undefined)) return undefined;
    putTogether(
      found,
      query,
      read.map((one) => [listing.marks.indexOf(one.mark ?? ''), one] as const),
    );
  }
  return { found, shown };
}

/**
 * Adds an answer to those before it. The same posting under two tags is one posting found twice, even when one answer is
 * a little older than the other; but two that share a key in one answer are two.
 */
function putTogether(
  found: Found[],
  query: Query,
  postings: readonly (readonly [place: number, posting: ReadPosting])[],
): void {
  const others = new Map<string, Found[]>();
  for (const one of found) {
    const { key } = one.posting.posting;
    others.set(key, [...(others.get(key) ?? []), one]);
  }
  const isHere = (one: Found) => one.by.some((by) => by.query === query);
  const rest: [number, ReadPosting][] = [];
  for (const [place, posting] of postings) {
    const same = others.get(posting.posting.key)?.find((one) => looksSame(one.posting, posting));
    if (same) same.by.push({ query, place, mark: posting.mark });
    else rest.push([place, posting]);
  }
  for (const [place, posting] of rest) {
    const { key } = posting.posting;
    const known = others.get(key) ?? [];
    const same =
      known.find((one) => looksSame(one.posting, posting)) ??
      known.find((one) => !isHere(one) && mayBeVersions(one.posting, posting));
    if (same) same.by.push({ query, place, mark: posting.mark });
    else {
      const one = { posting, by: [{ query, place, mark: posting.mark }] };
      found.push(one);
      others.set(key, [...known, one]);
    }
  }
}

type SharedFilter = { readonly destination: string; readonly filter: Subscription['filter'] };

/** Filters of the other subscriptions that share its places, by destination. */
async function sharedFilters(p: Pipeline, subscription: Subscription): Promise<readonly SharedFilter[]> {
  const found: SharedFilter[] = [];
  for (const destination of subscription.destinations)
    for (const other of await subscriptionsSharing(p, subscription, destination))
      if (!isPaused(other)) found.push({ destination: destination.id, filter: other.filter });
  return found;
}

/** One that is known by its words and date alone has no mark: marks leave dates out. */
const markOf = ({ key }: Posting, mark: string | undefined) => (key.startsWith('hash:') ? undefined : mark);

/** Judges what was found. */
export function findingsOf({ filter }: Subscription, found: readonly Found[]): Finding[] {
  return found.map(({ posting, by }) => {
    const asked = by.flatMap(({ query }) => query.tag ?? []);
    const own = filter.tags.filter((tag) => posting.posting.tags?.includes(tag));
    const verdict = judge(filter, posting.posting, [...asked, ...own]);
    const questions = by.map(({ query, place }) => questionAt(query, place));
    return { ...posting, verdict, by: questions, marks: by.map(({ mark }) => markOf(posting.posting, mark)) };
  });
}

/** The question with the least limit that returns this place of its answer. */
function questionAt(query: Query, place: number): string {
  // An API that gives more than it was asked for gives it in answer to the question all the same.
  return queryKey({ ...query, limit: Math.min(place + 1, query.limit) });
}

/**
 * Records findings, those that will be delivered with the reasons of every subscription that shares a destination. The
 * others are only read when there is something to deliver.
 */
export async function recordShared(
  p: Pipeline,
  subscription: Subscription,
  ledger: Ledger,
  findings: readonly Finding[],
  options: RecordOptions,
  shown: readonly Shown[] = [],
): Promise<Recorded> {
  let isAsked = false;
  const also = () => {
    isAsked = true;
    return undefined;
  };
  const recorded = record(
    ledger,
    findings.map((one) => ({ ...one, also })),
    options,
    shown,
  );
  const shared = isAsked ? await sharedFilters(p, subscription) : [];
  if (shared.length === 0) return recorded;
  return record(
    ledger,
    findings.map((one) => ({ ...one, also: () => reasonsOfOthers(shared, one.posting) })),
    options,
    shown,
  );
}

/** Reasons of those of the other filters that match, by destination; undefined when none does. */
function reasonsOfOthers(shared: readonly SharedFilter[], posting: Posting): Owed['also'] {
  const also: Record<string, readonly string[]> = {};
  for (const { destination, filter } of shared) {
    const other = wouldMatch(filter, posting);
    if (other.ok) also[destination] = [...new Set([...(also[destination] ?? []), ...other.matched])];
  }
  return Object.keys(also).length > 0 ? also : undefined;
}
