// The requests that subscriptions need. Subscriptions of one account that ask for the same share one request: it is asked
// once, as often as the most frequent of them wants and with the largest of their limits.
import { accountHash } from './account.js';
import { MAX_LIMIT, type Query, queriesOf, queryKey, subjectOf } from './filter.js';
import type { Schedule } from './schedule.js';
import { isPaused, type Subscription } from './subscription.js';

/** The queue of polls. A lane is an account, by {@link accountHash}; its units are requests and recordings. */
export const POLL_QUEUE = 'poll';

/** One distinct request of an account. `subject`: what it asks for, whatever the limit (see {@link subjectOf}). */
export interface RequestRef {
  readonly lane: string;
  readonly subject: string;
}

/** What is to be asked, put together from the subscriptions that need it. */
export interface RequestPlan {
  readonly account: string;
  readonly query: Query;
  /** Each distinct schedule once. */
  readonly schedules: readonly Schedule[];
  /** A subscription needs other requests as well, and may read the answer again when they are answered, too. */
  readonly keep: boolean;
  /** The subscriptions that need it, unless there are many. */
  readonly needs?: readonly string[];
}

/** A plan is written with each turn, so it names no more subscriptions than this. */
const MOST_NAMED = 20;

/** The requests of a subscription; none while it is paused. */
export function requestsOf(
  subscription: Pick<Subscription, 'account' | 'filter'> & Parameters<typeof isPaused>[0],
): readonly RequestRef[] {
  if (isPaused(subscription)) return [];
  const lane = accountHash(subscription.account);
  return queriesOf(subscription.filter).map((query) => ({ lane, subject: subjectOf(queryKey(query)) }));
}

/** Undefined when no subscription needs it. `most`: ask for as many postings as the API gives. */
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
    ...(subscriptions.length <= MOST_NAMED ? { needs: subscriptions.map(({ id }) => id) } : {}),
  };
}

/** The unit of a request in its account's lane. */
export function requestUnit({ lane, subject }: RequestRef) {
  return { queue: POLL_QUEUE, lane, unit: `r|${subject}` } as const;
}

/** The unit that records what the requests of a subscription brought. */
export const recordUnit = (subscription: string) => `s|${subscription}`;
