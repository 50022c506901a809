// Steps that keep the processor busy leave room for timers and sockets between them.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPacer } from '../../src/domain/serial.js';

/** Keeps the processor busy for so many milliseconds. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('a burst of long steps lets a timer run after the first of them', async () => {
  const pace = createPacer(5);
  const order: string[] = [];
  const steps = Array.from({ length: 10 }, async (_, index) => {
    const wait = pace();
    if (wait) await wait;
    work(6);
    order.push(`step ${index}`);
  });
  const timer = sleep(1).then(() => order.push('timer'));
  await Promise.all([...steps, timer]);
  expect(order.indexOf('timer')).toBeLessThanOrEqual(2);
  expect(order.filter((one) => one !== 'timer')).toEqual(steps.map((_, index) => `step ${index}`));
});

test('short steps do not wait for each other', () => {
  const pace = createPacer(1_000);
  for (let step = 0; step < 100; step++) expect(pace()).toBeUndefined();
});

test('steps that waited share a turn of the event loop, in their order', async () => {
  const pace = createPacer(50);
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  pace();
  work(60);
  count();
  const turns: number[] = [];
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      await pace();
      order.push(index);
      turns.push(turn);
    }),
  );
  isOver = true;
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(new Set(turns).size).toBeLessThan(10);
});

test('a single step that waits begins in a later turn, also when others waited before', async () => {
  const pace = createPacer(0);
  for (const _ of [1, 2, 3]) {
    pace();
    const wait = pace();
    expect(wait).toBeInstanceOf(Promise);
    await wait;
    await sleep(1);
  }
});

test('nothing waits for ever', async () => {
  const pace = createPacer(0);
  let done = 0;
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let step = 0; step < 5; step++) {
        const wait = pace();
        if (wait) await wait;
      }
      done++;
    }),
  );
  expect(done).toBe(50);
});
