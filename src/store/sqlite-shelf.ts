// One table of the SQLite file: Keyv for single rows, SQL for what Keyv lacks.
import { KeyvSqlite } from '@keyv/sqlite';
import type { Backend, Shelf, ShelfName } from './backend.js';
import { writesOf } from './commit.js';
import { asStoreErrors } from './faults.js';
import { createKeyv } from './keyv.js';
import type { Line } from './serial.js';
import { type RunSql, type SqlWords, sqlPage, sqlPurge, sqlRead, sqlReadMany } from './sql-shelf.js';

/** How long a statement waits for another process's lock before it fails. A process that is to end waits for it, too. */
const BUSY_MS = 2000;

/** SQLite's CAST reads the digits at the front and stops, so nothing behind them is looked at. */
const EXPIRES = `CASE WHEN substr(value, 1, 11) = '{"expires":' THEN CAST(substr(value, 12, 16) AS INTEGER) END`;

/** One connection, on which a failure to open is thrown by the first statement alone. */
export function openKeyvSqlite(file: string, table: string): KeyvSqlite {
  const store = new KeyvSqlite({
    uri: `sqlite://${file}`,
    table,
    busyTimeout: BUSY_MS,
    iterationLimit: 1000,
  });
  store.on('error', () => undefined);
  // A failure to open that no statement has waited for yet would end the process as an unhandled rejection.
  store.query('SELECT 1').catch(() => undefined);
  return store;
}

/** As Keyv makes it. */
export function shelfTableSql(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${table} (key VARCHAR(255) PRIMARY KEY, value TEXT)`;
}

/** SQL of one connection, its failures as StoreErrors. */
export function runner(store: KeyvSqlite): RunSql {
  return (sql, values = []) => asStoreErrors(() => store.query(sql, values));
}

export function createSqliteShelf(
  name: ShelfName,
  store: KeyvSqlite,
  line: Line,
  commit: Backend['commit'],
): Shelf {
  const read = runner(store);
  const write: RunSql = (sql, values) => line(() => read(sql, values));
  const keyv = createKeyv(store);
  const words: SqlWords = { table: name, order: 'key', expires: EXPIRES };
  return {
    name,
    ...writesOf(name, commit),
    get: (key) => keyv.get(key),
    read: (key) => sqlRead(read, words, key),
    readMany: (keys) => sqlReadMany(read, words, keys),
    // Keyv's own iterator pages by OFFSET, ten rows a time, in no order: quadratic, and blind to rows that move.
    page: (range, limit) => sqlPage(read, words, range, limit),
    purge: (now) => sqlPurge(read, write, words, now),
  };
}
