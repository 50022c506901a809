// The engine for one process. It takes turns of due lanes, as many at the same time as there are slots. The planned work
// is in the store; this process only holds the turns it works on. A slot is held for a turn, never for a wait.
import { reasonOf } from '../domain/errors.js';
import type { Engine, Worker } from '../ports/engine.js';
import type { Turn } from '../ports/lanes.js';
import { createTurns, type TurnDeps } from './turns.js';

interface Workers {
  readonly worker: Worker;
  readonly storeFailed: ((error: unknown) => void) | undefined;
  readonly slots: number;
  /** Frees the slot of a turn whose work is over. */
  readonly worked: () => void;
  running: number;
  stopped: boolean;
}

/** How likely it is that a lane is due. */
type Chance = 'sure' | 'maybe';

interface Queue {
  readonly name: string;
  readonly pools: Workers[];
  looking: boolean;
  /** Set when a look for due lanes is to follow, perhaps after the one that is running. */
  again: Chance | undefined;
  timer?: NodeJS.Timeout | undefined;
  /** Timer of one look that serves all turns that end before it. */
  soon?: NodeJS.Timeout | undefined;
  /** When lanes were last taken, by `performance.now()`. */
  tookAt: number;
  /** More lanes may be due than there are slots. */
  isFull: boolean;
}

const LOOK_MS = 1_000;
/** Lanes that become due within this time are taken together: a look costs the same for one lane as for many. */
const GATHER_MS = 100;
/** The same while more lanes are due than there are slots. */
const FULL_MS = 15;
/** Wait after the store failed. */
const STORE_RETRY_MS = 5_000;

/** Creates the engine. Times are milliseconds since the epoch by `clock`. */
export function createLaneEngine(
  deps: TurnDeps & {
    /** The longest delay before this process sees work planned by another process, or work it planned itself for later. */
    readonly lookMs?: number;
  },
): Engine {
  const { lanes, clock, log, lookMs = LOOK_MS } = deps;
  const queues = new Map<string, Queue>();
  const turns = createTurns(deps);

  function queueOf(name: string): Queue {
    const known = queues.get(name);
    if (known) return known;
    const fresh: Queue = {
      name,
      pools: [],
      looking: false,
      again: undefined,
      tookAt: Number.NEGATIVE_INFINITY,
      isFull: false,
    };
    queues.set(name, fresh);
    return fresh;
  }

  const free = ({ pools }: Queue) =>
    pools.reduce((sum, one) => sum + (one.stopped ? 0 : one.slots - one.running), 0);

  /** Milliseconds until the next lane is due. */
  async function dueIn(queue: Queue): Promise<number> {
    const next = await lanes.nextAt(queue.name);
    return (next ?? Number.POSITIVE_INFINITY) - clock.now();
  }

  /**
   * Takes due lanes until there are no more, or no free slots. Then sets the timer for the next look. When lanes are only
   * `maybe` due, a read comes first, because it costs less than a claim that finds nothing.
   */
  async function look(queue: Queue, chance: Chance = 'sure'): Promise<void> {
    if (queue.again !== 'sure') queue.again = chance;
    if (queue.looking) return;
    queue.looking = true;
    clearTimeout(queue.timer);
    let wait = lookMs;
    try {
      let next = 0;
      while (queue.again && !turns.draining()) {
        const isSure = queue.again === 'sure';
        queue.again = undefined;
        next = isSure ? 0 : await dueIn(queue);
        if (next > 0) continue;
        const slots = free(queue);
        queue.isFull = slots === 0;
        if (queue.isFull) break;
        const claimed = await lanes.claim(queue.name, slots);
        if (claimed.length > 0) queue.tookAt = performance.now();
        if (turns.draining()) for (const turn of claimed) await turns.giveBack(turn);
        else for (const turn of claimed) start(queue, turn);
        if (claimed.length === slots) queue.again = 'sure';
      }
      if (!turns.draining() && free(queue) > 0) {
        if (next <= 0) next = await dueIn(queue);
        wait = Math.min(lookMs, Math.max(restMs(queue), next));
      }
    } catch (error) {
      // Report the failure to the workers and continue.
      log.debug({ queue: queue.name, reason: reasonOf(error) }, 'looking for due work failed');
      for (const { storeFailed } of queue.pools) storeFailed?.(error);
      wait = STORE_RETRY_MS;
    }
    queue.looking = false;
    const nextChance = queue.again ?? (wait < lookMs ? 'sure' : 'maybe');
    if (!turns.draining() && queue.pools.length > 0)
      queue.timer = setTimeout(() => void look(queue, nextChance), queue.again ? 0 : wait);
  }

  /** Milliseconds until the next look after a turn, so that looks are not too frequent. */
  const restMs = ({ tookAt, isFull }: Queue) =>
    Math.max(0, tookAt + (isFull ? FULL_MS : GATHER_MS) - performance.now());

  function lookSoon(queue: Queue): void {
    queue.soon ??= setTimeout(() => {
      queue.soon = undefined;
      void look(queue, queue.isFull ? 'sure' : 'maybe');
    }, restMs(queue));
  }

  function start(queue: Queue, turn: Turn): void {
    const workers = queue.pools.find((one) => !one.stopped && one.running < one.slots);
    // The slot was lost during the claim, so the turn is given back.
    if (!workers) {
      void turns.giveBack(turn);
      return;
    }
    workers.running++;
    void run(queue, turn, workers);
  }

  async function run(queue: Queue, turn: Turn, { worker, worked }: Workers): Promise<void> {
    await turns.run(turn, worker, { worked });
    lookSoon(queue);
  }

  return {
    async put({ queue, id, group, at }) {
      await lanes.plan([{ queue, lane: group, unit: id, at: at ?? clock.now() }]);
      void look(queueOf(queue), at === undefined ? 'sure' : 'maybe');
    },
    drop: ({ queue, id, group }) => lanes.drop([{ queue, lane: group, unit: id }]),
    dueAt: ({ queue, id, group }) => lanes.dueAt({ queue, lane: group, unit: id }),
    load: (queue) => lanes.load(queue),
    run: (job, task, wait) => turns.runNow(() => void look(queueOf(job.queue), 'maybe'), job, task, wait),
    work(name, slots, worker, storeFailed) {
      const queue = queueOf(name);
      const worked = () => {
        workers.running--;
        if (queue.isFull) lookSoon(queue);
      };
      const workers: Workers = { worker, storeFailed, slots, worked, running: 0, stopped: false };
      queue.pools.push(workers);
      void look(queue);
      return () => {
        workers.stopped = true;
      };
    },
    look(name) {
      void look(queueOf(name));
    },
    drain(ms) {
      for (const queue of queues.values()) {
        clearTimeout(queue.timer);
        clearTimeout(queue.soon);
      }
      return turns.drain(ms);
    },
    health: async () => ({ ok: true }),
  };
}
