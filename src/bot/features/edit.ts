// The command /jobs edit: opens the panel that changes the filter, the times, the destination and the language. The
// option `language` changes the language immediately.

import { defined } from '../../domain/defined.js';
import { UserError } from '../../domain/errors.js';
import type { Filter } from '../../domain/filter.js';
import { type Destination, destinationEntry } from '../../domain/subscription.js';
import { printWant } from '../../domain/want/print.js';
import { LONGEST_WANT } from '../../domain/want/read.js';
import type { SubscriptionReport } from '../../ports/services.js';
import { escaped } from '../../render/discord/escape.js';
import { estimateText } from '../../render/preferences-view.js';
import { LANGUAGES, type Texts, textsFor } from '../../render/texts.js';
import { filterForm, formOf, optionsOf, readFilter, restOf } from '../forms/filter.js';
import { ONE_SUBSCRIPTION, pickSubscription } from '../forms/pick.js';
import {
  cadenceForm,
  EVERY,
  type Every,
  everyOf,
  needsZone,
  pollSchedule,
  readWhen,
  readZone,
  type When,
  whenOf,
} from '../forms/when.js';
import { channelOf, emailOf, LANGUAGE_CODES, localeOf, optionsFor, type Where } from '../forms/where.js';
import { button, channelMenu, customId, type Modal, menu, modal, row } from '../runtime/components.js';
import { keepPreview, previewed } from '../runtime/drafts.js';
import {
  type Action,
  type Command,
  type Context,
  type Feature,
  type Reply,
  type Request,
  SINK,
} from '../runtime/request.js';
import { subscriptionView } from '../views/subscription.js';
import { wantNotes } from '../views/want.js';

const jobsEdit = {
  path: 'jobs edit',
  options: [...ONE_SUBSCRIPTION.options, { name: 'language', type: 'text', choices: LANGUAGE_CODES }],
  async run(request, context) {
    const report = await pickSubscription(request, context);
    const locale = LANGUAGE_CODES.find((code) => code === request.options.language);
    if (!locale) return editPanel(report, request);
    const next = await context.services.edit(request.caller, report.subscription.id, { locale });
    return editPanel(next, request, textsFor(request.locale).bot.jobs.changed);
  },
  complete: ONE_SUBSCRIPTION.complete,
} satisfies Command;

// The panel that changes a subscription: the filter in a form with the current values, the times in a menu, the
// destination in a menu of channels. Emptying a field removes that part of the filter.

/** The destination that the panel and its forms change: the last one. A subscription made with a form has only one. */
export function editable(report: SubscriptionReport): Destination | undefined {
  return report.subscription.destinations.at(-1);
}

export function editPanel(report: SubscriptionReport, request: Request, headline?: string): Reply {
  const texts = textsFor(request.locale);
  const { jobs, buttons, commands } = texts.bot;
  const { id, filter, locale } = report.subscription;
  const on = (action: string, ...args: string[]) => customId(action, [id, ...args], request.user);
  // A direct message has no channels to choose from.
  const inServer = request.guild ? undefined : `-# ${jobs.editInServer}`;
  const destination = editable(report);
  const every = destination && whenOf(destination.cadence).every;
  const times = EVERY.map((value) => ({
    value,
    label: commands.choices[value],
    ...defined({ chosen: value === every || undefined }),
  }));
  const languages = LANGUAGE_CODES.map((value) => ({
    value,
    label: LANGUAGES[value]?.name ?? value,
    ...defined({ chosen: textsFor(locale) === textsFor(value) || undefined }),
  }));
  return {
    text: [headline, subscriptionView(report, request), jobs.editHint, inServer].filter(Boolean).join('\n'),
    embeds: [],
    components: [
      row(
        button(buttons.what, on('edit-what'), 'primary', '✏️'),
        button(buttons.sentence, on('edit-want'), 'plain', '💬'),
        button(
          filter.remote ? buttons.remoteOn : buttons.remoteOff,
          on('edit-remote', filter.remote ? 'off' : 'on'),
        ),
        button(buttons.settings, on('edit-more'), 'plain', '⚙️'),
      ),
      row(menu(on('edit-when'), jobs.editWhen, times)),
      // Only a server has channels to choose from.
      ...(request.guild && request.botIsHere
        ? [row(channelMenu(on('edit-where', 'channel'), jobs.editWhere))]
        : []),
      row(menu(on('edit-language'), jobs.editLanguage, languages)),
      row(
        button(buttons.toDm, on('edit-where', 'dm'), 'plain', '✉️'),
        button(buttons.toEmail, on('edit-where', 'email'), 'plain', '📧'),
        button(buttons.back, customId('sub', ['show', id], request.user), 'plain', '◀️'),
      ),
    ],
  };
}

function filterModal(report: SubscriptionReport, request: Request): Modal {
  const { jobs } = textsFor(request.locale).bot;
  const { id, filter } = report.subscription;
  const { tags = '', country = '', include = '', exclude = '', minSalary = '' } = formOf(filter);
  return modal(customId('edit-filter', [id], request.user), jobs.editWhat, [
    { id: 'tags', label: jobs.fieldTags, value: tags },
    { id: 'country', label: jobs.fieldCountry, value: country, max: 100 },
    { id: 'include', label: jobs.fieldInclude, value: include, max: 1300 },
    { id: 'exclude', label: jobs.fieldExclude, value: exclude, max: 1300 },
    { id: 'minSalary', label: jobs.fieldPay, value: minSalary, max: 20 },
  ]);
}

/** The whole rule as one sentence, with the terms that have no other field. */
function wantModal(report: SubscriptionReport, request: Request): Modal {
  const { buttons, jobs } = textsFor(request.locale).bot;
  const { id, filter } = report.subscription;
  const value = printWant(filter, request.locale);
  return modal(customId('edit-sentence', [id], request.user), buttons.sentence, [
    {
      id: 'want',
      label: jobs.fieldWant,
      value: value.length > LONGEST_WANT ? '' : value,
      max: LONGEST_WANT,
      required: true,
    },
  ]);
}

/** A form for the day, the time and the zone of a daily or weekly digest, filled in with the current values. */
function timeModal(report: SubscriptionReport, every: Every, zone: string, request: Request): Modal {
  const texts = textsFor(request.locale);
  const { jobs } = texts.bot;
  return modal(customId('edit-time', [report.subscription.id, every], request.user), jobs.editWhenTitle, [
    { id: 'at', label: jobs.fieldAt, value: timeOf(report, every, texts), max: 40 },
    { id: 'timezone', label: jobs.fieldZone, value: zone, max: 60, required: true },
  ]);
}

function timeOf(report: SubscriptionReport, every: Every, texts: Texts): string {
  const { at = '09:00', day = 'monday' } = editable(report)?.cadence ?? {};
  return every === 'weekly' ? `${texts.describe.days[day]} ${at}` : at;
}

// The actions of the panel's buttons, menus and forms.

/**
 * Returns the account's zone, otherwise the zone of the subscription. Returns an empty text for UTC, because UTC is
 * the default when no zone was chosen.
 */
export async function zoneOf(
  report: SubscriptionReport,
  request: Request,
  context: Context,
): Promise<string> {
  const { timezone } = editable(report)?.cadence ?? {};
  const mine = (await context.services.profile(request.caller.account))?.timezone;
  return mine ?? (timezone === 'UTC' ? '' : (timezone ?? ''));
}

export function changed(report: SubscriptionReport, request: Request, notes: readonly string[] = []): Reply {
  const { jobs } = textsFor(request.locale).bot;
  const headline = [jobs.changed, ...notes.map((note) => `-# ${note}`)].join('\n');
  return { ...editPanel(report, request, headline), update: true };
}

/** The destination in the form that the service reads, with some of its fields replaced. */
export function entryOf(destination: Destination, change: object): unknown {
  return { ...destinationEntry(destination), ...change };
}

async function applyWhen(
  request: Request,
  context: Context,
  id: string,
  when: When,
  zone?: string,
): Promise<Reply> {
  const report = await context.services.subscription(request.caller, id);
  const destination = editable(report);
  if (!destination) throw new UserError(textsFor(request.locale).bot.fault.oldButton);
  const timezone = zone ?? destination.cadence.timezone;
  const schedule = pollSchedule(when, context.liveSchedule, context.clock.now());
  // Outside its server the channel can't be looked up. The stored option applies then.
  const place = destination.sink === SINK ? await request.place(destination.target) : undefined;
  const forum = place?.forum ?? destination.options?.forum !== undefined;
  const options = optionsFor(destination.options, forum, when.every);
  const next = await context.services.edit(request.caller, id, {
    schedule,
    timezone,
    destination: entryOf(destination, { cadence: cadenceForm(when), timezone, options }),
    destinationId: destination.id,
  });
  return changed(next, request);
}

/** Changes the filter. If it would leave out everything, the reply says so, names the rule, and asks first. */
async function setFilter(
  id: string,
  filter: Filter,
  request: Request,
  context: Context,
  notes: readonly string[] = [],
): Promise<Reply> {
  const { services } = context;
  const { account, filter: former } = (await services.subscription(request.caller, id)).subscription;
  const emptied = await services.emptied({ account }, former, filter);
  if (!emptied) return changed(await services.edit(request.caller, id, { filter }), request, notes);
  const { buttons } = textsFor(request.locale).bot;
  const kept = await keepPreview(context, request.user, {
    options: optionsOf(filter),
    ...defined({ rest: restOf(filter) }),
  });
  return {
    text: `⚠️ ${estimateText(emptied, request.locale, escaped)}`,
    embeds: [],
    components: [
      row(
        button(buttons.anyway, customId('edit-anyway', [id, kept], request.user), 'danger'),
        button(buttons.back, customId('sub', ['edit', id], request.user), 'plain', '◀️'),
      ),
    ],
    update: true,
  };
}

const editAnyway = {
  name: 'edit-anyway',
  updates: true,
  async run([id = '', kept = ''], request, context) {
    const texts = textsFor(request.locale);
    const wishes = await previewed(context, request.user, kept);
    if (!wishes) throw new UserError(texts.bot.fault.stale);
    const filter = { ...readFilter(filterForm(wishes.options), texts), ...wishes.rest };
    return changed(await context.services.edit(request.caller, id, { filter }), request);
  },
} satisfies Action;

const editWhat = {
  name: 'edit-what',
  run: async ([id = ''], request, { services }) => ({
    modal: filterModal(await services.subscription(request.caller, id), request),
  }),
} satisfies Action;

const editFilter = {
  name: 'edit-filter',
  updates: true,
  form: async ([id = ''], request, { services }) =>
    filterModal(await services.subscription(request.caller, id), request),
  async run([id = ''], request, context) {
    const { filter } = (await context.services.subscription(request.caller, id)).subscription;
    const { tags = '', country = '', include = '', exclude = '', minSalary = '' } = request.fields;
    const remote = filter.remote ? { remote: true } : {};
    const read = readFilter(
      { tags, country, include, exclude, minSalary, ...remote },
      textsFor(request.locale),
    );
    const { payUnknown, terms = [], limit } = filter;
    return setFilter(id, { ...read, ...defined({ payUnknown, terms, limit }) }, request, context);
  },
} satisfies Action;

const editWant = {
  name: 'edit-want',
  run: async ([id = ''], request, { services }) => ({
    modal: wantModal(await services.subscription(request.caller, id), request),
  }),
} satisfies Action;

/** The sentence replaces the rule. Only the number of postings asked for is not in it. */
const editSentence = {
  name: 'edit-sentence',
  updates: true,
  form: async ([id = ''], request, { services }) =>
    wantModal(await services.subscription(request.caller, id), request),
  async run([id = ''], request, context) {
    const { limit } = (await context.services.subscription(request.caller, id)).subscription.filter;
    const { want = '' } = request.fields;
    const filter = { ...readFilter({ want }, textsFor(request.locale)), limit };
    return setFilter(id, filter, request, context, await wantNotes({ want }, filter, request, context));
  },
} satisfies Action;

const editRemote = {
  name: 'edit-remote',
  updates: true,
  async run([id = '', wanted = ''], request, context) {
    const { filter } = (await context.services.subscription(request.caller, id)).subscription;
    const { remote: _former, ...rest } = filter;
    const next: Filter = { ...rest, ...(wanted === 'on' ? { remote: true } : {}) };
    return setFilter(id, next, request, context);
  },
} satisfies Action;

/** Live and hourly apply immediately. The others open a form for the time and the zone. */
const editWhen = {
  name: 'edit-when',
  updates: true,
  async run([id = ''], request, context) {
    const texts = textsFor(request.locale);
    const every = everyOf(request.values[0], texts) ?? 'live';
    const report = await context.services.subscription(request.caller, id);
    if (!needsZone({ every })) return applyWhen(request, context, id, { every });
    return { modal: timeModal(report, every, await zoneOf(report, request, context), request) };
  },
} satisfies Action;

const editTime = {
  name: 'edit-time',
  updates: true,
  form: async ([id = '', every = 'daily'], request, { services }) =>
    timeModal(await services.subscription(request.caller, id), every as Every, '', request),
  async run([id = '', every = 'daily'], request, context) {
    const texts = textsFor(request.locale);
    const zone = readZone(request.fields.timezone ?? '', texts);
    const when = readWhen({ every, at: request.fields.at ?? '' }, texts, 'daily');
    await context.services.saveProfile(request.caller.account, { timezone: zone });
    return applyWhen(request, context, id, when, zone);
  },
} satisfies Action;

const editLanguage = {
  name: 'edit-language',
  updates: true,
  async run([id = ''], request, { services }) {
    const locale = LANGUAGE_CODES.find((code) => code === request.values[0]) ?? 'en';
    return changed(await services.edit(request.caller, id, { locale }), request);
  },
} satisfies Action;

const editWhere = {
  name: 'edit-where',
  updates: true,
  async run([id = '', kind = ''], request, context) {
    const texts = textsFor(request.locale);
    const report = await context.services.subscription(request.caller, id);
    const destination = editable(report);
    if (!destination) throw new UserError(texts.bot.fault.oldButton);
    const where = await chosen(kind, report, request, context);
    const { sink, target, guild, forum = false } = where;
    // The role can only be mentioned in a channel of the server it belongs to.
    const kept = guild && guild === report.subscription.guild ? destination.options : undefined;
    const options = optionsFor(kept, forum, whenOf(destination.cadence).every);
    // The language changes only when the destination changes between public and private.
    const moved = (guild === undefined) !== (report.subscription.guild === undefined);
    const next = await context.services.edit(request.caller, id, {
      destination: entryOf(destination, { sink, target, options }),
      destinationId: destination.id,
      guild: guild ?? null,
      ...defined({ locale: moved ? localeOf(where, request) : undefined }),
    });
    return changed(next, request, where.notes);
  },
} satisfies Action;

/**
 * Reads the new destination. Only the subscription's owner may choose a private one: a manager of the server must
 * not redirect the postings to themselves.
 */
async function chosen(
  kind: string,
  report: SubscriptionReport,
  request: Request,
  context: Context,
): Promise<Where> {
  const texts = textsFor(request.locale);
  if (kind === 'channel') return channelOf(request, request.values[0] ?? '', undefined, texts);
  if (report.subscription.account !== request.caller.account) throw new UserError(texts.bot.fault.notYours);
  if (kind === 'email') return emailOf(request, context, texts);
  return { sink: SINK, target: `dm:${request.user}`, notes: [] };
}

export const editFeature: Feature = {
  commands: [jobsEdit],
  actions: [
    editAnyway,
    editFilter,
    editLanguage,
    editRemote,
    editSentence,
    editTime,
    editWant,
    editWhat,
    editWhen,
    editWhere,
  ],
};
