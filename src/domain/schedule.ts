// When a subscription is polled, and when a destination's slot is. croner handles daylight saving time. This file
// adds caches, the minimum interval, and a jitter that never changes.
import { hash } from 'node:crypto';
import { Cron } from 'croner';
import * as v from 'valibot';
import { shown } from './input.js';

/** A cron expression of 5 or 6 fields read in an IANA zone. */
export interface Schedule {
  readonly cron: string;
  readonly timezone: string;
}

const MOST_KNOWN = 5000;
// Parsing an expression costs more than using it, and most subscriptions share a few expressions. A parsed one takes
// 90 KB.
const parsed = new Map<string, Cron>();
const MOST_PARSED = 200;

const keyOf = ({ cron, timezone }: Schedule) => `${cron}@${timezone}`;

function cronOf(schedule: Schedule): Cron {
  const key = keyOf(schedule);
  const known = parsed.get(key);
  if (known) return known;
  if (parsed.size > MOST_PARSED) parsed.clear();
  const cron = new Cron(schedule.cron, { timezone: schedule.timezone, paused: true });
  parsed.set(key, cron);
  return cron;
}

/** Remembers what was found valid. The check is slow, and most subscriptions share a few values. */
function createKnown(): Pick<Set<string>, 'has' | 'add'> {
  const known = new Set<string>();
  return {
    has: (one) => known.has(one),
    add(one) {
      if (known.size > MOST_KNOWN) known.clear();
      return known.add(one);
    },
  };
}

const knownZones = createKnown();
const knownCrons = createKnown();

/** Former names of zones, which ICU lists, by their present names, which it accepts. */
export const RENAMED: Readonly<Record<string, string>> = {
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Europe/Kiev': 'Europe/Kyiv',
};

/**
 * True for an IANA zone this machine knows. An offset such as +02:00 is not accepted, because it has no daylight
 * saving time.
 */
export function isTimezone(zone: unknown): boolean {
  if (typeof zone !== 'string' || /^[+-]/u.test(zone)) return false;
  if (knownZones.has(zone)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    knownZones.add(zone);
    return true;
  } catch {
    return false;
  }
}

/** An IANA time zone. */
export const TIMEZONE = v.custom<string>(
  isTimezone,
  ({ input }) => `${shown(input)} is not known; wanted an IANA name such as Europe/Berlin.`,
);

/** What is wrong with a cron expression; undefined for one that can be used. */
function whyNoCron(cron: unknown): 'is not usable' | 'never comes' | undefined {
  const fields = typeof cron === 'string' ? cron.trim().split(/\s+/u).length : 0;
  if (typeof cron !== 'string' || (fields !== 5 && fields !== 6)) return 'is not usable';
  if (knownCrons.has(cron)) return undefined;
  try {
    if (new Cron(cron, { paused: true, timezone: 'UTC' }).nextRun() === null) return 'never comes';
    knownCrons.add(cron);
    return undefined;
  } catch {
    return 'is not usable';
  }
}

/** A cron expression of 5 or 6 fields that comes at least once more. */
export const CRON = v.pipe(
  v.custom<string>(
    (given) => whyNoCron(given) === undefined,
    ({ input }) =>
      `${shown(input)} ${whyNoCron(input)}; wanted a cron expression of 5 or 6 fields such as "*/15 * * * *".`,
  ),
  v.trim(),
);

/** A period in which the next slot is the same: from `after` until just before `slot`. */
interface Stretch {
  readonly after: number;
  readonly slot: number;
}

/** The last few stretches of each schedule. Finding a slot costs twenty times as much as a lookup here. */
const stretches = new Map<string, Stretch[]>();
const MOST_STRETCHES = 6;

/** Returns the first slot strictly after `after` (milliseconds since the epoch); Infinity if there is none. */
export function nextSlot(schedule: Schedule, after: number): number {
  if (after === Number.POSITIVE_INFINITY) return after;
  const key = keyOf(schedule);
  const known = stretches.get(key) ?? [];
  const found = known.find((one) => one.after <= after && after < one.slot);
  if (found) return found.slot;
  const slot = cronOf(schedule).nextRun(new Date(after))?.getTime() ?? Number.POSITIVE_INFINITY;
  if (stretches.size > MOST_KNOWN) stretches.clear();
  stretches.set(key, [{ after, slot }, ...known].slice(0, MOST_STRETCHES));
  return slot;
}

/** Returns the milliseconds between the next two slots after `after`; a day if there are not two. */
export function intervalOf(schedule: Schedule, after: number): number {
  const first = nextSlot(schedule, after);
  const second = nextSlot(schedule, first);
  return Number.isFinite(second) ? second - first : 86_400_000;
}

/** Returns a number in [0, 1) that is always the same for `id`, so that a restart does not change the jitter. */
export function shareOf(id: string): number {
  return hash('sha256', id, 'buffer').readUInt32BE(0) / 2 ** 32;
}

/**
 * Returns when subscription `id` is polled next: at the slot after `after` plus its own jitter (under 10 % of the
 * interval, at most 5 minutes), but at least `floorMs` after `after`. Milliseconds since the epoch; Infinity if there
 * is no slot.
 */
export function nextPoll(schedule: Schedule, id: string, after: number, floorMs: number): number {
  const slot = nextSlot(schedule, after);
  const interval = nextSlot(schedule, slot) - slot;
  const jitter = shareOf(id) * Math.min(Number.isFinite(interval) ? interval * 0.1 : 0, 300_000);
  // The poll for the slot of `after` is done. That slot plus its jitter may still be ahead, but the slot itself is
  // not.
  return Math.max(Math.round(slot + jitter), after + floorMs);
}
