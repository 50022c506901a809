// What a poll tells people: a suspected gap, a long silence, and what went wrong when the API gave no postings.
import { type FeedError, reasonOf } from '../domain/errors.js';
import { pollBackoff } from '../domain/retry.js';
import { intervalOf } from '../domain/schedule.js';
import { fingerprint, type Secret } from '../domain/secret.js';
import type { Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { isCurrent, type PollResult, stopped } from './poll-result.js';

/** Too much news at once: something may have passed between two looks. */
export async function tellGap(p: Pipeline, subscription: Subscription, now: number): Promise<void> {
  p.metrics.count('gaps_suspected_total');
  await p.history.note(subscription.id, { at: now, kind: 'gap' });
  await p.notices.tell({
    kind: 'gap',
    subject: subscription.id,
    account: subscription.account,
    subscription: subscription.id,
    text:
      'Since the last look every posting in the feed has changed, so some may have been missed. ' +
      'jobcrier now asks for more postings and looks more often for a day; a narrower filter or a shorter schedule prevents it.',
    data: { about: p.describe(subscription) },
  });
}

/** A filter that never matches is more often a mistake than a wish. */
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

/** Whether the account still has the very token that was asked with. */
async function isStillThere(p: Pipeline, account: string, token: Secret): Promise<boolean> {
  const now = await p.tokens.of(account);
  return now.state !== 'missing' && fingerprint(now.token) === fingerprint(token);
}

/** The API gave no postings: decides who waits, for how long, and who is told (jobs API, Errors). */
export async function miss(
  p: Pipeline,
  subscription: Subscription,
  token: Secret,
  error: FeedError,
): Promise<PollResult> {
  const { id, schedule } = subscription;
  const why = reasonOf(error);
  if (error.fault === 'aborted') return stopped(p, why);
  if (!isCurrent(p, subscription)) return stopped(p, 'the subscription changed meanwhile');
  if (error.fault === 'rejected') return rejected(p, subscription, token, why);
  const now = p.clock.now();
  const { minPollMs } = p.settings;
  if (error.fault === 'throttled') {
    await p.ledgers.saveState(id, { outcome: error.fault });
    return { outcome: 'throttled', nextAt: now + Math.max(error.retryAfterMs ?? 60_000, minPollMs), why };
  }
  const failures = p.ledgers.state(id).failures + 1;
  await p.ledgers.saveState(id, { failures, outcome: error.fault });
  p.log.warn(
    { subscription: id, fault: error.fault, status: error.status, failures, reason: why },
    'poll failed',
  );
  const gap = Math.max(pollBackoff(failures, intervalOf(schedule, now)), minPollMs);
  return { outcome: 'failed', nextAt: now + gap, why };
}

async function rejected(
  p: Pipeline,
  subscription: Subscription,
  token: Secret,
  why: string,
): Promise<PollResult> {
  const { id, account } = subscription;
  // A new token set while the old one was asked with is not the one that was refused.
  if (!(await isStillThere(p, account, token))) return stopped(p, 'the token changed meanwhile');
  await p.history.note(id, { at: p.clock.now(), kind: 'rejected', why });
  // Told before it is remembered as rejected: the other way round a failure in between would keep it from the owner for good.
  await p.notices.tell({
    kind: 'token',
    subject: account,
    account,
    subscription: id,
    text: `The jobs API no longer accepts your token (${why}), so your subscriptions wait. Renew or rotate it on the token page of ${p.settings.source}, then set the new one with /token set or "jobcrier token set"; nothing is lost meanwhile.`,
    data: { source: p.settings.source },
  });
  await p.tokens.reject(account, token, why);
  return { outcome: 'rejected', nextAt: Number.POSITIVE_INFINITY, why };
}
