// Runs a turn from its claim to its end, the same in every engine. The lane is held while the work runs, and the end is
// written under the epoch of the claim.

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../domain/defined.js';
import { GroupRests, reasonOf } from '../domain/errors.js';
import type { Engine, Job, JobRef, Outcome, Worker } from '../ports/engine.js';
import type { Ended, LaneStore, Turn, TurnEnd, Unit } from '../ports/lanes.js';
import type { Clock, Log } from '../ports/system.js';

export interface TurnDeps {
  readonly lanes: LaneStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** `asked`: when the lane was claimed, by `performance.now()` before the claim was sent. */
interface RunOptions {
  readonly asked?: number;
  /** Called after the work, before the end is written. */
  readonly worked?: () => void;
}

export interface Turns {
  /** Does the work of a claimed turn and writes its end; never rejects. */
  run(turn: Turn, worker: Worker, options?: RunOptions): Promise<Ended>;
  /** See `Engine.run`. `onEnd` is called with the result of the end before this resolves. */
  runNow<T>(
    onEnd: (ended: Ended) => void,
    job: JobRef,
    task: (signal: AbortSignal, state: unknown) => Promise<{ readonly result: T; readonly outcome: Outcome }>,
    wait?: Parameters<Engine['run']>[2],
  ): Promise<T>;
  /** Ends a turn as if it had not been claimed. */
  giveBack(turn: Turn): Promise<Ended>;
  /** Returns how many turns of a queue are running. */
  running(queue: string): number;
  /** Waits for the running turns. If `ms` milliseconds pass first, aborts them and returns false. */
  drain(ms: number): Promise<boolean>;
  draining(): boolean;
}

const BACKOFF_MS = [1_000, 5_000, 30_000, 60_000];
/** A third of the time that a lane is held. */
const RENEW_MS = 4_000;
/** For how long a claim or renewal is relied on. A second less than the store holds a lane, so that the work ends in time. */
const CERTAIN_MS = 11_000;
/** How soon to ask again for a lane that is not free; LOOK_MS is the longest wait. */
const TAKE_AGAIN_MS = 10;
const LOOK_MS = 1_000;

/** A running turn's right to its lane. `until`: how long it is certain, by `performance.now()`. */
interface Hold {
  readonly control: AbortController;
  until: number;
  timer?: NodeJS.Timeout;
}

/** `isShared`: other processes take turns of the same lanes. */
export function createTurns({ lanes, clock, log }: TurnDeps, isShared = false): Turns {
  const abort = new AbortController();
  // Every running turn listens to this signal. Node warns of a leak from eleven listeners on.
  setMaxListeners(0, abort.signal);
  const running = new Map<Turn, Promise<Ended>>();
  /** Empty when no other process takes lanes. */
  const holds = new Map<Turn, Hold>();
  /** New epochs of turns whose lane this process lost and took again while it worked on them. */
  const epochs = new WeakMap<Turn, number>();
  /** Turns whose work is over and whose end is being written. */
  const ending = new WeakSet<Turn>();
  function present(turn: Turn): Turn {
    const epoch = epochs.get(turn);
    return epoch === undefined ? turn : { ...turn, epoch };
  }
  let draining = false;
  let heart: NodeJS.Timeout | undefined;

  async function work(turn: Turn, worker: Worker): Promise<TurnEnd> {
    const job: Job = { queue: turn.queue, id: turn.unit, group: turn.lane };
    try {
      return endOf(
        turn,
        await lanes.within(turn, () =>
          worker(job, {
            attempt: turn.attempt,
            signal: abort.signal,
            holding: holdingOf(turn),
            state: turn.state,
          }),
        ),
      );
    } catch (error) {
      log.error({ queue: turn.queue, job: turn.unit, attempt: turn.attempt, err: error }, 'job failed');
      return endOf(turn, { again: BACKOFF_MS[Math.min(turn.attempt, BACKOFF_MS.length) - 1] as number });
    }
  }

  /** Waits until a lane is free and takes it. Throws a GroupRests when the lane rests for longer than `patienceMs`. */
  async function taken(
    unit: Unit,
    { signal, patienceMs = Number.POSITIVE_INFINITY }: NonNullable<Parameters<Engine['run']>[2]>,
  ): Promise<{ readonly turn: Turn; readonly asked: number }> {
    for (;;) {
      signal?.throwIfAborted();
      if (draining) throw new Error('shutting down');
      const asked = performance.now();
      const found = await lanes.take(unit);
      if ('epoch' in found) return { turn: found, asked };
      const restMs = found.at - clock.now();
      if (restMs > patienceMs) throw new GroupRests(restMs);
      const wait = Math.min(Math.max(restMs, TAKE_AGAIN_MS), LOOK_MS);
      // An abort ends the wait, and is thrown above with its reason.
      await sleep(wait, undefined, signal ? { signal } : {}).catch(() => undefined);
    }
  }

  function endOf(
    { attempt }: Turn,
    { again, rest, succeeded, deferred, state }: NonNullable<Outcome> = {},
  ): TurnEnd {
    const now = clock.now();
    return {
      attempts: again === undefined || succeeded ? 0 : deferred ? attempt - 1 : attempt,
      ...defined({
        next: again === undefined ? undefined : now + again,
        rest: rest ? now + rest : undefined,
        state,
      }),
    };
  }

  const unbegun = (turn: Turn): TurnEnd => ({ next: turn.dueAt, attempts: turn.attempt - 1 });

  /** Returns the running turn of a lane. */
  function runningIn({ queue, lane }: Turn): Turn | undefined {
    for (const one of running.keys()) if (one.lane === lane && one.queue === queue) return one;
    return undefined;
  }

  const holdingOf = (turn: Turn) => holds.get(turn)?.control.signal ?? abort.signal;

  /** Relies on a lane for a while after `asked`. After that, another process may have taken it. */
  function trust(turn: Turn, asked: number): void {
    const hold = holds.get(turn);
    if (!hold) return;
    clearTimeout(hold.timer);
    // Answers to renewals may come in any order.
    hold.until = Math.max(hold.until, asked + CERTAIN_MS);
    const ms = hold.until - performance.now();
    if (ms > 0) hold.timer = setTimeout(() => distrust(turn), ms);
    else distrust(turn);
  }

  function distrust(turn: Turn): void {
    holds.get(turn)?.control.abort(new Error('another process may have taken the lane'));
  }

  /** Begins to hold the lane, before its work begins. */
  function begin(turn: Turn, asked: number): void {
    if (!isShared) return;
    holds.set(turn, { control: new AbortController(), until: 0 });
    trust(turn, asked);
  }

  /** Holds the lane until `run` is settled. `run` never rejects. */
  function hold(turn: Turn, run: Promise<Ended>): Promise<Ended> {
    const held = letGoAfter(turn, run);
    running.set(turn, held);
    beat();
    return held;
  }

  async function letGoAfter(turn: Turn, run: Promise<Ended>): Promise<Ended> {
    try {
      return await run;
    } finally {
      running.delete(turn);
      clearTimeout(holds.get(turn)?.timer);
      holds.delete(turn);
    }
  }

  /** Works on a turn once the turn before it in the lane is over. Never rejects. */
  async function workAfter(
    before: Promise<Ended> | undefined,
    turn: Turn,
    worker: Worker,
    worked: (() => void) | undefined,
  ): Promise<Ended> {
    // Also when there is none: the turn must be known as running before its work begins.
    await before;
    const end = await work(turn, worker);
    worked?.();
    return finish(turn, end);
  }

  /**
   * Writes the end of a turn. If that fails, the lane is free again when its hold ends, so a failing store costs only
   * that time.
   */
  async function finish(turn: Turn, end: TurnEnd): Promise<Ended> {
    ending.add(turn);
    try {
      const ended = await lanes.end(present(turn), end);
      if (!ended.kept) log.warn({ queue: turn.queue, job: turn.unit }, 'another process took over a job');
      return ended;
    } catch (error) {
      log.debug(
        { queue: turn.queue, job: turn.unit, reason: reasonOf(error) },
        'the end of a job was not written',
      );
      return { kept: false };
    }
  }

  /** Renews the holds of the running turns. */
  function beat(): void {
    heart ??= setInterval(() => {
      if (running.size === 0) {
        clearInterval(heart);
        heart = undefined;
      } else
        renew([...running.keys()]).catch((error: unknown) => {
          log.debug({ reason: reasonOf(error) }, 'holding on to running jobs failed');
        });
    }, RENEW_MS);
  }

  async function renew(turns: readonly Turn[]): Promise<void> {
    const asked = performance.now();
    const now = turns.map(present);
    const lost = await lanes.renew(now);
    for (const [index, turn] of turns.entries())
      if (lost.includes(now[index] as Turn)) distrust(turn);
      else trust(turn, asked);
  }

  return {
    run(turn, worker, { asked = performance.now(), worked } = {}) {
      // If this process was suspended for longer than it held the lane, it may still be working on the same unit.
      const mine = runningIn(turn);
      const before = mine && running.get(mine);
      if (mine && before && mine.unit === turn.unit && !ending.has(mine)) {
        epochs.set(mine, turn.epoch);
        trust(mine, asked);
        worked?.();
        return before;
      }
      begin(turn, asked);
      return hold(turn, workAfter(before, turn, worker, worked));
    },
    async runNow(onEnd, { queue, id, group }, task, wait = {}) {
      const { turn, asked } = await taken({ queue, lane: group, unit: id }, wait);
      begin(turn, asked);
      const done = lanes.within(turn, () => task(holdingOf(turn), turn.state));
      const end = done.then(
        ({ outcome }) => endOf(turn, outcome),
        () => unbegun(turn),
      );
      onEnd(
        await hold(
          turn,
          end.then((one) => finish(turn, one)),
        ),
      );
      return (await done).result;
    },
    giveBack: (turn) => finish(turn, unbegun(turn)),
    running: (queue) => [...running.keys()].filter((turn) => turn.queue === queue).length,
    async drain(ms) {
      draining = true;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), ms);
      });
      const inTime = await Promise.race([Promise.all(running.values()).then(() => true), late]);
      clearTimeout(timer);
      clearInterval(heart);
      if (!inTime) {
        const reason = new Error('shutting down');
        abort.abort(reason);
        for (const { control } of holds.values()) control.abort(reason);
      }
      return inTime;
    },
    draining: () => draining,
  };
}
