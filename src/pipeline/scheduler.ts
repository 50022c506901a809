// One due index for all subscriptions, one hand that turns it. A slot missed while nobody ran is one poll, because
// the index only knows when a subscription was polled last.

import { createDueIndex } from '../domain/due-index.js';
import { reasonOf, StoreError } from '../domain/errors.js';
import { nextPoll } from '../domain/schedule.js';
import { isPaused, type Subscription } from '../domain/subscription.js';
import type { Job, Outcome } from '../ports/engine.js';
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
  /** Puts in the polls that are due. Called once a second. */
  tick(): Promise<void>;
  /** Sets the next poll by what is known of the subscription; `now` polls at once. */
  plan(subscription: Subscription, when?: 'now'): void;
  drop(id: string): void;
  /** When a subscription is polled next, milliseconds since the epoch; undefined while it waits for its owner. */
  nextPollAt(id: string): number | undefined;
  /**
   * Polls outside the schedule and waits for the outcome. The same lane as every other poll of the account. `withinMs`:
   * somebody waits, so one attempt for each request and not longer than this in all once it has begun.
   */
  pollNow(id: string, withinMs?: number): Promise<PollResult>;
  /** The handler of the poll queue. */
  poll(job: Job, signal: AbortSignal): Promise<Outcome>;
  /** Why polling pauses; `lagMs`: for how long the oldest poll has been due that is not done, in line or running. */
  health(): {
    readonly storeFault?: string;
    readonly lagMs: number;
    /** Polls in line or running. */
    readonly queued: number;
    readonly lastTickAt: number;
  };
}

/** `onLeaseLost` ends the service: another process owns the store now. */
export function createScheduler(p: Pipeline, onLeaseLost: () => void): Scheduler {
  const due = createDueIndex();
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

  /** Every time written down lies too far ahead now: each subscription is looked at anew, and whatever is owed. */
  async function startOver(): Promise<void> {
    p.log.warn({}, 'the clock went back, schedules start over');
    probeAt = 0;
    for (const subscription of p.catalogue.all()) {
      plan(subscription);
      if (p.ledgers.state(subscription.id).owes) await wakeDestinations(p, subscription);
    }
  }

  function plan(subscription: Subscription, when?: 'now'): void {
    if (isPaused(subscription)) {
      due.delete(subscription.id);
      return;
    }
    const now = p.clock.now();
    const { polledAt } = p.ledgers.state(subscription.id);
    // A clock that went back must not leave a subscription waiting for the old time to come round again.
    const last = polledAt === undefined ? undefined : Math.min(polledAt, now);
    const at =
      when === 'now' || last === undefined
        ? now
        : nextPoll(subscription.schedule, subscription.id, last, p.settings.minPollMs);
    due.set(subscription.id, at);
  }

  /** Plans the next poll after one that ended; whatever was planned while it ran stays, when it is sooner. */
  function planAfter(id: string, at: number): void {
    if (p.catalogue.get(id)) due.set(id, Math.min(due.get(id) ?? Number.POSITIVE_INFINITY, at));
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
      if (!(await storeWorks(now))) return;
      for (const id of due.take(now)) {
        const subscription = p.catalogue.get(id);
        if (subscription) await p.engine.put({ queue: POLL_QUEUE, id, group: subscription.account });
      }
    },
    plan,
    drop: (id) => due.delete(id),
    nextPollAt: (id) => due.get(id),
    pollNow(id, withinMs) {
      const account = p.catalogue.get(id)?.account ?? id;
      const result = new Promise<PollResult>((resolve, reject) => {
        const waiting = awaited.get(id) ?? [];
        awaited.set(id, [...waiting, { resolve, reject, withinMs }]);
      });
      return p.engine.put({ queue: POLL_QUEUE, id, group: account }).then(() => result);
    },
    async poll(job, signal) {
      const waiting = awaited.get(job.id) ?? [];
      awaited.delete(job.id);
      due.delete(job.id);
      try {
        // Polls that were put in before the store failed: what they bring could not be kept either.
        if (storeFault !== undefined) throw new StoreError('unavailable', storeFault);
        const withinMs = waiting.find((one) => one.withinMs !== undefined)?.withinMs;
        const result =
          withinMs === undefined
            ? await pollSubscription(p, job.id, signal)
            : await pollWithin(p, job.id, signal, withinMs);
        planAfter(job.id, result.nextAt);
        for (const one of waiting) one.resolve(result);
      } catch (error) {
        failed(error);
        const wait = error instanceof StoreError ? STORE_RETRY_MS : p.settings.minPollMs;
        planAfter(job.id, p.clock.now() + wait);
        for (const one of waiting) one.reject(error);
      }
      return undefined;
    },
    health() {
      const now = p.clock.now();
      const oldest = Math.min(due.next(), p.engine.dueSince(POLL_QUEUE) ?? now);
      return {
        lagMs: Math.max(0, now - oldest),
        queued: p.engine.size(POLL_QUEUE),
        lastTickAt,
        ...(storeFault ? { storeFault } : {}),
      };
    },
  };
}
