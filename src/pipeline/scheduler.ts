// The poll queue: requests, and the recording of what they brought for subscriptions that wait for several of them. What is
// due stands in the store; a slot missed while nothing ran is one poll, because only the next one is planned.
import { accountHash } from '../domain/account.js';
import { reasonOf, StoreError } from '../domain/errors.js';
import { POLL_QUEUE, type RequestRef, recordUnit, requestsOf, requestUnit } from '../domain/request.js';
import { requestDelay } from '../domain/retry.js';
import type { Secret } from '../domain/secret.js';
import { isPaused, type Subscription } from '../domain/subscription.js';
import type { Job, JobRef, Outcome } from '../ports/engine.js';
import type { Asked } from './ask.js';
import type { Pipeline } from './context.js';
import { type Heard, recordAnswers } from './poll.js';
import type { PollResult } from './poll-result.js';
import { askedQuery, pollRequest, type RequestResult } from './requests.js';
import { wakeDestinations } from './wake.js';

const STORE_RETRY_MS = 5_000;
/** Less is the clock being kept right. */
const CLOCK_WENT_BACK_MS = 60_000;

export interface Scheduler {
  /** Looks whether a store that failed works again, and whether the clock went back. Called once a second. */
  tick(): Promise<void>;
  /** Asks what the subscription needs as soon as its lane is free. */
  plan(subscription: Subscription): Promise<void>;
  /** When a subscription is polled next, milliseconds since the epoch; undefined while it waits for its owner. */
  nextPollAt(subscription: Subscription): Promise<number | undefined>;
  /**
   * Polls outside the schedule, in the lane of the account, and waits for the outcome. `signal`: somebody waits, so each
   * request is tried once.
   */
  pollNow(id: string, signal?: AbortSignal): Promise<PollResult>;
  /** The handler of the poll queue. */
  poll(job: Job, context: { readonly attempt: number; readonly signal: AbortSignal }): Promise<Outcome>;
  /** Why polling pauses; `lagMs`: for how long the oldest poll has been due that is not done, in line or running. */
  health(): Promise<{
    readonly storeFault?: string;
    readonly lagMs: number;
    /** Polls in line or running. */
    readonly queued: number;
    readonly lastTickAt: number;
  }>;
}

/** The job that asks a request. */
export function requestJob({ lane, subject }: RequestRef): JobRef {
  return { queue: POLL_QUEUE, id: requestUnit(subject), group: lane };
}

/** The job that records what the requests of a subscription brought. */
function recordJob({ id, account }: Pick<Subscription, 'id' | 'account'>): JobRef {
  return { queue: POLL_QUEUE, id: recordUnit(id), group: accountHash(account) };
}

/** `onLeaseLost` ends the service: another process owns the store now. `sleep`: waits between two tries of {@link Scheduler.pollNow}. */
export function createScheduler(
  p: Pipeline,
  onLeaseLost: () => void,
  sleep: (ms: number) => Promise<void>,
): Scheduler {
  let storeFault: string | undefined;
  let probeAt = 0;
  let lastTickAt = p.clock.now();

  /** Every time written down lies too far ahead now: each request is asked anew, and whatever is owed is looked at. */
  async function startOver(): Promise<void> {
    p.log.warn({}, 'the clock went back, schedules start over');
    probeAt = 0;
    await p.stores.lanes.forgetRests();
    for await (const subscription of p.stores.subscriptions.list()) {
      await plan(subscription);
      await wakeDestinations(p, subscription);
    }
  }

  async function plan(subscription: Subscription): Promise<void> {
    for (const request of requestsOf(subscription)) await p.engine.put(requestJob(request));
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

  /** One request now, with retries unless somebody waits. */
  async function askNow(request: RequestRef, held: string, signal?: AbortSignal): Promise<RequestResult> {
    for (let attempt = 1; ; attempt++) {
      const result = await p.engine.run(
        requestJob(request),
        (abort) =>
          pollRequest(p, request, {
            attempt,
            signal: signal ? AbortSignal.any([signal, abort]) : abort,
            held,
            once: signal !== undefined || attempt > p.settings.requestRetries,
          }),
        signal,
      );
      if (!result.retried) return result;
      await sleep(requestDelay(attempt - 1, Math.random()));
    }
  }

  async function pollNow(id: string, signal?: AbortSignal): Promise<PollResult> {
    const subscription = await p.stores.subscriptions.get(id);
    if (!subscription) return { outcome: 'gone' };
    if (isPaused(subscription)) return { outcome: 'paused' };
    const token = await p.tokens.of(subscription.account);
    if (token.state !== 'ok') return { outcome: token.state === 'missing' ? 'no-token' : 'rejected' };
    const results: RequestResult[] = [];
    for (const request of requestsOf(subscription)) {
      const result = await askNow(request, id, signal);
      results.push(result);
      if (result.outcome === 'rejected' || result.outcome === 'throttled') break;
    }
    const heard = await p.engine.run(
      recordJob(subscription),
      async () => ({ result: await recordStored(p, id, 'now'), outcome: undefined }),
      signal,
    );
    return pollResult(results, heard);
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
    async nextPollAt(subscription) {
      const times: number[] = [];
      for (const request of requestsOf(subscription)) {
        const at = await p.engine.dueAt(requestJob(request));
        if (at !== undefined) times.push(at);
      }
      return times.length > 0 ? Math.min(...times) : undefined;
    },
    async pollNow(id, signal) {
      try {
        return await pollNow(id, signal);
      } catch (error) {
        failed(error);
        throw error;
      }
    },
    async poll(job, { attempt, signal }) {
      try {
        // Polls that were due when the store failed: what they bring could not be kept either.
        if (storeFault !== undefined && !(await storeWorks(p.clock.now())))
          throw new StoreError('unavailable', storeFault);
        const [kind, what] = [job.id.slice(0, 2), job.id.slice(2)];
        if (kind === 's|') {
          await recordStored(p, what);
          return undefined;
        }
        const { outcome } = await pollRequest(p, { lane: job.group, subject: what }, { attempt, signal });
        return outcome;
      } catch (error) {
        failed(error);
        const wait = error instanceof StoreError ? STORE_RETRY_MS : p.settings.minPollMs;
        return { again: wait, deferred: true };
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
}

/** Records for a subscription what its requests brought last. */
async function recordStored(p: Pipeline, id: string, at?: 'now'): Promise<Heard> {
  const subscription = await p.stores.subscriptions.get(id);
  if (!subscription || isPaused(subscription)) return { outcome: 'stopped' };
  const token = await p.tokens.of(subscription.account);
  if (token.state !== 'ok') return { outcome: 'stopped' };
  const asked = await answersOf(p, subscription, token.token);
  return recordAnswers(p, subscription, token.token, asked, at);
}

/** The last answers to the requests of a subscription. */
async function answersOf(p: Pipeline, subscription: Subscription, token: Secret): Promise<readonly Asked[]> {
  const { account } = subscription;
  const requests = requestsOf(subscription);
  const heard = (await p.stores.polls.read(subscription.id))?.heard ?? {};
  const states = await p.stores.requests.many(requests);
  const asked: Asked[] = [];
  for (const [index, request] of requests.entries()) {
    const state = states[index] ?? {};
    const { plan, validator, formerlyAt } = state;
    if (!plan || !validator) continue;
    if (heard[request.subject] === validator.hash) {
      asked.push({ request, query: plan.query, answer: { kind: 'unchanged', validator }, formerlyAt });
      continue;
    }
    const query = askedQuery(plan, state, p.clock.now());
    const answer = await p.feed.recall({ account, token, query, format: p.settings.format });
    if (answer) asked.push({ request, query, answer, formerlyAt });
    else {
      // It is no longer kept: the next answer is read in full.
      await p.stores.requests.reset(request);
      await p.engine.put(requestJob(request));
    }
  }
  return asked;
}

/** What a poll came to as a whole. */
function pollResult(results: readonly RequestResult[], heard: Heard): PollResult {
  const isAnswered = ({ outcome }: RequestResult) => outcome === 'answered' || outcome === 'unchanged';
  const bad = results.filter((one) => !isAnswered(one));
  const grave = bad.find(({ outcome }) => outcome === 'rejected' || outcome === 'throttled') ?? bad[0];
  const { outcome, matched } = heard;
  const told = { outcome, ...(matched === undefined ? {} : { matched }) };
  if (!grave) return told;
  const why = grave.why ?? grave.outcome;
  if (grave.outcome === 'rejected' || grave.outcome === 'throttled' || bad.length === results.length)
    return { outcome: grave.outcome === 'idle' ? 'stopped' : (grave.outcome as PollResult['outcome']), why };
  return { ...told, outcome: 'partial', why: `${bad.length} of ${results.length} requests failed: ${why}` };
}

/** Frees what a process that died was working on. No other process may be running. */
export async function planAtStart(p: Pipeline): Promise<void> {
  await p.stores.lanes.freeAll();
}
