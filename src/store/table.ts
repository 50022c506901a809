// A table of JSON values over one key-value table. Values expire by the program's clock, and one pass can read them all.
import type { ChangeOf, Table } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Entry, KeyRange, KvTable } from './backend.js';
import { storeError } from './faults.js';
import { pagesOf } from './pages.js';
import { readEntry } from './sql-table.js';

/** A {@link Table} that can also be read by key range. */
export interface RangeTable<T> extends Table<T> {
  range(range: KeyRange, page?: number): AsyncIterable<readonly [string, T]>;
}

/** How values are stored. `before`: the stored form of the row that an update replaces. */
export interface Form<T> {
  pack(key: string, value: T, before?: unknown): unknown;
  /** Undefined reads as absent. */
  unpack(key: string, stored: unknown): T | undefined;
}

/** Creates a table whose rows pass through `pack` when written and `unpack` when read. */
export function createTable<T>(
  table: KvTable,
  clock: Clock,
  form: Form<T> = PLAIN as Form<T>,
): RangeTable<T> {
  function alive(entry: Entry | undefined): entry is Entry {
    return entry !== undefined && (entry.expires === undefined || entry.expires > clock.now());
  }

  async function* range(bounds: KeyRange, page = 500): AsyncIterable<readonly [string, T]> {
    for await (const rows of pagesOf(table, bounds, page))
      for (const [key, text] of rows) {
        const entry = parse(text);
        const value = alive(entry) ? form.unpack(key, entry.value) : undefined;
        if (value !== undefined) yield [key, value] as const;
      }
  }

  async function update(key: string, change: ChangeOf<T>, ttlMs?: number): Promise<T | undefined> {
    for (;;) {
      const { entry, version } = await table.read(key);
      const before = alive(entry) ? form.unpack(key, entry.value) : undefined;
      const next = change(before);
      if (next === before) return next;
      if (await table.replace(key, version, next === undefined ? null : entryOf(key, next, ttlMs, entry)))
        return next;
    }
  }

  function entryOf(key: string, value: T, ttlMs: number | undefined, before?: Entry): Entry {
    const stored = form.pack(key, value, before?.value);
    return ttlMs === undefined
      ? { value: stored }
      : { expires: Math.trunc(clock.now() + ttlMs), value: stored };
  }

  return {
    async get(key) {
      const entry = await table.get(key);
      return alive(entry) ? form.unpack(key, entry.value) : undefined;
    },
    set: (key, value, ttlMs) => table.set(key, entryOf(key, value, ttlMs)),
    update,
    delete: (key) => table.delete(key),
    async deleteUnder(prefix) {
      for (const key of await table.keysUnder(prefix)) await table.delete(key);
    },
    // The highest character sorts after anything that can follow the prefix.
    entries: (prefix = '') => range(prefix === '' ? {} : { from: prefix, to: `${prefix}\u{10ffff}` }),
    range,
  };
}

/** Reads a whole range first, for rows that change while you work through them. */
export async function all<T>(
  table: RangeTable<T>,
  range: { from: string; to: string },
): Promise<readonly (readonly [string, T])[]> {
  const rows: (readonly [string, T])[] = [];
  for await (const row of table.range(range)) rows.push(row);
  return rows;
}

/** For tables that store values as they are. */
const PLAIN: Form<unknown> = { pack: (_key, value) => value, unpack: (_key, stored) => stored };

function parse(text: string): Entry {
  try {
    return readEntry(text);
  } catch {
    throw storeError('corrupt', 'a record is not JSON');
  }
}
