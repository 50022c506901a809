// Runs work one at a time and in order per name: messages of a channel, requests of a route.

/** Runs `work` after all earlier work of the same name. An abort while waiting rejects immediately. */
export interface Lanes {
  run<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

/** Creates lanes. A lane is removed as soon as nothing waits in it. */
export function createLanes(): Lanes {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(name, signal, work) {
      const mine = (tails.get(name) ?? Promise.resolve()).then(() => {
        signal?.throwIfAborted();
        return work();
      });
      const tail = mine.then(
        () => undefined,
        () => undefined,
      );
      tails.set(name, tail);
      void tail.then(() => {
        if (tails.get(name) === tail) tails.delete(name);
      });
      return signal ? orAborted(mine, signal) : mine;
    },
  };
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason);
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
