// Several writers at the same time: what is written together, and which limits hold.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defined } from '../../src/domain/defined.js';
import type { Versioned, Write } from '../../src/store/backend.js';
import { runs } from '../helpers/runs.js';
import { DATABASES, daily, type RunningDatabase } from './databases.js';
import { keyText, openTestStores } from './fixtures.js';
import { startHolder } from './holders.js';

for (const database of DATABASES) {
  const name = database.missing ? `${database.name} (skipped: ${database.missing})` : database.name;
  describe.skipIf(database.missing !== undefined)(`commits on ${name}`, daily(database), () => {
    let running: RunningDatabase;
    beforeAll(async () => {
      running = await database.start();
    });
    afterAll(() => running?.stop());

    async function open() {
      const { backend, ...stores } = await openTestStores(await running.freshUrl());
      const { kvTables, commit } = backend;
      const storedIn = async (table: Write['table'], key: string) => (await kvTables[table].get(key))?.value;
      return { stores, kvTables, commit, storedIn };
    }

    test('writes rows of several tables together, or none of them', async () => {
      const { kvTables, commit, storedIn } = await open();
      await kvTables.accounts.set('a', { value: 1 });
      await kvTables.marks.set('m', { value: 1 });
      const { version } = await kvTables.accounts.read('a');
      const writes = (of: number): Write[] => [
        { table: 'accounts', key: 'a', version, entry: { value: of } },
        { table: 'subscriptions', key: 's', version: 0, entry: { value: of } },
        { table: 'cache', key: 'c', entry: { value: of } },
        { table: 'marks', key: 'm', entry: null },
      ];
      expect(await commit({ writes: writes(2) })).toBe(true);
      expect(await storedIn('accounts', 'a')).toBe(2);
      expect(await storedIn('subscriptions', 's')).toBe(2);
      expect(await storedIn('cache', 'c')).toBe(2);
      expect(await storedIn('marks', 'm')).toBeUndefined();
      await kvTables.marks.set('m', { value: 2 });
      expect(await commit({ writes: writes(3) })).toBe(false);
      expect(await storedIn('accounts', 'a')).toBe(2);
      expect(await storedIn('cache', 'c')).toBe(2);
      expect(await storedIn('marks', 'm')).toBe(2);
    });

    test('writes none of several rows of one table if one of them has another version', async () => {
      const { kvTables, commit, storedIn } = await open();
      for (const key of ['a', 'b']) await kvTables.misc.set(key, { value: 'before' });
      const { version } = await kvTables.misc.read('a');
      for (const [key, at, entry] of [
        ['new', 0, { value: 'mine' }],
        ['a', version, { value: 'mine' }],
        ['a', version, null],
      ] as const) {
        const writes: Write[] = [
          { table: 'misc', key, version: at, entry },
          { table: 'misc', key: 'b', version: at === 0 ? 0 : 1, entry },
        ];
        expect(await commit({ writes })).toBe(false);
      }
      expect(await storedIn('misc', 'new')).toBeUndefined();
      expect(await storedIn('misc', 'a')).toBe('before');
      expect(await storedIn('misc', 'b')).toBe('before');
    });

    test('leaves a row as it is that is written only if it is absent', async () => {
      const { kvTables, commit, storedIn } = await open();
      await kvTables.history.set('there', { value: 1 });
      const write = (key: string, value: number): Write => ({
        table: 'history',
        key,
        entry: { value },
        ifAbsent: true,
      });
      const plain: Write = { table: 'history', key: 'plain', entry: { value: 2 } };
      expect(await commit({ writes: [write('there', 2), write('new', 2), plain] })).toBe(true);
      expect(await commit({ writes: [write('new', 3)] })).toBe(true);
      const values = ['there', 'new', 'plain'].map((key) => storedIn('history', key));
      expect(await Promise.all(values)).toEqual([1, 2, 2]);
      const both = [4, 5].map((value) => commit({ writes: [write('both', value)] }));
      expect(await Promise.all(both)).toEqual([true, true]);
      expect([4, 5]).toContain(await storedIn('history', 'both'));
    });

    test('writes many and large rows as they are, in any language', async () => {
      const { kvTables, commit } = await open();
      const texts = [
        ...Array.from({ length: 450 }, (_, n) => `${n} ü€😀 "quoted" \\ \n`),
        ...['é', '漢', '😀', 'x'].map((sign) => sign.repeat(300_000)),
        '',
      ];
      const rows = texts.map((value, n) => [`row ${n} ü`, { value }] as const);
      expect(await commit({ writes: rows.map(([key, entry]) => ({ table: 'cache', key, entry })) })).toBe(
        true,
      );
      const found = await kvTables.cache.readMany(rows.map(([key]) => key));
      expect(new Map([...found].map(([key, { entry }]) => [key, entry]))).toEqual(new Map(rows));
    });

    test('fails if a row that is only checked has changed', async () => {
      const { kvTables, commit, storedIn } = await open();
      await kvTables.subscriptions.set('s', { value: 'active' });
      const { version } = await kvTables.subscriptions.read('s');
      const writes: Write[] = [
        { table: 'subscriptions', key: 's', version },
        { table: 'ledgers', key: 's', version: 0, entry: { value: 'owed' } },
      ];
      await kvTables.subscriptions.set('s', { value: 'paused' });
      expect(await commit({ writes })).toBe(false);
      expect(await storedIn('ledgers', 's')).toBeUndefined();
      await kvTables.subscriptions.delete('s');
      expect(await commit({ writes })).toBe(false);
    });

    test('compares a row that must not exist: it may be deleted, and another one there is a conflict', async () => {
      const { kvTables, commit, storedIn } = await open();
      const absent: Write[] = [
        { table: 'delivered', key: 'd', version: 0, entry: null },
        { table: 'subscriptions', key: 's', version: 0 },
      ];
      const write: Write = { table: 'ledgers', key: 'l', entry: { value: 'written' } };
      expect(await commit({ writes: [absent[0]!] })).toBe(true);
      expect(await commit({ writes: [...absent, write] })).toBe(true);
      expect(await storedIn('ledgers', 'l')).toBe('written');
      for (const { table, key } of absent) {
        await kvTables[table].set(key, { value: 'there' });
        expect(await commit({ writes: [...absent, { ...write, entry: { value: 'again' } }] })).toBe(false);
        expect(await storedIn(table, key)).toBe('there');
        await kvTables[table].delete(key);
      }
      expect(await storedIn('ledgers', 'l')).toBe('written');
    });

    test('writes what it is asked for, or nothing if a version differs, whatever the commit consists of', async () => {
      const { kvTables, commit } = await open();
      const [tables, keys] = [['accounts', 'misc'] as const, ['a', 'b', 'c']];
      /** What is there now, by table and key. */
      const present = async () => {
        const found = new Map<string, Versioned>();
        for (const table of tables)
          for (const [key, row] of await kvTables[table].readMany(keys)) found.set(`${table} ${key}`, row);
        return found;
      };
      const contents = (rows: ReadonlyMap<string, Versioned>) =>
        new Map([...rows].map(([name, { entry }]) => [name, entry?.value]));
      const oneWrite = fc.record({
        table: fc.constantFrom(...tables),
        key: fc.constantFrom(...keys),
        value: fc.constantFrom('checked', 'deleted', 1, 2),
        version: fc.constantFrom('any', 'if absent', 'none', 'present', 'other'),
      });
      const oneCommit = fc.uniqueArray(oneWrite, {
        minLength: 1,
        selector: ({ table, key }) => `${table} ${key}`,
      });
      await fc.assert(
        fc.asyncProperty(fc.array(oneCommit, { minLength: 1, maxLength: 4 }), async (commits) => {
          for (const drawn of commits) {
            const before = await present();
            const expected = contents(before);
            let isWritten = true;
            const writes = drawn.map(({ table, key, value, version }): Write => {
              const name = `${table} ${key}`;
              const there = before.get(name)?.version ?? 0;
              if (version === 'other' || (version === 'none' && there > 0)) isWritten = false;
              const versions: Record<string, number> = { none: 0, present: there, other: there + 1 };
              const at = { table, key, ...defined({ version: versions[version] }) };
              if (value === 'checked') return { ...at, version: versions[version] ?? there };
              if (value === 'deleted') expected.delete(name);
              else if (version !== 'if absent' || there === 0) expected.set(name, value);
              if (value === 'deleted') return { ...at, entry: null };
              return { ...at, entry: { value }, ...(version === 'if absent' ? { ifAbsent: true } : {}) };
            });
            expect(await commit({ writes })).toBe(isWritten);
            expect(contents(await present())).toEqual(isWritten ? expected : contents(before));
          }
        }),
        { numRuns: runs(100) },
      );
    });

    test('treats a row that was deleted and created again as another one', async () => {
      const { kvTables } = await open();
      await kvTables.accounts.set('a', { value: 1 });
      const { version } = await kvTables.accounts.read('a');
      await kvTables.accounts.delete('a');
      await kvTables.accounts.set('a', { value: 1 });
      expect(await kvTables.accounts.replace('a', version, { value: 2 })).toBe(false);
      expect(await kvTables.accounts.replace('b', version, { value: 2 })).toBe(false);
      expect(await kvTables.accounts.replace('b', 0, { value: 2 })).toBe(true);
      expect(await kvTables.accounts.replace('b', 0, { value: 3 })).toBe(false);
    });

    test('writes one of many that name the same version, and all that arrive with them', async () => {
      const { kvTables, commit, storedIn } = await open();
      await kvTables.accounts.set('a', { value: 0 });
      const { version } = await kvTables.accounts.read('a');
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          commit({
            writes:
              index % 2 === 0
                ? [{ table: 'accounts', key: 'a', version, entry: { value: index } }]
                : [{ table: 'accounts', key: `other-${index}`, version: 0, entry: { value: index } }],
          }),
        ),
      );
      expect(results.filter((_, index) => index % 2 === 0).filter(Boolean)).toHaveLength(1);
      expect(results.filter((_, index) => index % 2 === 1)).toEqual(Array(20).fill(true));
      expect(await storedIn('accounts', 'a')).toBe(
        results.findIndex((isWritten, index) => isWritten && index % 2 === 0),
      );
      expect(await storedIn('accounts', 'other-39')).toBe(39);
    });

    test('applies all changes made at the same time, and changes nothing when one throws', async () => {
      const { stores } = await open();
      const count = () => stores.misc.update('n', (before = 0) => (before as number) + 1);
      await Promise.all(Array.from({ length: 60 }, count));
      expect(await stores.misc.get('n')).toBe(60);
      const refused = stores.misc.update('n', () => {
        throw new Error('no');
      });
      await expect(refused).rejects.toThrow('no');
      expect(await stores.misc.get('n')).toBe(60);
      await stores.misc.update('n', () => undefined);
      expect(await stores.misc.get('n')).toBeUndefined();
    });

    test('two processes count in one record, and a limit holds for both together', {
      tags: 'long',
    }, async () => {
      const key = keyText();
      const url = await running.freshUrl();
      const first = await startHolder(url, key, 15_000);
      const second = await startHolder(url, key, 15_000);
      expect(await Promise.all([first.ask('count'), second.ask('count')])).toEqual([true, true]);
      const taken = await Promise.all([first.ask('take'), second.ask('take')]);
      expect(Number(taken[0]) + Number(taken[1])).toBe(10);
      await Promise.all([first.ask('close'), second.ask('close')]);
      const { marks } = await openTestStores(url);
      expect(await marks.get('count')).toEqual({ n: 300 });
    });

    test('two processes add subscriptions in a burst, and none over the limit of the account or of a server', {
      tags: 'long',
    }, async () => {
      const url = await running.freshUrl();
      const key = keyText();
      const first = await startHolder(url, key, 15_000);
      const second = await startHolder(url, key, 15_000);
      const added = await Promise.all([first.ask('fill'), second.ask('fill')]);
      expect(Number(added[0]) + Number(added[1])).toBe(25);
      await Promise.all([first.ask('close'), second.ask('close')]);
      const { subscriptions } = await openTestStores(url);
      expect(await subscriptions.byAccount('burst')).toHaveLength(25);
      for (const server of ['server-1', 'server-2'])
        expect((await subscriptions.byServer(server)).length).toBeLessThanOrEqual(10);
    });
  });
}
