// The engine for several processes. The store knows which lanes are due; Redis wakes a process for each of them, through
// BullMQ. Any process offers due lanes, and a worker that is woken takes the lane's turn from the store. An offer without
// a result is made again, so Redis may lose its data at any time.

import { Worker as BullWorker, DelayedError, type Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { defined } from '../domain/defined.js';
import { reasonOf } from '../domain/errors.js';
import type { Engine, Worker } from '../ports/engine.js';
import { ANSWER_MS, connectRedis, inspectRedis } from './redis.js';
import { createTurns, type TurnDeps } from './turns.js';

/** The most lanes sent to Redis in one call. */
const MOST_OFFERS = 1_000;
/** How often to look for due lanes, and the shortest wait when one is due sooner. */
const LOOK_MS = 1_000;
const LEAST_LOOK_MS = 200;
/** A worker that took no turn for this long while lanes are due is replaced. */
const STUCK_MS = 30_000;
/**
 * BullMQ gives the job of a dead worker to another one after the sum of these two times. The store holds the lane for
 * longer. A job that comes too early does no harm.
 */
const LOCK_MS = 5_000;
const STALLED_MS = 2_000;
/** How long BullMQ has to update Redis at the end. */
const CLOSE_MS = 2_000;
/** No process reads BullMQ's events. Each takes about 100 bytes in Redis. */
const MOST_EVENTS = 100;

/** One call of {@link Engine.work}. The calls for a queue share its turns. */
interface Workers {
  readonly worker: Worker;
  readonly storeFailed: ((error: unknown) => void) | undefined;
  readonly slots: number;
  stopped: boolean;
  woken: { worker: BullWorker; connection: Redis };
  /** When the worker was last woken or created. */
  wokenAt: number;
}

interface OpenQueue {
  readonly name: string;
  readonly offers: Queue;
  readonly pools: Set<Workers>;
  offering: boolean;
  again: boolean;
  timer?: NodeJS.Timeout | undefined;
}

export interface BullDeps extends TurnDeps {
  /** QUEUE_URL. */
  readonly url: string;
}

/** Creates the engine. Redis need not be reachable yet. */
export function createBullEngine(deps: BullDeps): Engine {
  const { lanes, clock, log, url } = deps;
  const turns = createTurns(deps, true);
  const queues = new Map<string, OpenQueue>();
  // Commands fail immediately while Redis is unavailable. The lanes stay in the store and are offered when Redis is back.
  const producer = connectRedis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: ANSWER_MS,
  });
  let closing: Promise<void> | undefined;
  let isAway = false;

  function away(error: unknown): void {
    if (!isAway && !closing)
      log.warn({ reason: reasonOf(error) }, 'Redis does not answer, due work waits in the store');
    isAway = true;
  }
  producer.on('error', away);
  producer.on('ready', () => {
    if (isAway) log.info({}, 'Redis answers again');
    isAway = false;
    void warnOfFaults();
    for (const queue of queues.values()) void offer(queue);
  });

  async function warnOfFaults(): Promise<void> {
    const { faults = [] } = await inspectRedis(url).catch(() => ({ faults: [] }));
    for (const { says, fix } of faults) log.warn({ fix }, says);
  }

  function queueOf(name: string): OpenQueue {
    const known = queues.get(name);
    if (known) return known;
    const offers = new Queue(bullName(name), {
      connection: producer,
      prefix: prefixOf(name),
      streams: { events: { maxLen: MOST_EVENTS } },
    });
    offers.on('error', away);
    const fresh: OpenQueue = { name, offers, pools: new Set(), offering: false, again: false };
    queues.set(name, fresh);
    return fresh;
  }

  /** Sends all due lanes to Redis, then sets the timer for the next look. */
  async function offer(queue: OpenQueue): Promise<void> {
    queue.again = true;
    if (queue.offering) return;
    queue.offering = true;
    clearTimeout(queue.timer);
    let wait = LOOK_MS;
    try {
      while (queue.again && !closing) {
        queue.again = false;
        // Otherwise lanes would count as offered although Redis does not know of them.
        if (producer.status !== 'ready') break;
        const due = await lanes.offer(queue.name, MOST_OFFERS);
        if (due.lanes.length > 0) await tell(queue, due.lanes);
        if (due.lanes.length === MOST_OFFERS) queue.again = true;
        wait = Math.min(LOOK_MS, Math.max(LEAST_LOOK_MS, due.nextMs ?? LOOK_MS));
      }
      for (const workers of queue.pools) await watch(queue, workers);
    } catch (error) {
      log.debug({ queue: queue.name, reason: reasonOf(error) }, 'offering due work failed');
    }
    queue.offering = false;
    if (!closing) queue.timer = setTimeout(() => void offer(queue), queue.again ? 0 : wait);
  }

  /** Sends lanes to Redis. `inMs`: the delay in milliseconds. A lane that Redis already knows is not changed. */
  async function tell(queue: OpenQueue, ids: readonly string[], inMs = 0): Promise<void> {
    const opts = {
      removeOnComplete: true,
      removeOnFail: true,
      attempts: 1,
      ...defined({ delay: inMs > 0 ? Math.ceil(inMs) : undefined }),
    };
    await queue.offers.addBulk(
      ids.map((lane) => ({ name: 'turn', data: undefined, opts: { ...opts, jobId: jobIdOf(lane) } })),
    );
  }

  /** Called by BullMQ for a lane that was offered. */
  async function wake(
    queue: OpenQueue,
    workers: Workers,
    job: Job,
    token: string | undefined,
  ): Promise<void> {
    workers.wokenAt = clock.now();
    // Another process takes it immediately.
    if (workers.stopped || turns.draining()) return later(job, token, 0);
    const asked = performance.now();
    const claim = await lanes.claimLane(queue.name, laneOf(job.id ?? '')).catch((error: unknown) => {
      log.debug({ queue: queue.name, reason: reasonOf(error) }, 'taking due work failed');
      workers.storeFailed?.(error);
    });
    if (!claim) return;
    if ('soonMs' in claim) return later(job, token, claim.soonMs);
    const isOver = workers.stopped || turns.draining();
    const { soonMs } = await (isOver ? turns.giveBack(claim) : turns.run(claim, workers.worker, { asked }));
    if (soonMs !== undefined) return later(job, token, soonMs);
  }

  function join(queue: OpenQueue, workers: Omit<Workers, 'woken'>): Workers['woken'] {
    const connection = connectRedis(url, { maxRetriesPerRequest: null });
    const worker = new BullWorker(
      bullName(queue.name),
      (job, token) => wake(queue, workers as Workers, job, token),
      {
        connection,
        prefix: prefixOf(queue.name),
        concurrency: workers.slots,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_MS,
        // The job of a lane exists as long as the lane has work.
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        runRetryDelay: LOOK_MS,
      },
    );
    worker.on('error', (error) => {
      log.debug({ queue: queue.name, reason: reasonOf(error) }, 'BullMQ reports an error');
    });
    return { worker, connection };
  }

  /** Replaces a worker that has free slots but takes no turns while lanes are due. */
  async function watch(queue: OpenQueue, workers: Workers): Promise<void> {
    const now = clock.now();
    if (
      workers.stopped ||
      closing ||
      now - workers.wokenAt < STUCK_MS ||
      turns.running(queue.name) >= workers.slots
    )
      return;
    const { since = now } = await lanes.waiting(queue.name);
    if (now - since < STUCK_MS) return;
    log.warn({ queue: queue.name }, 'a worker took nothing for half a minute and is started again');
    workers.wokenAt = now;
    const { woken } = workers;
    workers.woken = join(queue, workers);
    await leave(woken, true);
  }

  async function leave({ worker, connection }: Workers['woken'], force: boolean): Promise<void> {
    await within(CLOSE_MS, worker.close(force));
    connection.disconnect();
  }

  async function close(force: boolean): Promise<void> {
    const all = [...queues.values()];
    await Promise.all(all.flatMap(({ pools }) => [...pools].map(({ woken }) => leave(woken, force))));
    await Promise.all(all.map(({ offers }) => within(CLOSE_MS, offers.close())));
    producer.disconnect();
  }

  return {
    async put({ queue, id, group, at }) {
      await lanes.plan([{ queue, lane: group, unit: id, at: at ?? clock.now() }]);
      void offer(queueOf(queue));
    },
    drop: ({ queue, id, group }) => lanes.drop([{ queue, lane: group, unit: id }]),
    dueAt: ({ queue, id, group }) => lanes.dueAt({ queue, lane: group, unit: id }),
    load: (queue) => lanes.load(queue),
    look(name) {
      void offer(queueOf(name));
    },
    run(job, task, wait) {
      const queue = queueOf(job.queue);
      return turns.runNow(
        ({ soonMs }) => {
          if (soonMs === undefined || closing) return;
          tell(queue, [job.group], soonMs).catch(() => undefined);
        },
        job,
        task,
        wait,
      );
    },
    work(name, slots, worker, storeFailed) {
      const queue = queueOf(name);
      const workers = { worker, storeFailed, slots, stopped: false, wokenAt: clock.now() } as Workers;
      workers.woken = join(queue, workers);
      queue.pools.add(workers);
      void offer(queue);
      return () => {
        workers.stopped = true;
        queue.pools.delete(workers);
        void workers.woken.worker.pause(true);
        void leave(workers.woken, false);
      };
    },
    async drain(ms) {
      for (const { pools } of queues.values()) for (const { woken } of pools) void woken.worker.pause(true);
      const inTime = await turns.drain(ms);
      for (const { timer } of queues.values()) clearTimeout(timer);
      closing ??= close(!inTime);
      await closing;
      return inTime;
    },
    async health() {
      try {
        await producer.ping();
        return { ok: true };
      } catch (error) {
        return { ok: false, why: `Redis does not answer: ${reasonOf(error)}` };
      }
    },
  };
}

/** Delays a job. The error it throws tells BullMQ about the delay. */
async function later(job: Job, token: string | undefined, inMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + Math.ceil(inMs), token);
  throw new DelayedError();
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}

/** BullMQ's queue names can't contain a colon. */
function bullName(queue: string): string {
  return queue.replaceAll(':', '-');
}

/** The braces keep all keys of a queue in one slot of a Redis cluster. */
function prefixOf(queue: string): string {
  return `{jobcrier-${bullName(queue)}}`;
}

/** Returns the lane's id, encoded when BullMQ refuses it: an id with a colon, or a whole number. */
function jobIdOf(lane: string): string {
  const isRefused = lane.includes(':') || String(Number.parseInt(lane, 10)) === lane;
  return isRefused || lane.startsWith('~') ? `~${Buffer.from(lane).toString('base64url')}` : lane;
}

function laneOf(jobId: string): string {
  return jobId.startsWith('~') ? Buffer.from(jobId.slice(1), 'base64url').toString() : jobId;
}
