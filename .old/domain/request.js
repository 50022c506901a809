// The requests that subscriptions need. Subscriptions of one account that ask for the same thing share one request.
// It is made as often as the most frequent of them needs, with the largest of their limits.
import { accountHash } from './account.js';
import { MAX_LIMIT, queriesOf, queryKey, subjectOf } from './filter.js';
import { isPaused } from './subscription.js';
/** The queue of polls. A lane is an account, by {@link accountHash}. Its units are requests and recordings. */
export const POLL_QUEUE = 'poll';
/** A plan is written with each turn, so it lists at most this many subscriptions. */
const MOST_NAMED = 20;
/** Returns the requests of a subscription; none while it is paused. */
export function requestsOf(subscription) {
    if (isPaused(subscription))
        return [];
    const lane = accountHash(subscription.account);
    return queriesOf(subscription.filter).map((query) => ({ lane, subject: subjectOf(queryKey(query)) }));
}
/**
 * Returns the plan of a request; undefined if no subscription needs it. `most`: ask for as many postings as the API
 * allows.
 */
export function planRequest(subject, subscriptions, most = false) {
    const [first] = subscriptions;
    if (!first)
        return undefined;
    const queries = subscriptions.flatMap(({ filter }) => queriesOf(filter).filter((query) => subjectOf(queryKey(query)) === subject));
    const [query] = queries;
    if (!query)
        return undefined;
    const limit = most ? MAX_LIMIT : Math.max(...queries.map((one) => one.limit));
    const schedules = new Map(subscriptions.map(({ schedule }) => [`${schedule.cron}@${schedule.timezone}`, schedule]));
    const keep = subscriptions.some(({ filter }) => queriesOf(filter).length > 1);
    return {
        account: first.account,
        query: { ...query, limit },
        schedules: [...schedules.values()],
        keep,
        ...(subscriptions.length <= MOST_NAMED ? { needs: subscriptions.map(({ id }) => id) } : {}),
    };
}
/** Returns the unit of a request in its account's lane. */
export function requestUnit({ lane, subject }) {
    return { queue: POLL_QUEUE, lane, unit: `r|${subject}` };
}
/** Returns the unit that records the answers to a subscription's requests. */
export const recordUnit = (subscription) => `s|${subscription}`;
//# sourceMappingURL=request.js.map