// What answers of the jobs API mean for one subscription: put together, and judged by its own rules.
import { judge, type Query, queriesOf, queryKey, subjectOf, wouldMatch } from '../domain/filter.js';
import {
  type Finding,
  type Ledger,
  type Owed,
  type Recorded,
  type RecordOptions,
  record,
} from '../domain/ledger.js';
import type { Posting, ReadPosting } from '../domain/posting.js';
import { looksSame, mayBeVersions } from '../domain/recognise.js';
import type { RequestRef } from '../domain/request.js';
import { isPaused, type Subscription } from '../domain/subscription.js';
import type { FeedAnswer } from '../ports/feed.js';
import type { Pipeline } from './context.js';
import { siblings } from './siblings.js';

interface Found {
  readonly posting: ReadPosting;
  /** The requests that returned it, each with its place in the answer. */
  readonly by: { readonly query: Query; readonly place: number }[];
}

/** A request of an account and its answer. `query`: as it was asked, which may be for more than a subscription wants. */
export interface Asked {
  readonly request: RequestRef;
  readonly query: Query;
  readonly answer: FeedAnswer;
  /** When it was answered before; milliseconds since the epoch. */
  readonly formerlyAt?: number | undefined;
}

/** The answers to a filter's requests, put together. Questions are named by the filter's own limit, whatever was asked for. */
export interface Gathered {
  readonly found: readonly Found[];
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

/** Puts answers together for one subscription. `heard`: the versions it has recorded, by subject. */
export function gather(
  { filter }: Pick<Subscription, 'filter'>,
  asked: readonly Asked[],
  heard: Readonly<Record<string, string>> = {},
): Gathered {
  const found: Found[] = [];
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
    if (answer.postings.length >= query.limit) full.push(question);
    putTogether(found, query, answer.postings);
  }
  return { found, answered, unchanged, unanswered, full, versions };
}

/**
 * Adds an answer to those before it. The same posting under two tags is one posting found twice, even when one answer is
 * a little older than the other; but two that share a key in one answer are two.
 */
function putTogether(found: Found[], query: Query, postings: readonly ReadPosting[]): void {
  const others = new Map<string, Found[]>();
  for (const one of found) {
    const { key } = one.posting.posting;
    others.set(key, [...(others.get(key) ?? []), one]);
  }
  const isHere = (one: Found) => one.by.some((by) => by.query === query);
  const rest: [number, ReadPosting][] = [];
  for (const [place, posting] of postings.entries()) {
    const same = others.get(posting.posting.key)?.find((one) => looksSame(one.posting, posting));
    if (same) same.by.push({ query, place });
    else rest.push([place, posting]);
  }
  for (const [place, posting] of rest) {
    const { key } = posting.posting;
    const known = others.get(key) ?? [];
    const same =
      known.find((one) => looksSame(one.posting, posting)) ??
      known.find((one) => !isHere(one) && mayBeVersions(one.posting, posting));
    if (same) same.by.push({ query, place });
    else {
      const one = { posting, by: [{ query, place }] };
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
    for (const other of await siblings(p, subscription, destination))
      if (!isPaused(other)) found.push({ destination: destination.id, filter: other.filter });
  return found;
}

/** Judges what was found. */
export function findingsOf({ filter }: Subscription, gathered: Gathered): Finding[] {
  return gathered.found.map(({ posting, by }) => {
    const asked = by.flatMap(({ query }) => query.tag ?? []);
    const own = filter.tags.filter((tag) => posting.posting.tags?.includes(tag));
    const verdict = judge(filter, posting.posting, [...asked, ...own]);
    // An API that gives more than it was asked for gives it in answer to the question all the same.
    const questions = by.map(({ query, place }) =>
      queryKey({ ...query, limit: Math.min(place + 1, query.limit) }),
    );
    return { ...posting, verdict, by: questions };
  });
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
  );
  const shared = isAsked ? await sharedFilters(p, subscription) : [];
  if (shared.length === 0) return recorded;
  return record(
    ledger,
    findings.map((one) => ({ ...one, also: () => reasonsOfOthers(shared, one.posting) })),
    options,
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
