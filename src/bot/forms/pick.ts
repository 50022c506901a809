// Finds the subscription that an option names, by the id that autocomplete inserts or by words of its description.
import { UserError } from '../../domain/errors.js';
import { ellipsis } from '../../domain/text.js';
import type { SubscriptionReport } from '../../ports/services.js';
import { textsFor } from '../../render/texts.js';
import type { Choice, Command, Context, Request } from '../runtime/request.js';
import { plainWords } from '../views/subscription.js';

function fits(report: SubscriptionReport, wanted: string, request: Request): boolean {
  const words = `${plainWords(report, request)} ${report.subscription.id}`.toLowerCase();
  return wanted.split(/\s+/u).every((word) => words.includes(word));
}

async function subscriptionChoices(typed: string, request: Request, context: Context): Promise<Choice[]> {
  const all = await context.services.subscriptions(request.caller);
  const wanted = typed.trim().toLowerCase();
  return all
    .filter((report) => fits(report, wanted, request))
    .slice(0, 25)
    .map((report) => ({
      name: ellipsis(plainWords(report, request), 100),
      value: report.subscription.id,
    }));
}

/**
 * Returns the subscription that the option names. Without the option, returns the only one. Throws a UserError when
 * none or several match.
 */
export async function pickSubscription(request: Request, context: Context): Promise<SubscriptionReport> {
  const { fault } = textsFor(request.locale).bot;
  const typed = String(request.options.subscription ?? '').trim();
  const all = await context.services.subscriptions(request.caller);
  const exact = all.find((report) => report.subscription.id === typed);
  if (exact) return exact;
  const fitting = all.filter((report) => fits(report, typed.toLowerCase(), request));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const shown = typed.slice(0, 60) || '…';
  throw new UserError(
    fitting.length > 1
      ? fault.severalSubscriptions({ words: shown })
      : fault.noSubscription({ words: shown }),
  );
}

/** The option of a command about one subscription, with its completion. */
export const ONE_SUBSCRIPTION = {
  options: [{ name: 'subscription', type: 'text', required: true, complete: true, max: 200 }],
  complete: (_option, typed, request, context) => subscriptionChoices(typed, request, context),
} as const satisfies Partial<Command>;
