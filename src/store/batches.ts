// Gathers writes that come while a line is busy, so that they share a transaction.
import type { Line } from '../domain/serial.js';

const itemOf = <T>({ item }: { readonly item: T }) => item;

/**
 * Gathers items while the line is busy, and handles those that wait together when their turn comes: in order, up to a
 * size of `most`, or a single larger one. The size of an item is 1 without `sizeOf`. `handle` returns one result for each
 * item; if it fails, it fails for all of them. `everyMs`: after a batch of several items, the next batch starts at least
 * this much later, so batches grow under load; single items do not wait. `flush` handles waiting items now.
 */
export function createBatches<T, R>(
  line: Line,
  most: number,
  handle: (items: readonly T[]) => Promise<readonly R[]>,
  everyMs = 0,
  sizeOf: (item: T) => number = () => 1,
): { add(item: T): Promise<R>; flush(): void } {
  const waiting: { readonly item: T; resolve(result: R): void; reject(error: unknown): void }[] = [];
  let due = false;
  let next = 0;
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    if (due || waiting.length === 0) return;
    due = true;
    const waitMs = next - performance.now();
    if (waitMs > 0) timer = setTimeout(begin, waitMs);
    else begin();
  }

  /** How many of the waiting items are handled next. */
  function fitting(): number {
    let count = 0;
    for (let size = 0; count < waiting.length; count++) {
      size += sizeOf((waiting[count] as { readonly item: T }).item);
      if (size > most && count > 0) break;
    }
    return count;
  }

  function begin(): void {
    timer = undefined;
    void line(async () => {
      due = false;
      const batch = waiting.splice(0, fitting());
      next = batch.length > 1 ? performance.now() + everyMs : 0;
      schedule();
      try {
        const results = await handle(batch.map(itemOf));
        for (const [index, one] of batch.entries()) one.resolve(results[index] as R);
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    });
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        schedule();
      }),
    flush() {
      if (!timer) return;
      clearTimeout(timer);
      begin();
    },
  };
}
