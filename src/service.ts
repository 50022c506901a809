// Starts what keeps the service running once it is built: the workers of the queues, the ticker, and the duties that
// run every few seconds or hours. Everything started here returns an undo step.
import type { Config } from './config.js';
import { deliveryQueue } from './domain/delivery.js';
import { reasonOf } from './domain/errors.js';
import { POLL_QUEUE } from './domain/request.js';
import { startTicker } from './engine/ticker.js';
import type { Pipeline } from './pipeline/context.js';
import { dispatch } from './pipeline/dispatch.js';
import { endPauses } from './pipeline/pauses.js';
import { tellQuietWeeks } from './pipeline/quiet-weeks.js';
import { sendReminders } from './pipeline/reminders.js';
import { planAtStart, type Scheduler } from './pipeline/scheduler.js';
import { followChanges } from './pipeline/subscription-sync.js';
import type { Worker } from './ports/engine.js';
import { BUILT_IN } from './sinks/index.js';

export type Undo = () => Promise<unknown> | unknown;

/** A task that runs again and again. A failure is logged once, and the duty runs again at its next turn. */
export interface Duty {
  readonly name: string;
  /** An interval in seconds, or each full hour of the clock. */
  readonly every: number | 'hour';
  /** The other duties do not wait for it, and it runs for the first time right after the start. */
  readonly slow?: true;
  readonly run: () => Promise<unknown>;
}

/** All queues: polls, and one for each sink. A built-in sink that is off has one too: its worker notifies the owner. */
function queuesOf({ sinks }: Pick<Pipeline, 'sinks'>): readonly string[] {
  return [POLL_QUEUE, ...[...new Set([...sinks.keys(), ...Object.keys(BUILT_IN)])].map(deliveryQueue)];
}

/**
 * Starts what the role of the process requires, and returns the undo steps. `lost` is called with a reason when another
 * process took over the store.
 */
export async function startService(
  config: Config,
  p: Pipeline,
  scheduler: Scheduler,
  more: readonly Duty[],
  lost: (reason: string) => void,
): Promise<readonly Undo[]> {
  const { role } = config;
  for (const sink of p.sinks.values()) await sink.start?.(role);
  await planAtStart(p);
  let turns = 0;
  if (role !== 'control') takeTurns(config.limits, p, scheduler, () => turns++);
  // A process that takes no turns must look too: it puts what is due into the queue.
  for (const queue of queuesOf(p)) p.engine.look(queue);
  const stopping = new AbortController();
  const duties = [
    { name: 'processes', every: 3, run: () => p.stores.processes.beat(turns) },
    ...(role === 'worker' ? [] : dutiesOfOne(p, scheduler, lost, stopping.signal)),
    ...more,
  ];
  const { second, hour, idle } = createRounds(p, duties);
  const ticker = startTicker({ second, hour }, p.log);
  return [() => p.engine.drain(config.limits.drainSeconds * 1000), idle, ticker, () => stopping.abort()];
}

function takeTurns(
  { pollConcurrency, deliveryConcurrency }: Config['limits'],
  p: Pipeline,
  scheduler: Scheduler,
  count: () => void,
): void {
  const counted =
    (kind: 'poll' | 'deliver', worker: Worker): Worker =>
    (job, context) => {
      count();
      p.metrics.count('turns_total', { kind });
      return worker(job, context);
    };
  for (const queue of queuesOf(p))
    if (queue === POLL_QUEUE)
      p.engine.work(queue, pollConcurrency, counted('poll', scheduler.poll), scheduler.storeFailed);
    else
      p.engine.work(
        queue,
        deliveryConcurrency,
        counted('deliver', (job, { signal }) => dispatch(p, job, signal)),
      );
}

/** The duties that only one process does, for all processes. */
function dutiesOfOne(
  p: Pipeline,
  scheduler: Scheduler,
  lost: (reason: string) => void,
  stopping: AbortSignal,
): readonly Duty[] {
  return [
    {
      name: 'lease',
      every: 5,
      async run() {
        if (!(await p.stores.lease.renew())) lost('another process took over the store');
      },
    },
    {
      name: 'changes',
      every: 2,
      slow: true,
      async run() {
        await followChanges(p, scheduler, stopping);
      },
    },
    { name: 'purge', every: 'hour', run: () => p.stores.purge() },
    { name: 'quiet weeks', every: 'hour', run: () => tellQuietWeeks(p) },
    { name: 'pauses', every: 'hour', run: () => endPauses(p) },
    { name: 'reminders', every: 'hour', run: () => sendReminders(p, stopping) },
    { name: 'schedule', every: 1, run: () => scheduler.tick() },
  ];
}

/** Returns functions that run the duties whose turn it is. `idle` waits for the slow ones that are running. */
export function createRounds(
  { log }: Pick<Pipeline, 'log'>,
  duties: readonly Duty[],
): {
  /** Call it once a second. */
  readonly second: () => Promise<void>;
  /** Call it at every full hour. */
  readonly hour: () => Promise<void>;
  readonly idle: () => Promise<unknown>;
} {
  const failing = new Set<string>();
  const running = new Map<string, Promise<void>>();
  let seconds = 0;

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
    async second() {
      seconds++;
      for (const duty of duties) {
        const { name, every, slow } = duty;
        const isTurn = every !== 'hour' && (seconds % every === 0 || (slow && seconds === 1));
        if (!isTurn || running.has(name)) continue;
        const done = attempt(duty);
        if (slow) running.set(name, done);
        else await done;
      }
    },
    async hour() {
      for (const duty of duties.filter(({ every }) => every === 'hour')) await attempt(duty);
    },
    idle: () => Promise.all(running.values()),
  };
}
