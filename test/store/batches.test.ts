// Writes that come while others are made share the next transaction.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMutex } from '../../src/domain/serial.js';
import { createBatches } from '../../src/store/batches.js';

/** Batches that are recorded; each takes a moment, and fails if it has a text of `bad`. */
function recording(most: number, everyMs = 0, sizeOf?: (item: string) => number) {
  const batches: (readonly string[])[] = [];
  const line = createMutex();
  const handle = async (items: readonly string[]) => {
    batches.push(items);
    await sleep(1);
    if (items.includes('bad')) throw new Error('no room');
    return items.map((item) => item.toUpperCase());
  };
  return { batches, line, ...createBatches(line, most, handle, everyMs, sizeOf) };
}

test('a single item is handled at once; those that come meanwhile go together, in order', async () => {
  const { batches, add } = recording(10);
  const first = add('a');
  await Promise.resolve();
  const others = [add('b'), add('c')];
  expect(await Promise.all([first, ...others])).toEqual(['A', 'B', 'C']);
  expect(batches).toEqual([['a'], ['b', 'c']]);
});

test('a batch has no more than fits, but a larger item goes alone', async () => {
  const { batches, add, line } = recording(5, 0, (item) => item.length);
  const busy = line(() => sleep(5));
  const results = ['aaa', 'bb', 'c', 'dddddddd', 'e'].map(add);
  await Promise.all([busy, ...results]);
  expect(batches).toEqual([['aaa', 'bb'], ['c'], ['dddddddd'], ['e']]);
});

test('each item counts as one without a size', async () => {
  const { batches, add, line } = recording(2);
  const busy = line(() => sleep(5));
  await Promise.all([busy, ...['a', 'b', 'c'].map(add)]);
  expect(batches).toEqual([['a', 'b'], ['c']]);
});

test('a failure is that of every item in its batch, and of no other', async () => {
  const { add, line } = recording(2);
  const busy = line(() => sleep(5));
  const results = await Promise.allSettled(['bad', 'a', 'b', 'c'].map(add));
  await busy;
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
});

test('after a batch of several the next one waits until it is due or flushed; after a single item it does not', async () => {
  const { batches, add, line, flush } = recording(10, 60_000);
  await add('a');
  await add('b');
  const busy = line(() => sleep(5));
  await Promise.all([busy, add('c'), add('d')]);
  expect(batches).toEqual([['a'], ['b'], ['c', 'd']]);
  const late = [add('e'), add('f')];
  await sleep(10);
  expect(batches).toHaveLength(3);
  flush();
  expect(await Promise.all(late)).toEqual(['E', 'F']);
  flush();
  expect(batches).toEqual([['a'], ['b'], ['c', 'd'], ['e', 'f']]);
});

test('what waits for the next batch is handled when it is due', async () => {
  const { batches, add, line } = recording(10, 20);
  const busy = line(() => sleep(5));
  await Promise.all([busy, add('a'), add('b')]);
  expect(await add('c')).toBe('C');
  expect(batches).toEqual([['a', 'b'], ['c']]);
});
