// One request to the jobs API, made in a turn of its account's lane. The answer is recorded for every subscription
// that needs it, and only then is the new version stored with the request. After a crash in between, the same answer
// comes again and no posting is lost. A retry is a later turn, so no slot is held while a token waits.
import { defined } from '../domain/defined.js';
import { FeedError, reasonOf } from '../domain/errors.js';
import { MAX_LIMIT } from '../domain/filter.js';
import {
  planRequest,
  type RequestPlan,
  type RequestRef,
  recordUnit,
  requestsOf,
  requestUnit,
} from '../domain/request.js';
import { pollBackoff, requestDelay } from '../domain/retry.js';
import { intervalOf, nextPoll } from '../domain/schedule.js';
import { fingerprint, type Secret } from '../domain/secret.js';
import { isPaused, type Subscription } from '../domain/subscription.js';
import type { JobRef, Outcome } from '../ports/engine.js';
import type { FeedAnswer } from '../ports/feed.js';
import type { RequestState, VersionedSubscription } from '../ports/stores.js';
import type { Asked } from './ask.js';
import type { Pipeline } from './context.js';
import { recordAnswers } from './poll.js';
import { watchLoad } from './poll-trouble.js';

/** How a request ended. `idle`: no subscription needs it, or its account has no usable token. */
export interface RequestResult {
  readonly outcome: 'answered' | 'unchanged' | 'idle' | 'stopped' | 'rejected' | 'throttled' | 'failed';
  readonly why?: string;
  /** It is tried again after a moment. */
  readonly retried?: true;
}

export interface RequestTurn {
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** The {@link RequestState} that the last turn left, if any. */
  readonly state: unknown;
  /** A subscription that the caller records itself, once all its requests are answered. */
  readonly held?: string | undefined;
  /** A failed request is not retried. */
  readonly once?: boolean | undefined;
}

interface Ended {
  readonly result: RequestResult;
  readonly outcome: Outcome;
}

/** A request with its state, its plan and the account's token. */
interface Current {
  readonly request: RequestRef;
  readonly state: RequestState;
  readonly plan: RequestPlan;
  readonly token: Secret;
}

/** A held subscription is recorded after this time if its caller does not do it, milliseconds. */
const HELD_MS = 10_000;
/** Rest after a 429 that names no time, once the retries are used up, milliseconds. */
const THROTTLED_MS = 60_000;
/** For a request that no subscription needs. */
const OVER: Ended = {
  result: { outcome: 'idle', why: 'no subscription needs it any more' },
  outcome: undefined,
};
/** Waits until the account has a usable token, see subscription-sync.ts. */
const WAITS = { again: Number.POSITIVE_INFINITY, succeeded: true } as const;

/**
 * Makes one request and handles its answer or failure. Throws when the store fails, so that the turn is not taken as
 * done.
 */
export async function pollRequest(p: Pipeline, request: RequestRef, turn: RequestTurn): Promise<Ended> {
  const state = (turn.state ?? {}) as RequestState;
  // Read after the state: adding a subscription from now on makes the request forget its state.
  const needing = state.plan ? [] : await p.stores.subscriptions.needing(request);
  const plan = state.plan ?? planRequest(request.subject, needing);
  if (!plan) return OVER;
  const token = await p.tokens.of(plan.account);
  if (token.state !== 'ok')
    return { result: { outcome: 'idle', why: `the account's token is ${token.state}` }, outcome: WAITS };
  const current: Current = { request, state, plan, token: token.token };
  const started = p.clock.now();
  // An answer cached before a pause ended does not show what was posted up to its end.
  const fresh = needing.some(({ resumedAt = 0 }) => started - resumedAt < p.settings.minPollMs);
  let ended: Ended;
  try {
    const answer = await ask(p, current, fresh, turn);
    p.step('poll.fetched');
    ended = await take(p, current, answer, turn);
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    ended = await failed(p, current, error, turn);
  }
  const seconds = (p.clock.now() - started) / 1000;
  p.metrics.observe('poll_duration_seconds', seconds);
  countPoll(p, ended.result);
  p.log.debug({ account: plan.account, request: request.subject, ...ended.result, seconds }, 'request done');
  return { ...ended, outcome: { rest: p.settings.spacingMs, ...ended.outcome } };
}

/** Counts a request that was not `answered`. Answers are counted where they are recorded, once for each subscription. */
function countPoll(p: Pipeline, { outcome, retried }: RequestResult): void {
  if (outcome !== 'answered' && !retried) p.metrics.count('polls_total', { outcome });
}

function ask(p: Pipeline, { state, plan, token }: Current, fresh: boolean, turn: RequestTurn) {
  const { signal } = turn;
  const query = askedQuery(plan, state, p.clock.now());
  const request = { account: plan.account, token, query, format: p.settings.format, signal };
  const { validator } = state;
  // The caller that records a held subscription reads the answer again, with those to the other requests.
  const keep = plan.keep || turn.held !== undefined;
  if (validator) return p.feed.poll({ known: validator, keep, ...request });
  return p.feed.fetch({ ...request, once: true, isInTurn: true, fresh });
}

/** The query to send: with the highest limit while a gap is watched. */
export function askedQuery({ query }: RequestPlan, { watchUntil = 0 }: RequestState, now: number) {
  return watchUntil > now ? { ...query, limit: MAX_LIMIT } : query;
}

/** Records an answer for every subscription that needs it. */
async function take(p: Pipeline, current: Current, answer: FeedAnswer, turn: RequestTurn): Promise<Ended> {
  const { request, state, plan } = current;
  const now = p.clock.now();
  let watchUntil = (state.watchUntil ?? 0) > now ? state.watchUntil : undefined;
  let isStopped = false;
  if (answer.kind === 'postings') {
    const query = askedQuery(plan, state, now);
    const asked: Asked = { request, query, answer, formerlyAt: state.answeredAt };
    for (const versioned of await needing(p, request, plan)) {
      if (await isLeft(p, versioned.subscription, request, answer, turn)) continue;
      const { outcome, watch = {} } = await recordAnswers(p, versioned, current.token, [asked]);
      isStopped ||= outcome === 'stopped';
      watchUntil = Math.max(watchUntil ?? 0, watch[request.subject] ?? 0) || undefined;
    }
  }
  // A subscription that changed in the meantime has not recorded the answer, so the request is made again.
  if (isStopped) return { result: { outcome: 'answered' }, outcome: { again: 0, succeeded: true } };
  const next: RequestState = {
    plan,
    validator: answer.validator,
    answeredAt: now,
    ...defined({ formerlyAt: state.answeredAt, watchUntil }),
  };
  // The answer is so late that the account may have more requests than there is time for.
  if (now - (state.answeredAt ?? now) > 2 * interval(plan, now)) await watchLoad(p, plan.account);
  p.step('poll.answered');
  const outcome = answer.kind === 'unchanged' ? 'unchanged' : 'answered';
  const again = Math.max(0, nextAt(p, current, next, now) - p.clock.now());
  return { result: { outcome }, outcome: { again, succeeded: true, state: next } };
}

/** The subscriptions that need a request. When one of them changes, the request forgets its plan. */
async function needing(
  { stores: { subscriptions } }: Pipeline,
  request: RequestRef,
  { needs, account }: RequestPlan,
): Promise<readonly VersionedSubscription[]> {
  const all = await subscriptions.withVersions(needs ?? (await subscriptions.idsNeeding(request)));
  return all.filter(({ subscription: one }) => !isPaused(one) && one.account === account);
}

/**
 * True when a subscription's other requests are due as well. Then all answers are recorded together, right after the
 * last one: a posting with two tags counts once, and an edition holds the postings of all of them.
 */
async function isLeft(
  p: Pipeline,
  subscription: Subscription,
  request: RequestRef,
  answer: Extract<FeedAnswer, { kind: 'postings' }>,
  turn: RequestTurn,
): Promise<boolean> {
  // An answer that was not kept can't be read again.
  if (!answer.kept) return false;
  const now = p.clock.now();
  const isHeld = turn.held === subscription.id;
  const others = requestsOf(subscription).filter(({ subject }) => subject !== request.subject);
  if (others.length === 0 && !isHeld) return false;
  const unit = { ...requestUnit(request), unit: recordUnit(subscription.id) };
  const { lanes } = p.stores;
  if (!isHeld) {
    // An earlier answer waits to be recorded. This one is recorded with it.
    if ((await lanes.dueAt(unit)) !== undefined) return true;
    if (!(await anyDue(p, others, now))) return false;
  }
  await lanes.plan([{ ...unit, at: isHeld ? now + HELD_MS : now }]);
  return true;
}

async function anyDue(p: Pipeline, requests: readonly RequestRef[], now: number): Promise<boolean> {
  for (const request of requests) {
    const at = await p.stores.lanes.dueAt(requestUnit(request));
    if (at !== undefined && at <= now) return true;
  }
  return false;
}

/** Raises the limit of requests with a suspected gap, and makes them sooner. `watch`: until when, by subject. */
export async function watchRequests(
  p: Pipeline,
  subscription: Subscription,
  watch: Readonly<Record<string, number>>,
): Promise<void> {
  const now = p.clock.now();
  for (const request of requestsOf(subscription)) {
    const until = watch[request.subject];
    if (until === undefined || until <= now) continue;
    const unit = requestUnit(request);
    const [kept] = await p.stores.lanes.states([unit]);
    const state = (kept?.state ?? {}) as RequestState;
    const { plan, watchUntil = 0 } = state;
    if (!kept || !plan || watchUntil >= until) continue;
    // If the state was forgotten in the meantime, the request is due anyway.
    const { version } = kept;
    await p.stores.lanes.keep([{ ...unit, state: { ...state, watchUntil: until }, version }]);
    await p.engine.put({
      ...requestJob(request),
      at: now + Math.max(interval(plan, now) / 2, p.settings.minPollMs),
    });
  }
}

/** The job that makes a request. */
export function requestJob(request: RequestRef): JobRef {
  const { queue, lane, unit } = requestUnit(request);
  return { queue, id: unit, group: lane };
}

/**
 * When the request is made next: as often as its most frequent subscription wants, and twice as often while a gap is
 * watched.
 */
function nextAt(
  p: Pipeline,
  { request, plan }: Current,
  { watchUntil = 0 }: RequestState,
  now: number,
): number {
  const { minPollMs } = p.settings;
  const share = `${request.lane}|${request.subject}`;
  const regular = Math.min(...plan.schedules.map((one) => nextPoll(one, share, now, minPollMs)));
  if (watchUntil <= now) return regular;
  return Math.min(regular, now + Math.max(interval(plan, now) / 2, minPollMs));
}

function interval({ schedules }: RequestPlan, now: number): number {
  return Math.min(...schedules.map((one) => intervalOf(one, now)));
}

/**
 * Handles a request that brought no postings: decides what waits, for how long, and who is notified (jobs API,
 * Errors).
 */
async function failed(p: Pipeline, current: Current, error: FeedError, turn: RequestTurn): Promise<Ended> {
  const why = reasonOf(error);
  const { fault, status } = error;
  if (fault === 'aborted')
    return { result: { outcome: 'stopped', why }, outcome: { again: 0, deferred: true } };
  if (fault === 'rejected') return rejected(p, current, why);
  const now = p.clock.now();
  const { request, state, plan } = current;
  if (fault === 'throttled' && error.retryAfterMs !== undefined) {
    const { retryAfterMs } = error;
    const again = Math.max(retryAfterMs, p.settings.minPollMs);
    const next: RequestState = { ...state, plan, outcome: fault, why };
    return {
      result: { outcome: fault, why },
      outcome: { again, succeeded: true, rest: retryAfterMs, state: next },
    };
  }
  const isRetried = fault === 'throttled' || fault === 'unavailable';
  if (isRetried && !turn.once && turn.attempt <= p.settings.requestRetries) {
    const wait = Math.round(requestDelay(turn.attempt - 1, Math.random()));
    const rest = fault === 'throttled' ? { rest: wait } : {};
    p.log.debug(
      { lane: request.lane, request: request.subject, fault, status, attempt: turn.attempt },
      'request failed, trying again',
    );
    return { result: { outcome: 'failed', why, retried: true }, outcome: { again: wait, ...rest } };
  }
  if (fault === 'throttled') {
    const next: RequestState = { ...state, plan, outcome: fault, why };
    return {
      result: { outcome: fault, why },
      outcome: { again: THROTTLED_MS, succeeded: true, rest: THROTTLED_MS, state: next },
    };
  }
  const failures = (state.failures ?? 0) + 1;
  const [first, ...others] = await p.stores.subscriptions.needing(request);
  p.log.warn(
    {
      account: plan.account,
      request: request.subject,
      subscription: first?.id,
      ...defined({ others: others.length > 0 ? others.length : undefined }),
      fault,
      status,
      failures,
      reason: why,
    },
    'poll failed',
  );
  const gap = Math.max(pollBackoff(failures, interval(plan, now)), p.settings.minPollMs);
  const next: RequestState = { ...state, plan, failures, outcome: fault, why };
  return { result: { outcome: 'failed', why }, outcome: { again: gap, succeeded: true, state: next } };
}

/** Handles a refused token: notifies its owner, and makes no more requests with it. */
async function rejected(p: Pipeline, { request, plan, token }: Current, why: string): Promise<Ended> {
  const { account } = plan;
  const now = await p.tokens.of(account);
  // The account got a new token during the request. That one was not refused.
  if (now.state === 'missing' || fingerprint(now.token) !== fingerprint(token))
    return {
      result: { outcome: 'stopped', why: 'the token changed meanwhile' },
      outcome: { again: 0, deferred: true },
    };
  const [first, ...others] = await p.stores.subscriptions.needing(request);
  for (const { id } of first ? [first, ...others] : [])
    await p.history.note(id, { at: p.clock.now(), kind: 'rejected', why });
  // The owner is notified before the rejection is stored. In the other order, a failure in between would mean that
  // the owner is never notified.
  await p.notices.tell({
    kind: 'token',
    subject: account,
    account,
    ...defined({ subscription: first?.id }),
    text: `The jobs API no longer accepts your token (${why}), so your subscriptions wait. Renew or rotate it on the token page of ${p.settings.source}, then set the new one with /token set or "jobcrier token set"; nothing is lost meanwhile.`,
    data: { source: p.settings.source },
  });
  await p.tokens.reject(account, token, why);
  return { result: { outcome: 'rejected', why }, outcome: WAITS };
}
