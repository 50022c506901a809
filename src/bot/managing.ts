// Pause, resume, remove, undo: the same whether a command or a button asks.
import { destinationEntry, type Subscription } from '../domain/subscription.js';
import type { Draft, SubscriptionReport } from '../ports/desk.js';
import { textsFor } from '../render/language/index.js';
import type { Answer, Ask, Bench } from './ask.js';
import { button, row } from './components.js';
import { customId } from './custom-id.js';
import { keepWaiting } from './drafts.js';
import { subscriptionButtons, subscriptionView, subscriptionWords } from './views/subscription.js';

/** The subscription in full, under a headline. */
export function showing(report: SubscriptionReport, ask: Ask, headline?: string): Answer {
  return {
    text: [headline, subscriptionView(report, ask.locale)].filter(Boolean).join('\n'),
    components: [subscriptionButtons(report, ask.user, textsFor(ask.locale))],
  };
}

export async function pauseSubscription(ask: Ask, bench: Bench, id: string): Promise<Answer> {
  return showing(await bench.desk.pause(ask.caller, id), ask, textsFor(ask.locale).bot.jobs.paused);
}

export async function resumeSubscription(ask: Ask, bench: Bench, id: string): Promise<Answer> {
  return showing(await bench.desk.resume(ask.caller, id), ask, textsFor(ask.locale).bot.jobs.resumed);
}

/** Keeps what is needed to make it again, but for those of somebody else: their token would not come back with it. */
export async function removeSubscription(
  ask: Ask,
  bench: Bench,
  report: SubscriptionReport,
): Promise<Answer> {
  const { jobs, buttons } = textsFor(ask.locale).bot;
  const { subscription } = report;
  await bench.desk.remove(ask.caller, subscription.id);
  const draft = subscription.account === ask.caller.account ? draftOf(subscription) : undefined;
  const text = jobs.removed(subscriptionWords(report, ask.locale));
  if (!draft) return { text, components: [] };
  await keepWaiting(bench, 'undo', ask.user, subscription.id, { draft, notes: [] });
  const undo = button(buttons.undo, customId('undo', [subscription.id], ask.user), 'plain', '↩️');
  return { text, components: [row(undo)] };
}

/** The draft that makes the same subscription; undefined for one with several destinations, which no form makes. */
function draftOf({ filter, schedule, destinations, guild }: Subscription): Draft | undefined {
  const [only, ...others] = destinations;
  if (!only || others.length > 0) return undefined;
  return {
    filter,
    schedule: schedule.cron,
    timezone: only.cadence.timezone,
    destination: destinationEntry(only),
    ...(guild ? { guild } : {}),
  };
}
