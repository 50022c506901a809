// The store of commands that only read: what they write is seen by them alone, and the database stays as it is.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Backend, Entry } from '../../src/store/backend.js';
import { openBackend } from '../../src/store/index.js';
import { createOverlay } from '../../src/store/overlay.js';
import { later } from '../helpers/later.js';
import { NOW, openTestStores, tempDir, testClock } from './fixtures.js';

const value = (text: string): Entry => ({ value: text });
let base: Backend;
let over: Backend;

beforeEach(async () => {
  const url = `sqlite://${await tempDir()}/store.sqlite`;
  await (await openTestStores(url)).close();
  base = await openBackend({ url, dataDir: '/nonexistent', clock: testClock(), gathers: false });
  later(() => base.close());
  for (const key of ['a', 'c', 'e', 'ä']) await base.kvTables.misc.set(key, value(`base ${key}`));
  over = createOverlay(base);
});

const misc = () => over.kvTables.misc;
const keysIn = async (range = {}, limit = 100) => (await misc().page(range, limit)).map(([key]) => key);

describe('rows', () => {
  test('are read as they are in the database until they are written', async () => {
    expect(await misc().get('a')).toEqual(value('base a'));
    expect(await misc().read('a')).toEqual(await base.kvTables.misc.read('a'));
    expect(await misc().read('none')).toEqual({ version: 0 });
    expect(await misc().get('none')).toBeUndefined();
    await misc().set('a', value('mine'));
    await misc().set('b', { expires: NOW, value: 'new' });
    expect(await misc().get('a')).toEqual(value('mine'));
    expect(await misc().get('b')).toEqual({ expires: NOW, value: 'new' });
    expect((await misc().read('a')).entry).toEqual(value('mine'));
    expect(await base.kvTables.misc.get('a')).toEqual(value('base a'));
    expect(await base.kvTables.misc.get('b')).toBeUndefined();
  });

  test('that are deleted are gone here only', async () => {
    await misc().delete('a');
    expect(await misc().get('a')).toBeUndefined();
    expect(await misc().read('a')).toEqual({ version: 0 });
    expect(await keysIn()).toEqual(['c', 'e', 'ä']);
    expect((await misc().readMany(['a', 'c'])).has('a')).toBe(false);
    expect(await base.kvTables.misc.get('a')).toEqual(value('base a'));
    await misc().set('a', value('back'));
    expect(await misc().get('a')).toEqual(value('back'));
  });

  test('are read together from both sides', async () => {
    await misc().set('a', value('mine'));
    const rows = await misc().readMany(['a', 'c', 'none']);
    expect([...rows].map(([key, { entry }]) => [key, entry?.value]).toSorted()).toEqual([
      ['a', 'mine'],
      ['c', 'base c'],
    ]);
  });

  test('come page by page in byte order, of both sides', async () => {
    for (const key of ['b', 'Z', '\u{1F600}', 'c']) await misc().set(key, value(`mine ${key}`));
    await misc().delete('e');
    const all = ['Z', 'a', 'b', 'c', 'ä', '\u{1F600}'];
    expect(await keysIn()).toEqual(all);
    const pages: string[][] = [];
    for (let after: string | undefined; pages.flat().length < all.length; after = pages.at(-1)?.at(-1))
      pages.push(await keysIn(after === undefined ? {} : { after }, 2));
    expect(pages).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
    expect(await keysIn({ from: 'b', to: 'c' })).toEqual(['b']);
    expect(await keysIn({ from: 'b', to: 'ä' })).toEqual(['b', 'c']);
    expect(await keysIn({ after: 'b', to: 'd' })).toEqual(['c']);
    expect((await misc().page({}, 100)).find(([key]) => key === 'c')?.[1]).toContain('mine c');
  });

  test('fill a page although many of the database were replaced or deleted', async () => {
    for (const key of ['a', 'c']) await misc().delete(key);
    expect(await keysIn({}, 2)).toEqual(['e', 'ä']);
    expect(await keysIn({}, 1)).toEqual(['e']);
  });

  test('are listed by the beginning of their keys', async () => {
    for (const key of ['x:1', 'x:2', 'y:1']) await base.kvTables.misc.set(key, value(key));
    await misc().set('x:3', value('3'));
    await misc().delete('x:1');
    expect(await misc().keysUnder('x:')).toEqual(['x:2', 'x:3']);
  });
});

describe('a commit', () => {
  test('is made only if its versions are those of the rows, here or in the database', async () => {
    const { version } = await base.kvTables.misc.read('a');
    const write = (key: string, of: number, text: string) => ({
      table: 'misc' as const,
      key,
      version: of,
      entry: value(text),
    });
    expect(await over.commit({ writes: [write('a', version + 1, 'x'), write('n', 0, 'x')] })).toBe(false);
    expect(await misc().get('n')).toBeUndefined();
    expect(await over.commit({ writes: [write('a', version, 'mine'), write('n', 0, 'x')] })).toBe(true);
    expect(await over.commit({ writes: [write('a', version, 'again')] })).toBe(false);
    const mine = await misc().read('a');
    expect(mine.entry).toEqual(value('mine'));
    expect(await over.commit({ writes: [write('a', mine.version, 'again')] })).toBe(true);
    expect(await misc().replace('n', 0, value('y'))).toBe(false);
    expect((await misc().get('n'))?.value).toBe('x');
  });

  test('leaves rows as they are that are written only if they are absent, here or in the database', async () => {
    const add = (key: string, text: string) =>
      over.commit({ writes: [{ table: 'misc', key, entry: value(text), ifAbsent: true }] });
    for (const key of ['a', 'n']) expect(await add(key, `new ${key}`)).toBe(true);
    expect(await add('n', 'later')).toBe(true);
    expect((await misc().get('a'))?.value).toBe('base a');
    expect((await misc().get('n'))?.value).toBe('new n');
  });

  test('that only compares changes nothing', async () => {
    const { version } = await base.kvTables.misc.read('a');
    expect(await over.commit({ writes: [{ table: 'misc', key: 'a', version }] })).toBe(true);
    expect(await misc().read('a')).toEqual({ version, entry: value('base a') });
  });

  test('of several that come together compares with those before it', async () => {
    const take = (text: string) =>
      over.commit({ writes: [{ table: 'misc', key: 'n', version: 0, entry: value(text) }] });
    expect(await Promise.all([take('one'), take('two')])).toEqual([true, false]);
    expect((await misc().get('n'))?.value).toBe('one');
  });
});

test('plans nothing and takes no turns, but reads what is planned', async () => {
  const unit = { queue: 'q', lane: 'l', unit: 'u' };
  await base.lanes.plan([{ ...unit, at: NOW }]);
  await base.lanes.keep([{ ...unit, state: 'heard' }]);
  expect(await over.lanes.states([unit])).toMatchObject([{ state: 'heard' }]);
  expect(await over.lanes.claim('q', 5)).toEqual([]);
  expect(await over.lanes.load('q')).toEqual({ due: 0 });
  await over.lanes.plan([{ ...unit, unit: 'mine', at: NOW }]);
  await over.lanes.clear();
  expect((await base.lanes.page(undefined, 10)).map((one) => one.unit)).toEqual(['u']);
  expect(await over.kvTables.misc.purge(Number.MAX_SAFE_INTEGER)).toBe(0);
});

test('takes leases in the database, so that no service starts meanwhile', async () => {
  const fence = await over.leases.take('service', 'me', 60_000);
  expect(fence).toBeDefined();
  expect(await base.leases.take('service', 'other', 60_000)).toBeUndefined();
  await over.leases.release('service', fence ?? 0, 'me');
});

test('without a database it is an empty store', async () => {
  const empty = createOverlay();
  expect(empty.kind).toBe('sqlite');
  await empty.kvTables.misc.set('a', value('mine'));
  expect(await empty.kvTables.misc.page({}, 10)).toHaveLength(1);
  expect((await empty.kvTables.misc.readMany(['a', 'b'])).size).toBe(1);
  expect(await empty.lanes.states([{ queue: 'q', lane: 'l', unit: 'u' }])).toEqual([
    { state: null, version: 0 },
  ]);
  expect(await empty.leases.take('service', 'me', 1)).toBe(1);
  expect(await empty.leases.renew('service', 1, 'me', 1)).toBe(true);
  expect(await empty.leases.list()).toEqual([]);
  await empty.tryWrite();
  await empty.close();
});
