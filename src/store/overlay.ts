// A store for commands that only read. Reads come from the database; writes stay in memory and are lost when the process
// ends. Such a command therefore changes nothing, and does not create a store where there is none.

import { createMutex } from '../domain/serial.js';
import type { LaneStore } from '../ports/lanes.js';
import {
  type Backend,
  type Entry,
  KV_TABLES,
  type KvTable,
  type LeaseRows,
  type TableName,
  type Versioned,
} from './backend.js';
import { newVersion, writesOf } from './commit.js';
import { pagesOf } from './pages.js';
import { afterPrefix, readEntry, writeEntry } from './sql-table.js';

/**
 * Creates the overlay over `base`, which it closes. Without `base`, it is an empty store. Leases are taken in `base` if
 * there is one.
 */
export function createOverlay(base?: Backend): Backend {
  const line = createMutex();
  const commit: Backend['commit'] = ({ writes }) =>
    line(async () => {
      for (const { table, key, version } of writes)
        if (version !== undefined && (await kvTables[table].read(key)).version !== version) return false;
      for (const { table, key, entry, ifAbsent } of writes)
        if (entry !== undefined && !(ifAbsent && (await kvTables[table].read(key)).entry))
          kvTables[table].write(key, entry);
      return true;
    });
  const kvTables = Object.fromEntries(
    KV_TABLES.map((name) => [name, overlayTable(name, commit, base?.kvTables[name])]),
  ) as Record<TableName, OverlayTable>;
  return {
    kind: base?.kind ?? 'sqlite',
    kvTables,
    leases: base?.leases ?? OWN_LEASES,
    lanes: base ? { ...NO_LANES, states: base.lanes.states } : NO_LANES,
    commit,
    addColumns: async () => undefined,
    dropFormer: async () => undefined,
    tryWrite: async () => base?.tryWrite(),
    close: async () => base?.close(),
  };
}

/** A command that only reads plans nothing and takes no turns. */
const NO_LANES: LaneStore = {
  plan: async () => undefined,
  keep: async () => undefined,
  states: async (units) => units.map(() => ({ state: null, version: 0 })),
  drop: async () => undefined,
  claim: async () => [],
  within: (_turn, work) => work(),
  claimLane: async () => undefined,
  offer: async () => ({ lanes: [] }),
  renew: async () => [],
  end: async () => ({ kept: true }),
  freeAll: async () => undefined,
  purge: async () => undefined,
  take: async (unit) => ({ ...unit, epoch: 1, attempt: 1, dueAt: 0, state: null, version: 0 }),
  forgetRests: async () => undefined,
  rests: async () => [],
  rest: async () => undefined,
  nextAt: async () => undefined,
  dueAt: async () => undefined,
  load: async () => ({ due: 0 }),
  waiting: async () => ({ lanes: 0 }),
  units: async () => [],
  page: async () => [],
  clear: async () => undefined,
};

/** No other process can see this store. */
const OWN_LEASES: LeaseRows = {
  take: async () => 1,
  renew: async () => true,
  read: async () => undefined,
  release: async () => undefined,
  list: async () => [],
  purge: async () => undefined,
};

interface OverlayTable extends KvTable {
  /** null deletes. */
  write(key: string, entry: Entry | null): void;
}

function overlayTable(name: TableName, commit: Backend['commit'], base: KvTable | undefined): OverlayTable {
  /** Stored texts by key; undefined for rows deleted here. */
  const written = new Map<string, { readonly text: string; readonly version: number } | undefined>();

  async function read(key: string): Promise<Versioned> {
    if (!written.has(key)) return (await base?.read(key)) ?? { version: 0 };
    const row = written.get(key);
    return row ? { entry: readEntry(row.text), version: row.version } : { version: 0 };
  }

  function write(key: string, entry: Entry | null): void {
    written.set(key, entry ? { text: writeEntry(entry), version: newVersion() } : undefined);
  }

  /** Returns up to `limit` rows of the database that were not written here. */
  async function unchanged(range: Parameters<KvTable['page']>[0], limit: number) {
    const rows: (readonly [string, string])[] = [];
    if (!base) return rows;
    for await (const page of pagesOf(base, range, limit)) {
      rows.push(...page.filter(([key]) => !written.has(key)));
      if (rows.length >= limit) break;
    }
    return rows;
  }

  const page: KvTable['page'] = async (range, limit) => {
    const { from, after, to } = range;
    const mine = [...written].flatMap(([key, row]) =>
      row !== undefined &&
      (from === undefined || byBytes(key, from) >= 0) &&
      (after === undefined || byBytes(key, after) > 0) &&
      (to === undefined || byBytes(key, to) < 0)
        ? [[key, row.text] as const]
        : [],
    );
    const rows = [...(await unchanged(range, limit)), ...mine];
    return rows.sort(([a], [b]) => byBytes(a, b)).slice(0, limit);
  };

  return {
    name,
    ...writesOf(name, commit),
    read,
    write,
    async readMany(keys) {
      const others = keys.filter((key) => !written.has(key));
      const found = new Map((await base?.readMany(others)) ?? []);
      for (const key of keys) {
        const row = written.get(key);
        if (row) found.set(key, { entry: readEntry(row.text), version: row.version });
      }
      return found;
    },
    // A version 1 store has no row versions, so `read` fails there, but its schema version must be readable.
    get: async (key) => (base && !written.has(key) ? base.get(key) : (await read(key)).entry),
    page,
    async keysUnder(prefix) {
      const rows = await page({ from: prefix, to: afterPrefix(prefix) }, Number.MAX_SAFE_INTEGER);
      return rows.map(([key]) => key);
    },
    purge: async () => 0,
  };
}

/** Compares keys in byte order, as the databases do. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
