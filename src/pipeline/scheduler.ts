// When each subscription is polled: a unit in its account's lane, which stands in the store. A slot missed while nothing
// ran is one poll, because only the next one is planned.
import { accountHash } from '../domain/account.js';
import { reasonOf, StoreError } from '../domain/errors.js';
import { nextPoll } from '../domain/schedule.js';
import { isPaused, type Subscription } from '../domain/subscription.js';
import type { Job, JobRef, Outcome } from '../ports/engine.js';
import type { Pipeline } from './context.js';
import { deadlineWithin } from './deadline.js';
import { pollSubscription } from './poll.js';
import type { PollResult } from './poll-result.js';
import { wakeDestinations } from './wake.js';

export const POLL_QUEUE = 'poll';
const STORE_RETRY_MS = 5_000;
/** Less is the clock being kept right. */
const CLOCK_WENT_BACK_MS = 60_000;

export interface Scheduler {
  /** Looks whether a store that failed works again, and whether the clock went back. Called once a second. */
  tick(): Promise<void>;
  /** Sets the next poll by what is known of the subscription, unless it is planned earlier; `now` polls at once. */
  plan(subscription: Subscription, when?: 'now'): Promise<void>;
  drop(subscription: Pick<Subscription, 'id' | 'account'>): Promise<void>;
  /** When a subscription is polled next, milliseconds since the epoch; undefined while it waits for its owner. */
  nextPollAt(subscription: Pick<Subscription, 'id' | 'account'>): Promise<number | undefined>;
  /**
   * Polls outside the schedule and waits for the outcome. The same lane as every other poll of the account. `withinMs`:
   * somebody waits, so one attempt for each request and not longer than this in all once it has begun.
   */
  pollNow(id: string, withinMs?: number): Promise<PollResult>;
  /** The handler of the poll queue. */
  poll(job: Job, signal: AbortSignal): Promise<Outcome>;
  /** Why polling pauses; `lagMs`: for how long the oldest poll has been due that is not done, in line or running. */
  health(): Promise<{
    readonly storeFault?: string;
    readonly lagMs: number;
    /** Polls in line or running. */
    readonly queued: number;
    readonly lastTickAt: number;
  }>;
}

/** The job that polls a subscription. */
export function pollJob({ id, account }: Pick<Subscription, 'id' | 'account'>): JobRef {
  return { queue: POLL_QUEUE, id, group: accountHash(account) };
}

/** `onLeaseLost` ends the service: another process owns the store now. */
export function createScheduler(p: Pipeline, onLeaseLost: () => void): Scheduler {
  const awaited = new Map<
    string,
    {
      resolve: (result: PollResult) => void;
      reject: (error: unknown) => void;
      withinMs?: number | undefined;
    }[]
  >();
  let storeFault: string | undefined;
  let probeAt = 0;
  let lastTickAt = p.clock.now();

  /** Every time written down lies too far ahead now: each subscription is planned anew, and whatever is owed. */
  async function startOver(): Promise<void> {
    p.log.warn({}, 'the clock went back, schedules start over');
    probeAt = 0;
    await p.stores.lanes.forgetRests();
    for (const subscription of p.catalogue.all()) {
      await plan(subscription);
      if (p.ledgers.state(subscription.id).owes) await wakeDestinations(p, subscription);
    }
  }

  async function plan(subscription: Subscription, when?: 'now'): Promise<void> {
    if (isPaused(subscription)) return p.engine.drop(pollJob(subscription));
    const now = p.clock.now();
    const { polledAt } = p.ledgers.state(subscription.id);
    // A clock that went back must not leave a subscription waiting for the old time to come round again.
    const last = polledAt === undefined ? undefined : Math.min(polledAt, now);
    const at =
      when === 'now' || last === undefined
        ? now
        : nextPoll(subscription.schedule, subscription.id, last, p.settings.minPollMs);
    await p.engine.put({ ...pollJob(subscription), at });
  }

  /** While the store does not work nothing is asked of the API, because what it says could not be kept. */
  async function storeWorks(now: number): Promise<boolean> {
    if (storeFault === undefined) return true;
    if (now < probeAt) return false;
    try {
      await p.stores.probe();
      p.log.info({ fault: storeFault }, 'store works again, polling resumes');
      storeFault = undefined;
      return true;
    } catch (error) {
      storeFault = reasonOf(error);
      probeAt = now + STORE_RETRY_MS;
      return false;
    }
  }

  function failed(error: unknown): void {
    if (!(error instanceof StoreError)) {
      p.log.error({ err: error }, 'poll broke off by a bug');
      return;
    }
    if (error.fault === 'lost') {
      onLeaseLost();
      return;
    }
    if (storeFault === undefined)
      p.log.error({ reason: reasonOf(error) }, 'store failed, polling pauses and nothing is marked as seen');
    storeFault = reasonOf(error);
    probeAt = p.clock.now() + STORE_RETRY_MS;
  }

  async function pollWithin(p: Pipeline, id: string, signal: AbortSignal, ms: number): Promise<PollResult> {
    const deadline = deadlineWithin(signal, ms);
    try {
      return await pollSubscription(p, id, deadline.signal, true);
    } finally {
      deadline.release();
    }
  }

  return {
    async tick() {
      const now = p.clock.now();
      const wentBack = now < lastTickAt - CLOCK_WENT_BACK_MS;
      lastTickAt = now;
      if (wentBack) await startOver();
      if (storeFault !== undefined && (await storeWorks(now))) p.engine.look(POLL_QUEUE);
    },
    plan,
    drop: (subscription) => p.engine.drop(pollJob(subscription)),
    nextPollAt: (subscription) => p.engine.dueAt(pollJob(subscription)),
    pollNow(id, withinMs) {
      const account = p.catalogue.get(id)?.account ?? id;
      const result = new Promise<PollResult>((resolve, reject) => {
        const waiting = awaited.get(id) ?? [];
        awaited.set(id, [...waiting, { resolve, reject, withinMs }]);
      });
      return p.engine.put(pollJob({ id, account })).then(() => result);
    },
    async poll(job, signal) {
      const waiting = awaited.get(job.id) ?? [];
      awaited.delete(job.id);
      try {
        // Polls that were due when the store failed: what they bring could not be kept either.
        if (storeFault !== undefined && !(await storeWorks(p.clock.now())))
          throw new StoreError('unavailable', storeFault);
        const withinMs = waiting.find((one) => one.withinMs !== undefined)?.withinMs;
        const result =
          withinMs === undefined
            ? await pollSubscription(p, job.id, signal)
            : await pollWithin(p, job.id, signal, withinMs);
        for (const one of waiting) one.resolve(result);
        return again(result.nextAt);
      } catch (error) {
        failed(error);
        for (const one of waiting) one.reject(error);
        return again(p.clock.now() + (error instanceof StoreError ? STORE_RETRY_MS : p.settings.minPollMs));
      }
    },
    async health() {
      const now = p.clock.now();
      const { due, since = now } = await p.engine.load(POLL_QUEUE);
      return {
        lagMs: Math.max(0, now - since),
        queued: due,
        lastTickAt,
        ...(storeFault ? { storeFault } : {}),
      };
    },
  };

  /** When the poll comes again; never for one that waits for somebody. */
  function again(at: number): Outcome {
    if (at === Number.POSITIVE_INFINITY) return undefined;
    return { again: Math.max(0, at - p.clock.now()), deferred: true };
  }
}

/**
 * What is due stands in the store, but for what changed while nothing ran and what a crash cut off before it was planned:
 * that is put in now. No other process may be running.
 */
export async function planAtStart(p: Pipeline, scheduler: Scheduler): Promise<void> {
  await p.stores.lanes.freeAll();
  const planned = new Set((await p.stores.lanes.units(POLL_QUEUE)).map(({ unit }) => unit));
  for (const subscription of p.catalogue.all()) {
    if (p.ledgers.state(subscription.id).owes) await wakeDestinations(p, subscription);
    if (isPaused(subscription) === planned.has(subscription.id)) await scheduler.plan(subscription);
  }
}
