// One table of the SQLite file: Keyv for single rows, SQL for what Keyv lacks.

import type { Clock } from '../../ports/system.js';
import type { Backend, KvTable, TableName } from '../backend.js';
import { writesOf } from '../commit.js';
import { asStoreErrors } from '../faults.js';
import { createKeyv } from '../keyv.js';
import { type RunSql, type SqlWords, sqlPage, sqlPurge, sqlRows } from '../sql-table.js';
import type { SqliteConnection } from './prepared.js';

/** SQLite's CAST reads the leading digits and stops, so it does not read the value after them. */
const EXPIRES = `CASE WHEN substr(value, 1, 11) = '{"expires":' THEN CAST(substr(value, 12, 16) AS INTEGER) END`;

/** The column for versions of rows. */
export const VERSION = 'version INTEGER NOT NULL DEFAULT 1';

export const EACH = 'json_each($1)';

/** Stands for the present time in milliseconds, so that the text of a statement stays the same. */
export const NOW = '{now}';

/** Creates the table as Keyv does, with the column that Keyv lacks. */
export function kvTableSql(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (key VARCHAR(255) PRIMARY KEY, value TEXT, ${VERSION})`;
}

/** Runs SQL on one connection and throws StoreErrors. {@link NOW} needs the clock. */
export function runner(connection: SqliteConnection, clock?: Clock): RunSql {
  return (sql, values = []) => {
    if (!clock || !sql.includes(NOW)) return asStoreErrors(() => connection.query(sql, values));
    const all = [...values, Math.trunc(clock.now())];
    return asStoreErrors(() => connection.query(sql.replaceAll(NOW, `?${all.length}`), all));
  };
}

/** `store`: the table as Keyv reads it. */
export function createSqliteTable(
  name: TableName,
  store: object,
  read: RunSql,
  write: RunSql,
  commit: Backend['commit'],
): KvTable {
  const keyv = createKeyv(store);
  const words: SqlWords = {
    table: name,
    order: 'key',
    expires: EXPIRES,
    each: EACH,
    keys: `SELECT value FROM ${EACH}`,
  };
  return {
    name,
    ...writesOf(name, commit),
    get: (key) => keyv.get(key),
    ...sqlRows(read, words),
    // Not Keyv's own iterator: it reads ten rows at a time by OFFSET without an order, which is quadratic and misses rows
    // that move.
    page: (range, limit) => sqlPage(read, words, range, limit),
    purge: (now) => sqlPurge(read, write, words, now),
  };
}
