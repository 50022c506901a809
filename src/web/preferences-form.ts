// Converts a posted preferences form into a change for the service. The service checks all values.
import { cadenceEntry } from '../domain/cadence.js';
import { type Destination, destinationEntry, type Subscription } from '../domain/subscription.js';
import { wantedPay } from '../domain/wanted-pay.js';
import type { Services } from '../ports/services.js';
import { LANGUAGES } from '../render/language/index.js';
import type { PreferencesForm } from '../render/preferences-view.js';

/** The frequencies that the form offers. */
export const EVERY: readonly string[] = ['immediate', 'hourly', 'daily', 'weekly'];

/** The words of a comma-separated list, without duplicates. */
export function wordsOf(text: string): readonly string[] {
  const words = text.split(',').map((word) => word.trim().replace(/\s+/gu, ' '));
  return [...new Set(words.filter((word) => word !== ''))];
}

type Posted = Readonly<Record<string, string | readonly string[]>>;

/** The form as posted. Missing fields are empty, like an unticked box. */
export function formFrom(posted: Posted): PreferencesForm {
  const one = (name: string) => {
    const value = posted[name];
    return (typeof value === 'string' ? value : (value?.[0] ?? '')).trim().slice(0, 2000);
  };
  const tags = posted.tags ?? [];
  return {
    every: one('every'),
    day: one('day'),
    at: one('at'),
    timezone: one('timezone'),
    tags: (typeof tags === 'string' ? [tags] : tags).slice(0, 100),
    country: one('country'),
    remote: one('remote') === 'yes',
    include: one('include'),
    exclude: one('exclude'),
    minSalary: one('minSalary'),
    dropUnknown: one('dropUnknown') === 'yes',
    cap: one('cap'),
    locale: one('locale'),
  };
}

function cadenceOf({ every, day, at }: PreferencesForm, former: Destination['cadence']): unknown {
  // A cadence that the operator made with a cron expression stays, unless the reader chooses another frequency.
  const same = former.cron && every === former.every;
  if (same) return cadenceEntry(former);
  if (every === 'daily') return { daily: at };
  if (every === 'weekly') return { weekly: day, at };
  return every;
}

/** The change for a form without faults. Settings that the form does not show stay as they are. */
export function changeFrom(
  form: PreferencesForm,
  { filter }: Subscription,
  destination: Destination,
): Parameters<Services['edit']>[2] {
  const minSalary = wantedPay(form.minSalary);
  return {
    filter: {
      tags: form.tags,
      country: form.country,
      ...(form.remote ? { remote: true } : {}),
      include: form.include,
      exclude: form.exclude,
      ...(minSalary === undefined ? {} : { minSalary }),
      payUnknown: form.dropUnknown ? 'drop' : 'keep',
      limit: filter.limit,
    },
    destinationId: destination.id,
    destination: {
      ...destinationEntry(destination),
      cadence: cadenceOf(form, destination.cadence),
      timezone: form.timezone,
      cap: form.cap,
    },
    ...(Object.hasOwn(LANGUAGES, form.locale) ? { locale: form.locale } : {}),
  };
}
