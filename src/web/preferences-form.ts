// From what a browser posts to what the service is asked. The service checks everything; here only the shape is made.
import { cadenceEntry } from '../domain/cadence.js';
import { type Destination, destinationEntry, type Subscription } from '../domain/subscription.js';
import { wantedPay } from '../domain/wanted-pay.js';
import type { Services } from '../ports/services.js';
import { LANGUAGES } from '../render/language/index.js';
import type { PreferencesForm } from '../render/preferences-view.js';

/** How often, as the form offers it. */
export const EVERY: readonly string[] = ['immediate', 'hourly', 'daily', 'weekly'];

/** The words of a comma list. */
export function wordsOf(text: string): readonly string[] {
  const words = text.split(',').map((word) => word.trim().replace(/\s+/gu, ' '));
  return [...new Set(words.filter((word) => word !== ''))];
}

type Posted = Readonly<Record<string, string | readonly string[]>>;

/** The form as posted; what is missing is empty, as an unticked box is. */
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
  // A cadence of the operator's own making has a cron expression; it stays unless another rhythm is chosen.
  const same = former.cron && every === former.every;
  if (same) return cadenceEntry(former);
  if (every === 'daily') return { daily: at };
  if (every === 'weekly') return { weekly: day, at };
  return every;
}

/** What to ask the service for, of a form without faults. Fields the form does not show stay as they are. */
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
