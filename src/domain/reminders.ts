// When a person who wants reminders is reminded of a posting: three days before the last day to apply to one that they
// saved, and seven days after they applied. A reminder that could not be sent in time is left out.
import { localDay } from './cadence.js';
import type { Posting } from './posting.js';
import { nextSlot } from './schedule.js';
import type { Marked } from './stages.js';

/** `deadline`: the last day to apply is near. `reply`: whether the employer answered. */
export type ReminderKind = 'deadline' | 'reply';

/** A reminder as it is sent. The posting of a `deadline` has its link. */
export interface Reminder {
  readonly kind: ReminderKind;
  readonly posting: Posting;
  /** When the person applied, in milliseconds since the epoch, and their time zone. */
  readonly at: number;
  readonly timezone: string;
}

const DAY = 86_400_000;
const DAYS_BEFORE = 3;
/** From the application to the question, and how long the question may be late. Milliseconds. */
const WEEK = 7 * DAY;

interface Remindable extends Marked {
  readonly posting: Posting;
}

/**
 * What the person should be reminded of now; undefined for nothing. `timezone`: of the person, for days. `now`:
 * milliseconds since the epoch.
 */
export function dueReminder(marked: Remindable, timezone: string, now: number): ReminderKind | undefined {
  const { mark, at, remindedAt, remindAt, posting } = marked;
  if (mark === 'saved' && posting.applyBy && remindedAt === undefined) {
    const today = localDay(timezone, now);
    const { day } = posting.applyBy;
    return today <= day && today >= daysBefore(day, DAYS_BEFORE) ? 'deadline' : undefined;
  }
  if (mark !== 'applied') return undefined;
  const due = remindAt ?? (remindedAt === undefined ? at + WEEK : Number.POSITIVE_INFINITY);
  return now >= due && now < due + WEEK ? 'reply' : undefined;
}

/** `day`: YYYY-MM-DD. */
function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * DAY).toISOString().slice(0, 10);
}

/** Reminders are sent at nine in the morning: the next such time. Milliseconds since the epoch. */
export function nextMorning(timezone: string, after: number): number {
  return nextSlot({ cron: '0 9 * * *', timezone }, after);
}

/** The mark after a reminder was sent. */
export function reminded<T extends Marked>(
  { remindAt: _done, ...marked }: T,
  now: number,
): Omit<T, 'remindAt'> {
  return { ...marked, remindedAt: now };
}

/** The mark of a person who wants to be asked again a week later. Only an application is asked about. */
export function remindLater<T extends Marked>(marked: T, now: number): T {
  return marked.mark === 'applied' ? { ...marked, remindAt: now + WEEK } : marked;
}
