// From options to a subscription. Everything the jobs API would silently swallow is checked first, and a zone is
// asked for only where the cadence needs one.
import { randomBytes } from 'node:crypto';
import type { Draft } from '../../ports/desk.js';
import { textsFor } from '../../render/language/index.js';
import type { Answer, Ask, Bench, Command } from '../ask.js';
import { button, menu, row } from '../components.js';
import { customId } from '../custom-id.js';
import { keepWaiting, typedBy } from '../drafts.js';
import { createFaults } from '../forms/faults.js';
import { countryChoices, filterForm, readFilter, tagChoices } from '../forms/filter.js';
import { FILTER_OPTIONS, translations } from '../forms/filter-options.js';
import { cadenceForm, EVERY, needsZone, pollSchedule, readWhen, readZone } from '../forms/when.js';
import { LANGUAGE_CODES, localeOf, optionsFor, readWhere } from '../forms/where.js';
import { likelyZones, nearestZones, zoneChoices, zoneLabel } from '../forms/zones.js';
import { showing } from '../managing.js';
import { comingWords, subscriptionButtons, subscriptionWords } from '../views/subscription.js';
import { mustHaveToken } from '../views/token.js';

async function subscribe(ask: Ask, bench: Bench): Promise<Answer> {
  const texts = textsFor(ask.locale);
  await mustHaveToken(ask, bench);
  const option = (name: string) => (ask.options[name] === undefined ? undefined : String(ask.options[name]));
  const deliver = option('deliver');
  const { collect, collectFrom, settle } = createFaults();
  const form = filterForm(ask.options);
  const filter = collect(() => readFilter(form, texts));
  const given = { every: option('every'), at: option('at') };
  const when = collect(() => readWhen(given, texts, deliver === 'email' ? 'weekly' : 'live'));
  const typedZone = option('timezone');
  const zone = typedZone === undefined ? undefined : collect(() => readZone(typedZone, texts));
  const places = { deliver, channel: option('channel'), mention: option('mention') };
  const where = await collectFrom(readWhere(ask, bench, places, texts));
  settle();
  if (!filter || !when || !where) throw new Error('a fault was not told');
  const { guild, notes, sink, target, forum = false } = where;
  const options = optionsFor(where.options, forum, when.every);
  const draft: Draft = {
    filter,
    schedule: pollSchedule(when, bench.liveSchedule, bench.clock.now()),
    destination: { sink, target, cadence: cadenceForm(when), ...(options ? { options } : {}) },
    locale: option('language') ?? localeOf(where, ask),
    ...(guild ? { guild } : {}),
  };
  const said = [...translations(form, filter, texts), ...notes];
  if (zone) await bench.desk.saveProfile(ask.caller.account, { timezone: zone });
  const timezone = zone ?? (await bench.desk.profile(ask.caller.account))?.timezone;
  if (!timezone && needsZone(when)) return askForZone(ask, bench);
  return finish(ask, bench, timezone ? { ...draft, timezone } : draft, said);
}

/** Subscribes and says what was understood, when it looks next and how many match now. */
async function finish(ask: Ask, bench: Bench, draft: Draft, notes: readonly string[]): Promise<Answer> {
  const texts = textsFor(ask.locale);
  const { jobs } = texts.bot;
  // Notices find their owner in the language the owner last used.
  await bench.desk.saveProfile(ask.caller.account, { locale: ask.locale });
  const { report, matchesNow } = await bench.desk.subscribe(ask.caller, draft);
  if (matchesNow === undefined) return showing(report, ask, jobs.already(report.subscription.id));
  const understood = [subscriptionWords(report, ask.locale), ...comingWords(report, texts)].join('; ');
  const lines = [
    jobs.subscribed(understood),
    jobs.matchesNow(matchesNow),
    ...notes.map((note) => `-# ${note}`),
  ];
  return { text: lines.join('\n'), components: [subscriptionButtons(report, ask.user, texts)] };
}

/** The command waits as it was typed, and runs again with the zone. */
async function askForZone(ask: Ask, bench: Bench): Promise<Answer> {
  const { jobs, buttons } = textsFor(ask.locale).bot;
  const id = randomBytes(4).toString('hex');
  await keepWaiting(bench, 'zone', ask.user, id, typedBy({ path: 'jobs subscribe' }, ask));
  const zones = nearestZones('', 25, likelyZones(ask.locale)).map((value) => ({
    value,
    label: zoneLabel(value, bench.clock.now()),
  }));
  return {
    text: jobs.askZone,
    components: [
      row(menu(customId('zone', [id], ask.user), jobs.zonePlaceholder, zones)),
      row(button(buttons.typeZone, customId('zone-form', [id], ask.user))),
    ],
  };
}

export const jobsSubscribe = {
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
  async complete(option, typed, ask, bench) {
    if (option === 'tags') return tagChoices(typed);
    if (option === 'country') return countryChoices(typed, textsFor(ask.locale));
    const mine = (await bench.desk.profile(ask.caller.account))?.timezone;
    return zoneChoices(typed, [...(mine ? [mine] : []), ...likelyZones(ask.locale)], bench.clock.now());
  },
} satisfies Command;
