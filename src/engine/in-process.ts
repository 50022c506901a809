// The engine of a single process: lanes in memory, one per group. It forgets everything in a crash, and may:
// what is to be done is written in the ledgers, and whoever starts the service puts it in again.
import { setMaxListeners } from 'node:events';
import { createDueIndex, type DueIndex } from '../domain/due-index.js';
import type { Engine, Job, Outcome, Worker } from '../ports/engine.js';
import type { Clock, Log } from '../ports/system.js';

interface Entry {
  readonly job: Job;
  attempt: number;
  running: boolean;
  /** When the present or next run was or is due. */
  dueAt: number;
  /** Put again while it ran: when to run once more. */
  rerun?: number;
}

interface Crew {
  readonly worker: Worker;
  readonly concurrency: number;
  running: number;
  stopped: boolean;
}

interface Queue {
  /** Every waiting or running job by id. */
  readonly jobs: Map<string, Entry>;
  /** When the waiting ones are due. */
  readonly later: DueIndex;
  /** Due jobs by group, in the order they became due. */
  readonly lanes: Map<string, Entry[]>;
  /** Groups with a running job: nobody else takes from them. */
  readonly busy: Set<string>;
  readonly crews: Crew[];
  timer?: NodeJS.Timeout | undefined;
}

const BACKOFF_MS = [1_000, 5_000, 30_000, 60_000];
/** A timer stands still while the machine sleeps and knows nothing of a clock set forward, so the clock is looked at again. */
const LONGEST_TIMER_MS = 30_000;

/** Creates the engine. Times in milliseconds since the epoch by `clock`. */
export function createInProcessEngine({ clock, log }: { clock: Clock; log: Log }): Engine {
  const queues = new Map<string, Queue>();
  const abort = new AbortController();
  // Everything under way listens to the one signal; from eleven on Node would take that for a leak and say so.
  setMaxListeners(0, abort.signal);
  const running = new Set<Promise<void>>();
  let draining = false;

  function queueOf(name: string): Queue {
    const known = queues.get(name);
    if (known) return known;
    const fresh: Queue = {
      jobs: new Map(),
      later: createDueIndex(),
      lanes: new Map(),
      busy: new Set(),
      crews: [],
    };
    queues.set(name, fresh);
    return fresh;
  }

  /** Moves what has become due into its lane, hands lanes to free hands, and sets the one timer for the rest. */
  function pump(queue: Queue): void {
    if (draining || queue.crews.length === 0) return;
    const now = clock.now();
    for (const id of queue.later.take(now)) {
      const entry = queue.jobs.get(id) as Entry;
      const lane = queue.lanes.get(entry.job.group);
      if (lane) lane.push(entry);
      else queue.lanes.set(entry.job.group, [entry]);
    }
    for (const [group, lane] of queue.lanes) {
      if (queue.busy.has(group)) continue;
      const crew = queue.crews.find((one) => !one.stopped && one.running < one.concurrency);
      if (!crew) break;
      const entry = lane.shift() as Entry;
      // A group goes to the end of the line, so that one with many jobs leaves room for the others.
      queue.lanes.delete(group);
      if (lane.length > 0) queue.lanes.set(group, lane);
      start(queue, crew, entry);
    }
    clearTimeout(queue.timer);
    const next = queue.later.next();
    if (next === Number.POSITIVE_INFINITY) return;
    queue.timer = setTimeout(() => pump(queue), Math.min(Math.max(next - now, 0), LONGEST_TIMER_MS));
  }

  function start(queue: Queue, crew: Crew, entry: Entry): void {
    entry.running = true;
    entry.attempt++;
    crew.running++;
    queue.busy.add(entry.job.group);
    const run = Promise.resolve()
      .then(() => crew.worker(entry.job, { attempt: entry.attempt, signal: abort.signal }))
      .catch((error: unknown): Outcome => {
        const again = BACKOFF_MS[Math.min(entry.attempt, BACKOFF_MS.length) - 1] as number;
        log.error(
          { queue: entry.job.queue, job: entry.job.id, attempt: entry.attempt, err: error },
          'job failed',
        );
        return { again };
      })
      .then((outcome) => finish(queue, crew, entry, outcome));
    running.add(run);
    void run.finally(() => running.delete(run));
  }

  function finish(queue: Queue, crew: Crew, entry: Entry, outcome: Outcome): void {
    entry.running = false;
    crew.running--;
    queue.busy.delete(entry.job.group);
    const again = outcome ? clock.now() + outcome.again : Number.POSITIVE_INFINITY;
    const at = Math.min(again, entry.rerun ?? Number.POSITIVE_INFINITY);
    delete entry.rerun;
    if (outcome?.deferred) entry.attempt--;
    else if (!outcome) entry.attempt = 0;
    if (at === Number.POSITIVE_INFINITY) queue.jobs.delete(entry.job.id);
    else schedule(queue, entry, at);
    pump(queue);
  }

  function schedule(queue: Queue, entry: Entry, at: number): void {
    entry.dueAt = at;
    queue.later.set(entry.job.id, at);
  }

  return {
    async put(job) {
      const queue = queueOf(job.queue);
      const at = job.at ?? clock.now();
      const known = queue.jobs.get(job.id);
      if (known?.running) known.rerun = Math.min(known.rerun ?? Number.POSITIVE_INFINITY, at);
      else if (!known) {
        const entry: Entry = { job, attempt: 0, running: false, dueAt: at };
        queue.jobs.set(job.id, entry);
        schedule(queue, entry, at);
      } else if (at < (queue.later.get(job.id) ?? 0)) schedule(queue, known, at);
      pump(queue);
    },
    size: (name) => queues.get(name)?.jobs.size ?? 0,
    dueSince(name) {
      let earliest = Number.POSITIVE_INFINITY;
      for (const { dueAt } of queues.get(name)?.jobs.values() ?? []) earliest = Math.min(earliest, dueAt);
      return earliest <= clock.now() ? earliest : undefined;
    },
    work(name, concurrency, worker) {
      const queue = queueOf(name);
      const crew: Crew = { worker, concurrency, running: 0, stopped: false };
      queue.crews.push(crew);
      pump(queue);
      return () => {
        crew.stopped = true;
      };
    },
    async drain(ms) {
      draining = true;
      for (const queue of queues.values()) clearTimeout(queue.timer);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), ms);
      });
      const intime = await Promise.race([Promise.all(running).then(() => true), late]);
      clearTimeout(timer);
      if (!intime) abort.abort(new Error('shutting down'));
      return intime;
    },
  };
}
