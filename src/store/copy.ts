// Moves a store that nothing uses to another database: every row with its life, then both sides read again and compared.
// Rows are read and written in the order of their keys, and the last key of each table is noted, so that a copy that was
// interrupted goes on where it stopped.
import { createHash } from 'node:crypto';
import { UserError } from '../domain/errors.js';
import type { Clock, Log } from '../ports/system.js';
import { type Backend, SHELVES, type Shelf, type ShelfName } from './backend.js';
import { storeError } from './faults.js';
import { createLease } from './lease.js';
import { settleSchema } from './schema.js';
import { readEntry } from './sql-shelf.js';

/** Rows of one table on both sides after the copy. */
export interface CopiedTable {
  readonly table: ShelfName;
  readonly rows: number;
  readonly copied: number;
}

/** Rows read and written at once. */
const PAGE = 1000;
const LEASE_MS = 60_000;
const NOTE = 'copy';

/** What was copied so far, kept in the target until both sides were compared. */
interface Progress {
  /** Which store it comes from. */
  readonly from: string;
  /** Last key copied, by table; null for a table that is through. */
  readonly last: Readonly<Partial<Record<ShelfName, string | null>>>;
}

/** The target's own rows of `meta` are not part of a copy. */
const OWN = new Set(['schema', NOTE]);

/**
 * Copies `from` to `to` and compares them. `source`: what tells this store from others, such as its address; only a hash of
 * it is written. The target must be empty, or hold the begun copy of the same source. Throws a UserError when a side is in
 * use or holds something else, and a StoreError when a database fails or the sides differ; then it can be run again.
 */
export async function copyStore(
  from: Backend,
  to: Backend,
  {
    source,
    log,
    clock,
    onRows,
  }: {
    readonly source: string;
    readonly log: Log;
    readonly clock: Clock;
    /** Told how many rows are copied so far. */
    readonly onRows?: (rows: number) => void;
  },
): Promise<readonly CopiedTable[]> {
  const releases: (() => Promise<void>)[] = [];
  try {
    for (const [backend, name] of [
      [from, 'The store that is copied'],
      [to, 'The store to copy to'],
    ] as const) {
      const lease = createLease({ rows: backend.leases, name: 'service', ttlMs: LEASE_MS, clock });
      const taken = await lease.acquire();
      if ('holder' in taken)
        throw new UserError(`${name} is in use by ${taken.holder}. Stop that process first.`);
      const beat = setInterval(() => void lease.renew().catch(() => undefined), LEASE_MS / 4);
      releases.push(async () => {
        clearInterval(beat);
        await lease.release();
      });
    }
    await settleSchema(from, { log, clock, migrate: true });
    const progress = await begin(to, createHash('sha256').update(source).digest('hex'), { log, clock });
    await copyRows(from, to, progress, onRows);
    const tables: CopiedTable[] = [];
    for (const table of SHELVES) tables.push(await compare(table, from.shelves[table], to.shelves[table]));
    await to.shelves.meta.delete(NOTE);
    return tables;
  } finally {
    for (const release of releases) await release().catch(() => undefined);
  }
}

/** The progress of this copy, which is none for an empty target. */
async function begin(to: Backend, from: string, how: { log: Log; clock: Clock }): Promise<Progress> {
  await settleSchema(to, { ...how, migrate: false });
  const noted = (await to.shelves.meta.get(NOTE))?.value as Progress | undefined;
  if (noted?.from === from) return noted;
  for (const table of SHELVES) {
    const [row] = (await to.shelves[table].page({}, OWN.size + 1)).filter(
      ([key]) => table !== 'meta' || !OWN.has(key),
    );
    if (row || noted)
      throw new UserError(
        'The store to copy to is not empty. Name an empty database or a file that does not exist; nothing was copied.',
      );
  }
  const progress: Progress = { from, last: {} };
  await to.shelves.meta.set(NOTE, { value: progress });
  return progress;
}

async function copyRows(
  from: Backend,
  to: Backend,
  begun: Progress,
  onRows: ((rows: number) => void) | undefined,
): Promise<void> {
  let progress = begun;
  let copied = 0;
  for (const table of SHELVES) {
    for (let last = progress.last[table]; last !== null; last = progress.last[table]) {
      const rows = await from.shelves[table].page(last === undefined ? {} : { after: last }, PAGE);
      const end = rows.length < PAGE ? null : (rows.at(-1)?.[0] ?? null);
      progress = { ...progress, last: { ...progress.last, [table]: end } };
      const writes = rows
        .filter(([key]) => table !== 'meta' || !OWN.has(key))
        .map(([key, text]) => ({ shelf: table, key, entry: readEntry(text) }));
      // The rows and the note of how far they reach are one commit.
      await to.commit({ writes: [...writes, { shelf: 'meta', key: NOTE, entry: { value: progress } }] });
      copied += rows.length;
      onRows?.(copied);
    }
  }
}

/** Reads both sides through in the order of their keys. Throws a StoreError at the first difference. */
async function compare(table: ShelfName, from: Shelf, to: Shelf): Promise<CopiedTable> {
  let count = 0;
  for (let after: string | undefined; ; ) {
    const range = after === undefined ? {} : { after };
    const [here, there] = await Promise.all([own(table, from, range), own(table, to, range)]);
    for (const [index, [key, text]] of here.rows.entries()) {
      const other = there.rows[index];
      if (other?.[0] !== key || other[1] !== text)
        throw storeError('corrupt', `the copy differs in table ${table}, row ${count + index + 1}`);
    }
    if (there.rows.length > here.rows.length)
      throw storeError('corrupt', `the copy has more rows in table ${table}`);
    count += here.rows.length;
    if (here.last === undefined) return { table, rows: count, copied: count };
    after = here.last;
  }
}

async function own(table: ShelfName, shelf: Shelf, range: { readonly after?: string }) {
  const page = await shelf.page(range, PAGE);
  return {
    rows: page.filter(([key]) => table !== 'meta' || !OWN.has(key)),
    last: page.length < PAGE ? undefined : page.at(-1)?.[0],
  };
}
