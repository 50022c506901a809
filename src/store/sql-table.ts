// What Keyv lacks, in SQL that SQLite and PostgreSQL both accept: rows with versions, pages by key, and deletion of
// expired rows. `$1` is the first value in both databases if the parameters are first used in order.
import { partsOf } from '../domain/edition.js';
import type { Entry, KeyRange, KvTable, Versioned } from './backend.js';
import { toStoreError } from './faults.js';

/** Runs one statement and returns its rows. */
export type RunSql = (
  sql: string,
  values?: readonly unknown[],
) => Promise<readonly Record<string, unknown>[]>;

/**
 * What differs between the databases. `order` compares keys byte by byte; `expires` reads the expiry of a row; `each` is a
 * table expression with a column `value` for each element of the JSON array in $1; `keys` selects the texts in that array.
 */
export interface SqlWords {
  readonly table: string;
  readonly order: string;
  readonly expires: string;
  readonly each: string;
  readonly keys: string;
}

const PURGE_PAGE = 1000;

/** Returns the stored text, which any Keyv can read. `expires` comes first, so a purge need not parse the value. */
export function writeEntry(entry: Entry): string {
  return JSON.stringify(
    entry.expires === undefined ? { value: entry.value } : { expires: entry.expires, value: entry.value },
  );
}

export function readEntry(text: string): Entry {
  return JSON.parse(text) as Entry;
}

/** Reads a row; throws a StoreError when it is damaged. */
export function readStored(text: string): Entry {
  try {
    return readEntry(text);
  } catch (error) {
    throw toStoreError(error);
  }
}

/** The most keys named by one statement. */
const READ_PAGE = 500;

/** Reads rows with their versions, and keys; see {@link gatherReads}. */
export function sqlRows(run: RunSql, words: SqlWords): Pick<KvTable, 'read' | 'readMany' | 'keysUnder'> {
  const gather = gatherReads((keys) => sqlReadMany(run, words, keys));
  const gatherKeys = gatherReads((prefixes) => sqlKeysUnder(run, words, prefixes));
  // Parsed here, so that a damaged row fails only for its own reader.
  async function readMany(keys: readonly string[]): Promise<ReadonlyMap<string, Versioned>> {
    const rows = new Map<string, Versioned>();
    for (const [key, { text, version }] of await gather(keys))
      rows.set(key, { entry: readStored(text), version });
    return rows;
  }
  return {
    readMany,
    read: async (key) => (await readMany([key])).get(key) ?? { version: 0 },
    keysUnder: async (prefix) => (await gatherKeys([prefix])).get(prefix) ?? [],
  };
}

/** Returns the first key after all that begin with a prefix. */
export function afterPrefix(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

async function sqlKeysUnder(
  run: RunSql,
  { table, order, each }: SqlWords,
  prefixes: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  const rows = await run(
    // CROSS JOIN tells SQLite to take the prefixes first, and the keys of each by the index.
    `WITH given AS (SELECT CAST(value->>0 AS TEXT) AS prefix, CAST(value->>1 AS TEXT) AS "end" FROM ${each})
     SELECT prefix, key FROM given CROSS JOIN ${table}
     WHERE ${order} >= prefix AND ${order} < "end" ORDER BY prefix, ${order}`,
    [JSON.stringify(prefixes.map((prefix) => [prefix, afterPrefix(prefix)]))],
  );
  for (const row of rows) {
    const keys = found.get(String(row.prefix));
    if (keys) keys.push(String(row.key));
    else found.set(String(row.prefix), [String(row.key)]);
  }
  return found;
}

async function sqlReadMany(
  run: RunSql,
  { table, keys: among }: SqlWords,
  keys: readonly string[],
): Promise<ReadonlyMap<string, { readonly text: string; readonly version: number }>> {
  const found = new Map<string, { text: string; version: number }>();
  const sql = `SELECT key, value, version FROM ${table} WHERE key IN (${among})`;
  for (const part of partsOf(keys, READ_PAGE))
    for (const row of await run(sql, [JSON.stringify(part)]))
      found.set(String(row.key), { text: String(row.value), version: Number(row.version) });
  return found;
}

interface Reader<T> {
  readonly keys: readonly string[];
  resolve(found: ReadonlyMap<string, T>): void;
  reject(error: unknown): void;
}

/**
 * Reads rows that are requested at the same time, or while such a read is running, with one statement, because a statement
 * costs far more than its rows.
 */
export function gatherReads<T>(
  readMany: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (keys: readonly string[]) => Promise<ReadonlyMap<string, T>> {
  let waiting: Reader<T>[] = [];
  let isReading = false;
  async function readWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const readers = waiting;
      waiting = [];
      const wanted = new Set<string>();
      for (const { keys } of readers) for (const key of keys) wanted.add(key);
      try {
        const found = await readMany([...wanted]);
        for (const { keys, resolve } of readers) resolve(partOf(found, keys));
      } catch (error) {
        for (const { reject } of readers) reject(error);
      }
    }
    isReading = false;
  }
  return async (keys) => {
    if (keys.length === 0) return new Map();
    return new Promise((resolve, reject) => {
      waiting.push({ keys, resolve, reject });
      if (isReading) return;
      isReading = true;
      setImmediate(() => void readWaiting());
    });
  };
}

function partOf<T>(all: ReadonlyMap<string, T>, keys: readonly string[]): ReadonlyMap<string, T> {
  const part = new Map<string, T>();
  for (const key of keys) if (all.has(key)) part.set(key, all.get(key) as T);
  return part;
}

/** Reads one page. `order` must name the key as the index does, or the database sorts the whole table for every page. */
export async function sqlPage(
  run: RunSql,
  { table, order }: SqlWords,
  range: KeyRange,
  limit: number,
): Promise<readonly (readonly [string, string])[]> {
  const values: unknown[] = [];
  const bounds: string[] = [];
  function bound(comparison: string, value: string | undefined): void {
    if (value !== undefined) bounds.push(`${order} ${comparison} $${values.push(value)}`);
  }
  bound('>=', range.from);
  bound('>', range.after);
  bound('<', range.to);
  const where = bounds.length > 0 ? `WHERE ${bounds.join(' AND ')}` : '';
  const sql = `SELECT key, value FROM ${table} ${where} ORDER BY ${order} LIMIT ${limit}`;
  return (await run(sql, values)).map((row) => [String(row.key), String(row.value)] as const);
}

/**
 * Reads keys page by page and deletes expired rows, so that no statement locks the table for long. Returns how many it
 * deleted.
 */
export async function sqlPurge(
  read: RunSql,
  write: RunSql,
  { table, order, expires, keys: among }: SqlWords,
  now: number,
): Promise<number> {
  const at = Math.trunc(now);
  let deleted = 0;
  let after = '';
  for (;;) {
    const rows = await read(
      `SELECT key, CASE WHEN ${expires} <= $1 THEN 1 ELSE 0 END AS old FROM ${table} WHERE ${order} > $2
       ORDER BY ${order} LIMIT ${PURGE_PAGE}`,
      [at, after],
    );
    const old = rows.filter((row) => Number(row.old) === 1).map((row) => String(row.key));
    if (old.length > 0) {
      // Checked again, because a row may have been rewritten since the page was read.
      const gone = await write(
        `DELETE FROM ${table} WHERE key IN (${among}) AND ${expires} <= $2 RETURNING key`,
        [JSON.stringify(old), at],
      );
      deleted += gone.length;
    }
    if (rows.length < PURGE_PAGE) return deleted;
    after = String(rows.at(-1)?.key);
  }
}
