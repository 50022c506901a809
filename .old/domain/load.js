// Whether a token has time for all requests of its subscriptions. A token makes one request at a time, with a gap
// after each, so many subscriptions of one account can need more time than there is.
import { requestsOf } from './request.js';
import { intervalOf } from './schedule.js';
/** The average time until an answer, as an estimate. Milliseconds. */
const ANSWER_MS = 200;
const MINUTE = 60_000;
/** Common intervals, in minutes. */
const USUAL = [5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440];
/**
 * Returns the planned load of each account. `spacingMs`: shortest gap between two requests of an account, in
 * milliseconds.
 */
export async function plannedLoads(subscriptions, { spacingMs, now }) {
    const intervals = new Map();
    for await (const one of subscriptions) {
        const ofAccount = intervals.get(one.account) ?? new Map();
        const interval = intervalOf(one.schedule, now);
        for (const { subject } of requestsOf(one))
            ofAccount.set(subject, Math.min(interval, ofAccount.get(subject) ?? interval));
        intervals.set(one.account, ofAccount);
    }
    const turnMs = spacingMs + ANSWER_MS;
    return new Map([...intervals].map(([account, ofAccount]) => {
        const share = [...ofAccount.values()].reduce((sum, interval) => sum + turnMs / interval, 0);
        const wanted = (ofAccount.size * turnMs) / MINUTE;
        const fittingMinutes = USUAL.find((one) => one >= wanted) ?? Math.ceil(wanted / 1440) * 1440;
        return [account, { requests: ofAccount.size, share, fittingMinutes }];
    }));
}
/** Returns an interval in words: "15 minutes", "2 hours". */
export function intervalWords(minutes) {
    const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
    return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
//# sourceMappingURL=load.js.map