// Runs things one after the other: changes to a record, which are a read, a change and a write and would undo each
// other, the SQLite writes of a process, the messages of a channel.

/**
 * Runs the functions given for a key in order, one at a time. Keys do not wait for each other. A failure only affects
 * its caller. When `signal` aborts before the function has begun, it is not called, and the reason is thrown
 * immediately.
 */
export type Lines = <T>(key: string, run: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** A key is forgotten as soon as nothing waits for it. */
export function createKeyedMutex(): Lines {
  /**
   * For each key: settles once its last function and all before it have ended. Without their results: V8 keeps much of what a
   * Map that changes often referred to until the next full collection.
   */
  const last = new Map<string, Promise<void>>();

  async function runAfter<T>(
    before: Promise<void> | undefined,
    run: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    await before;
    signal?.throwIfAborted();
    return run();
  }

  return (key, run, signal) => {
    const before = last.get(key);
    const turn = runAfter(before, run, signal);
    const forget = () => {
      if (last.get(key) === over) last.delete(key);
    };
    const over = turn.then(forget, forget);
    last.set(key, over);
    return before && signal ? unlessAborted(before, signal).then(() => turn) : turn;
  };
}

/** {@link Lines} with one key. `idle` resolves when all work is done. */
export interface Line {
  <T>(run: () => Promise<T>): Promise<T>;
  idle(): Promise<void>;
}

export function createMutex(): Line {
  const lines = createKeyedMutex();
  let last: Promise<unknown> | undefined;
  function line<T>(run: () => Promise<T>): Promise<T> {
    const turn = lines('', run);
    last = turn;
    return turn;
  }
  line.idle = async () => {
    // Running work may add more.
    for (let seen: unknown; seen !== last; ) {
      seen = last;
      await last?.catch(() => undefined);
    }
  };
  return line;
}

/**
 * Settles as `promise` does, or rejects with the reason of `signal` if that comes first. The listener is removed when
 * `promise` settles.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** For how long work keeps the processor busy before timers and sockets get a turn, milliseconds. */
const PACE_MS = 5;

/**
 * Returns a function to call right before each step that keeps the processor busy. Its result is undefined while the
 * steps have used less than `paceMs` of the present turn of the event loop. Otherwise it is a promise to wait for, which
 * resolves in a later turn that has time left. So a burst of steps delays timers and sockets by `paceMs` and one step.
 * Awaiting undefined would let the other steps ask before this one has begun.
 */
export function createPacer(paceMs = PACE_MS): () => Promise<void> | undefined {
  /** When the first step of this turn began, by `performance.now()`. */
  let begun: number | undefined;

  function mayGoOn(): boolean {
    if (begun !== undefined) return performance.now() - begun < paceMs;
    begun = performance.now();
    setImmediate(() => {
      begun = undefined;
    });
    return true;
  }
  function later(resolve: () => void): void {
    setImmediate(() => {
      if (mayGoOn()) resolve();
      else later(resolve);
    });
  }
  return () => (mayGoOn() ? undefined : new Promise(later));
}

/** The pacer of this process, which has one event loop. */
export const pace = createPacer();
