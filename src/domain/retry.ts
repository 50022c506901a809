// Every waiting time of the program: requests to the API, polls of a failing subscription, deliveries.

/** Retries of one request (jobs API, recommended client retry settings): 3, from 1 s doubling to 10 s, ± 20 %. */
export const REQUEST_RETRIES = 3;

/** Wait before retry `attempt` (0-based) in milliseconds. `random` in [0, 1). */
export function requestDelay(attempt: number, random: number): number {
  return Math.min(1000 * 2 ** attempt * (0.8 + 0.4 * random), 10_000);
}

const HOUR = 3_600_000;

/** Gap before the next poll after `failures` polls in a row failed: 2, 4, 8 … intervals, at most an hour. Milliseconds. */
export function pollBackoff(failures: number, intervalMs: number): number {
  return Math.min(intervalMs * 2 ** Math.min(failures, 20), HOUR);
}

const DELIVERY_STEPS = [5_000, 30_000, 120_000, 600_000, 1_800_000, HOUR];

/** Wait after failed delivery number `tries` (1-based) in milliseconds: 5 s, 30 s, 2 min, 10 min, 30 min, then hourly. */
export function deliveryDelay(tries: number): number {
  return DELIVERY_STEPS[Math.min(Math.max(tries, 1), DELIVERY_STEPS.length) - 1] as number;
}

/** Longest wait after a fault of the program's own, so that what waits for a corrected template goes out soon after. */
export const LONGEST_PROGRAM_WAIT = 300_000;

/** No delivery waits longer for its next attempt, whatever its sink says. Milliseconds. */
export const LONGEST_DELIVERY_WAIT = 24 * HOUR;

/** Attempts refused because of its content after which a posting parks. */
export const CONTENT_ATTEMPTS = 5;

/** How long an edition waits for a far side that is away before it expires. Milliseconds. */
export const OUTAGE_EXPIRY = 3 * 24 * HOUR;

/**
 * Reads a Retry-After header (RFC 9110, 10.2.3): seconds or an HTTP date, relative to `now`. Negative, absurd
 * or unreadable values give undefined; a long one is held to an hour, after which asking again is polite enough.
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | undefined {
  if (!value) return undefined;
  const text = value.trim();
  const ms = /^\d+(\.\d+)?$/u.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  if (!Number.isFinite(ms) || ms < 0) return undefined;
  return Math.min(ms, HOUR);
}
