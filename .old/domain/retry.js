// All retry delays of the program: requests to the API, polls of a failing subscription, deliveries.
/** Retries of one request (jobs API, recommended client retry settings): 3, from 1 s doubling to 10 s, ± 20 %. */
export const REQUEST_RETRIES = 3;
/** Returns the wait before retry `attempt` (0-based) in milliseconds. `random` is in [0, 1). */
export function requestDelay(attempt, random) {
    return Math.min(1000 * 2 ** attempt * (0.8 + 0.4 * random), 10_000);
}
const HOUR = 3_600_000;
/**
 * Returns the wait before the next poll after `failures` failed polls in a row: 2, 4, 8 … intervals, at most an hour.
 * Milliseconds.
 */
export function pollBackoff(failures, intervalMs) {
    return Math.min(intervalMs * 2 ** Math.min(failures, 20), HOUR);
}
function step(steps, tries) {
    return steps[Math.min(Math.max(tries, 1), steps.length) - 1];
}
/**
 * Returns the wait after refusal number `tries` (1-based) of a posting, in milliseconds: 5 s, 30 s, 2 min, then 10
 * min.
 */
export function refusalDelay(tries) {
    return step([5_000, 30_000, 120_000, 600_000], tries);
}
/**
 * Returns the wait after attempt number `tries` (1-based) at a service that is unavailable, in milliseconds: 5 s, 15
 * s, 30 s, 1 min, 2 min, then every 3 min. One message tests the service for everything that waits for it, so
 * frequent attempts cost little, and newer postings do not wait long once the service is back.
 */
export function outageDelay(tries) {
    return step([5_000, 15_000, 30_000, 60_000, 120_000, 180_000], tries);
}
/** Longest wait of a delivery before its next attempt, whatever its sink asks for. Milliseconds. */
export const LONGEST_DELIVERY_WAIT = 24 * HOUR;
/** A posting parks after this many attempts that were refused because of its content. */
export const CONTENT_ATTEMPTS = 5;
/** How long an edition waits for an unavailable service before it expires. Milliseconds. */
export const OUTAGE_EXPIRY = 3 * 24 * HOUR;
/**
 * Reads a Retry-After header (RFC 9110, 10.2.3), in seconds or as an HTTP date. Returns milliseconds from `now`;
 * undefined if the value is negative or can't be read. At most an hour, which is long enough to be polite.
 */
export function parseRetryAfter(value, now) {
    if (!value)
        return undefined;
    const text = value.trim();
    const ms = /^\d+(\.\d+)?$/u.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
    if (!Number.isFinite(ms) || ms < 0)
        return undefined;
    return Math.min(ms, HOUR);
}
//# sourceMappingURL=retry.js.map