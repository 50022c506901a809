// How long ago a posting was published, in days. Its date is a calendar day without a time zone, so a posting of
// tomorrow counts as one of today.
import { type Rule, UNKNOWN } from './rule.js';

const DAY = 86_400_000;
const UNITS = { day: 1, week: 7, month: 30 } as const;

/** Reads "7", "7 days", "2 weeks", "1 month" as a number of days from 1 to 365. */
function daysIn(text: string): string | undefined {
  const [, number = '', unit = 'day'] =
    /^\s*(?:within\s+)?(\d{1,3})\s*(day|week|month)?s?\s*$/iu.exec(text) ?? [];
  const days = Number(number) * UNITS[unit.toLowerCase() as keyof typeof UNITS];
  return days >= 1 && days <= 365 ? String(days) : undefined;
}

export const posted: Rule = {
  parse: daysIn,
  wanted: 'a time from 1 to 365 days, such as "7 days" or "2 weeks"',
  takes: 'one',
  match(values, { postedAt }, now) {
    const age = Math.floor((now - Date.parse(`${postedAt}T00:00:00Z`)) / DAY);
    if (postedAt === undefined || Number.isNaN(age)) return UNKNOWN;
    const met = values.filter((days) => age <= Number(days));
    return { is: met.length > 0 ? 'yes' : 'no', saw: [postedAt], met };
  },
};
