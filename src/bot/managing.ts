// Pause, resume, remove, undo: the same whether a command or a button asks.
import type { SubscriptionReport } from '../ports/services.js';
import { textsFor } from '../render/language/index.js';
import { button, row } from './components.js';
import { customId } from './custom-id.js';
import type { Context, Reply, Request } from './request.js';
import { subscriptionButtons, subscriptionView, subscriptionWords } from './views/subscription.js';

/** The subscription in full, under a headline. */
export function showing(report: SubscriptionReport, request: Request, headline?: string): Reply {
  return {
    text: [headline, subscriptionView(report, request.locale)].filter(Boolean).join('\n'),
    components: [subscriptionButtons(report, request.user, textsFor(request.locale))],
  };
}

export async function pauseSubscription(request: Request, context: Context, id: string): Promise<Reply> {
  return showing(
    await context.services.pause(request.caller, id),
    request,
    textsFor(request.locale).bot.jobs.paused,
  );
}

export async function resumeSubscription(request: Request, context: Context, id: string): Promise<Reply> {
  return showing(
    await context.services.resume(request.caller, id),
    request,
    textsFor(request.locale).bot.jobs.resumed,
  );
}

/** The button brings it back, for its owner and for those who manage its server. */
export async function removeSubscription(
  request: Request,
  context: Context,
  report: SubscriptionReport,
): Promise<Reply> {
  const { jobs, buttons } = textsFor(request.locale).bot;
  const { subscription } = report;
  await context.services.remove(request.caller, subscription.id);
  const undo = button(buttons.undo, customId('undo', [subscription.id], request.user), 'plain', '↩️');
  return { text: jobs.removed(subscriptionWords(report, request.locale)), components: [row(undo)] };
}
