// The requests that subscriptions need. Subscriptions of one account that ask for the same thing share one request.
// It is made as often as the most frequent of them needs, with the largest of their limits.

import { accountHash } from './account.js';
import { defined } from './defined.js';
import { MAX_LIMIT, type Query, queriesOf, queryKey, subjectOf } from './filter.js';
import type { Schedule } from './schedule.js';
import { isPaused, type Subscription } from './subscription.js';

/** The queue of polls. A lane is an account, by {@link accountHash}. Its units are requests and recordings. */
export const POLL_QUEUE = 'poll';

/** One distinct request of an account. `subject`: what it asks for, without the limit (see {@link subjectOf}). */
export interface RequestRef {
  readonly lane: string;
  readonly subject: string;
}

/** What to request, put together from the subscriptions that need it. */
export interface RequestPlan {
  readonly account: string;
  readonly query: Query;
  /** Each distinct schedule, once. */
  readonly schedules: readonly Schedule[];
  /**
   * True if a subscription needs other requests as well. It may then read this answer again when those are answered.
   */
  readonly keep: boolean;
  /** Ids of the subscriptions that need it; absent if there are many. */
  readonly needs?: readonly string[];
}

/** A plan is written with each turn, so it lists at most this many subscriptions. */
const MOST_NAMED = 20;

type Requesting = Pick<Subscription, 'account' | 'filter'> & Parameters<typeof isPaused>[0];

/** Returns the subjects of a subscription's requests; none while it is paused. */
export function subjectsOf(subscription: Omit<Requesting, 'account'>): readonly string[] {
  if (isPaused(subscription)) return [];
  return queriesOf(subscription.filter).map((query) => subjectOf(queryKey(query)));
}

/** Returns the requests of a subscription; none while it is paused. */
export function requestsOf(subscription: Requesting): readonly RequestRef[] {
  const lane = accountHash(subscription.account);
  return subjectsOf(subscription).map((subject) => ({ lane, subject }));
}

/**
 * Returns the plan of a request; undefined if no subscription needs it. `most`: ask for as many postings as the API
 * allows.
 */
export function planRequest(
  subject: string,
  subscriptions: readonly Subscription[],
  most = false,
): RequestPlan | undefined {
  const [first] = subscriptions;
  if (!first) return undefined;
  const queries = subscriptions.flatMap(({ filter }) =>
    queriesOf(filter).filter((query) => subjectOf(queryKey(query)) === subject),
  );
  const [query] = queries;
  if (!query) return undefined;
  const limit = most ? MAX_LIMIT : Math.max(...queries.map((one) => one.limit));
  const schedules = new Map(
    subscriptions.map(({ schedule }) => [`${schedule.cron}@${schedule.timezone}`, schedule]),
  );
  const keep = subscriptions.some(({ filter }) => queriesOf(filter).length > 1);
  return {
    account: first.account,
    query: { ...query, limit },
    schedules: [...schedules.values()],
    keep,
    ...defined({ needs: subscriptions.length <= MOST_NAMED ? subscriptions.map(({ id }) => id) : undefined }),
  };
}

/** Returns the unit of a request in its account's lane. */
export function requestUnit({ lane, subject }: RequestRef) {
  return { queue: POLL_QUEUE, lane, unit: `r|${subject}` } as const;
}

/** Returns the unit that asks for the JSON form of a request, for fields that its feed left out. */
export function enrichUnit({ lane, subject }: RequestRef) {
  return { queue: POLL_QUEUE, lane, unit: `e|${subject}` } as const;
}

/** Returns the unit that records the answers to a subscription's requests. */
export const recordUnit = (subscription: string) => `s|${subscription}`;
