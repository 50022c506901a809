// One poll: ask, judge, record. What the feed said is remembered as known only after the ledger that
// follows from it is durable; a crash in between means the same question again, never a lost posting.
import { FeedError, reasonOf } from '../domain/errors.js';
import { queriesOf, queryKey } from '../domain/filter.js';
import {
  type Finding,
  GAP_WATCH_MS,
  type Ledger,
  owesAnything,
  type Recorded,
  type RecordOptions,
  record,
} from '../domain/ledger.js';
import { wantedToMove, withDestinations } from '../domain/moving.js';
import { expireOld } from '../domain/parking.js';
import { likeness } from '../domain/posting.js';
import { intervalOf, nextPoll } from '../domain/schedule.js';
import { fingerprint, type Secret } from '../domain/secret.js';
import { seenBound } from '../domain/seen.js';
import { isPaused, type Subscription } from '../domain/subscription.js';
import type { PollState, Wanted } from '../ports/stores.js';
import { type Fetched, fetchAll, findingsOf, isOfToken } from './ask.js';
import { NEW_STATE } from './catalogue.js';
import type { Pipeline } from './context.js';
import { isCurrent, type PollResult, stopped } from './poll-result.js';
import { miss, missPart, tellGaps, tellRekeyed, watchSilence } from './poll-trouble.js';
import { wakeDestinations } from './wake.js';

/**
 * Polls one subscription, with one attempt for each request if `once`. Never throws for what the API does; throws when
 * the store fails, so that nothing is taken as done.
 */
export async function pollSubscription(
  p: Pipeline,
  id: string,
  signal: AbortSignal,
  once = false,
): Promise<PollResult> {
  const subscription = p.catalogue.get(id);
  if (!subscription) return { outcome: 'gone', nextAt: Number.POSITIVE_INFINITY };
  if (isPaused(subscription)) return { outcome: 'paused', nextAt: Number.POSITIVE_INFINITY };
  const token = await p.tokens.of(subscription.account);
  if (token.state !== 'ok') {
    const outcome = token.state === 'missing' ? 'no-token' : 'rejected';
    return { outcome, nextAt: Number.POSITIVE_INFINITY };
  }
  const started = p.clock.now();
  let result: PollResult;
  try {
    const state = p.ledgers.state(id);
    const how = { once, fresh: endsPause(subscription, state) };
    const fetched = await fetchAll(p, subscription, token.token, signal, state, how);
    p.step('poll.fetched');
    result = await outcomeOf(p, subscription, token.token, fetched, started);
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    result = await miss(p, subscription, token.token, error);
  }
  const seconds = (p.clock.now() - started) / 1000;
  p.metrics.observe('poll_duration_seconds', seconds);
  p.metrics.count('polls_total', { outcome: result.outcome });
  p.log.debug({ subscription: id, ...result, seconds }, 'poll done');
  return result;
}

/** That nothing appeared in a pause has to be recorded too, or the first news after it would pass for its own. */
function endsPause({ pausedAt }: Subscription, state: PollState): boolean {
  return pausedAt !== undefined && pausedAt !== state.pause;
}

/** What speaks for the poll as a whole: a fault of the token rather than one of a single request. */
function gravest(failed: Fetched['failed']): FeedError | undefined {
  return failed.find(({ error }) => isOfToken(error))?.error ?? failed[0]?.error;
}

/** Records what was answered, and sees to what was not. */
async function outcomeOf(
  p: Pipeline,
  subscription: Subscription,
  token: Secret,
  fetched: Fetched,
  started: number,
): Promise<PollResult> {
  const { answered, unchanged, failed } = fetched;
  const error = gravest(failed);
  if (error && answered.length + unchanged.length === 0) {
    await missPart(p, subscription, failed, started);
    return miss(p, subscription, token, error);
  }
  const result = await take(p, subscription, token, fetched, started);
  if (!error || result.outcome === 'stopped') return result;
  if (isOfToken(error)) return miss(p, subscription, token, error);
  await missPart(p, subscription, failed, started, intervalOf(subscription.schedule, started));
  return { ...result, outcome: 'partial', ...whyPartial(fetched) };
}

/** In words, of a poll of which not all requests were answered. */
function whyPartial({ failed, answered, unchanged }: Fetched): { readonly why?: string } {
  const [first] = failed;
  if (!first) return {};
  const asked = failed.length + answered.length + unchanged.length;
  return { why: `${failed.length} of ${asked} requests failed: ${reasonOf(first.error)}` };
}

function optionsFor(
  p: Pipeline,
  subscription: Subscription,
  token: Secret,
  fetched: Fetched,
  now: number,
): RecordOptions {
  const { polledAt } = p.ledgers.state(subscription.id);
  const { filter, destinations, pausedAt, resumedAt, newest, reposts } = subscription;
  const { answered, unchanged, full } = fetched;
  const asked = queriesOf(filter).map(queryKey);
  return {
    now,
    asked,
    answered,
    unanswered: asked.filter((question) => !answered.includes(question) && !unchanged.includes(question)),
    full,
    token: fingerprint(token),
    destinations: destinations.map((one) => one.id),
    ...(polledAt !== undefined && polledAt < p.startedAt ? { since: polledAt } : {}),
    ...(pausedAt === undefined ? {} : { pause: pausedAt }),
    ...(resumedAt === undefined ? {} : { resumedAt }),
    newest,
    reposts,
  };
}

/** What a poll would find and do, with nothing written down. Throws a FeedError when the API gives no postings. */
export async function rehearse(
  p: Pipeline,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<Recorded & { readonly why?: string }> {
  const token = await p.tokens.of(subscription.account);
  if (token.state !== 'ok') throw new FeedError('rejected', `the account's token is ${token.state}`);
  const fetched = await fetchAll(p, subscription, token.token, signal, NEW_STATE);
  const error = gravest(fetched.failed);
  if (error && fetched.answered.length === 0) throw error;
  const findings = findingsOf(p, subscription, fetched);
  const ledger = await p.ledgers.look(subscription.id, wantedFor(findings));
  const options = optionsFor(p, subscription, token.token, fetched, p.clock.now());
  return { ...record(ledger, findings, options), ...whyPartial(fetched) };
}

/** What has to be known of former postings to tell what is new in these findings. */
function wantedFor(findings: readonly Finding[]): (ledger: Ledger) => Wanted {
  const keys = findings.flatMap((finding) => finding.keys);
  const likes = findings.flatMap(({ posting }) => likeness(posting) ?? []);
  // What was shown last, by which a change of keys is noticed.
  return ({ recent }) => ({ keys, likes, entries: Object.values(recent).flat() });
}

/** Destinations that get nothing until someone acts. */
function stuck(p: Pipeline, { destinations }: Subscription, parked: Readonly<Record<string, unknown>>) {
  return destinations.filter((one) => one.id in parked || !p.sinks.has(one.sink)).map((one) => one.id);
}

/** So much over its bound, as a share of it, a seen set is cut back: each cut reads it whole. */
const TRIM_SHARE = 5;

/** Records what the poll begun at `now` brought; undefined when the subscription changed while the API was asked. */
async function write(
  p: Pipeline,
  subscription: Subscription,
  token: Secret,
  fetched: Fetched,
  now: number,
): Promise<Recorded | undefined> {
  const findings = findingsOf(p, subscription, fetched);
  const ids = subscription.destinations.map((one) => one.id);
  const ofFindings = wantedFor(findings);
  const recorded = await p.ledgers.update<Recorded | undefined>(
    subscription.id,
    (before) => {
      if (!isCurrent(p, subscription)) return { ledger: before, result: undefined };
      const placed = withDestinations(before, ids, now);
      const ledger = expireOld(placed, stuck(p, subscription, placed.parked), now);
      const result = record(ledger, findings, optionsFor(p, subscription, token, fetched, now));
      return { ledger: result.ledger, result };
    },
    (ledger) => ({ ...ofFindings(ledger), ...wantedToMove(ledger, ids) }),
  );
  if (!recorded) return undefined;
  p.step('poll.recorded');
  const most = seenBound(queriesOf(subscription.filter).length, findings.length);
  if ((recorded.ledger.seenCount ?? 0) > most + most / TRIM_SHARE)
    await p.ledgers.trim(subscription.id, most);
  return recorded;
}

async function take(
  p: Pipeline,
  subscription: Subscription,
  token: Secret,
  fetched: Fetched,
  now: number,
): Promise<PollResult> {
  const { id, pausedAt } = subscription;
  const state = p.ledgers.state(id);
  let recorded: Recorded | undefined;
  if (fetched.answered.length > 0 || endsPause(subscription, state)) {
    recorded = await write(p, subscription, token, fetched, now);
    if (!recorded) return stopped(p, 'the subscription changed meanwhile');
    await afterwards(p, subscription, recorded, state, now);
  }
  if (!isCurrent(p, subscription)) return stopped(p, 'the subscription changed meanwhile');
  const matchedAt = recorded && recorded.counts.matched > 0 ? now : (state.matchedAt ?? now);
  const { unanswered = [] } = optionsFor(p, subscription, token, fetched, now);
  const failing = Object.entries(state.failing ?? {}).filter(([question]) => unanswered.includes(question));
  // A pause is over once every question was answered after it.
  const isHeard = recorded !== undefined && (recorded.ledger.unheard ?? []).length === 0;
  // Only now is the version known: the ledger that holds what it said is durable.
  await p.ledgers.saveState(id, {
    polledAt: now,
    failures: 0,
    outcome: recorded ? 'recorded' : 'unchanged',
    validators: fetched.validators,
    failing: Object.fromEntries(failing),
    matchedAt,
    ...(isHeard && pausedAt !== undefined ? { pause: pausedAt } : {}),
    ...(recorded ? { watch: watchOf(recorded.ledger) } : {}),
  });
  p.step('poll.versioned');
  await watchSilence(p, subscription, matchedAt, now);
  const outcome = !recorded ? 'unchanged' : recorded.baseline ? 'baseline' : 'recorded';
  return {
    outcome,
    nextAt: nextAfter(p, subscription, now),
    ...(recorded ? { matched: recorded.counts.matched } : {}),
  };
}

/** Until when each question is watched. Taken from the ledger, so that a crash in between loses no gap. */
function watchOf({ gaps = {} }: Ledger): Record<string, number> {
  return Object.fromEntries(Object.entries(gaps).map(([subject, at]) => [subject, at + GAP_WATCH_MS]));
}

function isWatching(p: Pipeline, id: string, now: number): boolean {
  return Object.values(p.ledgers.state(id).watch ?? {}).some((until) => until > now);
}

function nextAfter(p: Pipeline, subscription: Subscription, now: number): number {
  const { schedule, id } = subscription;
  const regular = nextPoll(schedule, id, now, p.settings.minPollMs);
  if (!isWatching(p, id, now)) return regular;
  return Math.min(regular, now + Math.max(intervalOf(schedule, now) / 2, p.settings.minPollMs));
}

/** Everything a recorded poll leads to that may be lost in a crash without losing a posting. */
async function afterwards(
  p: Pipeline,
  subscription: Subscription,
  recorded: Recorded,
  state: PollState,
  now: number,
): Promise<void> {
  const { id, account } = subscription;
  const { counts, fresh, baseline, rekeyed } = recorded;
  // First, and for whatever is owed: should the rest fail, the next poll finds nothing new to wake anyone for.
  if (owesAnything(recorded.ledger)) await wakeDestinations(p, subscription);
  if (!isCurrent(p, subscription)) return;
  const announced = fresh.filter((one) => one.fate === 'matched').length;
  p.metrics.count('postings_new_total', {}, fresh.length);
  p.metrics.count('postings_matched_total', {}, announced);
  p.metrics.count('postings_filtered_total', {}, counts.filtered);
  if (fresh.length > 0) {
    p.log.info({ subscription: id, new: fresh.length, announced, ...counts, baseline }, 'poll recorded');
    const archived = fresh.map(({ posting }) => ({ at: now, subscription: id, posting }));
    await p.history.archive(account, archived);
  }
  if (announced > 0 || baseline)
    await p.history.countMatches({ account, subscription: id, at: now, count: announced, first: baseline });
  if (baseline) await p.history.note(id, { at: now, kind: 'baseline', count: counts.matched });
  if (rekeyed.length > 0) await tellRekeyed(p, subscription, rekeyed);
  const watch = Object.entries(watchOf(recorded.ledger));
  // Those not yet in the state are new, or were cut off by a crash before they were told.
  const gaps = watch
    .filter(([subject, until]) => state.watch?.[subject] !== until)
    .map(([subject]) => subject);
  if (gaps.length > 0) await tellGaps(p, subscription, gaps, now);
  else if (watch.length === 0) await p.notices.clear('gap', id);
}
