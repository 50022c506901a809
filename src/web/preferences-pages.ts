// The preferences page: everything a person may change about a subscription. The link of a mail opens it for the stream of
// that mail, and a session for any subscription of its account.

import type { Context, Hono } from 'hono';
import * as v from 'valibot';
import { cadenceEntry, clockTime, WEEKDAYS } from '../domain/cadence.js';
import { defined } from '../domain/defined.js';
import { reasonOf, UserError } from '../domain/errors.js';
import { FILTER } from '../domain/filter.js';
import type { Limit } from '../domain/limit.js';
import { isTimezone } from '../domain/schedule.js';
import {
  CAP,
  type Destination,
  destinationEntry,
  MOST_POSTINGS,
  OPERATOR,
  readerOf,
} from '../domain/subscription.js';
import { LONGEST_WANT, readSentence } from '../domain/want/read.js';
import { wantedPay } from '../domain/wanted-pay.js';
import { readWords } from '../domain/word-list.js';
import type { Services, Session, SubscriptionReport } from '../ports/services.js';
import { filterFault } from '../render/filter-fault.js';
import {
  estimateText,
  type FormFault,
  fieldsOf,
  formOf,
  PRESETS,
  type PreferencesForm,
  preferencesView,
  type Rights,
  rightsOf,
  termsSentence,
} from '../render/preferences-view.js';
import { LANGUAGES, type Texts, textsFor } from '../render/texts.js';
import {
  preferredLocale,
  readForm,
  SCRIPTED,
  showPage,
  signedOut,
  type WebContext,
  wrongLink,
} from './context.js';
import { askForData, askForPages } from './data-pages.js';
import { createAllowance } from './limiter.js';
import { createSealedTexts } from './sealed-text.js';
import type { SessionGate } from './session-gate.js';

interface Opened {
  readonly account: string;
  /** Absent when the link of a mail opened the page. */
  readonly session?: Session;
  readonly report: SubscriptionReport;
  readonly destination: Destination;
  readonly locale: string;
  readonly self: string;
  readonly may: Rights;
}

/** The saved postings on the page, the newest. */
const MOST_KEPT = 20;
/** How often the matches of a form that is being changed are counted for an account. */
const COUNTS: Limit = { most: 60, withinMs: 60_000 };

export function preferencesPages(app: Hono, w: WebContext, gate: SessionGate): void {
  const { services, links, clock } = w;
  const countsWait = createAllowance(COUNTS, clock);
  const formers = createSealedTexts();
  const isMail = (destination: Destination) => services.mail?.isMail(destination) ?? false;

  /** A link may have been forwarded, so only a session can make postings public. */
  const mayArchive = ({ session, destination }: Opened) =>
    session !== undefined && w.publicUrl !== undefined && services.canArchive(destination);

  /** Readers of the operator's mails have no other page for reminders. */
  const hasReminders = ({ account, destination }: Opened) => account === OPERATOR && isMail(destination);

  /** The page, or the answer for a person who may not open it. */
  type Open = (c: Context) => Promise<Opened | Response>;

  const openByLink: Open = async (c) => {
    const token = c.req.param('token') ?? '';
    const claim = await links.open('preferences', token);
    if (!claim?.subscription) return wrongLink(c, w);
    const { account, subscription } = claim;
    const report = await services.subscription({ account }, subscription).catch(() => undefined);
    const { destinations = [] } = report?.subscription ?? {};
    const destination =
      destinations.find((one) => one.id === claim.destination) ??
      destinations.find(isMail) ??
      destinations[0];
    if (!report || !destination) return wrongLink(c, w);
    const locale = report.subscription.locale ?? (await services.profile(account))?.locale;
    return {
      account,
      report,
      destination,
      locale: locale ?? preferredLocale(c),
      self: `${w.base}/preferences/${token}`,
      may: rightsOf(report.subscription),
    };
  };

  const openBySession: Open = async (c) => {
    const session = await gate.session(c);
    if (!session) return signedOut(c, w);
    const { account } = session;
    const id = c.req.param('id') ?? '';
    const report = await services.subscription({ account }, id).catch(() => undefined);
    const destination = report?.subscription.destinations.find(
      (one) => one.id === c.req.param('destination'),
    );
    if (!report || !destination) return c.redirect(`${w.base}/manage`, 303);
    return {
      account,
      session,
      report,
      destination,
      locale: (await services.profile(account))?.locale ?? report.subscription.locale ?? preferredLocale(c),
      self: `${w.base}/manage/edit/${id}/${destination.id}`,
      may: rightsOf(report.subscription),
    };
  };

  async function show(
    c: Context,
    opened: Opened,
    more: {
      done?: 'saved' | 'undone';
      former?: PreferencesForm;
      faults?: readonly FormFault[];
      form?: PreferencesForm;
    } = {},
  ): Promise<Response> {
    const { account, session, report, destination, locale, self } = opened;
    const { subscription } = report;
    const epoch = await links.epoch(account);
    const stream = { account, subscription: subscription.id, destination: destination.id };
    const subject = { ...stream, epoch, now: clock.now() };
    const { local } = links;
    // What belongs to the account, not to this subscription, is on the page with all of them.
    const kept = session
      ? []
      : (await services.marks(readerOf(account, destination.id)))
          .filter(({ mark }) => mark === 'saved')
          .slice(0, MOST_KEPT)
          .map(({ posting }) => posting);
    const view = preferencesView({
      subscription,
      destination,
      about: report.about,
      locale,
      source: w.source,
      contact: w.contact,
      stopped: (await services.mail?.stoppedAt(stream)) !== undefined,
      estimate: opened.may.edit ? await services.estimate({ account }, subscription.filter) : undefined,
      done: more.done && { what: more.done, ...defined({ former: more.former }) },
      faults: more.faults ?? [],
      form: more.form,
      urls: {
        self,
        unsubscribe: isMail(destination) ? local.unsubscribe(subject) : null,
        restart: local.resubscribe({ ...subject, edition: 'any' }),
        feed: local.feed(subject),
      },
      kept,
      reminders: hasReminders(opened)
        ? await services.reminders(readerOf(account, destination.id))
        : undefined,
      isMail: isMail(destination),
      mayArchive: mayArchive(opened),
      session: session && {
        csrf: session.csrf,
        back: `${w.base}/manage/show/${subscription.id}`,
      },
      accessSince: !session && opened.may.account ? (await services.accessKey(account))?.madeAt : undefined,
      now: clock.now(),
    });
    c.set(SCRIPTED, opened.may.edit);
    const response = await showPage(c, w, 'preferences', locale, view, kept);
    return more.faults ? new Response(response.body, { status: 422, headers: response.headers }) : response;
  }

  async function save(c: Context, opened: Opened, form: PreferencesForm, done: string): Promise<Response> {
    const { account, report, locale, self } = opened;
    const { subscription } = report;
    const wrong = formFaults(form, opened);
    if (wrong.length > 0) return show(c, opened, { faults: wrong, form });
    try {
      const change = changeFrom(form, opened, mayArchive(opened));
      await services.edit({ account, locale: form.locale || locale }, subscription.id, change);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      w.log.warn({ reason: reasonOf(error) }, 'preferences not saved');
      const text = textsFor(locale).page.preferences.notSaved;
      return show(c, opened, { faults: [{ field: null, text }], form });
    }
    const former = done === 'saved' ? formerFields(opened, form) : undefined;
    const sealed = former === undefined ? '' : formers.seal(former, self);
    const kept = sealed === '' || sealed.length > LONGEST_SEALED ? '' : `&former=${sealed}`;
    return c.redirect(`${self}?done=${done}${kept}`, 303);
  }

  /** How many postings a week match a form that is being changed. Empty for a form with faults. */
  async function figureOf(opened: Opened, form: PreferencesForm): Promise<string> {
    if (formFaults(form, opened).length > 0) return '';
    const { account, locale } = opened;
    const filter = changedFilter(form, opened);
    return estimateText(await services.estimate({ account }, filter), locale);
  }

  const shows = (open: Open) => async (c: Context) => {
    const opened = await open(c);
    if (opened instanceof Response) return opened;
    const { done, former = '' } = c.req.query();
    if (done !== 'saved' && done !== 'undone') return show(c, opened);
    const fields = formers.open(former, opened.self);
    return show(c, opened, { done, ...(fields ? { former: formFrom(JSON.parse(fields)) } : {}) });
  };

  const takes = (open: Open) => async (c: Context) => {
    const opened = await open(c);
    if (opened instanceof Response) return opened;
    const posted = await readForm(c);
    const { account, session, report, destination, locale, self, may } = opened;
    if (session && !gate.ownForm(c, session, posted.csrf)) return signedOut(c, w);
    const { id } = report.subscription;
    const wanted = posted.do ?? c.req.query('do');
    if (wanted === 'save' && may.edit)
      return save(c, opened, withPreset(formFrom(posted)), posted.undo ? 'undone' : 'saved');
    if (wanted === 'count' && may.edit)
      return countsWait(account) > 0
        ? c.text('', 429)
        : c.text(await figureOf(opened, withPreset(formFrom(posted))));
    if (wanted === 'weekly' && may.edit)
      return save(
        c,
        opened,
        { ...formOf(report.subscription, destination, locale), ...weeklyFrom(destination.cadence) },
        'saved',
      );
    // The link to this page may have been forwarded, so these must be confirmed by mail.
    if (wanted === 'manage' && may.account) return askForPages(c, w, account, locale);
    if (wanted === 'export' || (wanted === 'erase' && may.erase))
      return askForData(c, w, {
        account,
        subscription: id,
        destination: destination.id,
        what: wanted,
        locale,
      });
    // They go to the mailbox of these mails only, so who has the link may turn them on.
    if ((wanted === 'remind' || wanted === 'forget') && hasReminders(opened)) {
      await services.setReminders(readerOf(account, destination.id), wanted === 'remind');
      return c.redirect(self, 303);
    }
    // A forwarded link can take access away, but not give it.
    if (wanted === 'revoke' && may.account) await services.removeAccessKey(account);
    else if (wanted === 'pause' && may.pause) await services.pause({ account }, id);
    else if (wanted === 'month' && may.pause) await services.pause({ account }, id, clock.now() + MONTH_MS);
    else if (wanted === 'resume' && may.pause) await services.resume({ account }, id);
    else return show(c, opened);
    return c.redirect(self, 303);
  };

  app.get('/preferences/:token', shows(openByLink));
  app.post('/preferences/:token', takes(openByLink));
  app.get('/manage/edit/:id/:destination', shows(openBySession));
  app.post('/manage/edit/:id/:destination', takes(openBySession));
}

/** How long a reader can pause their mails with one press. */
export const MONTH_MS = 30 * 86_400_000;
/** The weekly digest that a reader can choose with one press instead of more frequent mails. */
export function weeklyFrom({ at = '09:00', timezone }: Destination['cadence']) {
  return { every: 'weekly', day: 'monday', at, timezone } as const;
}

/** A longer address may be refused on its way, in characters. */
const LONGEST_SEALED = 4000;

/**
 * The settings before a change, from which the page makes a button that restores them. They are part of its address, sealed,
 * and stored nowhere. Undefined when nothing was changed, or when the form can't restore it.
 */
function formerFields({ report, destination, locale }: Opened, form: PreferencesForm): string | undefined {
  const former = formOf(report.subscription, destination, locale);
  const { cron, every } = destination.cadence;
  if (cron && form.every !== every) return undefined;
  if (form.want && former.want === undefined) return undefined;
  const written = (of: PreferencesForm) =>
    JSON.stringify(Object.fromEntries(fieldsOf(of).map(({ name, value }) => [name, value])));
  const text = written(former);
  return text === written({ ...form, want: form.want ?? former.want }) ? undefined : text;
}

/** The form with the tags of the chosen role. */
function withPreset(form: PreferencesForm): PreferencesForm {
  if (!Object.hasOwn(PRESETS, form.preset)) return { ...form, preset: '' };
  const tags = PRESETS[form.preset as keyof typeof PRESETS];
  return { ...form, preset: '', tags: [...new Set([...form.tags, ...tags])] };
}

// Finds the faults of a posted preferences form, field by field and in the reader's language. The service checks the
// same rules again, but its messages are for operators.

type Checked = Exclude<
  keyof PreferencesForm,
  'preset' | 'remote' | 'dropUnknown' | 'quietWeek' | 'archive' | 'locale'
>;

/** All faults; none when the form can be saved. */
function formFaults(form: PreferencesForm, opened: Opened): readonly FormFault[] {
  const { locale } = opened;
  const texts = textsFor(locale);
  const { preferences: words } = texts.page;
  const { fault } = texts.bot;
  const faults: FormFault[] = [];
  const wrong = (field: Checked, text: string) =>
    void faults.push({ field, text: `${words[field]}: ${text}` });
  const { every, day, at, timezone, cap } = form;

  if (!EVERY.includes(every)) wrong('every', words.choose);
  if (every === 'weekly' && !WEEKDAYS.some((one) => one === day)) wrong('day', words.choose);
  if ((every === 'daily' || every === 'weekly') && clockTime(at) === undefined)
    wrong('at', words.badTime({ text: at.slice(0, 40) }));
  if (!isTimezone(timezone)) wrong('timezone', fault.unknownZone({ word: timezone.slice(0, 40) }));
  const { want, ...fields } = changedFilter(form, opened);
  const unusable = sentenceFault(want, words);
  if (unusable) wrong('want', unusable);
  const issuesOf = (filter: unknown) => v.safeParse(FILTER, filter).issues ?? [];
  // Whether the sentence repeats a field is only known when the fields are valid.
  const issues = issuesOf(fields);
  const all = issues.length > 0 || unusable ? issues : issuesOf({ ...fields, want });
  for (const issue of all) wrong(issue.path?.[0].key as Checked, filterFault(issue, texts));
  if (cap !== '' && !v.is(CAP, cap)) wrong('cap', words.badCap({ most: MOST_POSTINGS }));
  return faults;
}

/** What is wrong with the sentence itself: nothing in it may be ignored silently. */
function sentenceFault(want: string, words: Texts['page']['preferences']): string | undefined {
  if (want.length > LONGEST_WANT) return words.wantLong({ most: LONGEST_WANT });
  const unused = readSentence(want).words.filter(({ as }) => as === 'unused');
  if (unused.length === 0) return undefined;
  return words.wantUnused({ words: unused.map(({ text }) => text.slice(0, 40)).join(', ') });
}

// Converts a posted preferences form into a change for the service. The service checks all values.

/** The frequencies that the form offers. */
const EVERY: readonly string[] = ['immediate', 'hourly', 'daily', 'weekly'];

/** The filter of the form, for {@link FILTER}, without the terms. */
function filterOf({ tags, country, remote, include, exclude, minSalary, dropUnknown }: PreferencesForm) {
  return {
    tags,
    country,
    remote,
    include: readWords(include),
    exclude: readWords(exclude),
    minSalary: wantedPay(minSalary) ?? minSalary,
    ...(dropUnknown ? { payUnknown: 'drop' } : {}),
  };
}

type Posted = Readonly<Record<string, string | readonly string[]>>;

/** The form as posted, or as part of an address. Missing fields are empty, like an unticked box. */
function formFrom(posted: Posted): PreferencesForm {
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
    tags: String(tags).split(',').filter(Boolean).slice(0, 100),
    preset: one('preset'),
    country: one('country'),
    remote: one('remote') === 'yes',
    include: one('include'),
    exclude: one('exclude'),
    minSalary: one('minSalary'),
    dropUnknown: one('dropUnknown') === 'yes',
    want: posted.want === undefined ? undefined : one('want'),
    cap: one('cap'),
    quietWeek: one('quietWeek') === 'yes',
    archive: one('archive') === 'yes',
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

/** The options of the destination, with those that the form shows; undefined without any. */
function optionsOf(
  { quietWeek, archive }: PreferencesForm,
  { options = {} }: Destination,
  mayArchive: boolean,
) {
  const { quietWeek: _quiet, archive: former, ...others } = options;
  const next = {
    ...others,
    ...defined({
      quietWeek: quietWeek || undefined,
      archive: mayArchive ? archive || undefined : former,
    }),
  };
  return Object.keys(next).length > 0 ? next : undefined;
}

/**
 * The filter of a form, for {@link FILTER}, with the parts that the form does not show. Terms are replaced only by another
 * sentence than the page shows for them.
 */
function changedFilter(form: PreferencesForm, { report, locale }: Opened) {
  const { terms = [], limit } = report.subscription.filter;
  const former = termsSentence(report.subscription.filter, locale) ?? '';
  const { want = former } = form;
  const isSame = want === former;
  return { ...filterOf(form), limit, terms: isSame ? terms : [], want: isSame ? '' : want };
}

/** The change for a form without faults. Settings that the form does not show stay as they are. */
function changeFrom(
  form: PreferencesForm,
  opened: Opened,
  mayArchive: boolean,
): Parameters<Services['edit']>[2] {
  const { destination } = opened;
  const { options: _former, ...entry } = destinationEntry(destination);
  return {
    filter: changedFilter(form, opened),
    destinationId: destination.id,
    destination: {
      ...entry,
      cadence: cadenceOf(form, destination.cadence),
      timezone: form.timezone,
      cap: form.cap,
      ...defined({ options: optionsOf(form, destination, mayArchive) }),
    },
    ...defined({ locale: Object.hasOwn(LANGUAGES, form.locale) ? form.locale : undefined }),
  };
}
