// Decides what is tried again, how often and after how long, by the kind of failure alone. No other file does.
import { FeedError } from '../../domain/errors.js';
import { REQUEST_RETRIES, requestDelay } from '../../domain/retry.js';
import { requestOnce } from './request.js';
import { throttled } from './turns.js';
/** The faults that another attempt may fix (jobs API, Errors). */
const RETRIED = new Set(['throttled', 'unavailable']);
/** Longest wait made here, milliseconds (the longest of the recommended ones). The caller schedules longer ones. */
const LONGEST_WAIT = 10_000;
const LONGEST_WAIT_ONCE = 2_000;
/** `random` returns a number in [0, 1), for the jitter. */
export function createAttempts(options) {
    const { wire, sleep, random, log } = options;
    /** Waits for the rest that the API asked of this token. Other tokens have their own lanes. */
    async function keepQuiet(lane, { signal, once }) {
        const quietMs = lane.quietMs();
        if (quietMs > (once ? LONGEST_WAIT_ONCE : LONGEST_WAIT))
            throw throttled(quietMs);
        if (quietMs > 0)
            await sleep(quietMs, signal);
    }
    async function run(lane, attempt) {
        const { signal, account } = attempt;
        for (let tries = 0;; tries++) {
            await keepQuiet(lane, attempt);
            try {
                return await lane.paced(signal, () => requestOnce(wire, attempt));
            }
            catch (error) {
                if (!(error instanceof FeedError))
                    throw error;
                const { fault, status } = error;
                const asked = fault === 'throttled' ? error.retryAfterMs : undefined;
                // Also after the last attempt: the next request with this token has to wait as well.
                if (asked)
                    lane.keepQuiet(asked);
                if (attempt.once || !RETRIED.has(fault) || tries >= REQUEST_RETRIES)
                    throw error;
                log.debug({ account, fault, status, tries: tries + 1 }, 'jobs API request failed, trying again');
                if (!asked)
                    await sleep(Math.round(requestDelay(tries, random())), signal);
            }
        }
    }
    return { run };
}
//# sourceMappingURL=attempts.js.map