// When a subscription is polled, and when a destination's slot is. croner handles daylight saving time. This file
// adds caches, the minimum interval, and a jitter that never changes.
import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import { UserError } from './errors.js';
import { shown } from './form-value.js';
// Parsing an expression costs far more than using it, and most subscriptions share a few expressions.
const parsed = new Map();
const MOST_KNOWN = 5000;
const keyOf = ({ cron, timezone }) => `${cron}@${timezone}`;
function cronOf(schedule) {
    const key = keyOf(schedule);
    const known = parsed.get(key);
    if (known)
        return known;
    if (parsed.size > MOST_KNOWN)
        parsed.clear();
    const cron = new Cron(schedule.cron, { timezone: schedule.timezone, paused: true });
    parsed.set(key, cron);
    return cron;
}
/** Remembers what was found valid. The check is slow, and most subscriptions share a few values. */
function createKnown() {
    const known = new Set();
    return {
        has: (one) => known.has(one),
        add(one) {
            if (known.size > MOST_KNOWN)
                known.clear();
            return known.add(one);
        },
    };
}
const knownZones = createKnown();
const knownCrons = createKnown();
/**
 * True for an IANA zone this machine knows. An offset such as +02:00 is not accepted, because it has no daylight
 * saving time.
 */
export function isTimezone(zone) {
    if (typeof zone !== 'string' || /^[+-]/u.test(zone))
        return false;
    if (knownZones.has(zone))
        return true;
    try {
        new Intl.DateTimeFormat('en', { timeZone: zone });
        knownZones.add(zone);
        return true;
    }
    catch {
        return false;
    }
}
/** Returns the fault of a time zone as a sentence; empty if the zone is known. */
export function timezoneFaults(zone) {
    if (isTimezone(zone))
        return [];
    return [`timezone: ${shown(zone)} is not known; wanted an IANA name such as Europe/Berlin.`];
}
/** Returns the faults of a schedule as sentences; empty if it is valid. */
export function scheduleFaults(cron, timezone) {
    const faults = timezoneFaults(timezone);
    const fields = typeof cron === 'string' ? cron.trim().split(/\s+/u).length : 0;
    const wanted = 'wanted a cron expression of 5 or 6 fields such as "*/15 * * * *"';
    if (typeof cron !== 'string' || (fields !== 5 && fields !== 6)) {
        faults.push(`schedule: ${shown(cron)} is not usable; ${wanted}.`);
        return faults;
    }
    if (knownCrons.has(cron))
        return faults;
    try {
        const never = new Cron(cron, { paused: true, timezone: 'UTC' }).nextRun() === null;
        if (never)
            faults.push(`schedule: ${shown(cron)} never comes; ${wanted}.`);
        else
            knownCrons.add(cron);
    }
    catch {
        faults.push(`schedule: ${shown(cron)} is not usable; ${wanted}.`);
    }
    return faults;
}
/** Reads a schedule. Throws a {@link UserError} with every fault. */
export function parseSchedule(cron, timezone) {
    const faults = scheduleFaults(cron, timezone);
    if (faults.length > 0)
        throw new UserError(faults.join('\n'), 2);
    return { cron: cron.trim(), timezone: timezone };
}
/** The last few stretches of each schedule. Finding a slot costs twenty times as much as a lookup here. */
const stretches = new Map();
const MOST_STRETCHES = 6;
/** Returns the first slot strictly after `after` (milliseconds since the epoch); Infinity if there is none. */
export function nextSlot(schedule, after) {
    const key = keyOf(schedule);
    const known = stretches.get(key) ?? [];
    const found = known.find((one) => one.after <= after && after < one.slot);
    if (found)
        return found.slot;
    const slot = cronOf(schedule).nextRun(new Date(after))?.getTime() ?? Number.POSITIVE_INFINITY;
    if (stretches.size > MOST_KNOWN)
        stretches.clear();
    stretches.set(key, [{ after, slot }, ...known].slice(0, MOST_STRETCHES));
    return slot;
}
/** Returns the milliseconds between the next two slots after `after`; a day if there are not two. */
export function intervalOf(schedule, after) {
    const first = nextSlot(schedule, after);
    const second = nextSlot(schedule, first);
    return Number.isFinite(second) ? second - first : 86_400_000;
}
/** Returns a number in [0, 1) that is always the same for `id`, so that a restart does not change the jitter. */
export function shareOf(id) {
    return createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32;
}
/**
 * Returns when subscription `id` is polled next: at the slot after `after` plus its own jitter (under 10 % of the
 * interval, at most 5 minutes), but at least `floorMs` after `after`. Milliseconds since the epoch; Infinity if there
 * is no slot.
 */
export function nextPoll(schedule, id, after, floorMs) {
    const slot = nextSlot(schedule, after);
    if (!Number.isFinite(slot))
        return slot;
    const interval = nextSlot(schedule, slot) - slot;
    const jitter = shareOf(id) * Math.min(Number.isFinite(interval) ? interval * 0.1 : 0, 300_000);
    // The poll for the slot of `after` is done. That slot plus its jitter may still be ahead, but the slot itself is
    // not.
    return Math.max(Math.round(slot + jitter), after + floorMs);
}
//# sourceMappingURL=schedule.js.map