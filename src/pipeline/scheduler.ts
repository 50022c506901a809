// The poll queue: requests, and the recording of what they brought for subscriptions that wait for several of them. What is
// due stands in the store; a slot missed while nothing ran is one poll, because only the next one is planned.
import { accountHash } from '../domain/account.js';
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
import { type Heard, recordAnswers } from './poll.js';
import { type PollResult, requestStates } from './poll-result.js';
import { watchLoads, watchSilences } from './poll-trouble.js';
import { askedQuery, pollRequest, type RequestResult, requestJob, watchRequests } from './requests.js';
import { same } from './same.js';

const STORE_RETRY_MS = 5_000;
/** A token that is to keep quiet for longer is not waited for; shorter while somebody waits. */
const LONGEST_REST = 10_000;
const LONGEST_REST_WATCHED = 2_000;
/** So many requests in a row that fail, with none answered, and the API itself is away. */
const AWAY_AFTER = 2;
/** Less is the clock being kept right. */
const CLOCK_WENT_BACK_MS = 60_000;
/** Where the time is noted, so that a start sees that the clock was set back while nothing ran. */
const CLOCK = 'clock';
const SILENCE_EVERY_MS = 12 * 3_600_000;

export interface Scheduler {
  /** Looks whether a store that failed works again, and whether the clock went back. Called once a second. */
  tick(): Promise<void>;
  /** Asks what the subscriptions need as soon as their lanes are free: what several of them need once. */
  plan(subscriptions: readonly Subscription[]): Promise<void>;
  /** When a subscription is polled next, milliseconds since the epoch; undefined while it waits for its owner. */
  nextPollAt(subscription: Subscription): Promise<number | undefined>;
  /**
   * Polls outside the schedule, in the lane of the account, and waits for the outcome. `signal`: somebody waits, so each
   * request is tried once.
   */
  pollNow(id: string, signal?: AbortSignal): Promise<PollResult>;
  /** The handler of the poll queue. */
  poll(job: Job, context: JobContext): Promise<Outcome>;
  /** Told when due polls can't be taken, for the store fails. */
  storeFailed(error: unknown): void;
  /** Why polling pauses; `lagMs`: for how long the oldest poll has been due that is not done, in line or running. */
  health(): Promise<{
    readonly storeFault?: string;
    readonly lagMs: number;
    /** Polls in line or running. */
    readonly queued: number;
    readonly lastTickAt: number;
  }>;
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
  let probing: Promise<boolean> | undefined;
  let probeAt = 0;
  let lastTickAt = p.clock.now();
  let silenceAt = lastTickAt;
  let notedAt = 0;

  /** Every time written down lies too far ahead now: each request is asked anew, and whatever is owed is looked at. */
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

  /** While the store does not work nothing is asked of the API, because what it says could not be kept. */
  async function storeWorks(now: number): Promise<boolean> {
    if (storeFault === undefined) return true;
    if (now < probeAt) return false;
    // Many polls are due by then: one of them looks for all.
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
      p.log.error({ err: error }, 'poll broke off by a bug');
      return;
    }
    // Another process is at it.
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

  /** One request now, with retries unless somebody waits. */
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
          return { outcome: 'throttled', why: 'The jobs API asked this token to keep quiet.' };
        });
      if (!result.retried) return result;
      await sleep(requestDelay(attempt - 1, Math.random()));
    }
  }

  /** Without those that failed and wait, unless all of them do; those that failed last come last. */
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
    // What a poll brings could not be kept.
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
    // What another subscription's poll brought may wait for this one's own slot; it was asked for now.
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
        failed(error);
        throw error;
      }
    },
    async poll(job, context) {
      try {
        // Polls that were due when the store failed: what they bring could not be kept either.
        if (storeFault !== undefined && !(await storeWorks(p.clock.now())))
          throw new StoreError('unavailable', storeFault);
        const [kind, what] = [job.id.slice(0, 2), job.id.slice(2)];
        if (kind === 's|') {
          await recordStored(p, what);
          return undefined;
        }
        const { outcome } = await pollRequest(p, { lane: job.group, subject: what }, context);
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
        ...(storeFault ? { storeFault } : {}),
      };
    },
  };
}

/** Records for a subscription what its requests brought last. `polled`: as it was when they were asked for somebody who waits. */
async function recordStored(p: Pipeline, id: string, polled?: Subscription): Promise<Heard> {
  const subscription = await p.stores.subscriptions.get(id);
  if (!subscription || isPaused(subscription)) return { outcome: 'stopped' };
  if (polled && !same(polled, subscription)) return { outcome: 'stopped' };
  const token = await p.tokens.of(subscription.account);
  if (token.state === 'missing') return { outcome: 'stopped' };
  try {
    const asked = await answersOf(p, subscription, token.token);
    const heard = await recordAnswers(p, subscription, token.token, asked, polled && 'now');
    await watchRequests(p, subscription, heard.watch ?? {});
    return heard;
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    // What was kept is no listing: the requests are made anew, and fail as what they are.
    for (const request of requestsOf(subscription)) await askAnew(p, request);
    return { outcome: 'stopped' };
  }
}

/** Has a request forget what it knew and made at once. */
async function askAnew(p: Pipeline, request: RequestRef): Promise<void> {
  await p.stores.lanes.keep([{ ...requestUnit(request), state: null }]);
  await p.engine.put(requestJob(request));
}

/** The last answers to the requests of a subscription. */
async function answersOf(p: Pipeline, subscription: Subscription, token: Secret): Promise<readonly Asked[]> {
  const { account } = subscription;
  const requests = requestsOf(subscription);
  const heard = (await p.stores.polls.read(subscription.id))?.heard ?? {};
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
    // It is no longer kept: the next answer is read in full.
    else await askAnew(p, request);
  }
  return asked;
}

const isAnswered = ({ outcome }: RequestResult) => outcome === 'answered' || outcome === 'unchanged';

/** What a poll came to as a whole. */
function pollResult(results: readonly RequestResult[], heard: Heard): PollResult {
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

/** Frees what a process that died was working on, and what waits for a sink that is on again. No other process may be running. */
export async function planAtStart(p: Pipeline): Promise<void> {
  await p.stores.lanes.freeAll();
  await resumeSinks(p);
}
