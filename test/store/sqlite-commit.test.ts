// Which statements the commits of SQLite become. The statements run in a real file.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMutex } from '../../src/domain/serial.js';
import type { Commit, Write } from '../../src/store/backend.js';
import { createSqliteCommit } from '../../src/store/commit.js';
import type { RunSql } from '../../src/store/sql-table.js';
import { openConnection } from '../../src/store/sqlite/connection.js';
import { EACH, NOW, runner } from '../../src/store/sqlite/table.js';
import { later } from '../helpers/later.js';
import { openTestStores, tempDir } from './fixtures.js';

async function setUp() {
  const file = join(await tempDir(), 'store.sqlite');
  const { backend, lanes, clock } = await openTestStores(`sqlite://${file}`);
  const connection = await openConnection(file);
  later(() => connection.close());
  const run = runner(connection, clock);
  const made: string[] = [];
  const noted: RunSql = (sql, values) => {
    made.push(/^\w+(?: INTO \w+)?/u.exec(sql)?.[0] ?? sql);
    return run(sql, values);
  };
  const words = {
    lanes: 'lane',
    units: 'unit',
    now: () => NOW,
    lock: '',
    waitLock: '',
    largest: 'max',
    gatherMs: 0,
    each: EACH,
  } as const;
  const { commit } = createSqliteCommit(noted, createMutex(), 'lease', words, 0);
  const { kvTables, leases } = backend;
  return {
    commit,
    kvTables,
    leases,
    lanes,
    run,
    /** The statements of this commit, or of these commits together. */
    async statements(...commits: readonly Commit[]) {
      made.length = 0;
      const results = await Promise.all(commits.map(commit));
      return { made: [...made], results };
    },
  };
}

const row = (key: string, text = key): Write => ({ table: 'cache', key, entry: { value: text } });
const unit = { queue: 'work', lane: 'a', unit: 'u' };

describe('a commit', () => {
  test('of rows of one table is one statement', async () => {
    const { statements, kvTables } = await setUp();
    expect((await statements({ writes: [row('a'), row('b')] })).made).toEqual(['INSERT INTO cache']);
    expect((await kvTables.cache.get('b'))?.value).toBe('b');
    expect((await statements({ writes: [{ table: 'cache', key: 'a', entry: null }] })).made).toEqual([
      'DELETE',
    ]);
    expect(await kvTables.cache.get('a')).toBeUndefined();
    expect((await statements({ writes: [] })).made).toEqual([]);
  });

  test('of several statements is a transaction', async () => {
    const { statements } = await setUp();
    const other: Write = { table: 'misc', key: 'a', entry: { value: 1 } };
    expect((await statements({ writes: [row('a'), other] })).made).toEqual([
      'BEGIN',
      'INSERT INTO cache',
      'INSERT INTO misc',
      'COMMIT',
    ]);
    const gone: Write = { table: 'cache', key: 'a', entry: null };
    expect((await statements({ writes: [gone, row('b')] })).made).toEqual([
      'BEGIN',
      'INSERT INTO cache',
      'DELETE',
      'COMMIT',
    ]);
  });

  const absent = (text: string): Write => ({ ...row('x', text), ifAbsent: true });
  const gone: Write = { table: 'cache', key: 'x', entry: null };
  test.each<[string, string | undefined, readonly Write[], string | undefined]>([
    ['after another such row', undefined, [absent('a'), absent('b')], 'a'],
    ['after another such row, beside a former one', 'old', [absent('a'), absent('b')], 'old'],
    ['after a row', 'old', [row('x', 'a'), absent('b')], 'a'],
    ['before a row', 'old', [absent('a'), row('x', 'b')], 'b'],
    ['after a deletion', 'old', [gone, absent('b')], 'b'],
    ['before a deletion', undefined, [absent('a'), gone], undefined],
    ['after a comparison with none', undefined, [{ ...row('x', 'a'), version: 0 }, absent('b')], 'a'],
    ['after a failed comparison', undefined, [{ ...row('x', 'a'), version: 7 }, absent('b')], 'b'],
    ['after a failed comparison, beside one', 'old', [{ ...row('x', 'a'), version: 7 }, absent('b')], 'old'],
  ])('writes a row that may only be added %s of the same transaction', async (_, before, writes, after) => {
    const { statements, kvTables } = await setUp();
    if (before !== undefined) await kvTables.cache.set('x', { value: before });
    await statements(...writes.map((one) => ({ writes: [one] })));
    expect((await kvTables.cache.get('x'))?.value).toBe(after);
  });

  test.each<[string, number, string[]]>([
    ['400 rows', 400, ['x']],
    ['401 rows', 401, ['x', 'x']],
  ])('writes %s in as few statements as allowed', async (_, count, inserts) => {
    const { statements, kvTables } = await setUp();
    const rows = Array.from({ length: count }, (_unused, n) => row(`row ${n}`));
    const { made } = await statements({ writes: rows });
    expect(made.filter((sql) => sql.startsWith('INSERT'))).toHaveLength(inserts.length);
    expect((await kvTables.cache.readMany(rows.map(({ key }) => key))).size).toBe(count);
  });

  // A row is stored as {"value":"…"}: 12 characters more than its text.
  test.each([
    [[499_988, 499_988], 1],
    [[499_988, 499_989], 2],
    [[1_500_000, 1, 1], 2],
    [[1, 1_500_000, 1], 3],
    [[600_000, 600_000, 300_000], 2],
  ])('writes texts of %j characters in %i statements', async (lengths, count) => {
    const { statements, kvTables } = await setUp();
    const rows = lengths.map((length, n) => row(`row ${n}`, 'x'.repeat(length)));
    const { made } = await statements({ writes: rows });
    expect(made.filter((sql) => sql.startsWith('INSERT'))).toHaveLength(count);
    for (const [n, length] of lengths.entries())
      expect((await kvTables.cache.get(`row ${n}`))?.value).toHaveLength(length);
  });

  test('that only checks a row leaves it as it is', async () => {
    const { commit, kvTables } = await setUp();
    await kvTables.misc.set('a', { value: 1 });
    const before = await kvTables.misc.read('a');
    expect(await commit({ writes: [{ table: 'misc', key: 'a', version: before.version }, row('b')] })).toBe(
      true,
    );
    expect(await kvTables.misc.read('a')).toEqual(before);
    expect(await commit({ writes: [{ table: 'misc', key: 'none', version: 0 }] })).toBe(true);
    expect(await kvTables.misc.get('none')).toBeUndefined();
  });

  test('plans units with its rows, and keeps states of units', async () => {
    const { commit, lanes, statements } = await setUp();
    expect(await commit({ writes: [row('a')], plans: [{ ...unit, at: 5 }] })).toBe(true);
    expect(await lanes.dueAt(unit)).toBe(5);
    const { made } = await statements({ writes: [], states: [{ ...unit, state: { kept: 1 } }] });
    expect([made[0], made.at(-1)]).toEqual(['BEGIN', 'COMMIT']);
    expect(await lanes.states([unit])).toMatchObject([{ state: { kept: 1 } }]);
    expect(await commit({ writes: [], plans: [{ ...unit, unit: 'v', at: 7 }] })).toBe(true);
    expect(await lanes.dueAt({ ...unit, unit: 'v' })).toBe(7);
  });

  test('that conflicts plans nothing', async () => {
    const { commit, lanes } = await setUp();
    const checked: Write = { ...row('a'), version: 1 };
    expect(await commit({ writes: [checked], plans: [{ ...unit, at: 5 }] })).toBe(false);
    expect(await lanes.dueAt(unit)).toBeUndefined();
  });

  test('that fails is undone as a whole, and the next one works', async () => {
    const { commit, kvTables, run } = await setUp();
    await run(`CREATE TRIGGER broken BEFORE INSERT ON misc BEGIN SELECT RAISE(ABORT, 'broken'); END`);
    const other: Write = { table: 'misc', key: 'a', entry: { value: 1 } };
    await expect(commit({ writes: [row('a'), other] })).rejects.toMatchObject({ name: 'StoreError' });
    expect(await kvTables.cache.get('a')).toBeUndefined();
    await run('DROP TRIGGER broken');
    expect(await commit({ writes: [row('b'), other] })).toBe(true);
    expect([await kvTables.cache.get('a'), (await kvTables.cache.get('b'))?.value]).toEqual([undefined, 'b']);
  });
});

describe('commits that are written together', () => {
  test('share a transaction, and each one is compared by itself', async () => {
    const { statements, kvTables } = await setUp();
    await kvTables.misc.set('a', { value: 0 });
    const { version } = await kvTables.misc.read('a');
    const change = (value: number): Write => ({ table: 'misc', key: 'a', version, entry: { value } });
    const { made, results } = await statements(
      { writes: [row('a')] },
      { writes: [change(1), row('b')] },
      { writes: [change(2), row('c')] },
      { writes: [row('d')] },
    );
    expect(results).toEqual([true, true, false, true]);
    expect(made.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
    expect((await kvTables.misc.get('a'))?.value).toBe(1);
    expect([...(await kvTables.cache.readMany(['a', 'b', 'c', 'd'])).keys()].toSorted()).toEqual([
      'a',
      'b',
      'd',
    ]);
  });

  test('see the deletions before them', async () => {
    const { statements, kvTables } = await setUp();
    await kvTables.misc.set('a', { value: 0 });
    const { version } = await kvTables.misc.read('a');
    const { results } = await statements(
      { writes: [{ table: 'misc', key: 'a', version, entry: null }] },
      { writes: [{ table: 'misc', key: 'a', version: 0, entry: { value: 'new' } }] },
    );
    expect(results).toEqual([true, true]);
    expect((await kvTables.misc.get('a'))?.value).toBe('new');
  });

  test('are refused by the fence of their own lease only', async () => {
    const { commit, kvTables, leases } = await setUp();
    const fence = (await leases.take('lead', '{}', 60_000)) as number;
    const held = { lease: 'lead', fence };
    const all = await Promise.allSettled([
      commit({ writes: [row('a')], fence: held }),
      commit({ writes: [row('b')], fence: { ...held, fence: fence - 1 } }),
      commit({ writes: [row('c')] }),
      commit({ writes: [row('d')], fence: { ...held, lease: 'another' } }),
    ]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    for (const one of all)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ name: 'StoreError', fault: 'lost' });
    expect([...(await kvTables.cache.readMany(['a', 'b', 'c', 'd'])).keys()].toSorted()).toEqual(['a', 'c']);
  });
});
