// When an address gets no more mail, and when it does again.
import { expect, test } from 'vitest';
import { deriveKeys } from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';
import { createSuppression } from '../../src/sinks/email/suppression.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';

const ANN = 'ann@example.org';
const DAY = 86_400_000;
const keyOf = (n: number) => deriveKeys([secret(Buffer.alloc(32, n).toString('base64'))], 'mail');

function start() {
  const clock = testClock();
  const table = memoryTable(clock);
  const open = (keys = keyOf(1)) => createSuppression({ table, keys, clock });
  return { clock, table, open, list: open() };
}

test('one permanent failure is enough, and the address itself is not stored', async () => {
  const { clock, table, list } = start();
  expect(await list.find(ANN)).toBeUndefined();
  await list.add(ANN, '550 5.1.1');
  expect(await list.find('ANN@example.org')).toEqual({ at: clock.now(), why: '550 5.1.1' });
  expect(await list.find('bob@example.org')).toBeUndefined();
  expect(table.dump()).not.toMatch(/ann|example/iu);
  clock.advance(1_000 * DAY);
  expect(await list.find(ANN)).toBeDefined();
  await list.remove(ANN);
  expect(await list.find(ANN)).toBeUndefined();
});

test('three messages that failed for a while are enough, however often each was tried', async () => {
  const { list } = start();
  for (let attempt = 0; attempt < 5; attempt++)
    expect(await list.soft({ address: ANN }, 'one', '452')).toBe(false);
  expect(await list.soft({ address: ANN }, 'two', '452')).toBe(false);
  expect(await list.find(ANN)).toBeUndefined();
  expect(await list.soft({ token: list.token(ANN) }, 'three', '452 4.2.2')).toBe(true);
  expect(await list.find(ANN)).toMatchObject({ why: '452 4.2.2' });
});

test('a failure counts for fourteen days', async () => {
  const { clock, list } = start();
  await list.soft({ address: ANN }, 'one', '452');
  clock.advance(14 * DAY - 1);
  await list.soft({ address: ANN }, 'two', '452');
  clock.advance(1);
  expect(await list.soft({ address: ANN }, 'three', '452')).toBe(false);
  expect(await list.soft({ address: ANN }, 'four', '452')).toBe(true);
});

test('a mail that arrives makes earlier failures void, but not those that were reported later', async () => {
  const { table, list } = start();
  await list.arrived(ANN);
  expect(table.dump()).toBe('[]');
  await list.soft({ address: ANN }, 'one', '452');
  await list.soft({ address: ANN }, 'two', '452');
  await list.arrived(ANN);
  expect(table.dump()).toBe('[]');
  await list.soft({ address: ANN }, 'one', '452', true);
  await list.soft({ address: ANN }, 'two', '452', true);
  await list.soft({ address: ANN }, 'two-again', '452');
  expect(await list.find(ANN)).toBeDefined();
  await list.remove(ANN);
  await list.soft({ address: ANN }, 'one', '452', true);
  await list.soft({ address: ANN }, 'two', '452');
  await list.arrived(ANN);
  expect(await list.soft({ address: ANN }, 'three', '452', true)).toBe(false);
  expect(await list.soft({ address: ANN }, 'four', '452')).toBe(true);
});

test('finds and removes what was stored under a former key', async () => {
  const { open, list } = start();
  await list.add(ANN, '550');
  const both = open([...keyOf(2), ...keyOf(1)]);
  expect(await both.find(ANN)).toMatchObject({ why: '550' });
  expect(both.token(ANN)).not.toBe(list.token(ANN));
  await both.remove(ANN);
  expect(await both.find(ANN)).toBeUndefined();
  expect(await list.find(ANN)).toBeUndefined();
});
