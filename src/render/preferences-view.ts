// The preferences page as data: a form with the current settings, or with the rejected input, and every available
// choice.
import { WEEKDAYS } from '../domain/cadence.js';
import { COUNTRY_SLUGS } from '../domain/countries.js';
import { defined } from '../domain/defined.js';
import type { Filter } from '../domain/filter.js';
import type { Posting } from '../domain/posting.js';
import { isTimezone, RENAMED } from '../domain/schedule.js';
import { type Destination, isPaused, OPERATOR, type Subscription } from '../domain/subscription.js';
import { displayTag, TAG_GROUPS, TAGS, type Tag, tagsOf } from '../domain/tags.js';
import { printWant } from '../domain/want/print.js';
import { LONGEST_WANT } from '../domain/want/read.js';
import { writeWords } from '../domain/word-list.js';
import type { Estimate } from '../ports/services.js';
import { type CardView, cardView } from './card-view.js';
import { dateFormat, dayInWords } from './dates.js';
import { countryName, describeCadence, describeNext, describeRule, listOf } from './describe.js';
import { viewPosting } from './posting-view.js';
import { LANGUAGES, type Texts, textsFor } from './texts.js';

/** The form's fields as a browser sends them. */
export interface PreferencesForm {
  readonly every: string;
  readonly day: string;
  readonly at: string;
  readonly timezone: string;
  readonly tags: readonly string[];
  /** A role whose tags are added to `tags`, or empty. */
  readonly preset: string;
  readonly country: string;
  readonly remote: boolean;
  readonly include: string;
  readonly exclude: string;
  readonly minSalary: string;
  readonly dropUnknown: boolean;
  /** The terms that have no other field, as a sentence; undefined leaves them as they are. */
  readonly want: string | undefined;
  readonly cap: string;
  readonly quietWeek: boolean;
  /** The last editions are on a public page. */
  readonly archive: boolean;
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

/** Roles whose tags a reader can add in one step. */
export const PRESETS = {
  contracts: ['solidity', 'smart-contract', 'evm'],
  zk: ['zero-knowledge', 'cryptography'],
  frontEnd: ['front-end', 'react', 'javascript', 'web3js'],
  backEnd: ['backend', 'golang', 'rust', 'node'],
  product: ['design', 'product-manager', 'research'],
  growth: ['community-manager', 'marketing', 'developer-relations'],
} as const satisfies Readonly<Record<string, readonly Tag[]>>;
const PRESET_NAMES = Object.keys(PRESETS) as (keyof typeof PRESETS)[];

/**
 * What the holder of a link may do. Many readers share the operator's account, so a link into it covers one reader's
 * mails only: not the account's other subscriptions or data, and no change that affects others.
 */
export interface Rights {
  readonly edit: boolean;
  readonly pause: boolean;
  readonly erase: boolean;
  /** Ask for the page with all subscriptions of the account, and revoke its access key. */
  readonly account: boolean;
}

export function rightsOf({ account, origin, destinations }: Subscription): Rights {
  const personal = account !== OPERATOR;
  const alone = personal || destinations.length === 1;
  return { edit: alone && origin !== 'file', pause: alone, erase: personal, account: personal };
}

export interface PreferencesView {
  readonly lang: string;
  readonly title: string;
  readonly service: string;
  readonly now: string;
  readonly next: string | null;
  /** What was just done; null when the page was only opened. */
  readonly saved: string | null;
  /** The fields of the form that undoes it. */
  readonly former: readonly Field[];
  readonly faults: readonly FormFault[];
  /** Names of the fields with a fault. */
  readonly bad: readonly string[];
  /** What the reader may do here, see {@link Rights}. */
  readonly may: Rights;
  /** Where to ask the operator for a change that can't be made here; null when no address is known. */
  readonly contact: { readonly address: string; readonly url: string } | null;
  /** The pause in words; null without one. */
  readonly paused: string | null;
  readonly stopped: boolean;
  /** The terms are too long for the form. They stay unless the reader writes others. */
  readonly isLong: boolean;
  /** How many postings match per week; empty when it is not known. */
  readonly estimate: string;
  /** The pages the buttons lead to; `restart` is the page of the undo. */
  readonly urls: {
    readonly self: string;
    /** Null where no mail is sent. */
    readonly unsubscribe: string | null;
    readonly restart: string;
    readonly feed: string;
  };
  /** Whether its postings go out by mail. */
  readonly isMail: boolean;
  /** Its editions can be put on a public page. */
  readonly mayArchive: boolean;
  /** Proves that a form is from a page of the session; empty without a session. */
  readonly csrf: string;
  /** The page of the subscription in the session; null without a session. */
  readonly back: string | null;
  /** What is said about the access key of the reader's programs; null without one. */
  readonly access: string | null;
  /** Postings that the reader saved, newest first. */
  /** What the button about reminders does; null without one. */
  readonly reminders: 'remind' | 'forget' | null;
  readonly kept: readonly CardView[];
  readonly form: PreferencesForm;
  readonly choices: {
    readonly every: readonly Choice[];
    readonly day: readonly Choice[];
    readonly zones: readonly { readonly label: string; readonly choices: readonly Choice[] }[];
    /** The chosen tags; `groups` has the others. */
    readonly chosen: readonly Choice[];
    readonly groups: readonly { readonly label: string; readonly tags: readonly Choice[] }[];
    readonly presets: readonly Choice[];
    readonly countries: readonly Choice[];
    readonly locale: readonly Choice[];
  };
}

interface Field {
  readonly name: string;
  readonly value: string;
}

/**
 * The fields of a form, without those that are empty. The tags are one field, with commas. An empty sentence stays, because
 * it removes the terms.
 */
export function fieldsOf(form: PreferencesForm): readonly Field[] {
  return Object.entries(form).flatMap(([name, value]: [string, PreferencesForm[keyof PreferencesForm]]) => {
    const text = typeof value === 'boolean' ? (value ? 'yes' : '') : String(value ?? '');
    return text === '' && !(name === 'want' && value === '') ? [] : { name, value: text };
  });
}

/** The form with the current settings of a subscription. */
export function formOf(
  { filter, locale: own }: Subscription,
  { cadence, cap, options }: Destination,
  locale: string,
): PreferencesForm {
  return {
    every: cadence.every,
    day: cadence.day ?? 'monday',
    at: cadence.at ?? '09:00',
    timezone: cadence.timezone,
    tags: filter.tags,
    preset: '',
    country: filter.country ?? '',
    remote: filter.remote === true,
    include: writeWords(filter.include),
    exclude: writeWords(filter.exclude),
    minSalary: filter.minSalary === undefined ? '' : amount(filter.minSalary, textsFor(locale)),
    dropUnknown: filter.payUnknown === 'drop',
    want: termsSentence(filter, locale),
    // Empty means the service's default.
    cap: cap === undefined ? '' : String(cap),
    quietWeek: options?.quietWeek === true,
    archive: options?.archive === true,
    locale: own ?? locale,
  };
}

/** The terms of a filter as a sentence, empty without any; undefined when it would be too long for the form. */
export function termsSentence({ terms, limit, payUnknown }: Filter, locale: string): string | undefined {
  const sentence = printWant(
    { tags: [], include: [], exclude: [], limit, payUnknown, ...defined({ terms }) },
    locale,
  );
  return sentence.length > LONGEST_WANT ? undefined : sentence;
}

/** "80,000", as the reader's language groups digits. */
function amount(value: number, { intl }: Texts): string {
  return new Intl.NumberFormat(intl, { useGrouping: true }).format(value);
}

// About four hundred names that never change while the process runs, by continent (a code of the United Nations).

/** The continents of zones, by the beginning of a zone's name. */
const CONTINENTS: Readonly<Record<string, string>> = {
  Europe: '150',
  America: '019',
  Africa: '002',
  Asia: '142',
  Australia: '009',
  Pacific: '009',
};
const PARTS = ['150', '019', '002', '142', '009', ''] as const;

let zones: readonly string[] | undefined;

function zoneNames(): readonly string[] {
  zones ??= ['UTC', ...Intl.supportedValuesOf('timeZone').map((zone) => RENAMED[zone] ?? zone)].filter(
    isTimezone,
  );
  return zones;
}

/** "Berlin", so that typing the city in the list finds it. "Argentina, Salta": the country first where there is one. */
function cityOf(zone: string): string {
  return zone.split('/').slice(1).reverse().join(', ').replaceAll('_', ' ') || zone;
}

/** All zones by continent, the wanted one selected under the name it has. */
function zoneChoices(wanted: string, texts: Texts): PreferencesView['choices']['zones'] {
  const known = new Intl.DateTimeFormat('en', { timeZone: wanted }).resolvedOptions().timeZone;
  const same = RENAMED[known] ?? known;
  const all = [...new Set([...zoneNames().map((zone) => (zone === same ? wanted : zone)), wanted])];
  const partOf = (zone: string) => CONTINENTS[zone.split('/')[0] ?? ''] ?? '';
  const parts = new Intl.DisplayNames(texts.intl, { type: 'region' });
  return PARTS.map((part) => ({
    label: part ? (parts.of(part) ?? part) : texts.page.preferences.groups.other,
    choices: all
      .filter((zone) => partOf(zone) === part)
      .map((zone) => ({ value: zone, label: cityOf(zone), on: zone === wanted }))
      .sort((a, b) => a.label.localeCompare(b.label, texts.intl)),
  }));
}

/** "None of the 40 postings of the last four weeks matches. The rule “minimum pay” alone leaves out 12." */
function emptyText({ looked, emptiedBy }: Estimate, texts: Texts, clean?: Clean): string {
  const { want } = texts.describe;
  const why =
    emptiedBy && want.emptiedBy({ rule: describeRule(emptiedBy.rule, texts, clean), count: emptiedBy.count });
  return [want.none({ looked }), why].filter(Boolean).join(' ');
}

/** Escapes and cuts what a person wrote. */
type Clean = (text: string, most: number) => string;

/** "About 12 postings a week match.", and which tags are not counted. Empty when nothing is known. */
export function estimateText(found: Estimate | undefined, locale: string, clean?: Clean): string {
  if (!found) return '';
  const texts = textsFor(locale);
  const { intl, page } = texts;
  const { estimate, notCounted } = page.preferences;
  const isEmpty = found.looked > 0 && found.matches === 0;
  const sentence = isEmpty ? emptyText(found, texts, clean) : estimate({ count: found.perWeek });
  if (found.unknown.length === 0) return sentence;
  return `${sentence} ${notCounted({ tags: listOf(found.unknown.map(displayTag), intl, 'conjunction') })}`;
}

/** What the page shows. `form`: the input that was rejected with `faults`. */
export function preferencesView(of: {
  readonly subscription: Subscription;
  readonly destination: Destination;
  readonly about: string;
  readonly locale: string;
  readonly source: string;
  readonly stopped: boolean;
  readonly estimate?: Estimate | undefined;
  /** What was just done, and the settings before it where that can be undone. */
  readonly done?: { readonly what: 'saved' | 'undone'; readonly former?: PreferencesForm } | undefined;
  readonly faults: readonly FormFault[];
  readonly form?: PreferencesForm | undefined;
  readonly urls: PreferencesView['urls'];
  readonly isMail: boolean;
  readonly mayArchive: boolean;
  /** The session in which the page is open; absent when the link of a mail opened it. */
  readonly session?: { readonly csrf: string; readonly back: string } | undefined;
  readonly kept: readonly Posting[];
  /** Whether the reader gets reminders; undefined where the page does not offer them. */
  readonly reminders?: boolean | undefined;
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
  const isSilent = isPaused(subscription) || of.stopped;
  const { pausedUntil } = subscription;
  const choose =
    (on: (value: string) => boolean, label: (value: string) => string) =>
    (value: string): Choice => ({ value, label: label(value), on: on(value) });
  const isChosen = (tag: string) => form.tags.includes(tag);
  const countries = COUNTRY_SLUGS.map(
    choose(
      (slug) => slug === form.country,
      (slug) => countryName(slug, texts),
    ),
  );
  return {
    lang: texts.intl,
    title: of.session ? words.titleOfOne : words.title,
    service: texts.page.service({ source: of.source }),
    now: words.now({ about: of.about, cadence: describeCadence(destination.cadence, locale) }),
    next: isSilent || !of.isMail ? null : describeNext(destination.cadence, of.now, locale),
    saved: of.done ? (of.isMail || of.done.what === 'undone' ? words[of.done.what] : words.savedAny) : null,
    former: of.done?.former
      ? [...fieldsOf(of.done.former), { name: 'do', value: 'save' }, { name: 'undo', value: 'yes' }]
      : [],
    faults: of.faults,
    bad: of.faults.flatMap(({ field }) => field ?? []),
    may: rightsOf(subscription),
    contact: of.contact
      ? {
          address: of.contact,
          url: `mailto:${of.contact}?subject=${encodeURIComponent(words.askSubject({ about: of.about }))}`,
        }
      : null,
    paused: !isPaused(subscription)
      ? null
      : pausedUntil === undefined
        ? words.paused
        : words.pausedUntil({ date: dayInWords(pausedUntil, timezone, texts.intl) }),
    stopped: of.stopped,
    isLong: termsSentence(subscription.filter, locale) === undefined,
    estimate: estimateText(of.estimate, locale),
    urls: of.urls,
    isMail: of.isMail,
    mayArchive: of.mayArchive,
    csrf: of.session?.csrf ?? '',
    back: of.session?.back ?? null,
    access:
      of.accessSince === undefined
        ? null
        : words.accessText({
            date: dateFormat(texts.intl, { dateStyle: 'long', timeZone: timezone }).format(of.accessSince),
          }),
    // Offered beside what they remind of.
    reminders:
      of.reminders === undefined || (of.kept.length === 0 && !of.reminders)
        ? null
        : of.reminders
          ? 'forget'
          : 'remind',
    kept: of.kept.map((posting) =>
      cardView(
        viewPosting({ ...posting, matched: [] }, { locale, source: of.source, now: of.now, snippet: 0 }),
        texts,
        false,
      ),
    ),
    form: { ...form, want: form.want ?? '' },
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
      zones: zoneChoices(isTimezone(form.timezone) ? form.timezone : timezone, texts),
      chosen: TAGS.filter(isChosen).map(choose(isChosen, displayTag)),
      groups: TAG_GROUPS.map((group) => ({
        label: words.groups[group],
        tags: tagsOf(group)
          .filter((tag) => !isChosen(tag))
          .map(choose(isChosen, displayTag)),
      })).filter(({ tags }) => tags.length > 0),
      presets: PRESET_NAMES.map((name) => ({
        value: name,
        label: words.presets[name],
        on: name === form.preset,
      })),
      countries: countries.sort((a, b) => a.label.localeCompare(b.label, texts.intl)),
      locale: Object.entries(LANGUAGES).map(([code, { name }]) => ({
        value: code,
        label: name,
        on: form.locale === code,
      })),
    },
  };
}
