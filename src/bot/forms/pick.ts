// Which subscription is meant: its id from the list that appears while typing, or words from someone who ignored it.
import { UserError } from '../../domain/errors.js';
import { ellipsis } from '../../domain/text.js';
import type { SubscriptionReport } from '../../ports/desk.js';
import { textsFor } from '../../render/language/index.js';
import type { Ask, Bench, Choice } from '../ask.js';
import { plainWords } from '../views/subscription.js';

function fits(report: SubscriptionReport, wanted: string, ask: Ask): boolean {
  const words = `${plainWords(report, ask)} ${report.subscription.id}`.toLowerCase();
  return wanted.split(/\s+/u).every((word) => words.includes(word));
}

export async function subscriptionChoices(typed: string, ask: Ask, bench: Bench): Promise<Choice[]> {
  const all = await bench.desk.subscriptions(ask.caller);
  const wanted = typed.trim().toLowerCase();
  return all
    .filter((report) => fits(report, wanted, ask))
    .slice(0, 25)
    .map((report) => ({
      name: ellipsis(plainWords(report, ask), 100),
      value: report.subscription.id,
    }));
}

/** The subscription of the option; without the option, the only one there is. Throws a UserError otherwise. */
export async function pickSubscription(ask: Ask, bench: Bench): Promise<SubscriptionReport> {
  const { fault } = textsFor(ask.locale).bot;
  const typed = String(ask.options.subscription ?? '').trim();
  const all = await bench.desk.subscriptions(ask.caller);
  const exact = all.find((report) => report.subscription.id === typed);
  if (exact) return exact;
  const fitting = all.filter((report) => fits(report, typed.toLowerCase(), ask));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const shown = typed.slice(0, 60) || '…';
  throw new UserError(fitting.length > 1 ? fault.severalSubscriptions(shown) : fault.noSubscription(shown));
}
