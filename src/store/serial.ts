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
 * Gathers items while the line is busy and writes those that wait at once when its turn comes: at most `most`, in
 * order, and only of one group. An item's promise settles with the write it was part of.
 */
export function createBatches<T>(
  line: Line,
  most: number,
  groupOf: (item: T) => unknown,
  write: (items: readonly T[]) => Promise<void>,
): (item: T) => Promise<void> {
  const waiting: { readonly item: T; settle(failure?: { readonly error: unknown }): void }[] = [];
  let due = false;

  function schedule(): void {
    if (due || waiting.length === 0) return;
    due = true;
    void line(async () => {
      due = false;
      const group = groupOf(waiting[0]!.item);
      const other = waiting.findIndex(({ item }) => groupOf(item) !== group);
      const batch = waiting.splice(0, other === -1 ? most : Math.min(other, most));
      schedule();
      const failure = await write(batch.map(({ item }) => item)).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      for (const { settle } of batch) settle(failure);
    });
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({
        item,
        settle: (failure) => (failure ? reject(failure.error) : resolve()),
      });
      schedule();
    });
}
