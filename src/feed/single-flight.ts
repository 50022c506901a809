// Equal requests at the same time become one. The shared work belongs to none of its callers: one who leaves
// takes nothing from the others, and only when all have left is the work given up.
import { unlessAborted } from './token-queue.js';

export interface SingleFlight<T> {
  /** Joins the work under way for `key`, or starts it. Rejects with the reason of `signal`, or as the work does. */
  join(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Gives up all work, and waits until it has ended. */
  close(): Promise<void>;
}

interface Shared<T> {
  readonly work: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const inFlight = new Map<string, Shared<T>>();
  /** Also those nobody waits for any more: they may be in the middle of a write. */
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
        // A caller who comes now must not get on board of what is being given up.
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
