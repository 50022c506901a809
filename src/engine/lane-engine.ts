// Takes turns of lanes that are due, as many at once as there are slots. What is to be done stands in the store; this
// process only holds the turns it is working on. A slot is held for a turn, never for a wait.
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '../domain/errors.js';
import type { Engine, Job, JobRef, Outcome, Worker } from '../ports/engine.js';
import type { LaneStore, Turn, TurnEnd, Unit } from '../ports/lanes.js';
import type { Clock, Log } from '../ports/system.js';

interface Crew {
  readonly worker: Worker;
  readonly slots: number;
  running: number;
  stopped: boolean;
}

interface Queue {
  readonly name: string;
  readonly crews: Crew[];
  readonly running: Set<Turn>;
  /** A look for due lanes is under way; one that is asked for meanwhile follows it. */
  looking: boolean;
  again: boolean;
  timer?: NodeJS.Timeout | undefined;
}

const BACKOFF_MS = [1_000, 5_000, 30_000, 60_000];
/** What another process planned is seen this late at most, and so is what this one planned for a time to come. */
const LOOK_MS = 1_000;
/** After the store failed. */
const STORE_RETRY_MS = 5_000;
/** A lane that is wanted now and is not free is asked for again after this. */
const TAKE_AGAIN_MS = 10;
/** A third of the time that a lane is held for. */
const RENEW_MS = 4_000;

/** Creates the engine. Times in milliseconds since the epoch by `clock`. */
export function createLaneEngine(deps: {
  readonly lanes: LaneStore;
  readonly clock: Clock;
  readonly log: Log;
}): Engine {
  const { lanes, clock, log } = deps;
  const queues = new Map<string, Queue>();
  const abort = new AbortController();
  // Everything under way listens to the one signal; from eleven on Node would take that for a leak and say so.
  setMaxListeners(0, abort.signal);
  const work = new Set<Promise<void>>();
  let draining = false;
  let heart: NodeJS.Timeout | undefined;

  function queueOf(name: string): Queue {
    const known = queues.get(name);
    if (known) return known;
    const fresh: Queue = { name, crews: [], running: new Set(), looking: false, again: false };
    queues.set(name, fresh);
    return fresh;
  }

  const free = ({ crews }: Queue) =>
    crews.reduce((sum, one) => sum + (one.stopped ? 0 : one.slots - one.running), 0);

  /** Takes due lanes until there are none, or no slots; then sets the timer for the next look. */
  async function look(queue: Queue): Promise<void> {
    queue.again = true;
    if (queue.looking) return;
    queue.looking = true;
    clearTimeout(queue.timer);
    let wait = LOOK_MS;
    try {
      while (queue.again && !draining) {
        queue.again = false;
        const slots = free(queue);
        if (slots === 0) break;
        const turns = await lanes.claim(queue.name, slots);
        if (draining) for (const turn of turns) await giveBack(turn);
        else for (const turn of turns) start(queue, turn);
        if (turns.length === slots) queue.again = true;
      }
      if (!draining && free(queue) > 0) {
        const next = await lanes.nextAt(queue.name);
        wait = Math.min(LOOK_MS, Math.max(0, (next ?? Number.POSITIVE_INFINITY) - clock.now()));
      }
    } catch (error) {
      // Whoever uses the store says so too; here it only has to go on.
      log.debug({ queue: queue.name, reason: reasonOf(error) }, 'looking for due work failed');
      wait = STORE_RETRY_MS;
    }
    queue.looking = false;
    if (!draining && queue.crews.length > 0)
      queue.timer = setTimeout(() => void look(queue), queue.again ? 0 : wait);
  }

  function start(queue: Queue, turn: Turn): void {
    const crew = queue.crews.find((one) => !one.stopped && one.running < one.slots);
    // Its slot went while the claim was under way: the turn is given back.
    if (!crew) {
      void giveBack(turn);
      return;
    }
    crew.running++;
    queue.running.add(turn);
    beat();
    const job: Job = { queue: turn.queue, id: turn.unit, group: turn.lane };
    const run = (async () => {
      let outcome: Outcome;
      try {
        outcome = await crew.worker(job, { attempt: turn.attempt, signal: abort.signal });
      } catch (error) {
        log.error({ queue: turn.queue, job: turn.unit, attempt: turn.attempt, err: error }, 'job failed');
        outcome = { again: BACKOFF_MS[Math.min(turn.attempt, BACKOFF_MS.length) - 1] as number };
      }
      await finish(turn, endOf(turn, outcome));
      crew.running--;
      queue.running.delete(turn);
      void look(queue);
    })();
    work.add(run);
    void run.finally(() => work.delete(run));
  }

  /** See {@link Engine.run}. */
  async function run<T>(
    job: JobRef,
    task: (signal: AbortSignal) => Promise<{ readonly result: T; readonly outcome: Outcome }>,
    signal?: AbortSignal,
  ): Promise<T> {
    const queue = queueOf(job.queue);
    const turn = await taken({ queue: job.queue, lane: job.group, unit: job.id }, signal);
    queue.running.add(turn);
    beat();
    let end: TurnEnd = { next: turn.dueAt, attempts: turn.attempt - 1 };
    const done = (async () => {
      try {
        const { result, outcome } = await task(abort.signal);
        end = endOf(turn, outcome);
        return result;
      } finally {
        await finish(turn, end);
        queue.running.delete(turn);
        void look(queue);
      }
    })();
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    work.add(settled);
    void settled.finally(() => work.delete(settled));
    return done;
  }

  /** Waits until a lane is free, and takes it. */
  async function taken(unit: Unit, signal: AbortSignal | undefined): Promise<Turn> {
    for (;;) {
      signal?.throwIfAborted();
      if (draining) throw new Error('shutting down');
      const found = await lanes.take(unit);
      if ('epoch' in found) return found;
      const wait = Math.min(Math.max(found.at - clock.now(), TAKE_AGAIN_MS), LOOK_MS);
      await sleep(wait, undefined, signal ? { signal } : {});
    }
  }

  function giveBack(turn: Turn): Promise<void> {
    return finish(turn, { next: turn.dueAt, attempts: turn.attempt - 1 });
  }

  function endOf(
    { attempt }: Turn,
    { again, rest, succeeded, deferred }: NonNullable<Outcome> = {},
  ): TurnEnd {
    const now = clock.now();
    return {
      attempts: again === undefined || succeeded ? 0 : deferred ? attempt - 1 : attempt,
      ...(again === undefined ? {} : { next: now + again }),
      ...(rest ? { rest: now + rest } : {}),
    };
  }

  /** Without it the lane is free again when its hold runs out, so a store that fails costs that much time and no more. */
  async function finish(turn: Turn, end: TurnEnd): Promise<void> {
    try {
      if (!(await lanes.end(turn, end)))
        log.warn({ queue: turn.queue, job: turn.unit }, 'another process took over a job');
    } catch (error) {
      log.debug(
        { queue: turn.queue, job: turn.unit, reason: reasonOf(error) },
        'the end of a job was not written',
      );
    }
  }

  /** Keeps the lanes that are being worked on. */
  function beat(): void {
    heart ??= setInterval(() => {
      const turns = [...queues.values()].flatMap((queue) => [...queue.running]);
      if (turns.length === 0) {
        clearInterval(heart);
        heart = undefined;
      } else
        lanes.renew(turns).catch((error: unknown) => {
          log.debug({ reason: reasonOf(error) }, 'holding on to running jobs failed');
        });
    }, RENEW_MS);
  }

  return {
    async put({ queue, id, group, at }) {
      await lanes.plan([{ queue, lane: group, unit: id, at: at ?? clock.now() }]);
      void look(queueOf(queue));
    },
    drop: ({ queue, id, group }) => lanes.drop([{ queue, lane: group, unit: id }]),
    dueAt: ({ queue, id, group }) => lanes.dueAt({ queue, lane: group, unit: id }),
    load: (queue) => lanes.load(queue),
    run,
    work(name, slots, worker) {
      const queue = queueOf(name);
      const crew: Crew = { worker, slots, running: 0, stopped: false };
      queue.crews.push(crew);
      void look(queue);
      return () => {
        crew.stopped = true;
      };
    },
    look(name) {
      void look(queueOf(name));
    },
    async drain(ms) {
      draining = true;
      for (const queue of queues.values()) clearTimeout(queue.timer);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), ms);
      });
      const intime = await Promise.race([Promise.all(work).then(() => true), late]);
      clearTimeout(timer);
      clearInterval(heart);
      if (!intime) abort.abort(new Error('shutting down'));
      return intime;
    },
  };
}
