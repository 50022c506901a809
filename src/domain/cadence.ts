// How often a destination gets an edition. The cadence belongs to the destination. Every cadence except "immediate"
// is a cron expression in the reader's time zone, so all slots are computed the same way.
import * as v from 'valibot';
import { fields, shown, text } from './input.js';
import { CRON, nextSlot, TIMEZONE } from './schedule.js';

export const WEEKDAYS = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** `at` is HH:MM local to `timezone`. `cron`, if set, replaces the slots that `every` stands for (demo, tests). */
export interface Cadence {
  readonly every: 'immediate' | 'hourly' | 'daily' | 'weekly';
  readonly day?: Weekday;
  readonly at?: string;
  readonly timezone: string;
  readonly cron?: string;
}

/** Returns a time such as "9:00" as "09:00"; undefined if the text is not a time of day. */
export function clockTime(text: string): string | undefined {
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/u.exec(text.trim());
  return match ? `${(match[1] as string).padStart(2, '0')}:${match[2]}` : undefined;
}

const CLOCK = text(
  clockTime,
  ({ input }) => `${shown(input)} is not a time of day; wanted HH:MM such as "09:00".`,
);
const DAY = text(
  (given) => WEEKDAYS.find((day) => day === given.toLowerCase()),
  ({ input }) => `${shown(input)} is not a day; wanted one such as monday.`,
);
const notKnown = ({ input }: v.BaseIssue<unknown>) =>
  `${shown(input)} is not known; wanted immediate, hourly, { daily: "09:00" } or { weekly: monday, at: "09:00" }.`;

const IMMEDIATE = v.pipe(
  v.literal('immediate'),
  v.transform(() => ({ every: 'immediate' as const })),
);
const DIGEST = v.pipe(
  fields(
    'cadence',
    {
      hourly: v.exactOptional(v.literal(true, 'true')),
      daily: v.exactOptional(CLOCK),
      weekly: v.exactOptional(DAY),
      at: v.exactOptional(CLOCK),
      timezone: v.exactOptional(TIMEZONE),
      cron: v.exactOptional(CRON),
    },
    notKnown,
  ),
  v.check(({ hourly, daily, weekly }) => [hourly, daily, weekly].filter(Boolean).length === 1, notKnown),
  v.check(
    ({ at, weekly }) => !at || weekly !== undefined,
    'at: can only be used with weekly; write the time as { daily: "09:00" }.',
  ),
  v.transform(({ hourly, daily, weekly, at = '09:00', ...more }) => {
    if (weekly) return { every: 'weekly' as const, day: weekly, at, ...more };
    return daily ? { every: 'daily' as const, at: daily, ...more } : { every: 'hourly' as const, ...more };
  }),
);
/** The meaning of the bare words. */
const WORDS = new Map<unknown, unknown>([
  ['hourly', { hourly: true }],
  ['daily', { daily: '09:00' }],
  ['weekly', { weekly: 'monday' }],
]);

/**
 * `immediate`, `hourly`, `{ daily: "09:00" }` or `{ weekly: monday, at: "09:00" }`. Each object form also accepts
 * `timezone` and `cron`. Without `timezone`, the zone of the subscription applies.
 */
export const CADENCE = v.pipe(
  v.unknown(),
  v.transform((given) => WORDS.get(given) ?? given),
  v.lazy((given) => (given === 'immediate' ? IMMEDIATE : DIGEST)),
);

/** Returns a cadence in the form {@link CADENCE} reads, without its time zone. */
export function cadenceEntry(cadence: Cadence): unknown {
  const cron = cadence.cron ? { cron: cadence.cron } : {};
  if (cadence.every === 'immediate') return 'immediate';
  if (cadence.every === 'hourly') return cadence.cron ? { hourly: true, ...cron } : 'hourly';
  if (cadence.every === 'daily') return { daily: cadence.at, ...cron };
  return { weekly: cadence.day, at: cadence.at, ...cron };
}

/** The cron expression of a digest cadence; undefined for immediate. */
function cadenceCron(cadence: Cadence): string | undefined {
  if (cadence.cron) return cadence.cron;
  const [hour, minute] = (cadence.at ?? '00:00').split(':').map(Number);
  if (cadence.every === 'immediate') return undefined;
  if (cadence.every === 'hourly') return '0 * * * *';
  if (cadence.every === 'daily') return `${minute} ${hour} * * *`;
  return `${minute} ${hour} * * ${WEEKDAYS.indexOf(cadence.day ?? 'monday')}`;
}

/** Returns the first slot after `after`, or `after` itself for immediate. Milliseconds since the epoch. */
export function nextEditionAt(cadence: Cadence, after: number): number {
  const cron = cadenceCron(cadence);
  return cron ? nextSlot({ cron, timezone: cadence.timezone }, after) : after;
}

/**
 * Returns when pending postings are due: now for immediate, otherwise at the first slot after the last edition. Slots
 * that were missed while no process ran count as one slot, the latest. Times in the future (the clock was set back)
 * count as now. `oldest`: the earliest time at which the oldest of them may have appeared. Milliseconds since the
 * epoch.
 */
export function dueSlot(cadence: Cadence, lastEdition: number, oldest: number, now: number): number {
  if (cadence.every === 'immediate') return now;
  let slot = nextEditionAt(cadence, Math.min(now, Math.max(lastEdition, oldest)));
  for (let next = slot; next <= now; next = nextEditionAt(cadence, slot)) slot = next;
  return slot;
}

/**
 * Returns the last week of a weekly cadence: its latest slot until `now` and the slot before. Undefined for other
 * cadences, and for slots of a cron expression. Milliseconds since the epoch.
 */
export function lastWeek(
  cadence: Cadence,
  now: number,
): { readonly from: number; readonly slot: number } | undefined {
  if (cadence.every !== 'weekly' || cadence.cron) return undefined;
  let from = nextEditionAt(cadence, now - 16 * 86_400_000);
  let slot = nextEditionAt(cadence, from);
  for (let next = nextEditionAt(cadence, slot); next <= now; next = nextEditionAt(cadence, slot))
    [from, slot] = [slot, next];
  return { from, slot };
}

/**
 * Local hours in which no immediate or hourly editions are sent. Daily and weekly editions are not affected, because
 * their reader chose the hour. `from` may be later than `to` (over midnight). HH:MM.
 */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

/** `{ from: "22:00", to: "07:00" }`, without the time zone. */
export const QUIET = v.pipe(
  fields('quiet hours', { from: CLOCK, to: CLOCK }, 'quiet hours: wanted { from: "22:00", to: "07:00" }.'),
  v.check(
    ({ from, to }) => from !== to,
    'from and to are the same time; leave quiet out to have no quiet hours.',
  ),
);

// Creating a formatter costs a hundred times as much as using it, and there are few zones.
const clocks = new Map<string, Intl.DateTimeFormat>();

function localClock(timezone: string, at: number): string {
  const parts = { timeZone: timezone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const clock = clocks.get(timezone) ?? new Intl.DateTimeFormat('en-GB', parts);
  clocks.set(timezone, clock);
  return clock.format(at);
}

function minutesOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

const days = new Map<string, Intl.DateTimeFormat>();

/** The local day at a time, as YYYY-MM-DD. `at`: milliseconds since the epoch. */
export function localDay(timezone: string, at: number): string {
  const parts = { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const day = days.get(timezone) ?? new Intl.DateTimeFormat('sv-SE', parts);
  days.set(timezone, day);
  return day.format(at);
}

/** When the next local day begins, in milliseconds since the epoch. */
export function nextDayAt(timezone: string, after: number): number {
  return nextSlot({ cron: '0 0 * * *', timezone }, after);
}

/** True when quiet hours apply. They do not apply to daily or weekly editions, whose reader chose the hour. */
export function staysQuiet(every: Cadence['every']): boolean {
  return every === 'immediate' || every === 'hourly';
}

/** Returns when the quiet hours around `now` end; undefined outside them. Milliseconds since the epoch. */
export function quietUntil(quiet: QuietHours | undefined, now: number): number | undefined {
  if (!quiet) return undefined;
  const { from, to, timezone } = quiet;
  const local = localClock(timezone, now);
  const inside = from < to ? local >= from && local < to : local >= from || local < to;
  if (!inside) return undefined;
  const [hour, minute] = to.split(':').map(Number);
  const slot = nextSlot({ cron: `${minute} ${hour} * * *`, timezone }, now);
  // In the hour that a clock change repeats, the slot was in its first pass, and the next slot is tomorrow's.
  const ahead = (minutesOf(to) - minutesOf(local) + 1440) % 1440;
  const straight = Math.floor(now / 60_000 + ahead) * 60_000;
  return localClock(timezone, straight) === to ? Math.min(straight, slot) : slot;
}
