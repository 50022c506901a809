// Equal requests at the same time share one piece of work. A caller that leaves does not affect the others, and the
// work is aborted only when all have left.
import { unlessAborted } from './token-queue.js';

export interface SingleFlight<T> {
  /** Joins the work in progress for `key`, or starts it. Rejects with the reason of `signal`, or as the work does. */
  join(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts all work, and waits until it has ended. */
  close(): Promise<void>;
}

interface Shared<T> {
  readonly work: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const inFlight = new Map<string, Shared<T>>();
  /** Includes work without callers, which may be in the middle of a write. */
  const running = new Set<Shared<T>>();

  function launch(key: string, start: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const controller = new AbortController();
    const shared = { work: start(controller.signal), controller, waiting: 0 };
    inFlight.set(key, shared);
    running.add(shared);
    const land = () => {
      running.delete(shared);
      if (inFlight.get(key) === shared) inFlight.delete(key);
    };
    shared.work.then(land, land);
    return shared;
  }

  async function join(
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const shared = inFlight.get(key) ?? launch(key, start);
    shared.waiting++;
    try {
      return await unlessAborted(shared.work, signal);
    } finally {
      shared.waiting--;
      if (shared.waiting === 0) {
        // A caller that comes now must not join work that is being aborted.
        if (inFlight.get(key) === shared) inFlight.delete(key);
        shared.controller.abort();
      }
    }
  }

  async function close(): Promise<void> {
    const all = [...running];
    for (const shared of all) shared.controller.abort();
    await Promise.allSettled(all.map((shared) => shared.work));
  }

  return { join, close };
}
