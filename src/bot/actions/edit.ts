// What the panel of `editing.ts` does when something in it is pressed, chosen or sent.
import { UserError } from '../../domain/errors.js';
import { type Destination, destinationEntry } from '../../domain/subscription.js';
import type { SubscriptionReport } from '../../ports/desk.js';
import { textsFor } from '../../render/language/index.js';
import type { Action, Answer, Ask, Bench } from '../ask.js';
import { editable, editPanel, filterModal, timeModal } from '../editing.js';
import { readFilter } from '../forms/filter.js';
import {
  cadenceForm,
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

/** The account's zone, else that of the subscription, else nothing: UTC is only what was never asked. */
async function zoneOf(report: SubscriptionReport, ask: Ask, bench: Bench): Promise<string> {
  const { timezone } = editable(report)?.cadence ?? {};
  const mine = (await bench.desk.profile(ask.caller.account))?.timezone;
  return mine ?? (timezone === 'UTC' ? '' : (timezone ?? ''));
}

function changed(report: SubscriptionReport, ask: Ask, notes: readonly string[] = []): Answer {
  const { jobs } = textsFor(ask.locale).bot;
  const headline = [jobs.changed, ...notes.map((note) => `-# ${note}`)].join('\n');
  return { ...editPanel(report, ask, headline), update: true };
}

/** The destination in the form the desk reads, with parts of it replaced. */
function entryOf(destination: Destination, change: object): unknown {
  return { ...destinationEntry(destination), ...change };
}

async function applyWhen(ask: Ask, bench: Bench, id: string, when: When, zone?: string): Promise<Answer> {
  const report = await bench.desk.subscription(ask.caller, id);
  const destination = editable(report);
  if (!destination) throw new UserError(textsFor(ask.locale).bot.fault.oldButton);
  const timezone = zone ?? destination.cadence.timezone;
  const schedule = pollSchedule(when, bench.liveSchedule, bench.clock.now());
  // From elsewhere the channel can't be seen: then what was chosen for it stays.
  const place = destination.sink === 'discord' ? await ask.place(destination.target) : undefined;
  const forum = place?.forum ?? destination.options?.forum === 'posting';
  const options = optionsFor(destination.options, forum, when.every);
  const next = await bench.desk.edit(ask.caller, id, {
    schedule,
    timezone,
    destination: entryOf(destination, { cadence: cadenceForm(when), timezone, options }),
    destinationId: destination.id,
  });
  return changed(next, ask);
}

export const editWhat = {
  name: 'edit-what',
  run: async ([id = ''], ask, { desk }) => ({
    modal: filterModal(await desk.subscription(ask.caller, id), ask),
  }),
} satisfies Action;

export const editFilter = {
  name: 'edit-filter',
  updates: true,
  form: async ([id = ''], ask, { desk }) => filterModal(await desk.subscription(ask.caller, id), ask),
  async run([id = ''], ask, { desk }) {
    const { filter } = (await desk.subscription(ask.caller, id)).subscription;
    const { tags = '', country = '', include = '', exclude = '', minSalary = '' } = ask.fields;
    const remote = filter.remote ? { remote: true } : {};
    const read = readFilter({ tags, country, include, exclude, minSalary, ...remote }, textsFor(ask.locale));
    const kept = { payUnknown: filter.payUnknown, limit: filter.limit };
    return changed(await desk.edit(ask.caller, id, { filter: { ...kept, ...read } }), ask);
  },
} satisfies Action;

export const editRemote = {
  name: 'edit-remote',
  updates: true,
  async run([id = '', wanted = ''], ask, { desk }) {
    const { filter } = (await desk.subscription(ask.caller, id)).subscription;
    const { remote: _former, ...rest } = filter;
    const next = { ...rest, ...(wanted === 'on' ? { remote: true } : {}) };
    return changed(await desk.edit(ask.caller, id, { filter: next }), ask);
  },
} satisfies Action;

/** Live and hourly are done at once; the others ask for time and zone. */
export const editWhen = {
  name: 'edit-when',
  updates: true,
  async run([id = ''], ask, bench) {
    const texts = textsFor(ask.locale);
    const every = everyOf(ask.values[0], texts) ?? 'live';
    const report = await bench.desk.subscription(ask.caller, id);
    if (!needsZone({ every })) return applyWhen(ask, bench, id, { every });
    return { modal: timeModal(report, every, await zoneOf(report, ask, bench), ask) };
  },
} satisfies Action;

export const editTime = {
  name: 'edit-time',
  updates: true,
  form: async ([id = '', every = 'daily'], ask, { desk }) =>
    timeModal(await desk.subscription(ask.caller, id), every as Every, '', ask),
  async run([id = '', every = 'daily'], ask, bench) {
    const texts = textsFor(ask.locale);
    const zone = readZone(ask.fields.timezone ?? '', texts);
    const when = readWhen({ every, at: ask.fields.at ?? '' }, texts, 'daily');
    await bench.desk.saveProfile(ask.caller.account, { timezone: zone });
    return applyWhen(ask, bench, id, when, zone);
  },
} satisfies Action;

export const editLanguage = {
  name: 'edit-language',
  updates: true,
  async run([id = ''], ask, { desk }) {
    const locale = LANGUAGE_CODES.find((code) => code === ask.values[0]) ?? 'en';
    return changed(await desk.edit(ask.caller, id, { locale }), ask);
  },
} satisfies Action;

export const editWhere = {
  name: 'edit-where',
  updates: true,
  async run([id = '', kind = ''], ask, bench) {
    const texts = textsFor(ask.locale);
    const report = await bench.desk.subscription(ask.caller, id);
    const destination = editable(report);
    if (!destination) throw new UserError(texts.bot.fault.oldButton);
    const where = await chosen(kind, report, ask, bench);
    const { sink, target, guild, forum = false } = where;
    // A role of this server can be pinged in another of its channels, and nowhere else.
    const kept = guild && guild === report.subscription.guild ? destination.options : undefined;
    const options = optionsFor(kept, forum, whenOf(destination.cadence).every);
    // Between two public places or two private ones the language stays what was chosen.
    const moved = (guild === undefined) !== (report.subscription.guild === undefined);
    const next = await bench.desk.edit(ask.caller, id, {
      destination: entryOf(destination, { sink, target, options }),
      destinationId: destination.id,
      guild: guild ?? null,
      ...(moved ? { locale: localeOf(where, ask) } : {}),
    });
    return changed(next, ask, where.notes);
  },
} satisfies Action;

/** A private place is the owner's; someone who only manages the server must not send the postings to themselves. */
async function chosen(kind: string, report: SubscriptionReport, ask: Ask, bench: Bench): Promise<Where> {
  const texts = textsFor(ask.locale);
  if (kind === 'channel') return channelOf(ask, ask.values[0] ?? '', undefined, texts);
  if (report.subscription.account !== ask.caller.account) throw new UserError(texts.bot.fault.notYours);
  if (kind === 'email') return emailOf(ask, bench, texts);
  return { sink: 'discord', target: `dm:${ask.user}`, notes: [] };
}
