// Copies between two stores in this process: what is written, what is counted, and what is refused. The command itself is
// run in test/upgrade/copy.test.ts.
import { expect, test } from 'vitest';
import type { Backend, TableName } from '../../src/store/backend.js';
import { type Copied, type CopyOptions, copyStore, sourceOf } from '../../src/store/copy.js';
import { openBackend } from '../../src/store/index.js';
import { COPYING, knownVersion, SCHEMA_KEY } from '../../src/store/schema.js';
import { later } from '../helpers/later.js';
import { NOW, openTestStores, tempDir, testClock, testLog } from './fixtures.js';

const HOUR = 3_600_000;

async function opened(): Promise<{ url: string; backend: Backend }> {
  const url = `sqlite://${await tempDir()}/store.sqlite`;
  const backend = await openBackend({ url, dataDir: '/nonexistent', clock: testClock(), gathers: false });
  later(() => backend.close());
  return { url, backend };
}

/** A store of the present version with rows in several tables, and an empty one. */
async function sides(): Promise<{ from: Backend; to: Backend }> {
  const { url, backend } = await opened();
  await (await openTestStores(url)).close();
  const write = (table: TableName, key: string, value: unknown, expires?: number) =>
    backend.kvTables[table].set(key, expires === undefined ? { value } : { expires, value });
  await write('ledgers', 'a', { outbox: [] });
  await write('ledgers', 'ä', { outbox: [1] });
  await write('misc', 'soon', 'x', NOW + HOUR);
  await write('meta', 'operator-waits', true);
  await write('meta', 'probe:1', 'x');
  return { from: backend, to: (await opened()).backend };
}

const OPTIONS: CopyOptions = { source: 'one', log: testLog(), clock: testClock() };
const copy = (from: Backend, to: Backend, more: Partial<CopyOptions> = {}) =>
  copyStore(sourceOf(from), to, { ...OPTIONS, ...more });
/** A copy that stops after all rows were copied, and before what is planned. */
const interrupted = (from: Backend, to: Backend) =>
  expect(
    copy({ ...from, lanes: { ...from.lanes, page: () => Promise.reject(new Error('cut off')) } }, to),
  ).rejects.toThrow('cut off');
const written = ({ tables }: Copied) =>
  Object.fromEntries(tables.filter((one) => one.written > 0).map((one) => [one.table, one.written]));
const textsOf = async (backend: Backend, table: TableName) => backend.kvTables[table].page({}, 1000);

test('copies every row with its expiry, except what belongs to one database, and counts both sides', async () => {
  const { from, to } = await sides();
  // Such a name belongs to one database only in the table of the store's own data.
  await from.kvTables.misc.set('probe:1', { value: 'x' });
  const steps: unknown[] = [];
  const copied = await copy(from, to, { onProgress: (...step) => void steps.push(step) });
  expect(copied).toMatchObject({ planned: 0, from: knownVersion(), to: knownVersion() });
  const counts = Object.fromEntries(copied.tables.map(({ table, ...one }) => [table, one]));
  expect(counts).toMatchObject({
    ledgers: { source: 2, target: 2, written: 2 },
    misc: { source: 2, target: 2, written: 2 },
    meta: { source: 1, target: 1, written: 1 },
    seen: { source: 0, target: 0, written: 0 },
  });
  for (const table of ['ledgers', 'misc'] as const)
    expect(await textsOf(to, table)).toEqual(await textsOf(from, table));
  expect((await textsOf(to, 'meta')).map(([key]) => key)).toEqual(['operator-waits', SCHEMA_KEY]);
  expect((await to.kvTables.meta.get(SCHEMA_KEY))?.value).toEqual(
    (await from.kvTables.meta.get(SCHEMA_KEY))?.value,
  );
  expect(steps).toContainEqual(['copy', 'ledgers', 2]);
  expect(steps).toContainEqual(['compare', 'ledgers']);
  expect(steps.flat()).not.toContain('upgrade');
});

test('continues an interrupted copy: writes what differs, and deletes what is gone', async () => {
  const { from, to } = await sides();
  await interrupted(from, to);
  expect(await to.kvTables.meta.get(COPYING)).toBeDefined();
  await from.kvTables.ledgers.set('a', { value: { outbox: [2] } });
  await from.kvTables.ledgers.delete('ä');
  await from.kvTables.ledgers.set('new', { value: {} });
  const copied = await copy(from, to);
  expect(written(copied)).toEqual({ ledgers: 3 });
  expect(await textsOf(to, 'ledgers')).toEqual(await textsOf(from, 'ledgers'));
  expect(await to.kvTables.meta.get(COPYING)).toBeUndefined();
});

/** Copies the table `seen`. Returns how many rows each page of the source and each commit may have or had, and the progress. */
async function copySeen(
  from: Backend,
  to: Backend,
): Promise<{ pages: number[]; commits: number[]; progress: number[] }> {
  const [pages, commits, progress]: [number[], number[], number[]] = [[], [], []];
  let isCopied = false;
  const { seen } = from.kvTables;
  const page: typeof seen.page = (range, limit) => {
    if (!isCopied) pages.push(limit);
    return seen.page(range, limit);
  };
  const commit: Backend['commit'] = (one) => {
    // An empty commit would be one too many.
    if (one.writes.length === 0 || one.writes[0]?.table === 'seen') commits.push(one.writes.length);
    return to.commit(one);
  };
  const onProgress: CopyOptions['onProgress'] = (step, table, rows) => {
    isCopied ||= step === 'compare';
    if (step === 'copy' && table === 'seen') progress.push(rows ?? 0);
  };
  const source = { ...from, kvTables: { ...from.kvTables, seen: { ...seen, page } } };
  await copy(source, { ...to, commit }, { onProgress });
  expect(await to.kvTables.seen.page({}, 3000)).toEqual(await seen.page({}, 3000));
  return { pages, commits, progress };
}

const seenRows = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => ({
    table: 'seen' as const,
    key: `s:${String(n).padStart(4, '0')}`,
    entry: { value: 'x'.repeat(length) },
  }));

test('reads and writes a thousand rows at a time, and fewer if they are large', async () => {
  const { from, to } = await sides();
  await from.commit({ writes: seenRows(2100, 10) });
  expect(await copySeen(from, to)).toEqual({
    pages: [10, 40, 160, 640, 1000, 1000],
    commits: [999, 1000, 101],
    progress: [999, 1999, 2100],
  });
  const { from: large, to: other } = await sides();
  await large.commit({ writes: seenRows(12, 900_000) });
  expect(await copySeen(large, other)).toEqual({
    pages: [10, 10],
    commits: [3, 3, 3, 3],
    progress: [3, 6, 9, 12, 12],
  });
  const { from: some, to: third } = await sides();
  await some.commit({ writes: seenRows(60, 100_000) });
  expect((await copySeen(some, third)).pages).toEqual([10, 19, 19, 19]);
});

test('deletes a thousand rows at a time that the source no longer has, and no others', async () => {
  const { from, to } = await sides();
  await from.commit({ writes: seenRows(1500, 10) });
  await interrupted(from, to);
  await from.commit({ writes: seenRows(1500, 10).map((write) => ({ ...write, entry: null })) });
  await from.kvTables.seen.set('s:0700', { value: 'again' });
  await from.kvTables.seen.set('t', { value: 'last' });
  expect(await copySeen(from, to)).toEqual({ pages: [10], commits: [1000, 501], progress: [1, 2] });
});

test('a target without rows is no store until the copy is whole', async () => {
  const { from } = await sides();
  const { url, backend: to } = await opened();
  await (await openTestStores(url)).close();
  expect(await to.kvTables.meta.get(SCHEMA_KEY)).toBeDefined();
  await interrupted(from, to);
  expect(await to.kvTables.meta.get(SCHEMA_KEY)).toBeUndefined();
});

test('migrates the copy of an older store, and says so', async () => {
  const { from, to } = await sides();
  await from.kvTables.meta.set(SCHEMA_KEY, { value: { version: knownVersion() - 1 } });
  const steps: string[] = [];
  const copied = await copy(from, to, { onProgress: (step) => void steps.push(step) });
  expect(copied).toMatchObject({ from: knownVersion() - 1, to: knownVersion() });
  expect(steps.at(-1)).toBe('upgrade');
  expect((await to.kvTables.meta.get(SCHEMA_KEY))?.value).toEqual({ version: knownVersion() });
  expect((await from.kvTables.meta.get(SCHEMA_KEY))?.value).toEqual({ version: knownVersion() - 1 });
});

test('copies what is planned, its state, and lanes that rest', async () => {
  const { from, to } = await sides();
  const units = Array.from({ length: 1001 }, (_, n) => ({
    queue: 'q',
    lane: 'l',
    unit: `u${n}`,
    at: NOW + n,
  }));
  await from.lanes.plan(units);
  await from.lanes.keep([{ queue: 'q', lane: 'l', unit: 'u1', state: 'heard' }]);
  await from.lanes.rest([{ queue: 'q', lane: 'l', until: NOW + HOUR }]);
  await to.lanes.plan([{ queue: 'q', lane: 'l', unit: 'left over', at: 1 }]);
  expect((await copy(from, to)).planned).toBe(1001);
  const allOf = async ({ lanes }: Backend) => {
    const first = await lanes.page(undefined, 1000);
    return [...first, ...(await lanes.page(first.at(-1), 1000))];
  };
  expect(await allOf(to)).toEqual(await allOf(from));
  expect((await allOf(to)).find(({ unit }) => unit === 'u1')?.state).toBe('heard');
  expect(await to.lanes.rests()).toEqual(await from.lanes.rests());
});

test('finds a copy that differs in what is planned', async () => {
  const { from, to } = await sides();
  await from.lanes.plan([{ queue: 'q', lane: 'l', unit: 'u', at: NOW }]);
  const plans: readonly Backend['lanes']['plan'][] = [
    async () => undefined,
    (units) => to.lanes.plan(units.map((unit) => ({ ...unit, at: unit.at + 1 }))),
  ];
  for (const plan of plans)
    await expect(copy(from, { ...to, lanes: { ...to.lanes, plan } })).rejects.toMatchObject({
      fault: 'corrupt',
      message: expect.stringContaining('differs from the store in what is planned'),
    });
});

test('finds a row that was not written as it was, also one that is over', async () => {
  for (const [table, key, row] of [
    ['ledgers', 'ä', 2],
    ['misc', 'soon', 1],
  ] as const) {
    const { from, to } = await sides();
    const commit: Backend['commit'] = async (one) =>
      to.commit({
        ...one,
        writes: one.writes.map((write) =>
          write.table === table && write.key === key && write.entry
            ? { ...write, entry: { ...write.entry, value: 'other' } }
            : write,
        ),
      });
    const clock = testClock();
    clock.at = NOW + 2 * HOUR;
    await expect(copy(from, { ...to, commit }, { clock })).rejects.toMatchObject({
      fault: 'corrupt',
      message: expect.stringContaining(`differs from the store in table ${table}, at row ${row}`),
    });
  }
});

test('a row that only the source has deleted since, because it is over, is no difference', async () => {
  const { from, to } = await sides();
  const { page } = sourceOf(from);
  let isCopied = false;
  const source = {
    ...sourceOf(from),
    page: async (...asked: Parameters<typeof page>) =>
      (await page(...asked)).filter(([key]) => !(isCopied && key === 'soon')),
  };
  const clock = testClock();
  const run = () =>
    copyStore(source, to, {
      ...OPTIONS,
      clock,
      onProgress: (step) => {
        isCopied ||= step === 'compare';
      },
    });
  await expect(run()).rejects.toMatchObject({ fault: 'corrupt' });
  isCopied = false;
  // The clock of the server that deletes it may be a minute ahead.
  clock.at = NOW + HOUR - 60_000;
  expect((await run()).tables).toContainEqual({ table: 'misc', source: 0, target: 1, written: 0 });
});

test('a record that is not JSON is named by its table', async () => {
  const { from, to } = await sides();
  const whole = sourceOf(from);
  await expect(
    copyStore(
      {
        ...whole,
        page: async (table, ...rest) => (table === 'accounts' ? [['a', '{']] : whole.page(table, ...rest)),
      },
      to,
      OPTIONS,
    ),
  ).rejects.toMatchObject({
    fault: 'corrupt',
    message: expect.stringContaining('table accounts is not JSON'),
  });
});

test('refuses an empty source, a later version, and one whose plans it does not read', async () => {
  const { backend: empty } = await opened();
  const { from, to } = await sides();
  await expect(copy(empty, to)).rejects.toMatchObject({
    exitCode: 2,
    message: 'There is nothing to copy: the store in STORE_URL is empty.',
  });
  for (const [version, error] of [
    [knownVersion() + 1, { fault: 'newer' }],
    [
      3,
      { message: expect.stringContaining('The store is of version 3, which can only be upgraded in place.') },
    ],
  ] as const) {
    await from.kvTables.meta.set(SCHEMA_KEY, { value: { version } });
    await expect(copy(from, to)).rejects.toMatchObject(error);
  }
  expect(await textsOf(to, 'meta')).toEqual([]);
});

test('refuses a target that holds anything, or an unfinished copy of another store', async () => {
  const { from, to } = await sides();
  await to.kvTables.meta.set('probe:1', { value: 'x' });
  await to.kvTables.history.set('a', { value: 'x' });
  await expect(copy(from, to)).rejects.toThrow('is not empty');
  await to.kvTables.history.delete('a');
  await to.kvTables.history.set('probe:1', { value: 'x' });
  await expect(copy(from, to)).rejects.toThrow('is not empty');
  await to.kvTables.history.delete('probe:1');
  await to.kvTables.meta.set('operator-waits', { value: true });
  await expect(copy(from, to)).rejects.toThrow('is not empty');
  await to.kvTables.meta.delete('operator-waits');
  await interrupted(from, to);
  await expect(copy(from, to, { source: 'two' })).rejects.toThrow(
    'holds an unfinished copy of another store',
  );
  expect((await copy(from, to)).to).toBe(knownVersion());
  await expect(copy(from, to)).rejects.toThrow('is not empty');
});

test('refuses a side that a process holds', async () => {
  const { from, to } = await sides();
  for (const [side, what] of [
    [from, 'The store to be copied'],
    [to, 'The store to copy to'],
  ] as const) {
    const fence = await side.leases.take('service', 'somebody', HOUR);
    await expect(copy(from, to)).rejects.toMatchObject({
      message: expect.stringContaining(`${what} is in use by another process. Stop that process first`),
    });
    await side.leases.release('service', fence ?? 0, 'somebody');
  }
  expect(await to.kvTables.meta.get(COPYING)).toBeUndefined();
});
