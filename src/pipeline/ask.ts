// What a poll asks the jobs API, and what the subscription's own rules say of each posting that came back.
import { judge, MAX_LIMIT, type Query, queriesOf, queryKey, wouldMatch } from '../domain/filter.js';
import type { Finding } from '../domain/ledger.js';
import type { ReadPosting } from '../domain/posting.js';
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

/** How long more is asked for, and sooner, after a gap. */
export const GAP_WATCH_MS = 24 * 3_600_000;

/** The answers to a filter's requests, put together. */
export interface Fetched {
  readonly found: ReadonlyMap<string, Found>;
  readonly validators: Readonly<Record<string, Validator>>;
  /** Places among the filter's requests of those whose answer was not the one known before. */
  readonly changed: readonly number[];
  /** When the gap was found that is watched with these answers, milliseconds since the epoch. */
  readonly gapAt?: number;
}

/**
 * Asks one request per tag. `state`: what is known of former answers; every other answer is read in full. `once`: one
 * attempt each, because somebody waits.
 */
export async function fetchAll(
  p: Pipeline,
  subscription: Subscription,
  token: Secret,
  signal: AbortSignal,
  state: PollState,
  once = false,
): Promise<Fetched> {
  const { account, filter } = subscription;
  const { watchUntil = 0 } = state;
  const gapAt = watchUntil > p.clock.now() ? watchUntil - GAP_WATCH_MS : undefined;
  const found = new Map<string, Found>();
  const validators: Record<string, Validator> = {};
  const changed: number[] = [];
  for (const [index, query] of queriesOf(filter, gapAt === undefined ? undefined : MAX_LIMIT).entries()) {
    const key = queryKey(query);
    const known = state.validators[key];
    const request = { account, token, query, format: p.settings.format, signal, once };
    const answer = await p.feed.fetch({ ...request, ...(known ? { known } : {}) });
    validators[key] = answer.validator;
    if (answer.kind === 'unchanged') continue;
    changed.push(index);
    for (const [place, posting] of answer.postings.entries()) {
      // The same posting under two tags is one posting found twice.
      const former = found.get(posting.posting.key) ?? { posting, by: [] };
      former.by.push({ query, place });
      found.set(posting.posting.key, former);
    }
  }
  return { found, validators, changed, ...(gapAt === undefined ? {} : { gapAt }) };
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
  return [...fetched.found.values()].map(({ posting, by }) => {
    const asked = by.flatMap(({ query }) => query.tag ?? []);
    const own = filter.tags.filter((tag) => posting.posting.tags?.includes(tag));
    const verdict = judge(filter, posting.posting, [...asked, ...own]);
    const also: Record<string, readonly string[]> = {};
    for (const { destination, filter: theirs } of verdict.ok ? shared : []) {
      const other = wouldMatch(theirs, posting.posting);
      if (other.ok) also[destination] = [...new Set([...(also[destination] ?? []), ...other.matched])];
    }
    // An API that gives more than it was asked for gives it in answer to the question all the same.
    const questions = by.map(({ query, place }) =>
      queryKey({ ...query, limit: Math.min(place + 1, query.limit) }),
    );
    return { ...posting, verdict, by: questions, ...(Object.keys(also).length > 0 ? { also } : {}) };
  });
}
