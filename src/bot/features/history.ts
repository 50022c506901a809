// The command /jobs history: what a subscription delivered recently, and what failed.
import type { SubscriptionReport } from '../../ports/services.js';
import type { HistoryEvent } from '../../ports/stores.js';
import { describeFilter } from '../../render/describe.js';
import { escaped } from '../../render/discord/escape.js';
import { type Texts, textsFor } from '../../render/texts.js';
import { ONE_SUBSCRIPTION, pickSubscription } from '../forms/pick.js';
import type { Command, Feature, Reply, Request } from '../runtime/request.js';
import { destinationWords, reasonWords, relative } from '../views/subscription.js';

const jobsHistory = {
  path: 'jobs history',
  ...ONE_SUBSCRIPTION,
  async run(request, context) {
    const report = await pickSubscription(request, context);
    return historyView(
      report,
      await context.services.history(request.caller, report.subscription.id),
      request,
    );
  },
} satisfies Command;

/** Events to show. */
const SHOWN = 15;

const SIGNS: Readonly<Record<HistoryEvent['kind'], string>> = {
  baseline: '📦',
  sent: '✅',
  failed: '🔁',
  parked: '⛔',
  expired: '⌛',
  gap: '❓',
  rejected: '🔑',
  resumed: '▶️',
};

/** Renders what happened to a subscription, newest first. */
export function historyView(
  report: SubscriptionReport,
  events: readonly HistoryEvent[],
  request: Request,
): Reply {
  const texts = textsFor(request.locale);
  const { history } = texts.bot;
  if (events.length === 0) return { text: history.none };
  const { subscription } = report;
  const lines = events.slice(0, SHOWN).map((event) => {
    const destination = subscription.destinations.find((one) => one.id === event.destination);
    const place = destination && subscription.destinations.length > 1 ? destination : undefined;
    const parts = [
      `${SIGNS[event.kind] ?? '•'} ${relative(event.at)} ${wordsOf(event, texts)}`,
      place && destinationWords(place, request.locale),
      event.why && reasonWords(event, texts),
    ];
    return parts.filter(Boolean).join(' · ');
  });
  return {
    embeds: [
      {
        title: escaped(history.title({ words: describeFilter(subscription.filter, request.locale) }), 250),
        description: lines.join('\n'),
      },
    ],
  };
}

function wordsOf({ kind, count = 0 }: HistoryEvent, { bot: { history } }: Texts): string {
  if (kind === 'sent' || kind === 'expired') return history[kind]({ count });
  // A later version may have stored a kind that this version does not know.
  return history[kind] ?? history.unnamed;
}

export const historyFeature: Feature = { commands: [jobsHistory] };
