// The poll queue. It makes requests, and records the answers for subscriptions that wait for several of them. What is
// due is in the store. Slots missed while no process ran lead to one poll, because only the next slot is planned.

import { accountHash } from '../domain/account.js';
import { defined } from '../domain/defined.js';
import { FeedError, GroupRests, reasonOf, StoreError } from '../domain/errors.js';
import { POLL_QUEUE, type RequestRef, recordUnit, requestsOf, requestUnit } from '../domain/request.js';
import { requestDelay } from '../domain/retry.js';
import type { Secret } from '../domain/secret.js';
import { isPaused, type Subscription } from '../domain/subscription.js';
import type { Job, JobContext, JobRef, Outcome } from '../ports/engine.js';
import type { Asked } from './ask.js';
import type { Pipeline } from './context.js';
import { resumeSinks } from './dispatch.js';
import { enqueueDeliveries } from './enqueue-deliveries.js';
import { enrichFields, enrichNow } from './enrich.js';
import { type Heard, recordAnswers } from './poll.js';
import { type PollResult, requestStates } from './poll-result.js';
import { watchLoads, watchSilences } from './poll-trouble.js';
import { askedQuery, pollRequest, type RequestResult, requestJob, watchRequests } from './requests.js';
import { same } from './same.js';

const STORE_RETRY_MS = 5_000;
/** Until a unit that this build does not know is looked at again, milliseconds. */
const OTHER_BUILD_MS = 10_000;
/** Longest rest of a token that is waited out, milliseconds. It is shorter while a person waits. */
const LONGEST_REST = 10_000;
const LONGEST_REST_WATCHED = 2_000;
/** After this many failed requests in a row, with none answered, the API counts as unavailable and no more are made. */
const AWAY_AFTER = 2;
/** A smaller step back is an ordinary clock adjustment. */
const CLOCK_WENT_BACK_MS = 60_000;
/** The row that holds the time, so that a start notices a clock that was set back while no process ran. */
const CLOCK = 'clock';
const SILENCE_EVERY_MS = 12 * 3_600_000;

export interface Scheduler {
  /** Checks whether a store that failed works again, and whether the clock went back. Called once a second. */
  tick(): Promise<void>;
  /**
   * Makes the requests of subscriptions due, each as soon as its lane is free. One that several of them need is made
   * once.
   */
  plan(subscriptions: readonly Subscription[]): Promise<void>;
  /** When a subscription is polled next, milliseconds since the epoch; undefined while it waits for its owner. */
  nextPollAt(subscription: Subscription): Promise<number | undefined>;
  /**
   * Polls outside the schedule, in the lane of the account, and waits for the outcome. `signal`: a person waits, so
   * each request is tried once.
   */
  pollNow(id: string, signal?: AbortSignal): Promise<PollResult>;
  /** Requests the fields that the feed left out of the postings of a subscription, without the schedule. */
  enrichNow(subscription: Subscription): Promise<void>;
  /** The handler of the poll queue. */
  poll(job: Job, context: JobContext): Promise<Outcome>;
  /** Called when due polls can't be taken because the store fails. */
  storeFailed(error: unknown): void;
  /** `storeFault`: why polling pauses. `lagMs`: how long the oldest unfinished poll, in line or running, has been due. */
  health(): Promise<{
    readonly storeFault?: string;
    readonly lagMs: number;
    /** Polls in line or running. */
    readonly queued: number;
    readonly lastTickAt: number;
  }>;
}

/** The job that records the answers to the requests of a subscription. */
function recordJob({ id, account }: Pick<Subscription, 'id' | 'account'>): JobRef {
  return { queue: POLL_QUEUE, id: recordUnit(id), group: accountHash(account) };
}

/**
 * `onLeaseLost` ends the service, because another process owns the store now. `sleep`: waits between two tries of
 * {@link Scheduler.pollNow}.
 */
export function createScheduler(
  p: Pipeline,
  onLeaseLost: () => void,
  sleep: (ms: number) => Promise<void>,
): Scheduler {
  let storeFault: string | undefined;
  let probing: Promise<boolean> | undefined;
  let probeAt = 0;
  let lastTickAt = p.clock.now();
  let silenceAt = lastTickAt;
  let notedAt = 0;

  /**
   * All stored times lie too far ahead now. Makes every request due again, and checks every destination for
   * deliveries.
   */
  async function startOver(): Promise<void> {
    p.log.warn({}, 'the clock went back, schedules start over');
    probeAt = 0;
    await p.stores.lanes.forgetRests();
    for await (const subscription of p.stores.subscriptions.list()) {
      await plan([subscription]);
      await enqueueDeliveries(p, subscription);
    }
  }

  async function plan(subscriptions: readonly Subscription[]): Promise<void> {
    const at = p.clock.now();
    const units = subscriptions.flatMap(requestsOf).map((request) => ({ ...requestUnit(request), at }));
    const distinct = new Map(units.map((one) => [`${one.lane}${one.unit}`, one]));
    await p.stores.lanes.plan([...distinct.values()]);
    p.engine.look(POLL_QUEUE);
  }

  /** Whether the store works. While it does not, no request is made, because the answer could not be recorded. */
  async function storeWorks(now: number): Promise<boolean> {
    if (storeFault === undefined) return true;
    if (now < probeAt) return false;
    // Many polls may be due by then. They share one probe.
    probing ??= probe(now).finally(() => {
      probing = undefined;
    });
    return probing;
  }

  async function probe(now: number): Promise<boolean> {
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
      p.log.error({ err: error }, 'poll failed because of a bug');
      return;
    }
    // Another process is working on it.
    if (error.fault === 'taken') return;
    if (error.fault === 'lost') {
      onLeaseLost();
      return;
    }
    if (storeFault === undefined) {
      p.log.error({ reason: reasonOf(error) }, 'store failed, polling pauses and nothing is marked as seen');
      probeAt = p.clock.now() + STORE_RETRY_MS;
    }
    storeFault = reasonOf(error);
  }

  /** Makes one request now, with retries unless a person waits. */
  async function askNow(request: RequestRef, held: string, signal?: AbortSignal): Promise<RequestResult> {
    const patienceMs = signal ? LONGEST_REST_WATCHED : LONGEST_REST;
    for (let attempt = 1; ; attempt++) {
      const turn = { attempt, held, once: signal !== undefined };
      const result = await p.engine
        .run(
          requestJob(request),
          (end, state) =>
            pollRequest(p, request, {
              ...turn,
              state,
              signal: signal ? AbortSignal.any([signal, end]) : end,
            }),
          { signal, patienceMs },
        )
        .catch((error: unknown): RequestResult => {
          if (!(error instanceof GroupRests)) throw error;
          return { outcome: 'throttled', why: 'The jobs API asked this token to wait.' };
        });
      if (!result.retried) return result;
      await sleep(requestDelay(attempt - 1, Math.random()));
    }
  }

  /**
   * The requests to make now, those that failed last time at the end. Leaves out those that failed and wait for their
   * next try, unless that is all of them.
   */
  async function askable(requests: readonly RequestRef[]): Promise<readonly RequestRef[]> {
    const now = p.clock.now();
    const states = await requestStates(p.stores, requests);
    const failing = requests.filter((_, index) => (states[index]?.failures ?? 0) > 0);
    const waiting: RequestRef[] = [];
    for (const one of failing) if (((await p.engine.dueAt(requestJob(one))) ?? 0) > now) waiting.push(one);
    const due = requests.filter((one) => !waiting.includes(one));
    return (due.length > 0 ? due : requests).toSorted(
      (a, b) => Number(failing.includes(a)) - Number(failing.includes(b)),
    );
  }

  async function pollNow(id: string, signal?: AbortSignal): Promise<PollResult> {
    // The answers could not be recorded.
    if (storeFault !== undefined && !(await storeWorks(p.clock.now())))
      throw new StoreError('unavailable', storeFault);
    const subscription = await p.stores.subscriptions.get(id);
    if (!subscription) return { outcome: 'gone' };
    if (isPaused(subscription)) return { outcome: 'paused' };
    const token = await p.tokens.of(subscription.account);
    if (token.state !== 'ok') return { outcome: token.state === 'missing' ? 'no-token' : 'rejected' };
    const results: RequestResult[] = [];
    for (const request of await askable(requestsOf(subscription))) {
      const { outcome } = results[results.push(await askNow(request, id, signal)) - 1] as RequestResult;
      const isAway = results.length >= AWAY_AFTER && results.every((one) => one.outcome === 'failed');
      if (isAway || outcome === 'rejected' || outcome === 'throttled') break;
    }
    if (!results.some(isAnswered)) return pollResult(results, { outcome: 'unchanged' });
    const heard = await p.engine.run(
      recordJob(subscription),
      async () => ({ result: await recordStored(p, id, subscription), outcome: undefined }),
      { signal },
    );
    // Postings from another subscription's poll may wait for this subscription's next slot. This poll delivers them
    // now.
    if ((await p.stores.ledgers.backlogs([id])).size > 0) await enqueueDeliveries(p, subscription);
    return pollResult(results, heard);
  }

  return {
    async tick() {
      const now = p.clock.now();
      if (notedAt === 0) lastTickAt = Number((await p.stores.misc.get(CLOCK)) ?? lastTickAt);
      const wentBack = now < lastTickAt - CLOCK_WENT_BACK_MS;
      lastTickAt = now;
      if (wentBack) await startOver();
      if (Math.abs(now - notedAt) >= CLOCK_WENT_BACK_MS) {
        notedAt = now;
        await p.stores.misc.set(CLOCK, now);
      }
      if (storeFault !== undefined && (await storeWorks(now))) p.engine.look(POLL_QUEUE);
      if (now - silenceAt >= SILENCE_EVERY_MS) {
        silenceAt = now;
        await watchSilences(p);
        await watchLoads(p);
      }
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
        // A person who gave up, or the end of the process, is no failure of the poll.
        if (error !== signal?.reason) failed(error);
        throw error;
      }
    },
    enrichNow: (subscription) => enrichNow(p, subscription, LONGEST_REST),
    async poll(job, context) {
      try {
        // These polls were due when the store failed. Their answers could not be recorded either.
        if (storeFault !== undefined && !(await storeWorks(p.clock.now())))
          throw new StoreError('unavailable', storeFault);
        const [kind, what] = [job.id.slice(0, 2), job.id.slice(2)];
        if (kind === 's|') {
          await recordStored(p, what);
          return undefined;
        }
        // No two requests of a token may be open at the same time, so this one ends before its lane can be taken.
        const { attempt, state, holding: signal } = context;
        if (kind === 'e|')
          return await enrichFields(p, { lane: job.group, subject: what }, { attempt, signal });
        // Planned by another build that runs beside this one, and left to it.
        if (kind !== 'r|') return { again: OTHER_BUILD_MS, deferred: true };
        const { outcome } = await pollRequest(
          p,
          { lane: job.group, subject: what },
          { attempt, state, signal },
        );
        return outcome;
      } catch (error) {
        failed(error);
        const wait = error instanceof StoreError ? STORE_RETRY_MS : p.settings.minPollMs;
        return { again: wait, deferred: true };
      }
    },
    storeFailed(error) {
      if (error instanceof StoreError) failed(error);
    },
    async health() {
      const now = p.clock.now();
      const { due, since = now } = await p.engine.load(POLL_QUEUE);
      return {
        lagMs: Math.max(0, now - since),
        queued: due,
        lastTickAt,
        ...defined({ storeFault: storeFault || undefined }),
      };
    },
  };
}

/**
 * Records the last answers to the requests of a subscription. `polled`: the subscription as it was when a poll
 * outside the schedule made the requests.
 */
async function recordStored(p: Pipeline, id: string, polled?: Subscription): Promise<Heard> {
  const [versioned] = await p.stores.subscriptions.withVersions([id]);
  if (!versioned || isPaused(versioned.subscription)) return { outcome: 'stopped' };
  const { subscription } = versioned;
  if (polled && !same(polled, subscription)) return { outcome: 'stopped' };
  const token = await p.tokens.of(subscription.account);
  if (token.state === 'missing') return { outcome: 'stopped' };
  try {
    const asked = await answersOf(p, subscription, token.token);
    const heard = await recordAnswers(p, versioned, token.token, asked, polled && 'now');
    await watchRequests(p, subscription, heard.watch ?? {});
    return heard;
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    // A kept answer is not a listing. The requests are made again, and fail with their real cause.
    for (const request of requestsOf(subscription)) await askAgain(p, request);
    return { outcome: 'stopped' };
  }
}

/** Makes a request forget its state and puts it in line immediately. */
async function askAgain(p: Pipeline, request: RequestRef): Promise<void> {
  await p.stores.lanes.keep([{ ...requestUnit(request), state: null }]);
  await p.engine.put(requestJob(request));
}

/** The last answers to the requests of a subscription. */
async function answersOf(p: Pipeline, subscription: Subscription, token: Secret): Promise<readonly Asked[]> {
  const { account } = subscription;
  const requests = requestsOf(subscription);
  const { heard = {} } = await p.ledgers.look(subscription.id, () => ({ owed: 'count' }));
  const states = await requestStates(p.stores, requests);
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
    const how = { account, token, query, format: p.settings.format };
    const answer = await p.feed.recall(how, validator.hash);
    if (answer) asked.push({ request, query, answer, formerlyAt });
    // The answer is no longer cached. The next one is read in full.
    else await askAgain(p, request);
  }
  return asked;
}

const isAnswered = ({ outcome }: RequestResult) => outcome === 'answered' || outcome === 'unchanged';

/** Combines the results of the requests and of the recording into the result of the poll. */
function pollResult(results: readonly RequestResult[], heard: Heard): PollResult {
  const bad = results.filter((one) => !isAnswered(one));
  const grave = bad.find(({ outcome }) => outcome === 'rejected' || outcome === 'throttled') ?? bad[0];
  const { outcome, matched } = heard;
  const told = { outcome, ...defined({ matched }) };
  if (!grave) return told;
  const why = grave.why ?? grave.outcome;
  if (grave.outcome === 'rejected' || grave.outcome === 'throttled' || bad.length === results.length)
    return { outcome: grave.outcome === 'idle' ? 'stopped' : (grave.outcome as PollResult['outcome']), why };
  return { ...told, outcome: 'partial', why: `${bad.length} of ${results.length} requests failed: ${why}` };
}

/**
 * Frees the units that a dead process was working on, and makes the deliveries due that waited for a sink that is on
 * again. No other process may be running.
 */
export async function planAtStart(p: Pipeline): Promise<void> {
  await p.stores.lanes.freeAll();
  await resumeSinks(p);
}
