import { addressKeys } from './address.js';
const HOUR = 3_600_000;
/** A run stops when more than this share of its mails fails permanently (mail rules, bounces). */
const HARD_SHARE = 0.05;
/** Mails in a run before the share counts. */
const LEAST_SENT = 20;
/** A longer gap between two results starts a new run. */
const RUN_GAP = HOUR;
const PAUSE = HOUR;
/** Refusals to this many different readers pause their domain. Fewer may only concern those readers. */
const REFUSED_READERS = 3;
/** The time within which refusals are added up. A refused mail is tried once more in that time. */
const REFUSED_WITHIN = 2 * HOUR;
/** Domains remembered; the one refused least recently is dropped first. */
const MOST_DOMAINS = 1000;
function goingOn(pause, clock) {
    const left = pause ? pause.until - clock.now() : 0;
    // Longer than any pause: the clock was set back in the meantime.
    return left > 0 && left <= PAUSE ? pause : undefined;
}
const ROWS = 'mail:paused:';
/** `keys` hash the domain, so that a row does not reveal it. */
export function createStoredPauses(deps) {
    const { table, keys, clock } = deps;
    const rowsOf = (place) => addressKeys(keys, place).map((hash) => `${ROWS}${hash}`);
    async function stored(place) {
        for (const row of rowsOf(place)) {
            const found = (await table.get(row));
            if (found)
                return goingOn({ ...found, place }, clock);
        }
        return undefined;
    }
    return {
        keep: ({ place, until, why }) => table.set(rowsOf(place)[0], { until, why }, PAUSE),
        find: async (domain) => (await stored('')) ?? stored(domain),
        async clear() {
            for await (const [row] of table.entries(ROWS))
                await table.delete(row);
        },
    };
}
/** Calls `onPause` when a pause begins. */
export function createStreamHealth(clock, onPause) {
    const paused = new Map();
    const refusals = new Map();
    let run = { sent: 0, hard: 0, lastAt: 0 };
    function hold(place, why) {
        // The one that began first ends first. The one for all mails stays.
        const oldest = [...paused.keys()].find((one) => one !== '');
        if (paused.size >= MOST_DOMAINS && oldest !== undefined)
            paused.delete(oldest);
        const pause = { place, until: clock.now() + PAUSE, why };
        paused.delete(place);
        paused.set(place, pause);
        onPause?.(pause);
    }
    const current = (place) => goingOn(paused.get(place), clock);
    return {
        pausedFor: (domain) => current('') ?? current(domain),
        pauses: () => [...paused.keys()].flatMap((place) => current(place) ?? []),
        pause(why) {
            hold('', why);
            return PAUSE;
        },
        refused(domain, reader, why) {
            const now = clock.now();
            const recent = [...(refusals.get(domain) ?? [])].filter(([one, at]) => one !== reader && at <= now && now - at < REFUSED_WITHIN);
            const readers = new Map([...recent.slice(1 - REFUSED_READERS), [reader, now]]);
            refusals.delete(domain);
            refusals.set(domain, readers);
            for (const oldest of refusals.keys())
                if (refusals.size > MOST_DOMAINS)
                    refusals.delete(oldest);
            if (readers.size < REFUSED_READERS)
                return false;
            hold(domain, why);
            return true;
        },
        result(hard) {
            const now = clock.now();
            if (now - run.lastAt > RUN_GAP)
                run = { sent: 0, hard: 0, lastAt: now };
            run = { sent: run.sent + 1, hard: run.hard + (hard ? 1 : 0), lastAt: now };
            if (run.sent < LEAST_SENT || run.hard / run.sent <= HARD_SHARE)
                return false;
            run = { sent: 0, hard: 0, lastAt: now };
            hold('', `over ${HARD_SHARE * 100} % of the mails were refused for good`);
            return true;
        },
    };
}
//# sourceMappingURL=health.js.map