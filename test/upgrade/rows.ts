// All rows of a store, for comparing two of them.
import { KV_TABLES, type TableName } from '../../src/store/backend.js';
import { openBackend } from '../../src/store/index.js';

/** Stored texts by table and key; of `meta` only what belongs to the store and not to its database. */
export type Rows = Readonly<Record<TableName, Readonly<Record<string, string>>>>;

export async function rowsIn(url: string): Promise<Rows> {
  const backend = await openBackend({ url, dataDir: '/nonexistent', clock: { now: Date.now } });
  try {
    const tables = KV_TABLES.map(async (name) => {
      const rows = await backend.kvTables[name].page({}, 1_000_000);
      return [
        name,
        Object.fromEntries(rows.filter(([key]) => name !== 'meta' || !key.startsWith('probe:'))),
      ] as const;
    });
    return Object.fromEntries(await Promise.all(tables)) as unknown as Rows;
  } finally {
    await backend.close();
  }
}

export function countOf(rows: Rows): number {
  return Object.values(rows).reduce((sum, table) => sum + Object.keys(table).length, 0);
}
