// The notices that polls lead to: a suspected gap, new keys, a long silence, more requests than a token can make.
import { defined } from '../domain/defined.js';
import type { Ledger } from '../domain/ledger.js';
import { intervalWords, plannedLoads } from '../domain/load.js';
import { isPaused, type Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { pollStatus } from './poll-result.js';

/** The tags of questions, by their subjects. A filter without tags has one question without a tag. */
function tagsOf(subjects: readonly string[]): string {
  return subjects.flatMap((subject) => subject.split('|')[0] || []).join(', ');
}

/**
 * Notifies the owner of a suspected gap: there was more news than an answer holds, so some may have been missed
 * between two polls.
 */
export async function tellGaps(
  p: Pipeline,
  subscription: Subscription,
  subjects: readonly string[],
  now: number,
): Promise<void> {
  const tags = tagsOf(subjects);
  p.metrics.count('gaps_suspected_total', {}, subjects.length);
  p.log.warn(
    { subscription: subscription.id, questions: subjects },
    'gap suspected: an answer was full and ended in a new posting',
  );
  await p.history.note(subscription.id, { at: now, kind: 'gap', ...defined({ why: tags || undefined }) });
  await p.notices.tell({
    kind: 'gap',
    subject: subscription.id,
    account: subscription.account,
    subscription: subscription.id,
    text:
      `There were more new postings${tags ? ` for ${tags}` : ''} than one answer holds, so some may have been missed. ` +
      'jobcrier now asks for more postings and looks more often for a day; a narrower filter or a shorter schedule prevents it.',
    data: { about: p.describe(subscription), ...defined({ tags: tags || undefined }) },
  });
}

const KEYS_NOTICE_MS = 30 * 86_400_000;

/**
 * Notifies the owner that the API has given all its postings new keys. Nothing is lost, but people who rely on keys
 * or links have to know.
 */
export async function tellRekeyed(
  p: Pipeline,
  subscription: Subscription,
  subjects: readonly string[],
): Promise<void> {
  p.log.warn(
    { subscription: subscription.id, questions: subjects },
    'the keys of the feed have changed, its postings were recognised by title and company',
  );
  await p.notices.tell({
    kind: 'keys',
    subject: subscription.id,
    account: subscription.account,
    subscription: subscription.id,
    text:
      'The jobs board has given all its postings new ids. They were recognised by title and company and are not announced again; new ones still are. ' +
      'You need not do anything.',
    data: { about: p.describe(subscription) },
    forMs: KEYS_NOTICE_MS,
  });
}

/** The shortest silence that leads to a notice (silenceDays), milliseconds. */
const SHORTEST_SILENCE_MS = 86_400_000;

/** Whether a notice of silence may be due or may have been sent. */
export function mayBeSilent({ matchedAt }: Pick<Ledger, 'matchedAt'>, now: number): boolean {
  return matchedAt !== undefined && now - matchedAt >= SHORTEST_SILENCE_MS;
}

/**
 * Notifies the owner of a filter that has not matched for a long time, because that is more often a mistake than
 * intended.
 */
export async function watchSilence(
  p: Pipeline,
  subscription: Subscription,
  matchedAt: number,
  now: number,
): Promise<void> {
  if (now - matchedAt < p.settings.silenceDays * 86_400_000)
    return p.notices.clear('silence', subscription.id);
  await p.notices.tell({
    kind: 'silence',
    subject: subscription.id,
    account: subscription.account,
    subscription: subscription.id,
    text: `Nothing has matched for ${p.settings.silenceDays} days. A wider filter may help: fewer words, more tags, or no country.`,
    data: { days: p.settings.silenceDays, about: p.describe(subscription) },
  });
}

/** Checks all subscriptions, because no poll checks one whose requests bring nothing new. */
export async function watchSilences(p: Pipeline): Promise<void> {
  const now = p.clock.now();
  for await (const [id, matchedAt] of p.stores.ledgers.matchedTimes()) {
    if (now - matchedAt < p.settings.silenceDays * 86_400_000) continue;
    const subscription = await p.stores.subscriptions.get(id);
    if (!subscription || isPaused(subscription)) continue;
    // While no request was made, nothing could match.
    const { polledAt = 0 } = await pollStatus(p.stores, subscription);
    if (polledAt - matchedAt >= p.settings.silenceDays * 86_400_000)
      await watchSilence(p, subscription, matchedAt, now);
  }
}

/** Notifies the owner of an account whose requests can't all be made as often as its subscriptions want. */
export async function watchLoad(p: Pipeline, account: string): Promise<void> {
  await tellLoads(p, await p.stores.subscriptions.byAccount(account));
}

/** Checks all accounts, and clears the notices of those whose requests fit again. */
export async function watchLoads(p: Pipeline): Promise<void> {
  await tellLoads(p, p.stores.subscriptions.list());
}

async function tellLoads(p: Pipeline, subscriptions: Parameters<typeof plannedLoads>[0]): Promise<void> {
  const { spacingMs } = p.settings;
  const loads = await plannedLoads(subscriptions, { spacingMs, now: p.clock.now() });
  for (const [account, { requests, share, fittingMinutes: minutes }] of loads)
    if (share <= 1) await p.notices.clear('load', account);
    else
      await p.notices.tell({
        kind: 'load',
        subject: account,
        account,
        text: `Your subscriptions need ${requests} different requests, more than one API token can make as often as they are due. They are made as fast as the API allows, so postings come later. Fewer tags or fewer subscriptions help; at an interval of ${intervalWords(minutes)} all of them fit.`,
        data: { requests, minutes },
      });
}
