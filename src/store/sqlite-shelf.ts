// One table of the SQLite file: Keyv for single rows, SQL for what Keyv lacks.
import { KeyvSqlite } from '@keyv/sqlite';
import { StoreError } from '../domain/errors.js';
import type { Entry, Fence, Shelf, ShelfName } from './backend.js';
import { asStoreErrors, storeError } from './faults.js';
import { createKeyv } from './keyv.js';
import { createBatches, type Line } from './serial.js';
import {
  type RunSql,
  type SqlWords,
  sqlPage,
  sqlPurge,
  sqlSetAll,
  sqlSetFenced,
  sqlSwap,
  writeEntry,
} from './sql-shelf.js';

/** How long a statement waits for another process's lock before it fails. A process that is to end waits for it, too. */
const BUSY_MS = 2000;

/** Rows written by one statement at most. */
const BATCH = 200;

/** SQLite's CAST reads the digits at the front and stops, so nothing behind them is looked at. */
const EXPIRES = `CASE WHEN substr(value, 1, 11) = '{"expires":' THEN CAST(substr(value, 12, 16) AS INTEGER) END`;

interface Write {
  readonly key: string;
  readonly entry: Entry;
  readonly fence?: Fence;
}

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

/** SQL of one connection, its failures as StoreErrors. */
export function runner(store: KeyvSqlite): RunSql {
  return (sql, values = []) => asStoreErrors(() => store.query(sql, values));
}

export function createSqliteShelf(name: ShelfName, store: KeyvSqlite, line: Line): Shelf {
  const read = runner(store);
  const write: RunSql = (sql, values) => line(() => read(sql, values));
  const keyv = createKeyv(store);
  const words: SqlWords = { table: name, leaseTable: 'lease', order: 'key', expires: EXPIRES };
  // A synced commit costs milliseconds however much is in it: what came up during one goes into the next together.
  const put = createBatches<Write>(line, BATCH, ({ fence }) => fence?.fence, writeAll);

  async function writeAll(writes: readonly Write[]): Promise<void> {
    const [first] = writes;
    if (!first) return;
    if (writes.length === 1 && !first.fence) return keyv.set(first.key, first.entry);
    const rows = writes.map(({ key, entry }) => [key, writeEntry(entry)] as const);
    if (!first.fence) return sqlSetAll(read, words, rows);
    if (!(await sqlSetFenced(read, words, rows, first.fence))) throw storeError('lost');
  }

  return {
    name,
    get: (key) => keyv.get(key),
    set: (key, entry) => put({ key, entry }),
    async setFenced(key, entry, fence) {
      try {
        await put({ key, entry, fence });
        return true;
      } catch (error) {
        if (error instanceof StoreError && error.fault === 'lost') return false;
        throw error;
      }
    },
    delete: (key) => line(() => keyv.delete(key)),
    // Keyv's own iterator pages by OFFSET, ten rows a time, in no order: quadratic, and blind to rows that move.
    page: (range, limit) => sqlPage(read, words, range, limit),
    swap: (key, before, after) => sqlSwap(write, words, key, before, after),
    purge: (now) => sqlPurge(read, write, words, now),
  };
}
