// Requests fields that the feed leaves out. A poll that records new postings without a company plans this unit in the
// same commit. Its turn makes one request for the JSON form of the same listing, in the lane of the account, and adds
// what it finds to the postings that still wait in the outbox. An immediate delivery waits for it, at most a minute;
// after that, and after a failure, postings are sent as they are.
import { accountHash } from '../domain/account.js';
import { deliveryPlan } from '../domain/delivery.js';
import { FeedError, GroupRests, reasonOf } from '../domain/errors.js';
import { type Ledger, trimmed } from '../domain/ledger.js';
import { awaiting, enrich } from '../domain/outbox.js';
import type { ReadPosting } from '../domain/posting.js';
import { enrichUnit, planRequest, type RequestRef, requestsOf, subjectsOf } from '../domain/request.js';
import { requestDelay } from '../domain/retry.js';
import { fingerprint } from '../domain/secret.js';
import type { Subscription } from '../domain/subscription.js';
import type { Outcome } from '../ports/engine.js';
import type { Plan } from '../ports/lanes.js';
import type { Pipeline } from './context.js';

/** A path that refuses a token, or gives no listing, is not asked again with it for this long. Milliseconds. */
const REFUSED_MS = 24 * 3_600_000;

/**
 * A delivery that was tried too soon waits for the time that was left when its turn began, and so until a little after the
 * fields are given up. Milliseconds.
 */
const LATER_MS = 1_000;

const refusalRow = (lane: string) => `json-refused:${lane}`;

/** A subscription with postings that wait for fields, and until when, in milliseconds since the epoch. */
interface Waiting {
  readonly subscription: Subscription;
  readonly ledger: Ledger;
  readonly until: number;
}

/** The units to plan with a ledger whose postings wait for fields, for the commit that writes it. */
export function enrichPlans(subscription: Subscription, ledger: Ledger, now: number): readonly Plan[] {
  const isAwaited = (subject: string) =>
    awaiting(ledger, subject).some(({ awaits }) => (awaits?.until ?? 0) > now);
  return subjectsOf(subscription)
    .filter(isAwaited)
    .map((subject) => ({ ...enrichUnit({ lane: accountHash(subscription.account), subject }), at: now }));
}

/**
 * The turn of a unit. Makes no request if nothing waits for it any more. It is not made later than a minute after the poll,
 * so a lane that is late makes fewer of these requests, not more.
 */
export async function enrichFields(
  p: Pipeline,
  request: RequestRef,
  turn: { readonly attempt: number; readonly signal: AbortSignal },
): Promise<Outcome> {
  const waiting = await waitingFor(p, request);
  const until = Math.max(0, ...waiting.map((one) => one.until));
  try {
    const found = until > p.clock.now() ? await ask(p, request, waiting, turn.signal) : [];
    p.step('enrich.fetched');
    await record(p, request, waiting, found);
    p.step('enrich.recorded');
    return { rest: p.settings.spacingMs };
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    if (error.fault === 'aborted') return { again: 0, deferred: true };
    const { fault, retryAfterMs = 0 } = error;
    const wait = Math.round(requestDelay(turn.attempt - 1, Math.random()));
    const isRetried = fault === 'unavailable' && turn.attempt <= p.settings.requestRetries;
    if (isRetried && p.clock.now() + wait < until) return { again: wait, rest: p.settings.spacingMs };
    p.log.info({ request: request.subject, fault, reason: reasonOf(error) }, 'fields were not added');
    await record(p, request, waiting, []);
    return { rest: Math.max(p.settings.spacingMs, fault === 'throttled' ? retryAfterMs || wait : 0) };
  }
}

/**
 * Runs the units of a subscription now, for a cycle that is run by hand. A failed request is not retried. If the token
 * rests for longer than `patienceMs`, postings are sent as they are.
 */
export async function enrichNow(p: Pipeline, subscription: Subscription, patienceMs: number): Promise<void> {
  const { outbox } = await p.ledgers.read(subscription.id);
  const subjects = new Set(outbox.flatMap(({ awaits }) => awaits?.subject ?? []));
  for (const request of requestsOf(subscription).filter(({ subject }) => subjects.has(subject))) {
    const { queue, lane, unit } = enrichUnit(request);
    const last = { attempt: Number.POSITIVE_INFINITY };
    await p.engine
      .run(
        { queue, id: unit, group: lane },
        async (signal) => ({
          result: undefined,
          outcome: await enrichFields(p, request, { ...last, signal }),
        }),
        { patienceMs },
      )
      .catch(async (error: unknown) => {
        if (!(error instanceof GroupRests)) throw error;
        await record(p, request, await waitingFor(p, request), []);
      });
  }
}

/** Deletes the note that the path refused the account's token. */
export function forgetRefusal(
  { stores: { misc } }: Pick<Pipeline, 'stores'>,
  account: string,
): Promise<void> {
  return misc.delete(refusalRow(accountHash(account)));
}

/** The subscriptions with postings that wait for a request. Reads the outboxes only of ledgers that owe something. */
async function waitingFor(p: Pipeline, request: RequestRef): Promise<readonly Waiting[]> {
  const { subscriptions, ledgers } = p.stores;
  const all = await subscriptions.needing(request);
  const owing = await ledgers.backlogs(all.map(({ id }) => id));
  const found: Waiting[] = [];
  for (const subscription of all.filter(({ id }) => owing.has(id))) {
    const ledger = await p.ledgers.read(subscription.id);
    const times = awaiting(ledger, request.subject).map(({ awaits }) => awaits?.until ?? 0);
    if (times.length > 0) found.push({ subscription, ledger, until: Math.max(...times) });
  }
  return found;
}

/**
 * The postings of the JSON form. It is asked of the API, like a poll: a cached answer may be older than the new postings.
 * Empty without a usable token, and where the path refused the token lately. Such a refusal says nothing about the polls,
 * which decide on their own whether the token works.
 */
async function ask(
  p: Pipeline,
  { lane, subject }: RequestRef,
  waiting: readonly Waiting[],
  signal: AbortSignal,
): Promise<readonly ReadPosting[]> {
  // After a gap the poll has asked for as many postings as there are.
  const isGap = waiting.some(({ ledger }) => subject in (ledger.gaps ?? {}));
  const plan = planRequest(
    subject,
    waiting.map((one) => one.subscription),
    isGap,
  );
  const token = plan && (await p.tokens.of(plan.account));
  if (!plan || token?.state !== 'ok') return [];
  const refused = refusalRow(lane);
  if ((await p.stores.misc.get(refused)) === fingerprint(token.token)) return [];
  const { account, query } = plan;
  try {
    const how = { account, query, token: token.token, signal, format: 'json' } as const;
    const answer = await p.feed.fetch({ ...how, fresh: true, once: true, isInTurn: true });
    const read = answer.kind === 'postings' ? await answer.listing.read() : [];
    return read.map((one) => ({ ...one, posting: trimmed(one.posting) }));
  } catch (error) {
    if (error instanceof FeedError && ['rejected', 'refused', 'malformed'].includes(error.fault))
      await p.stores.misc.set(refused, fingerprint(token.token), REFUSED_MS);
    throw error;
  }
}

/** Adds what was found to the postings that wait, and makes their deliveries due. */
async function record(
  p: Pipeline,
  { subject }: RequestRef,
  waiting: readonly Waiting[],
  found: readonly ReadPosting[],
): Promise<void> {
  for (const { subscription, until } of waiting) {
    const plans = await deliveriesUntil(p, subscription, until);
    await p.ledgers.update(subscription.id, (before) => ({
      ledger: enrich(before, subject, found),
      result: undefined,
      plans,
    }));
    for (const { queue } of plans) p.engine.look(queue);
  }
}

/** Deliveries before a digest's slot that wait for the fields. One that is planned for later has another reason to wait. */
async function deliveriesUntil(
  p: Pipeline,
  subscription: Subscription,
  until: number,
): Promise<readonly Plan[]> {
  const plans = subscription.destinations
    .filter(({ cadence, immediateFit }) => cadence.every === 'immediate' || immediateFit !== undefined)
    .map((one) => deliveryPlan(subscription, one, p.clock.now()));
  const due = await Promise.all(plans.map((one) => p.stores.lanes.dueAt(one)));
  return plans.filter((_, index) => (due[index] ?? 0) <= until + LATER_MS);
}
