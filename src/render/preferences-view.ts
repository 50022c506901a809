// The preferences page as data: a form with the current settings, or with the rejected input, and every available
// choice.
import { WEEKDAYS } from '../domain/cadence.js';
import { COUNTRY_SLUGS } from '../domain/countries.js';
import type { Posting } from '../domain/posting.js';
import { type Destination, OPERATOR, type Subscription } from '../domain/subscription.js';
import { displayTag, TAGS } from '../domain/tags.js';
import { writeWords } from '../domain/word-list.js';
import { type CardView, cardView } from './card-view.js';
import { dateFormat } from './dates.js';
import { countryName, describeCadence } from './describe.js';
import { viewPosting } from './posting-view.js';
import { LANGUAGES, textsFor } from './texts.js';

/** The form's fields as a browser sends them. */
export interface PreferencesForm {
  readonly every: string;
  readonly day: string;
  readonly at: string;
  readonly timezone: string;
  readonly tags: readonly string[];
  readonly country: string;
  readonly remote: boolean;
  readonly include: string;
  readonly exclude: string;
  readonly minSalary: string;
  readonly dropUnknown: boolean;
  readonly cap: string;
  readonly quietWeek: boolean;
  readonly locale: string;
}

/** What is wrong with a field, in the reader's words. `field` is null when the fault belongs to no single field. */
export interface FormFault {
  readonly field: keyof PreferencesForm | null;
  readonly text: string;
}

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly on: boolean;
}

/**
 * What the holder of a link may do. Many readers share the operator's account, so a link into it covers one reader's
 * mails only: not the account's other subscriptions or data, and no change that affects others.
 */
export interface Rights {
  readonly edit: boolean;
  readonly pause: boolean;
  readonly erase: boolean;
  /** See the account's other subscriptions. */
  readonly others: boolean;
}

export function rightsOf({ account, origin, destinations }: Subscription): Rights {
  const personal = account !== OPERATOR;
  const alone = personal || destinations.length === 1;
  return { edit: alone && origin !== 'file', pause: alone, erase: personal, others: personal };
}

export interface PreferencesView {
  readonly lang: string;
  readonly title: string;
  readonly service: string;
  readonly now: string;
  readonly next: string | null;
  readonly saved: boolean;
  readonly faults: readonly FormFault[];
  /** Names of the fields with a fault. */
  readonly bad: readonly string[];
  /** What the reader may do here, see {@link Rights}. */
  readonly may: Rights;
  /** Where to ask the operator for a change that can't be made here; null when no address is known. */
  readonly contact: { readonly address: string; readonly url: string } | null;
  readonly paused: boolean;
  readonly stopped: boolean;
  /** The pages the buttons lead to; `restart` is the page of the undo. */
  readonly urls: {
    readonly self: string;
    /** Null where no mail is sent. */
    readonly unsubscribe: string | null;
    readonly restart: string;
    readonly feed: string;
  };
  readonly others: readonly { readonly about: string; readonly url: string }[];
  /** What is said about the access key of the reader's programs; null without one. */
  readonly access: string | null;
  /** Postings that the reader saved, newest first. */
  readonly kept: readonly CardView[];
  readonly form: PreferencesForm;
  readonly choices: {
    readonly every: readonly Choice[];
    readonly day: readonly Choice[];
    readonly zones: readonly string[];
    readonly tags: readonly Choice[];
    readonly countries: readonly Choice[];
    readonly locale: readonly Choice[];
  };
}

/** The form with the current settings of a subscription. */
function formOf(
  { filter }: Subscription,
  { cadence, cap, options }: Destination,
  locale: string,
): PreferencesForm {
  return {
    every: cadence.every,
    day: cadence.day ?? 'monday',
    at: cadence.at ?? '09:00',
    timezone: cadence.timezone,
    tags: filter.tags,
    country: filter.country ?? '',
    remote: filter.remote === true,
    include: writeWords(filter.include),
    exclude: writeWords(filter.exclude),
    minSalary: filter.minSalary === undefined ? '' : String(filter.minSalary),
    dropUnknown: filter.payUnknown === 'drop',
    // Empty means the service's default.
    cap: cap === undefined ? '' : String(cap),
    quietWeek: options?.quietWeek === true,
    locale,
  };
}

// About four hundred names that never change while the process runs.
let zones: readonly string[] | undefined;

function zoneNames(): readonly string[] {
  zones ??= Intl.supportedValuesOf('timeZone');
  return zones;
}

/** What the page shows. `form`: the input that was rejected with `faults`. */
export function preferencesView(of: {
  readonly subscription: Subscription;
  readonly destination: Destination;
  readonly about: string;
  readonly nextEditionAt?: number | undefined;
  readonly locale: string;
  readonly source: string;
  readonly paused: boolean;
  readonly stopped: boolean;
  readonly saved: boolean;
  readonly faults: readonly FormFault[];
  readonly form?: PreferencesForm | undefined;
  readonly urls: PreferencesView['urls'];
  readonly others: PreferencesView['others'];
  readonly kept: readonly Posting[];
  /** When the reader's access key was made. */
  readonly accessSince?: number | undefined;
  readonly now: number;
  /** The address that the operator's mails come from. */
  readonly contact?: string | undefined;
}): PreferencesView {
  const { subscription, destination, locale } = of;
  const texts = textsFor(locale);
  const { preferences: words } = texts.page;
  const form = of.form ?? formOf(subscription, destination, locale);
  const { timezone } = destination.cadence;
  const when = dateFormat(texts.intl, { dateStyle: 'full', timeStyle: 'short', timeZone: timezone });
  const silent = of.paused || of.stopped;
  const choose =
    (on: (value: string) => boolean, label: (value: string) => string) =>
    (value: string): Choice => ({ value, label: label(value), on: on(value) });
  const countries = COUNTRY_SLUGS.map(
    choose(
      (slug) => slug === form.country,
      (slug) => countryName(slug, texts),
    ),
  );
  return {
    lang: texts.intl,
    title: words.title,
    service: texts.page.service({ source: of.source }),
    now: words.now({ about: of.about, cadence: describeCadence(destination.cadence, locale) }),
    next:
      of.nextEditionAt === undefined || silent
        ? null
        : words.next({ when: `${when.format(of.nextEditionAt)} (${timezone})` }),
    saved: of.saved,
    faults: of.faults,
    bad: of.faults.flatMap(({ field }) => field ?? []),
    may: rightsOf(subscription),
    contact: of.contact
      ? {
          address: of.contact,
          url: `mailto:${of.contact}?subject=${encodeURIComponent(words.askSubject({ about: of.about }))}`,
        }
      : null,
    paused: of.paused,
    stopped: of.stopped,
    urls: of.urls,
    others: of.others,
    access:
      of.accessSince === undefined
        ? null
        : words.accessText({
            date: dateFormat(texts.intl, { dateStyle: 'long', timeZone: timezone }).format(of.accessSince),
          }),
    kept: of.kept.map((posting) =>
      cardView(
        viewPosting({ ...posting, matched: [] }, { locale, source: of.source, now: of.now, snippet: 0 }),
        texts,
        false,
      ),
    ),
    form,
    choices: {
      every: (['immediate', 'hourly', 'daily', 'weekly'] as const).map((every) => ({
        value: every,
        label: words[every],
        on: form.every === every,
      })),
      day: [...WEEKDAYS.slice(1), WEEKDAYS[0]].map((day) => ({
        value: day,
        label: texts.describe.days[day],
        on: form.day === day,
      })),
      zones: zoneNames(),
      tags: TAGS.map(choose((tag) => form.tags.includes(tag), displayTag)),
      countries: countries.sort((a, b) => a.label.localeCompare(b.label, texts.intl)),
      locale: Object.entries(LANGUAGES).map(([code, { name }]) => ({
        value: code,
        label: name,
        on: form.locale === code,
      })),
    },
  };
}
