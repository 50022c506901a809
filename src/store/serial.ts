// Doing things one after the other: SQLite writes of one process.

/** Runs what it is given in order, one at a time; a failure is the caller's alone. `idle` resolves when all is done. */
export interface Line {
  <T>(work: () => Promise<T>): Promise<T>;
  idle(): Promise<void>;
}

export function createLine(): Line {
  let tail: Promise<unknown> = Promise.resolve();
  function line<T>(work: () => Promise<T>): Promise<T> {
    const turn = tail.then(work);
    tail = turn.catch(() => undefined);
    return turn;
  }
  line.idle = async () => {
    // What runs may add more.
    for (let seen: unknown; seen !== tail; ) {
      seen = tail;
      await tail;
    }
  };
  return line;
}

/**
 * Gathers items while the line is busy and handles those that wait at once when its turn comes, at most `most` and in
 * order. `handle` gives one result for each; when it fails, it fails for all of them.
 */
export function createBatches<T, R>(
  line: Line,
  most: number,
  handle: (items: readonly T[]) => Promise<readonly R[]>,
): (item: T) => Promise<R> {
  const waiting: { readonly item: T; resolve(result: R): void; reject(error: unknown): void }[] = [];
  let due = false;

  function schedule(): void {
    if (due || waiting.length === 0) return;
    due = true;
    void line(async () => {
      due = false;
      const batch = waiting.splice(0, most);
      schedule();
      try {
        const results = await handle(batch.map(({ item }) => item));
        for (const [index, one] of batch.entries()) one.resolve(results[index] as R);
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    });
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}
