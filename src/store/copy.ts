// Copies a store that is not in use to another database: every row with its expiry. It reads both sides in key order and
// writes only what differs. An interrupted copy therefore resumes, and a copy whose source was used in between catches
// up. Then it reads both sides again and compares them. An older store is copied as it is and migrated at the target.

import { createHash } from 'node:crypto';
import { defined } from '../domain/defined.js';
import { UserError } from '../domain/errors.js';
import type { Plan, Rest, Unit, UnitState } from '../ports/lanes.js';
import type { Clock, Log } from '../ports/system.js';
import {
  type Backend,
  type KeyRange,
  KV_TABLES,
  type LeaseRows,
  type TableName,
  type Write,
} from './backend.js';
import { storeError } from './faults.js';
import { type HeldLease, whileHeld } from './lease.js';
import {
  bringForward,
  COPYING,
  knownVersion,
  OWN_META,
  refuseNewer,
  SCHEMA_KEY,
  versionOf,
  versionWrite,
} from './schema.js';
import { readEntry } from './sql-table.js';

type PlannedUnit = Plan & Pick<UnitState, 'state'>;

/** What a copy reads from its source. */
export interface CopySource {
  readonly leases: LeaseRows;
  /** As in `KvTable`; a table that the store does not have is empty. */
  page(table: TableName, range: Pick<KeyRange, 'after'>, limit: number): Promise<readonly Row[]>;
  rests(): Promise<readonly Rest[]>;
  /** As `page` of `LaneStore`. */
  units(after: Unit | undefined, most: number): Promise<readonly PlannedUnit[]>;
  close(): Promise<void>;
}

/** Stores of this version keep their planned units in a form that this program does not read. */
const PLANNED_OTHERWISE = 3;

/** Key and stored text. */
type Row = readonly [string, string];

/** Counts of one table: rows on both sides after the copy, and rows written by this run. */
interface CopiedTable {
  readonly table: TableName;
  readonly source: number;
  readonly target: number;
  readonly written: number;
}

export interface Copied {
  readonly tables: readonly CopiedTable[];
  /** Polls and deliveries that are planned, counted on both sides. */
  readonly planned: number;
  /** Version of the source, and of the target after its migration. */
  readonly from: number;
  readonly to: number;
}

export interface CopyOptions {
  /** Identifies the source store, without a password. Only a hash of it is written. */
  readonly source: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Called from time to time with the current step, the table and the number of rows so far. */
  readonly onProgress?: (step: 'copy' | 'compare' | 'upgrade', table?: TableName, rows?: number) => void;
}

/** Rows read or written together. A row can have a hundred bytes or a megabyte. */
const FEWEST = 10;
const MOST = 1000;
/** Approximate number of characters read or written together. */
const LARGE = 2_000_000;
/** How far ahead of this clock the clock of a Redis server may be. The server deletes expired rows itself. */
const SLACK_MS = 60_000;

export function sourceOf({ kvTables, leases, lanes, close }: Backend): CopySource {
  return {
    leases,
    page: (table, range, limit) => kvTables[table].page(range, limit),
    rests: () => lanes.rests(),
    units: lanes.page,
    close,
  };
}

/**
 * Copies `from` to `to` and compares them. The target must be empty or hold an unfinished copy of the same source. Throws
 * a UserError when a side is in use or holds something else. Throws a StoreError when a database fails or the sides
 * differ; you can then run it again.
 */
export async function copyStore(from: CopySource, to: Backend, options: CopyOptions): Promise<Copied> {
  const { log, clock, onProgress } = options;
  const inUse = (what: string) => (holder: string) =>
    new UserError(`${what} is in use by ${holder}. Stop that process first; nothing was copied.`);
  return whileHeld(from.leases, clock, inUse('The store to be copied'), (source) =>
    whileHeld(to.leases, clock, inUse('The store to copy to'), async (target) => {
      const version = await versionIn(from);
      if (version === 0) throw new UserError('There is nothing to copy: the store in STORE_URL is empty.', 2);
      refuseNewer(version);
      if (version === PLANNED_OTHERWISE)
        throw new UserError(
          `The store is of version ${version}, which can only be upgraded in place. Start \`jobcrier run\` on it once, then copy it.`,
        );
      await begin(to, target, options.source);
      const copied = new Map<TableName, number>();
      for (const table of KV_TABLES)
        copied.set(table, await copyTable(table, from, to, source, target, onProgress));
      const tables: CopiedTable[] = [];
      for (const table of KV_TABLES) {
        onProgress?.('compare', table);
        const counts = await compare(table, from, sourceOf(to), clock);
        tables.push({ table, ...counts, written: copied.get(table) ?? 0 });
      }
      const planned = await copyUnits(from, to, source, target);
      const commit: Backend['commit'] = (one) => to.commit({ fence: target.fence(), ...one });
      if (version < knownVersion()) onProgress?.('upgrade');
      await bringForward({ ...to, commit }, version, { log, clock }, target.mustHold);
      // After this commit the target is a complete store.
      const done: Write = { table: 'meta', key: COPYING, entry: null };
      if (!(await commit({ writes: [versionWrite(knownVersion()), done] }))) throw storeError('lost');
      return { tables, planned, from: version, to: knownVersion() };
    }),
  );
}

async function versionIn(from: CopySource): Promise<number> {
  for await (const [key, text] of rowsOf('meta', from))
    if (key === SCHEMA_KEY) return versionOf(readEntry(text).value);
  return 0;
}

/** Marks an empty target as an unfinished copy. No service starts on such a store. */
async function begin(to: Backend, target: HeldLease, source: string): Promise<void> {
  const from = createHash('sha256').update(source).digest('hex');
  const noted = (await to.kvTables.meta.get(COPYING))?.value as { readonly from: string } | undefined;
  if (noted?.from === from) return;
  if (noted)
    throw new UserError(
      'The store to copy to holds an unfinished copy of another store. Name an empty database or a file that does not exist; nothing was copied.',
    );
  for (const table of KV_TABLES)
    for await (const _row of rowsOf(table, sourceOf(to)))
      if (table !== 'meta' || !isOwn(_row[0]))
        throw new UserError(
          'The store to copy to is not empty. Name an empty database or a file that does not exist; nothing was copied.',
        );
  await to.addColumns();
  await to.commit({
    writes: [
      { table: 'meta', key: SCHEMA_KEY, entry: null },
      { table: 'meta', key: COPYING, entry: { value: { from } } },
    ],
    fence: target.fence(),
  });
}

function isOwn(key: string): boolean {
  return OWN_META.has(key) || key.startsWith('probe:');
}

/** Writes the rows that differ. Returns how many it wrote. */
async function copyTable(
  table: TableName,
  from: CopySource,
  to: Backend,
  source: HeldLease,
  target: HeldLease,
  onProgress: CopyOptions['onProgress'],
): Promise<number> {
  let writes: Write[] = [];
  let [rows, written, size] = [0, 0, 0];
  async function flush(): Promise<void> {
    await source.mustHold();
    if (writes.length > 0) await to.commit({ writes, fence: target.fence() });
    written += writes.length;
    writes = [];
    size = 0;
    onProgress?.('copy', table, rows);
  }
  for await (const { key, here, there } of bothSides(stored(table, from), stored(table, sourceOf(to)))) {
    if (here !== undefined) rows++;
    if (here !== there) {
      writes.push({ table, key, entry: here === undefined ? null : entryIn(here, table) });
      size += here?.length ?? 0;
    }
    if (writes.length >= MOST || size >= LARGE || rows % MOST === MOST - 1) await flush();
  }
  await flush();
  return written;
}

/** Copies planned units and resting lanes. They change all the time, so every run copies all of them. */
async function copyUnits(
  from: CopySource,
  to: Backend,
  source: HeldLease,
  target: HeldLease,
): Promise<number> {
  await to.lanes.clear();
  const planned = createSum();
  for await (const units of unitsOf(from)) {
    await source.mustHold();
    await target.mustHold();
    await to.lanes.plan(units);
    await to.lanes.keep(units.filter(({ state }) => state !== null));
    planned.add(units);
  }
  const found = createSum();
  for await (const units of unitsOf(sourceOf(to))) found.add(units);
  if (found.sum() !== planned.sum())
    throw storeError('corrupt', 'the copy differs from the store in what is planned');
  await to.lanes.rest(await from.rests());
  return planned.count();
}

/** Counts units and adds up their hashes. The order does not matter, because the databases sort texts differently. */
function createSum() {
  let [count, sum] = [0, 0n];
  return {
    add(units: readonly PlannedUnit[]) {
      for (const { queue, lane, unit, at, state } of units) {
        const text = JSON.stringify([queue, lane, unit, at, state]);
        sum = (sum + createHash('sha256').update(text).digest().readBigUInt64BE(0)) % 2n ** 64n;
        count++;
      }
    },
    count: () => count,
    sum: () => `${count} ${sum}`,
  };
}

async function* unitsOf(side: CopySource): AsyncIterable<readonly PlannedUnit[]> {
  for (let after: Unit | undefined; ; ) {
    const units = await side.units(after, MOST);
    if (units.length > 0) yield units;
    if (units.length < MOST) return;
    after = units.at(-1);
  }
}

/** Compares both sides and returns their row counts. Throws a StoreError at the first difference. */
async function compare(
  table: TableName,
  from: CopySource,
  to: CopySource,
  clock: Clock,
): Promise<{ readonly source: number; readonly target: number }> {
  let [source, target] = [0, 0];
  for await (const { here, there } of bothSides(stored(table, from), stored(table, to))) {
    if (here !== undefined) source++;
    if (there !== undefined) target++;
    const isOver =
      here === undefined &&
      (entryIn(there as string, table).expires ?? Number.POSITIVE_INFINITY) <= clock.now() + SLACK_MS;
    if (here !== there && !isOver)
      throw storeError('corrupt', `the copy differs from the store in table ${table}, at row ${source}`);
  }
  return { source, target };
}

function entryIn(text: string, table: TableName) {
  try {
    return readEntry(text);
  } catch {
    throw storeError('corrupt', `a record of table ${table} is not JSON`);
  }
}

/** Yields the rows of a table that are part of a copy. */
async function* stored(table: TableName, side: CopySource): AsyncIterable<Row> {
  for await (const row of rowsOf(table, side)) if (table !== 'meta' || !isOwn(row[0])) yield row;
}

async function* rowsOf(table: TableName, side: CopySource): AsyncIterable<Row> {
  let size = FEWEST;
  for (let after: string | undefined; ; ) {
    const rows = await side.page(table, defined({ after }), size);
    yield* rows;
    if (rows.length < size) return;
    after = rows.at(-1)?.[0];
    const length = rows.reduce((sum, [, text]) => sum + text.length, 0);
    const fitting = Math.trunc((LARGE / Math.max(length, 1)) * size);
    size = Math.min(Math.max(fitting, FEWEST), size * 4, MOST);
  }
}

interface Pair {
  readonly key: string;
  readonly here?: string;
  readonly there?: string;
}

/** Yields every key of two sides, which must be in byte order, with the text it has on each side. */
async function* bothSides(here: AsyncIterable<Row>, there: AsyncIterable<Row>): AsyncIterable<Pair> {
  const [one, other] = [here[Symbol.asyncIterator](), there[Symbol.asyncIterator]()];
  let [a, b] = await Promise.all([one.next(), other.next()]);
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : Buffer.compare(Buffer.from(a.value[0]), Buffer.from(b.value[0]));
    const [left, right] = [order <= 0 ? a : undefined, order >= 0 ? b : undefined];
    yield {
      key: (left ?? right)?.value[0],
      ...defined({ here: left ? left.value[1] : undefined, there: right ? right.value[1] : undefined }),
    };
    if (left) a = await one.next();
    if (right) b = await other.next();
  }
}
