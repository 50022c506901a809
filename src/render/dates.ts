// Keeps date formatters. Creating one costs more than rendering a posting, and a digest needs the same few a
// hundred times.
import { remember } from '../domain/remember.js';

const made = new Map<string, Intl.DateTimeFormat>();

/** Returns a formatter, which is created once. There are few zones and locales. */
export function dateFormat(intl: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${intl} ${JSON.stringify(options)}`;
  return made.get(key) ?? remember(made, key, new Intl.DateTimeFormat(intl, options));
}

/** "Monday, 23 November 2026" in a zone; `at` in milliseconds since the epoch. */
export function dayInWords(at: number, timezone: string, intl: string): string {
  return dateFormat(intl, { dateStyle: 'full', timeZone: timezone }).format(at);
}

const days = new Map<string, string>();
let latest = { timezone: '', at: Number.NaN, day: '' };

/** The calendar day in a zone, YYYY-MM-DD; `at` in milliseconds since the epoch. Digests of a week ask for the same few. */
export function dayIn(timezone: string, at: number): string {
  if (latest.at === at && latest.timezone === timezone) return latest.day;
  const key = `${timezone} ${at}`;
  // en-CA writes YYYY-MM-DD.
  const day = days.get(key) ?? remember(days, key, dateFormat('en-CA', { timeZone: timezone }).format(at));
  latest = { timezone, at, day };
  return day;
}
