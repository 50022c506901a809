// The last steps of a subscription, shared by the command and by the question for a time zone.
import type { Draft } from '../ports/desk.js';
import { textsFor } from '../render/language/index.js';
import type { Answer, Ask, Bench } from './ask.js';
import { showing } from './managing.js';
import { comingWords, subscriptionButtons, subscriptionWords } from './views/subscription.js';

/** Subscribes and says what was understood, when it looks next and how many match now. */
export async function finishSubscription(
  ask: Ask,
  bench: Bench,
  draft: Draft,
  notes: readonly string[],
): Promise<Answer> {
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
