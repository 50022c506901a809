// The one way to write several records together: all or none, and only if no other writer has changed them since they
// were read. This is the SQLite half; PostgreSQL's is in postgres/commit.ts.
import { randomInt } from 'node:crypto';
import { partsOf } from '../domain/edition.js';
import type { Line } from '../domain/serial.js';
import type { Backend, Commit, KvTable, TableName, Write } from './backend.js';
import { createBatches } from './batches.js';
import { storeError } from './faults.js';
import { changeLanes, type LaneChange, type LaneWords } from './lanes.js';
import { type RunSql, writeEntry } from './sql-table.js';

/**
 * How much one transaction writes: rows and commits. More would keep everything else waiting while it is put together. A
 * single commit may have more.
 */
const MOST_WRITES = 1000;
/** The most rows named by one statement, and the most characters that it writes unless a single row has more. */
const [MOST_ROWS, MOST_TEXT] = [400, 1_000_000];

/** A random version of 47 bits, so an earlier version of the row is unlikely to have it. Never 0, which means "no row". */
export function newVersion(): number {
  return randomInt(1, 2 ** 47);
}

/** Returns the write methods of a table. Each is a commit of one row. */
export function writesOf(
  table: TableName,
  commit: Backend['commit'],
): Pick<KvTable, 'set' | 'delete' | 'replace'> {
  return {
    set: async (key, entry) => void (await commit({ writes: [{ table, key, entry }] })),
    delete: async (key) => void (await commit({ writes: [{ table, key, entry: null }] })),
    replace: (key, version, entry) => commit({ writes: [{ table, key, version, entry }] }),
  };
}

/** Returns the changes that a commit makes to lanes. */
export function laneChanges({
  plans = [],
  states = [],
}: Pick<Commit, 'plans' | 'states'>): readonly LaneChange[] {
  const changes: LaneChange[] = [];
  for (const plan of plans) changes.push({ kind: 'plan', plan });
  for (const change of states) changes.push({ kind: 'state', change });
  return changes;
}

type Result = 'done' | 'conflict' | 'lost';

interface Row {
  readonly text: string;
  readonly version: number;
  /** Only if there is no row. */
  readonly isAdded: boolean;
}

/** What a transaction knows or changes, by table and key. */
type ByTable<T> = Map<TableName, Map<string, T>>;

/** What the store holds before a transaction: versions of rows, and the fence of each lease by its name. */
interface Present {
  readonly versions: ByTable<number>;
  readonly fences: ReadonlyMap<string, number>;
}

function put<T>(all: ByTable<T>, table: TableName, key: string, value: T): void {
  const rows = all.get(table);
  if (rows) rows.set(key, value);
  else all.set(table, new Map([[key, value]]));
}

/**
 * Gathers the commits of this process. Those that arrive while a transaction runs go into the next one together, because
 * a synced transaction costs milliseconds whatever its size. `everyMs`: the minimum time between the starts of two
 * transactions. A commit that conflicts is left out and resolves to false. `run` must be the only user of its connection.
 * Throws a StoreError when the transaction fails; then nothing of it was written.
 */
export function createSqliteCommit(
  run: RunSql,
  line: Line,
  leaseTable: string,
  lanes: LaneWords,
  everyMs: number,
): { commit(one: Commit): Promise<boolean>; flush(): void } {
  async function transact(commits: readonly Commit[]): Promise<readonly Result[]> {
    const plain = commits.every(isPlain)
      ? outcomeOf(commits, { versions: new Map(), fences: new Map() })
      : undefined;
    // A single statement is a transaction by itself.
    if (plain && plain.statements.length <= 1) {
      for (const { sql, values } of plain.statements) await run(sql, values);
      return plain.results;
    }
    await run('BEGIN IMMEDIATE');
    try {
      const { results, statements, moves } = plain ?? outcomeOf(commits, await presentOf(commits));
      for (const { sql, values } of statements) await run(sql, values);
      await changeLanes(run, lanes, moves);
      await run('COMMIT');
      return results;
    } catch (error) {
      await run('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  /** Returns which commits may be written, and what that takes. Changes `versions` to those after it. */
  function outcomeOf(commits: readonly Commit[], { versions, fences }: Present): Outcome {
    const changes: ByTable<Row | undefined> = new Map();
    const results: Result[] = [];
    const moves: LaneChange[] = [];
    for (const one of commits) {
      const result = resultOf(one, fences, versions);
      results.push(result);
      if (result !== 'done') continue;
      for (const write of one.writes) if (write.entry !== undefined) apply(write, versions, changes);
      moves.push(...laneChanges(one));
    }
    const statements: Statement[] = [];
    for (const [table, rows] of changes) statements.push(...statementsFor(table, rows, lanes.each));
    return { results, statements, moves };
  }

  /** Returns the present versions of the rows that the commits compare, 0 for a row that does not exist, and the leases' fences. */
  async function presentOf(commits: readonly Commit[]): Promise<Present> {
    const versions: ByTable<number> = new Map();
    for (const { writes } of commits)
      for (const one of writes) if (one.version !== undefined) put(versions, one.table, one.key, 0);
    const fences = new Map<string, number>();
    // One statement for all of them, because a statement costs more than its rows.
    const selects: string[] = [];
    const values: string[] = [];
    if (commits.some(isFenced))
      selects.push(`SELECT NULL AS "table", name AS key, fence AS version FROM ${leaseTable}`);
    for (const [table, rows] of versions) {
      const each = lanes.each.replace('$1', `$${values.push(JSON.stringify([...rows.keys()]))}`);
      selects.push(
        `SELECT '${table}' AS "table", key, version FROM ${table} WHERE key IN (SELECT value FROM ${each})`,
      );
    }
    if (selects.length > 0)
      for (const { table, key, version } of await run(selects.join(' UNION ALL '), values))
        (table === null ? fences : versions.get(table as TableName))?.set(String(key), Number(version));
    return { versions, fences };
  }

  const { add, flush } = createBatches<Commit, Result>(line, MOST_WRITES, transact, everyMs, sizeOf);
  return {
    async commit(one) {
      const result = await add(one);
      if (result === 'lost') throw storeError('lost');
      return result === 'done';
    },
    flush,
  };
}

interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

interface Outcome {
  readonly results: readonly Result[];
  readonly statements: readonly Statement[];
  readonly moves: readonly LaneChange[];
}

/** Returns the statements that write and delete rows of a table. */
function statementsFor(
  table: TableName,
  rows: ReadonlyMap<string, Row | undefined>,
  each: string,
): readonly Statement[] {
  const statements: Statement[] = [];
  for (const part of [...writtenTogether(rows, false), ...writtenTogether(rows, true)]) {
    // All values are one parameter, as bytes: a parameter for each costs more than writing it, and JSON would be escaped and
    // parsed once more.
    let size = 0;
    for (const { text } of part) size += Buffer.byteLength(text);
    const values = Buffer.allocUnsafe(size);
    const given: (string | number)[][] = [];
    let at = 0;
    for (const { key, text, version } of part) {
      const length = values.write(text, at);
      given.push([key, at + 1, length, version]);
      at += length;
    }
    // WHERE keeps SQLite from reading ON as part of a join (SQLite, INSERT, Parsing ambiguity).
    const sql = `INSERT INTO ${table} (key, value, version)
       SELECT value->>0, CAST(substr($2, value->>1, value->>2) AS TEXT), value->>3 FROM ${each} WHERE true
       ON CONFLICT (key) ${part[0]?.isAdded ? 'DO NOTHING' : 'DO UPDATE SET value = excluded.value, version = excluded.version'}`;
    statements.push({ sql, values: [JSON.stringify(given), values] });
  }
  const deleted: string[] = [];
  for (const [key, row] of rows) if (!row) deleted.push(key);
  for (const keys of partsOf(deleted, MOST_ROWS))
    statements.push({
      sql: `DELETE FROM ${table} WHERE key IN (SELECT value FROM ${each})`,
      values: [JSON.stringify(keys)],
    });
  return statements;
}

interface Written extends Row {
  readonly key: string;
}

/** Whether a commit compares nothing with the store and changes no lanes. */
function isPlain({ writes, fence, plans = [], states = [] }: Commit): boolean {
  if (fence || plans.length > 0 || states.length > 0) return false;
  for (const { version } of writes) if (version !== undefined) return false;
  return true;
}

const isFenced = ({ fence }: Commit) => fence !== undefined;
const sizeOf = ({ writes }: Commit) => writes.length + 1;

/** Splits the rows that are added, or the others, so that each part fits into one statement. */
function writtenTogether(
  rows: ReadonlyMap<string, Row | undefined>,
  areAdded: boolean,
): readonly (readonly Written[])[] {
  const parts: Written[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const [key, row] of rows) {
    if (row?.isAdded !== areAdded) continue;
    size += row.text.length;
    if (size > MOST_TEXT || (parts.at(-1)?.length ?? 0) >= MOST_ROWS) {
      parts.push([]);
      size = row.text.length;
    }
    parts.at(-1)?.push({ key, ...row });
  }
  return parts;
}

/** Whether a commit may be written. */
function resultOf(
  { writes, fence }: Commit,
  fences: ReadonlyMap<string, number>,
  versions: ByTable<number>,
): Result {
  if (fence && fences.get(fence.lease) !== fence.fence) return 'lost';
  for (const one of writes) if (!isCurrent(one, versions)) return 'conflict';
  return 'done';
}

function isCurrent({ table, key, version }: Write, versions: ByTable<number>): boolean {
  return version === undefined || versions.get(table)?.get(key) === version;
}

/** Applies a write, so that later commits of the same transaction are compared with it. */
function apply(
  { table, key, entry, ifAbsent = false }: Write,
  versions: ByTable<number>,
  changes: ByTable<Row | undefined>,
): void {
  const known = versions.get(table)?.get(key);
  if (ifAbsent && known) return;
  const version = newVersion();
  const isAdded = ifAbsent && known === undefined;
  put(changes, table, key, entry ? { text: writeEntry(entry), version, isAdded } : undefined);
  put(versions, table, key, entry ? version : 0);
}
