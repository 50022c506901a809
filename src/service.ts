// What keeps the service going once it is built: the workers of the queues, the hand of the clock, and the small
// duties of every few seconds, hours and days. Everything started here leaves its undo.
import type { Config } from './config.js';
import { reasonOf } from './domain/errors.js';
import { POLL_QUEUE } from './domain/request.js';
import { startTicker } from './engine/ticker.js';
import type { Pipeline } from './pipeline/context.js';
import { dispatch } from './pipeline/dispatch.js';
import { applyChange } from './pipeline/roster.js';
import { planAtStart, type Scheduler } from './pipeline/scheduler.js';
import { BUILT_IN } from './sinks/index.js';

export type Undo = () => Promise<unknown> | unknown;

/** A duty of every so many seconds; one that fails is told once and tried again at its next turn. */
export interface Duty {
  readonly name: string;
  readonly everySeconds: number;
  /** The others do not wait for it, and its first turn comes right after the start. */
  readonly slow?: true;
  readonly run: () => Promise<unknown>;
}

/** Starts workers and clock. `lost` is called when the store belongs to another process. */
export async function startService(
  config: Config,
  p: Pipeline,
  scheduler: Scheduler,
  more: readonly Duty[],
  lost: (reason: string) => void,
): Promise<readonly Undo[]> {
  const { pollConcurrency, deliveryConcurrency, drainSeconds } = config.limits;
  for (const sink of p.sinks.values()) await sink.start?.();
  await planAtStart(p);
  p.engine.work(POLL_QUEUE, pollConcurrency, (job, context) => scheduler.poll(job, context));
  // A queue of its own for each sink, also for one that is off: its worker is who tells the owner so.
  for (const name of new Set([...p.sinks.keys(), ...Object.keys(BUILT_IN)]))
    p.engine.work(`deliver:${name}`, deliveryConcurrency, (job, { signal }) => dispatch(p, job, signal));
  const duties: readonly Duty[] = [
    {
      name: 'lease',
      everySeconds: 5,
      async run() {
        if (!(await p.stores.lease.renew())) lost('another process took over the store');
      },
    },
    {
      name: 'changes',
      everySeconds: 2,
      async run() {
        for (const change of await p.stores.changes.fresh()) await applyChange(p, scheduler, change);
      },
    },
    { name: 'purge', everySeconds: 3600, run: () => p.stores.purge() },
    ...more,
    { name: 'schedule', everySeconds: 1, run: () => scheduler.tick() },
  ];
  const { round, idle } = createRound(p, duties);
  const ticker = startTicker(round, p.log);
  return [() => p.engine.drain(drainSeconds * 1000), idle, ticker];
}

/** One call of `round` a second, each duty when its turn has come. `idle` waits for the slow ones under way. */
export function createRound(
  { log }: Pick<Pipeline, 'log'>,
  duties: readonly Duty[],
): { readonly round: () => Promise<void>; readonly idle: () => Promise<unknown> } {
  const failing = new Set<string>();
  const running = new Map<string, Promise<void>>();
  let second = 0;

  async function attempt({ name, run }: Duty): Promise<void> {
    try {
      await run();
      failing.delete(name);
    } catch (error) {
      if (!failing.has(name)) log.error({ duty: name, reason: reasonOf(error) }, 'duty failed, tried again');
      failing.add(name);
    } finally {
      running.delete(name);
    }
  }

  return {
    async round() {
      second++;
      for (const duty of duties) {
        const { name, everySeconds, slow } = duty;
        const isTurn = second % everySeconds === 0 || (slow && second === 1);
        if (!isTurn || running.has(name)) continue;
        const done = attempt(duty);
        if (slow) running.set(name, done);
        else await done;
      }
    },
    idle: () => Promise.all(running.values()),
  };
}
