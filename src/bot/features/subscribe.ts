// Creates a subscription from the options of a command. It first checks everything that the jobs API would ignore
// silently. It asks for a time zone only when the cadence needs one.

import { randomBytes } from 'node:crypto';
import { defined } from '../../domain/defined.js';
import { UserError } from '../../domain/errors.js';
import type { Draft } from '../../ports/services.js';
import { textsFor } from '../../render/texts.js';
import { createFaults } from '../forms/faults.js';
import {
  countryChoices,
  FILTER_OPTIONS,
  filterForm,
  readFilter,
  tagChoices,
  translations,
} from '../forms/filter.js';
import { cadenceForm, EVERY, needsZone, pollSchedule, readWhen, readZone } from '../forms/when.js';
import { LANGUAGE_CODES, localeOf, optionsFor, readWhere } from '../forms/where.js';
import { likelyZones, nearestZones, zoneChoices, zoneLabel } from '../forms/zones.js';
import { button, customId, type Modal, menu, modal, row } from '../runtime/components.js';
import { keepWaiting, takeWaiting, typedBy } from '../runtime/drafts.js';
import type { Action, Command, Context, Feature, Reply, Request } from '../runtime/request.js';
import { comingWords, subscriptionButtons, subscriptionWords } from '../views/subscription.js';
import { mustHaveToken } from '../views/token.js';
import { wantNotes } from '../views/want.js';
import { rerun } from './correct.js';
import { showing } from './manage.js';

async function subscribe(request: Request, context: Context): Promise<Reply> {
  const texts = textsFor(request.locale);
  await mustHaveToken(request, context);
  const option = (name: string) =>
    request.options[name] === undefined ? undefined : String(request.options[name]);
  const deliver = option('deliver');
  const { collect, collectFrom, settle } = createFaults();
  const form = filterForm(request.options);
  const filter = collect(() => readFilter(form, texts));
  const given = { every: option('every'), at: option('at') };
  const when = collect(() => readWhen(given, texts, deliver === 'email' ? 'weekly' : 'live'));
  const typedZone = option('timezone');
  const zone = typedZone === undefined ? undefined : collect(() => readZone(typedZone, texts));
  const places = { deliver, channel: option('channel'), mention: option('mention') };
  const where = await collectFrom(readWhere(request, context, places, texts));
  settle();
  if (!filter || !when || !where) throw new Error('a fault was not told');
  const { guild, notes, sink, target, forum = false } = where;
  const options = optionsFor(where.options, forum, when.every);
  const draft: Draft = {
    filter: { ...filter, ...request.rest },
    schedule: pollSchedule(when, context.liveSchedule, context.clock.now()),
    destination: { sink, target, cadence: cadenceForm(when), ...defined({ options }) },
    locale: option('language') ?? localeOf(where, request),
    ...defined({ guild: guild || undefined }),
  };
  const said = [
    ...translations(form, filter, texts),
    ...notes,
    ...(await wantNotes(form, filter, request, context)),
  ];
  if (zone) await context.services.saveProfile(request.caller.account, { timezone: zone });
  const timezone = zone ?? (await context.services.profile(request.caller.account))?.timezone;
  if (!timezone && needsZone(when)) return askForZone(request, context);
  return finish(request, context, timezone ? { ...draft, timezone } : draft, said);
}

/** Subscribes. The reply shows the options as understood, the next check and how many postings match now. */
async function finish(
  request: Request,
  context: Context,
  draft: Draft,
  notes: readonly string[],
): Promise<Reply> {
  const texts = textsFor(request.locale);
  const { jobs } = texts.bot;
  // Notices to an owner use the language that the owner used last.
  await context.services.saveProfile(request.caller.account, { locale: request.locale });
  const { report, matchesNow } = await context.services.subscribe(request.caller, draft);
  if (matchesNow === undefined) return showing(report, request, jobs.already({ id: report.subscription.id }));
  const understood = [subscriptionWords(report, request.locale), ...comingWords(report, texts)].join('; ');
  const lines = [
    jobs.subscribed({ words: understood }),
    jobs.matchesNow({ count: matchesNow }),
    ...notes.map((note) => `-# ${note}`),
  ];
  return { text: lines.join('\n'), components: subscriptionButtons(report, request.user, texts) };
}

/** Asks for the time zone. The command is stored as it was typed, and runs again with the zone. */
async function askForZone(request: Request, context: Context): Promise<Reply> {
  const { jobs, buttons } = textsFor(request.locale).bot;
  const id = randomBytes(4).toString('hex');
  await keepWaiting(context, 'zone', request.user, id, typedBy({ path: 'jobs subscribe' }, request));
  const zones = nearestZones('', 25, likelyZones(request.locale)).map((value) => ({
    value,
    label: zoneLabel(value, context.clock.now()),
  }));
  return {
    text: jobs.askZone,
    components: [
      row(menu(customId('zone', [id], request.user), jobs.zonePlaceholder, zones)),
      row(button(buttons.typeZone, customId('zone-form', [id], request.user))),
    ],
  };
}

const jobsSubscribe = {
  path: 'jobs subscribe',
  slow: true,
  options: [
    ...FILTER_OPTIONS,
    { name: 'deliver', type: 'text', choices: ['channel', 'dm', 'email'] },
    { name: 'channel', type: 'channel' },
    { name: 'every', type: 'text', choices: EVERY },
    { name: 'at', type: 'text', max: 40 },
    { name: 'timezone', type: 'text', complete: true, max: 60 },
    { name: 'mention', type: 'role' },
    { name: 'language', type: 'text', choices: LANGUAGE_CODES },
  ],
  run: subscribe,
  async complete(option, typed, request, context) {
    if (option === 'tags') return tagChoices(typed);
    if (option === 'country') return countryChoices(typed, textsFor(request.locale));
    const mine = (await context.services.profile(request.caller.account))?.timezone;
    return zoneChoices(typed, [...(mine ? [mine] : []), ...likelyZones(request.locale)], context.clock.now());
  },
} satisfies Command;

/**
 * Handles the answer to "which time zone?", picked from the menu or typed into the form. It takes the stored
 * command, so that a second press does not subscribe again.
 */
async function withZone(request: Request, context: Context, id: string, typed: string): Promise<Reply> {
  const texts = textsFor(request.locale);
  const timezone = readZone(typed, texts);
  const waiting = await takeWaiting(context, 'zone', request.user, id);
  if (!waiting) throw new UserError(texts.bot.fault.stale);
  const withIt = { ...waiting, options: { ...waiting.options, timezone } };
  // If the command fails, it is stored again, so that the user can retry.
  const putBack = () => keepWaiting(context, 'zone', request.user, id, waiting);
  return { ...(await rerun(withIt, request, context, putBack)), update: true };
}

const zone = {
  name: 'zone',
  slow: true,
  updates: true,
  run: ([id = ''], request, context) => withZone(request, context, id, request.values[0] ?? ''),
} satisfies Action;

function zoneModal(id: string, request: Request): Modal {
  const { jobs } = textsFor(request.locale).bot;
  return modal(customId('zone-typed', [id], request.user), jobs.zoneTitle, [
    { id: 'zone', label: jobs.zoneField, required: true, max: 60 },
  ]);
}

const zoneForm = {
  name: 'zone-form',
  run: async ([id = ''], request) => ({ modal: zoneModal(id, request) }),
} satisfies Action;

const zoneTyped = {
  name: 'zone-typed',
  slow: true,
  updates: true,
  form: async ([id = ''], request) => zoneModal(id, request),
  run: ([id = ''], request, context) => withZone(request, context, id, request.fields.zone ?? ''),
} satisfies Action;

export const subscribeFeature: Feature = { commands: [jobsSubscribe], actions: [zone, zoneForm, zoneTyped] };
