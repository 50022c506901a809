// Ranges of keys, on each database, with pages of a few rows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { key, lastOf, under } from '../../src/store/keys.js';
import { idsIn, pagesOf, rowsOf } from '../../src/store/pages.js';
import { all, createTable } from '../../src/store/table.js';
import { DATABASES, daily, type RunningDatabase } from './databases.js';
import { collect, openTestStores } from './fixtures.js';

for (const database of DATABASES) {
  const name = database.missing ? `${database.name} (skipped: ${database.missing})` : database.name;
  describe.skipIf(database.missing !== undefined)(`ranges on ${name}`, daily(database), () => {
    let running: RunningDatabase;
    beforeAll(async () => {
      running = await database.start();
    });
    afterAll(() => running?.stop());

    /** A table with a row for each of these keys, which the test can count the reads of. */
    async function setUp(keys: readonly string[]) {
      const { backend, clock } = await openTestStores(await running.freshUrl());
      const { lookups } = backend.kvTables;
      await backend.commit({
        writes: keys.map((row) => ({ table: 'lookups', key: row, entry: { value: row } })),
      });
      let reads = 0;
      const page: typeof lookups.page = (...range) => {
        reads++;
        return lookups.page(...range);
      };
      return { table: { ...lookups, page }, clock, reads: () => reads };
    }
    const keysOf = (rows: readonly (readonly [string, unknown])[]) => rows.map(([row]) => row);
    const numbered = (count: number) =>
      Array.from({ length: count }, (_, n) => `row:${String(n).padStart(4, '0')}`);

    test.each([
      [0, [], 1],
      [1, [1], 1],
      [2, [2], 2],
      [5, [2, 2, 1], 3],
    ])('%i rows come in pages', async (count, sizes, reads) => {
      const keys = numbered(count);
      const { table, reads: made } = await setUp(keys);
      const pages = await collect(pagesOf(table, {}, 2));
      expect(pages.map(({ length }) => length)).toEqual(sizes);
      expect(pages.flatMap(keysOf)).toEqual(keys);
      expect(made()).toBe(reads);
    });

    test('end before their upper end, on any page', async () => {
      const { table } = await setUp(numbered(7));
      const range = { from: 'row:0001', to: 'row:0006' };
      for (const size of [2, 5, 10]) {
        const pages = await collect(pagesOf(table, range, size));
        expect(pages.flatMap(keysOf)).toEqual(numbered(6).slice(1));
      }
      expect((await collect(pagesOf(table, { after: 'row:0004' }, 1))).flat()).toHaveLength(2);
    });

    test('contain rows of a former page that were written again only once', async () => {
      const { table } = await setUp(numbered(4));
      const found: string[] = [];
      for await (const rows of pagesOf(table, {}, 2)) {
        for (const [row] of rows) await table.set(row, { value: 'again' });
        found.push(...keysOf(rows));
      }
      expect(found).toEqual(numbered(4));
    });

    test('of more than a page are read whole', async () => {
      const keys = numbered(2001);
      const { table, reads, clock } = await setUp(keys);
      expect(keysOf(await collect(rowsOf(table, {})))).toEqual(keys);
      expect(reads()).toBe(3);
      expect(await collect(createTable<string>(table, clock).entries())).toEqual(
        keys.map((row) => [row, row]),
      );
    });

    test('of an id contain its rows, and none of an id that begins with the same letters', async () => {
      const ids = ['discord:1', 'discord:11', 'a;b', 'ä'];
      const { table, clock } = await setUp([
        ...ids.map((id) => key('kind', 'x', id)),
        key('kind', 'x'),
        key('kind', 'xx', 'other'),
        key('kin', 'x', 'other'),
      ]);
      expect((await idsIn(table, under('kind', 'x'))).toSorted()).toEqual(ids.toSorted());
      expect(lastOf(key('kind', 'x', 'discord:1'))).toBe('discord:1');
      const rows = await all(createTable<string>(table, clock), under('kind', 'x'));
      expect(rows.map(([row, value]) => row === value && lastOf(row)).toSorted()).toEqual(ids.toSorted());
    });

    test('of a table leave out what expired, and begin with a prefix on request', async () => {
      const { table, clock } = await setUp([]);
      const values = createTable<number>(table, clock);
      await values.set('a:1', 1);
      await values.set('a:2', 2, 1000);
      await values.set('b:1', 3);
      await values.update('b:2', () => 4, 1000);
      clock.at += 999;
      expect(await collect(values.entries())).toEqual([
        ['a:1', 1],
        ['a:2', 2],
        ['b:1', 3],
        ['b:2', 4],
      ]);
      clock.at += 1;
      expect(await collect(values.entries('a:'))).toEqual([['a:1', 1]]);
      expect(await collect(values.entries(''))).toHaveLength(2);
      expect([await values.get('a:2'), await values.get('a:1')]).toEqual([undefined, 1]);
      await values.delete('a:1');
      expect(await values.get('a:1')).toBeUndefined();
    });

    test('with a row that is not JSON are refused', async () => {
      const { table, clock } = await setUp(['row']);
      const broken = { ...table, page: async () => [['row', '{']] as const };
      await expect(collect(createTable(broken, clock).entries())).rejects.toMatchObject({
        name: 'StoreError',
        fault: 'corrupt',
        message: expect.stringContaining('a record is not JSON'),
      });
    });

    test('an update that changes nothing writes nothing', async () => {
      const { table, clock } = await setUp([]);
      const values = createTable<number>(table, clock);
      await values.set('a', 1);
      const { version } = await table.read('a');
      expect(await values.update('a', (now) => now)).toBe(1);
      expect(await table.read('a')).toMatchObject({ version });
      expect(await values.update('missing', () => undefined)).toBeUndefined();
    });
  });
}
