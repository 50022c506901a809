// What a poll asks the jobs API, and what the subscription's own rules say of each posting that came back.
import { FeedError } from '../domain/errors.js';
import {
  judge,
  MAX_LIMIT,
  type Query,
  queriesOf,
  queryKey,
  subjectOf,
  wouldMatch,
} from '../domain/filter.js';
import type { Finding, Owed } from '../domain/ledger.js';
import type { Posting, ReadPosting } from '../domain/posting.js';
import { looksSame, mayBeVersions } from '../domain/recognise.js';
import type { Secret } from '../domain/secret.js';
import { isPaused, type Subscription } from '../domain/subscription.js';
import type { Validator } from '../ports/feed.js';
import type { PollState } from '../ports/stores.js';
import type { Pipeline } from './context.js';
import { siblings } from './siblings.js';

interface Found {
  readonly posting: ReadPosting;
  /** The requests that returned it, each with its place in the answer. */
  readonly by: { readonly query: Query; readonly place: number }[];
}

/** The answers to a filter's requests, put together. Questions are named by the filter's own limit, whatever was asked for. */
export interface Fetched {
  readonly found: readonly Found[];
  readonly validators: Readonly<Record<string, Validator>>;
  /** Questions whose answer was not the one known before. */
  readonly answered: readonly string[];
  /** Questions whose answer is the one known before. */
  readonly unchanged: readonly string[];
  /** Questions whose answer held as many postings as were asked for. */
  readonly full: readonly string[];
  /** Questions that failed; those in none of these lists were not asked. */
  readonly failed: readonly { readonly question: string; readonly error: FeedError }[];
}

/** True for a fault that stands for the token, so that no further request is made with it. */
export function isOfToken({ fault }: FeedError): boolean {
  return fault === 'rejected' || fault === 'throttled';
}

/** So many requests in a row that fail, with none answered, and the API itself is away. */
const AWAY_AFTER = 2;

/**
 * Asks one request per tag; one that fails costs the others nothing. `state`: what is known of former answers; every
 * other answer is read in full. `fresh`: no answer from before this moment will do;
 * `once`: one attempt each, because somebody waits. Throws the error of a request that
 * was given up, and what is no {@link FeedError}.
 */
export async function fetchAll(
  p: Pipeline,
  subscription: Subscription,
  token: Secret,
  signal: AbortSignal,
  state: PollState,
  { fresh = false, once = false }: { readonly fresh?: boolean; readonly once?: boolean } = {},
): Promise<Fetched> {
  const { account, filter } = subscription;
  const now = p.clock.now();
  const found: Found[] = [];
  const validators: Record<string, Validator> = {};
  const answered: string[] = [];
  const unchanged: string[] = [];
  const full: string[] = [];
  const failed: { question: string; error: FeedError }[] = [];
  const queries = queriesOf(filter).map((own) => ({
    query: asWatched(own, state, now),
    question: queryKey(own),
  }));
  const failing = (question: string) => state.failing?.[question];
  const due = queries.filter(({ question }) => (failing(question)?.until ?? 0) <= now);
  // Those that failed last come last: should the API be away, the others are not kept waiting behind them.
  const asked = (due.length > 0 ? due : queries).toSorted(
    (a, b) => Number(failing(a.question) !== undefined) - Number(failing(b.question) !== undefined),
  );
  for (const { query } of queries) {
    const key = queryKey(query);
    // Of one that gives no answer now, the last version stays the one that is known.
    if (state.validators[key]) validators[key] = state.validators[key];
  }
  for (const { query, question } of asked) {
    const key = queryKey(query);
    const known = state.validators[key];
    const request = { account, token, query, format: p.settings.format, signal, fresh, once };
    try {
      const answer = await p.feed.fetch({ ...request, ...(known ? { known } : {}) });
      validators[key] = answer.validator;
      if (answer.kind === 'unchanged') {
        unchanged.push(question);
        continue;
      }
      answered.push(question);
      if (answer.postings.length >= query.limit) full.push(question);
      putTogether(found, query, answer.postings);
    } catch (error) {
      if (!(error instanceof FeedError) || error.fault === 'aborted') throw error;
      failed.push({ question, error });
      const isAway = answered.length + unchanged.length === 0 && failed.length >= AWAY_AFTER;
      if (isOfToken(error) || (isAway && error.fault === 'unavailable')) break;
    }
  }
  return { found, validators, answered, unchanged, full, failed };
}

/** After a gap the most is asked for. */
function asWatched(query: Query, { watch }: PollState, now: number): Query {
  return (watch?.[subjectOf(queryKey(query))] ?? 0) > now ? { ...query, limit: MAX_LIMIT } : query;
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

/** Filters of the other subscriptions that share its places, by destination. */
function sharedFilters(p: Pipeline, subscription: Subscription) {
  return subscription.destinations.flatMap((destination) =>
    siblings(p, subscription, destination)
      .filter((other) => !isPaused(other))
      .map((other) => ({ destination: destination.id, filter: other.filter })),
  );
}

/** Judges what was found, with the reasons of every subscription that shares a destination. */
export function findingsOf(p: Pipeline, subscription: Subscription, fetched: Fetched): Finding[] {
  const { filter } = subscription;
  const shared = sharedFilters(p, subscription);
  return fetched.found.map(({ posting, by }) => {
    const asked = by.flatMap(({ query }) => query.tag ?? []);
    const own = filter.tags.filter((tag) => posting.posting.tags?.includes(tag));
    const verdict = judge(filter, posting.posting, [...asked, ...own]);
    // An API that gives more than it was asked for gives it in answer to the question all the same.
    const questions = by.map(({ query, place }) =>
      queryKey({ ...query, limit: Math.min(place + 1, query.limit) }),
    );
    return { ...posting, verdict, by: questions, also: () => reasonsOfOthers(shared, posting.posting) };
  });
}

/** Reasons of those of the other filters that match, by destination; undefined when none does. */
function reasonsOfOthers(shared: ReturnType<typeof sharedFilters>, posting: Posting): Owed['also'] {
  const also: Record<string, readonly string[]> = {};
  for (const { destination, filter } of shared) {
    const other = wouldMatch(filter, posting);
    if (other.ok) also[destination] = [...new Set([...(also[destination] ?? []), ...other.matched])];
  }
  return Object.keys(also).length > 0 ? also : undefined;
}
