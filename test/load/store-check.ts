// The store after a long run, read from the file after the program has ended: the contents of ledgers, and whether
// everything that grew is deleted when its time is over.
import { dirname } from 'node:path';
import type { Ledger } from '../../src/domain/ledger.js';
import { createArchive } from '../../src/store/archive.js';
import { KV_TABLES } from '../../src/store/backend.js';
import { createLedgerStore } from '../../src/store/ledgers.js';
import { openSqlite } from '../../src/store/sqlite/backend.js';
import { withFile } from '../../src/store/sqlite/files.js';

/** Longer than the longest life of any row: the 95 days of the archive. */
const LATER_MS = 100 * 86_400_000;

/** All ledgers of a store that no process has open, with everything that was seen and delivered. */
export async function readLedgers(file: string): Promise<readonly Ledger[]> {
  const rows = await withFile(file, (run) => run('SELECT key FROM ledgers'));
  const clock = { now: () => Date.now() };
  const backend = await openSqlite({ file, clock, backups: dirname(file) });
  const store = createLedgerStore(
    backend,
    clock,
    { fence: () => undefined },
    createArchive(backend.kvTables.history, clock),
  );
  const ledgers: Ledger[] = [];
  for (const { key } of rows) {
    const ledger = await store.read(String(key));
    if (ledger) ledgers.push(ledger);
  }
  await backend.close();
  return ledgers;
}

/** Rows and kilobytes of text in a table: `later`, what is left after a purge a hundred days from now. */
export interface TableSize {
  readonly table: string;
  readonly rows: number;
  readonly kB: number;
  readonly later: number;
  readonly laterKB: number;
}

/** Measures, purges the file as if a hundred days had passed, and measures again. */
export async function sizesAfter(file: string): Promise<readonly TableSize[]> {
  const measure = () =>
    withFile(file, async (run) => {
      const found: { rows: number; kB: number }[] = [];
      for (const table of KV_TABLES) {
        const [row] = await run(
          `SELECT count(*) AS rows, coalesce(sum(length(value)), 0) AS size FROM ${table}`,
        );
        found.push({ rows: Number(row?.rows), kB: Math.round(Number(row?.size) / 1024) });
      }
      return found;
    });
  const now = await measure();
  const clock = { now: () => Date.now() + LATER_MS };
  const backend = await openSqlite({ file, clock, backups: dirname(file) });
  for (const name of KV_TABLES) await backend.kvTables[name].purge(clock.now());
  await backend.close();
  const later = await measure();
  return KV_TABLES.map((table, index) => ({
    table,
    rows: now[index]?.rows ?? 0,
    kB: now[index]?.kB ?? 0,
    later: later[index]?.rows ?? 0,
    laterKB: later[index]?.kB ?? 0,
  }));
}
