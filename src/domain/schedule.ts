// When a subscription is polled and when a destination's slot falls. croner knows daylight saving;
// this file adds what is ours: presets, the floor under an interval, and a jitter that never moves.
import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import { UserError } from './errors.js';
import { shown } from './form-value.js';

/** A cron expression of 5 or 6 fields read in an IANA zone. */
export interface Schedule {
  readonly cron: string;
  readonly timezone: string;
}

// Parsing an expression costs far more than asking it, and most subscriptions share a handful of them.
const parsed = new Map<string, Cron>();
const MOST_KNOWN = 5000;

const keyOf = ({ cron, timezone }: Schedule) => `${cron}@${timezone}`;

function cronOf(schedule: Schedule): Cron {
  const key = keyOf(schedule);
  const known = parsed.get(key);
  if (known) return known;
  if (parsed.size > MOST_KNOWN) parsed.clear();
  const cron = new Cron(schedule.cron, { timezone: schedule.timezone, paused: true });
  parsed.set(key, cron);
  return cron;
}

/** What was found sound before: looking takes long, and most subscriptions share a handful. */
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

/** True for an IANA zone this machine knows. An offset such as +02:00 is none: it knows no daylight saving. */
export function isTimezone(zone: unknown): zone is string {
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

/** The fault of a zone as a sentence; none when it is known. */
export function timezoneFaults(zone: unknown): string[] {
  if (isTimezone(zone)) return [];
  return [`timezone: ${shown(zone)} is not known; wanted an IANA name such as Europe/Berlin.`];
}

/** Faults of a schedule as sentences; empty when it is sound. */
export function scheduleFaults(cron: unknown, timezone: unknown): string[] {
  const faults = timezoneFaults(timezone);
  const fields = typeof cron === 'string' ? cron.trim().split(/\s+/u).length : 0;
  const wanted = 'wanted a cron expression of 5 or 6 fields such as "*/15 * * * *"';
  if (typeof cron !== 'string' || (fields !== 5 && fields !== 6)) {
    faults.push(`schedule: ${shown(cron)} is not usable; ${wanted}.`);
    return faults;
  }
  if (knownCrons.has(cron)) return faults;
  try {
    const never = new Cron(cron, { paused: true, timezone: 'UTC' }).nextRun() === null;
    if (never) faults.push(`schedule: ${shown(cron)} never comes; ${wanted}.`);
    else knownCrons.add(cron);
  } catch {
    faults.push(`schedule: ${shown(cron)} is not usable; ${wanted}.`);
  }
  return faults;
}

/** Reads a schedule or throws a {@link UserError} with every fault. */
export function parseSchedule(cron: unknown, timezone: unknown): Schedule {
  const faults = scheduleFaults(cron, timezone);
  if (faults.length > 0) throw new UserError(faults.join('\n'), 2);
  return { cron: (cron as string).trim(), timezone: timezone as string };
}

/** A stretch of time in which the next slot is the same: from `after` until just before `slot`. */
interface Stretch {
  readonly after: number;
  readonly slot: number;
}

/** Finding a slot costs twenty times a look at what was found: the last few stretches of each schedule. */
const stretches = new Map<string, Stretch[]>();
const MOST_STRETCHES = 6;

/** The first slot strictly after `after` (milliseconds since the epoch); Infinity when there is none. */
export function nextSlot(schedule: Schedule, after: number): number {
  const key = keyOf(schedule);
  const known = stretches.get(key) ?? [];
  const found = known.find((one) => one.after <= after && after < one.slot);
  if (found) return found.slot;
  const slot = cronOf(schedule).nextRun(new Date(after))?.getTime() ?? Number.POSITIVE_INFINITY;
  if (stretches.size > MOST_KNOWN) stretches.clear();
  stretches.set(key, [{ after, slot }, ...known].slice(0, MOST_STRETCHES));
  return slot;
}

/** Milliseconds between the next two slots after `after`. */
export function intervalOf(schedule: Schedule, after: number): number {
  const first = nextSlot(schedule, after);
  const second = nextSlot(schedule, first);
  return Number.isFinite(second) ? second - first : 86_400_000;
}

/** A share in [0, 1) that belongs to `id` for good, so that a restart moves nobody. */
export function shareOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32;
}

/**
 * When subscription `id` is polled next: the slot after `after` plus its own jitter (under 10 % of the interval,
 * at most 5 minutes), and never sooner than `floorMs` after `after`.
 */
export function nextPoll(schedule: Schedule, id: string, after: number, floorMs: number): number {
  const slot = nextSlot(schedule, after);
  if (!Number.isFinite(slot)) return slot;
  const interval = nextSlot(schedule, slot) - slot;
  const jitter = shareOf(id) * Math.min(Number.isFinite(interval) ? interval * 0.1 : 0, 300_000);
  // The slot that `after` itself belongs to has had its poll: its jitter may lie ahead of us, the slot not.
  return Math.max(Math.round(slot + jitter), after + floorMs);
}
