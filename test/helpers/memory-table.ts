// A table of the store in memory, for tests of code that keeps small records. Values go through JSON as in the store,
// and expire by the clock of the test.
import type { Table } from '../../src/ports/stores.js';
import type { Clock } from '../../src/ports/system.js';

/** A clock that moves only by `advance`. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function testClock(start = Date.UTC(2026, 10, 23, 8)): TestClock {
  let now = start;
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}

export interface MemoryTable extends Table<unknown> {
  /** All its contents as one JSON text, to check for changes or for a text in it. */
  dump(): string;
}

export function memoryTable(clock: Clock): MemoryTable {
  const rows = new Map<string, { json: string; until: number }>();
  const alive = (key: string) => {
    const row = rows.get(key);
    return row && row.until > clock.now() ? row : undefined;
  };
  const read = (key: string): unknown => {
    const row = alive(key);
    return row && JSON.parse(row.json);
  };
  const write = (key: string, value: unknown, ttlMs: number | undefined) =>
    rows.set(key, {
      json: JSON.stringify(value),
      until: ttlMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + ttlMs,
    });
  return {
    get: async (key) => read(key),
    set: async (key, value, ttlMs) => void write(key, value, ttlMs),
    delete: async (key) => void rows.delete(key),
    async deleteUnder(prefix) {
      for (const key of rows.keys()) if (key.startsWith(prefix)) rows.delete(key);
    },
    async update(key, change, ttlMs) {
      const before = read(key);
      const next = change(before);
      if (next === undefined) rows.delete(key);
      else if (next !== before) write(key, next, ttlMs);
      return next;
    },
    async *entries(prefix = '') {
      for (const key of [...rows.keys()].filter((one) => one.startsWith(prefix))) {
        const row = alive(key);
        if (row) yield [key, JSON.parse(row.json)] as const;
      }
    },
    dump: () => JSON.stringify([...rows].map(([key, row]) => [key, row.json]).sort()),
  };
}
