import { expect, test } from 'vitest';
import { gatherReads } from '../../src/store/sql-table.js';

test('reads that come together, or while one is running, share a statement, and each gets its own rows', async () => {
  const asked: (readonly string[])[] = [];
  const open: (() => void)[] = [];
  const read = gatherReads(async (keys) => {
    asked.push(keys);
    await new Promise<void>((resolve) => open.push(resolve));
    if (keys.includes('bad')) throw new Error('no');
    return new Map(keys.filter((key) => key !== 'missing').map((key) => [key, `${key} ${asked.length}`]));
  });
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

  const first = [read(['a']), read(['a', 'b'])];
  await turn();
  // Not answered by the statement that is running, which may not see what was written since.
  const second = [read(['a', 'missing']), read(['c'])];
  await turn();
  expect(asked).toEqual([['a', 'b']]);
  open.shift()?.();
  expect(await Promise.all(first)).toEqual([
    new Map([['a', 'a 1']]),
    new Map([
      ['a', 'a 1'],
      ['b', 'b 1'],
    ]),
  ]);
  await turn();
  expect(asked.slice(1)).toEqual([['a', 'missing', 'c']]);
  open.shift()?.();
  expect(await Promise.all(second)).toEqual([new Map([['a', 'a 2']]), new Map([['c', 'c 2']])]);

  const failed = read(['bad']);
  await turn();
  const after = read(['d']);
  open.shift()?.();
  await expect(failed).rejects.toThrow('no');
  await turn();
  open.shift()?.();
  expect(await after).toEqual(new Map([['d', 'd 4']]));
});
