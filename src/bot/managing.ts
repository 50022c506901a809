// Pause, resume, remove, undo: the same whether a command or a button asks.
import type { SubscriptionReport } from '../ports/desk.js';
import { textsFor } from '../render/language/index.js';
import type { Answer, Ask, Bench } from './ask.js';
import { button, row } from './components.js';
import { customId } from './custom-id.js';
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

/** The button brings it back, for its owner and for those who manage its server. */
export async function removeSubscription(
  ask: Ask,
  bench: Bench,
  report: SubscriptionReport,
): Promise<Answer> {
  const { jobs, buttons } = textsFor(ask.locale).bot;
  const { subscription } = report;
  await bench.desk.remove(ask.caller, subscription.id);
  const undo = button(buttons.undo, customId('undo', [subscription.id], ask.user), 'plain', '↩️');
  return { text: jobs.removed(subscriptionWords(report, ask.locale)), components: [row(undo)] };
}
