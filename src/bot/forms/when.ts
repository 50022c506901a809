// Turns what people type about frequency, day and time into a cadence and a poll schedule.

import { type Cadence, WEEKDAYS, type Weekday } from '../../domain/cadence.js';
import { defined } from '../../domain/defined.js';
import { intervalOf } from '../../domain/schedule.js';
import { oneLine } from '../../domain/text.js';
import { LANGUAGES, type Texts } from '../../render/texts.js';
import { FormError } from './faults.js';
import { nearestZones, resolveZone } from './zones.js';

export const EVERY = ['live', 'hourly', 'daily', 'weekly'] as const;
export type Every = (typeof EVERY)[number];

/** The requested times; `at` as HH:MM. Daily and weekly also need a time zone. */
export interface When {
  readonly every: Every;
  readonly day?: Weekday;
  readonly at?: string;
}

export function needsZone(when: When): boolean {
  return when.every === 'daily' || when.every === 'weekly';
}

function folded(text: string): string {
  return text.normalize('NFD').toLowerCase().replace(/\p{M}/gu, '');
}

/** Reads the name of a weekday, in the reader's language first: "do" is Thursday in German and Sunday in Spanish. */
function weekdayOf(word: string, locale: string): Weekday | undefined {
  const wanted = folded(word).replace(/\.$/u, '');
  if (wanted.length < 2) return undefined;
  const others = Object.values(LANGUAGES).map((texts) => texts.intl);
  for (const language of [locale, ...others]) {
    const format = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
    // The 4th of January 1970 was a Sunday.
    const index = WEEKDAYS.findIndex((_, day) =>
      folded(format.format((3 + day) * 86_400_000)).startsWith(wanted),
    );
    if (index >= 0) return WEEKDAYS[index];
  }
  return undefined;
}

/** "09:00", "9", "9am", "21.30 Uhr", "monday", "Mo 9:00"; undefined for anything else. */
export function parseAt(text: string, locale: string): { day?: Weekday; at?: string } | undefined {
  const words = oneLine(text).replace(/,/gu, ' ').trim();
  const [, first = '', rest = ''] = /^(\p{L}+\.?)?\s*(.*)$/u.exec(words) ?? [];
  const day = first === '' ? undefined : weekdayOf(first, locale);
  if (first !== '' && !day) return undefined;
  const clock = rest.replace(/^(?:at|um|a las?|@)\s+/iu, '');
  if (clock === '') return day ? { day } : undefined;
  const match = /^(\d{1,2})(?:[:.h](\d{2}))?\s*(a\.?m\.?|p\.?m\.?|uhr|h)?$/iu.exec(clock);
  if (!match) return undefined;
  const [, hours = '', minutes = '00', suffix = ''] = match;
  const half = /^[ap]/iu.test(suffix) ? suffix[0]?.toLowerCase() : undefined;
  const given = Number(hours);
  if (half && (given < 1 || given > 12)) return undefined;
  const hour = half ? (given % 12) + (half === 'p' ? 12 : 0) : given;
  if (hour > 23 || Number(minutes) > 59) return undefined;
  return { at: `${String(hour).padStart(2, '0')}:${minutes}`, ...defined({ day }) };
}

/**
 * Reads "live", "weekly" in English or in the reader's language; undefined for an empty text. Throws a FormError for
 * any other text.
 */
export function everyOf(text: string | undefined, texts: Texts): Every | undefined {
  const wanted = folded(oneLine(text ?? ''));
  if (wanted === '') return undefined;
  const { choices } = texts.bot.commands;
  const found = EVERY.find((one) => one === wanted || folded(choices[one]) === wanted);
  if (found) return found;
  throw new FormError(texts.bot.fault.every({ text: text ?? '' }), ['every']);
}

/**
 * A time alone means daily, a day means weekly; `fallback` applies when neither is given. Throws a UserError in the
 * reader's words.
 */
export function readWhen(
  given: { readonly every?: string | undefined; readonly at?: string | undefined },
  texts: Texts,
  fallback: Every,
): When {
  const { fault } = texts.bot;
  const text = oneLine(given.at ?? '');
  const at = text === '' ? {} : parseAt(text, texts.intl);
  if (!at) throw new FormError(fault.at({ text: text.slice(0, 40) }), ['at']);
  const every = everyOf(given.every, texts) ?? (at.day ? 'weekly' : at.at ? 'daily' : fallback);
  if (text !== '' && (every === 'live' || every === 'hourly'))
    throw new FormError(fault.atAlone, ['at', 'every']);
  if (at.day && every === 'daily') throw new FormError(fault.dayOfDaily, ['at', 'every']);
  if (every === 'live' || every === 'hourly') return { every };
  return {
    every,
    at: at.at ?? '09:00',
    ...defined({ day: every === 'weekly' ? (at.day ?? 'monday') : undefined }),
  };
}

/**
 * Reads a typed time zone. Throws a UserError that names the nearest zones; for an offset, those that have it at
 * `now`.
 */
export function readZone(text: string, texts: Texts, now = Date.now()): string {
  const zone = resolveZone(text);
  if (zone) return zone;
  const near = text.trim() === '' ? [] : nearestZones(text, 3, [], now);
  const { unknownZone, didYouMean, zoneExample } = texts.bot.fault;
  throw new FormError(
    `${unknownZone({ word: oneLine(text).slice(0, 40) })} ${near.length > 0 ? didYouMean({ words: near.join(', ') }) : zoneExample}`,
    ['timezone'],
  );
}

/**
 * Reads quiet hours such as "22:00-7:00" or "10pm to 7am"; undefined for an empty text. Throws a FormError in the
 * reader's words.
 */
export function readQuiet(text: string, texts: Texts): { from: string; to: string } | undefined {
  const line = oneLine(text);
  if (line === '') return undefined;
  const [from, to, ...more] = line
    .split(/\s*[-\u2013\u2014]\s*|\s+(?:to|bis|a|hasta)\s+/iu)
    .map((side) => parseAt(side, texts.intl));
  if (from?.at && to?.at && !from.day && !to.day && more.length === 0 && from.at !== to.at)
    return { from: from.at, to: to.at };
  throw new FormError(texts.bot.fault.quiet({ text: line.slice(0, 40) }), ['quiet']);
}

/** The cadence in the form `parseCadence` reads. */
export function cadenceForm(when: When): unknown {
  if (when.every === 'live') return 'immediate';
  if (when.every === 'hourly') return 'hourly';
  return when.every === 'daily' ? { daily: when.at } : { weekly: when.day, at: when.at };
}

export function whenOf(cadence: Cadence): When {
  const every = cadence.every === 'immediate' ? 'live' : cadence.every;
  return { every, ...defined({ day: cadence.day, at: cadence.at || undefined }) };
}

/** A digest is polled as often as live postings, and at least hourly, because the feed holds only the newest 100. */
export function pollSchedule(when: When, liveSchedule: string, now: number): string {
  if (when.every === 'live') return 'live';
  return intervalOf({ cron: liveSchedule, timezone: 'UTC' }, now) > 3_600_000 ? 'hourly' : 'live';
}
