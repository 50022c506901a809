// What a poll tells people: a suspected gap, a long silence, and what went wrong when the API gave no postings.
import { type FeedError, reasonOf } from '../domain/errors.js';
import { pollBackoff } from '../domain/retry.js';
import { intervalOf } from '../domain/schedule.js';
import { fingerprint, type Secret } from '../domain/secret.js';
import type { Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { isCurrent, type PollResult, stopped } from './poll-result.js';

/** The tag of a question, by its subject; a filter without tags has one question without one. */
function tagsOf(subjects: readonly string[]): string {
  return subjects.flatMap((subject) => subject.split('|')[0] || []).join(', ');
}

/** More news than an answer holds: some may have passed between two looks. */
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
  await p.history.note(subscription.id, { at: now, kind: 'gap', ...(tags ? { why: tags } : {}) });
  await p.notices.tell({
    kind: 'gap',
    subject: subscription.id,
    account: subscription.account,
    subscription: subscription.id,
    text:
      `There were more new postings${tags ? ` for ${tags}` : ''} than one answer holds, so some may have been missed. ` +
      'jobcrier now asks for more postings and looks more often for a day; a narrower filter or a shorter schedule prevents it.',
    data: { about: p.describe(subscription), ...(tags ? { tags } : {}) },
  });
}

const KEYS_NOTICE_MS = 30 * 86_400_000;

/** The API names all its postings anew. Nothing is lost by it, but who relies on keys or links has to know. */
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

/**
 * Some requests of a poll failed. Each is asked again by the rule of a failed poll, by its own count; with no `interval`
 * (milliseconds), because none was answered, at the next poll.
 */
export async function missPart(
  p: Pipeline,
  subscription: Subscription,
  failed: readonly { readonly question: string; readonly error: FeedError }[],
  now: number,
  interval?: number,
): Promise<void> {
  if (!isCurrent(p, subscription)) return;
  const { id } = subscription;
  const failing = { ...p.ledgers.state(id).failing };
  for (const { question, error } of failed) {
    const failures = (failing[question]?.failures ?? 0) + 1;
    failing[question] = {
      failures,
      until: interval === undefined ? 0 : now + pollBackoff(failures, interval),
    };
    if (interval === undefined) continue;
    const { fault, status } = error;
    p.log.warn(
      { subscription: id, question, fault, status, failures, reason: reasonOf(error) },
      'a request of the poll failed, the others were recorded',
    );
  }
  await p.ledgers.saveState(id, { failing, ...(interval === undefined ? {} : { outcome: 'partial' }) });
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
