// Commits on PostgreSQL: one transaction each. A condition is part of the statement that writes, so a row that another
// transaction is changing is waited for and then compared with what that one wrote.
import type pg from 'pg';
import type { Plan } from '../ports/lanes.js';
import type { Backend, Commit, Fence, ShelfName, Write } from './backend.js';
import { newVersion } from './commit.js';
import { asStoreErrors, storeError } from './faults.js';
import { changeLanes, type LaneWords } from './lanes.js';
import { type RunSql, writeEntry } from './sql-shelf.js';

/** A statement, and how many rows it has to touch for the commit to count; undefined for any number. */
interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly rows?: number;
}

/** Another transaction was in the way (serialization failure, deadlock): read again and try again, as for a conflict. */
const IN_THE_WAY = new Set(['40001', '40P01']);

export function createPostgresCommit(
  pool: pg.Pool,
  tableOf: (shelf: ShelfName) => string,
  leaseTable: string,
  lanes: LaneWords,
): Backend['commit'] {
  async function transact(
    statements: readonly Statement[],
    fence: Fence | undefined,
    plans: readonly Plan[],
  ): Promise<boolean> {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      if (fence) {
        const held = await client.query(
          `SELECT 1 FROM ${leaseTable} WHERE name = $1 AND fence = $2 FOR SHARE`,
          [fence.lease, fence.fence],
        );
        if (held.rowCount === 0) {
          await client.query('ROLLBACK');
          throw storeError('lost');
        }
      }
      for (const { sql, values, rows } of statements) {
        const { rowCount } = await client.query(sql, [...values]);
        if (rows === undefined || rowCount === rows) continue;
        await client.query('ROLLBACK');
        return false;
      }
      const run: RunSql = async (sql, values = []) => (await client.query(sql, [...values])).rows;
      await changeLanes(
        run,
        lanes,
        plans.map((plan) => ({ kind: 'plan', plan })),
      );
      await client.query('COMMIT');
      return true;
    } catch (error) {
      await client.query('ROLLBACK').catch((cause: Error) => {
        broken = cause;
      });
      if (isInTheWay(error)) return false;
      throw error;
    } finally {
      // A connection that could not be rolled back is not given to the next one.
      client.release(broken);
    }
  }

  return ({ writes, fence, plans = [] }: Commit) =>
    asStoreErrors(async () => {
      const statements = [...byShelf(writes)].flatMap(([shelf, rows]) => statementsFor(tableOf(shelf), rows));
      const [only, ...more] = statements;
      if (!only && plans.length === 0) return true;
      if (!only || fence || more.length > 0 || plans.length > 0) return transact(statements, fence, plans);
      // One statement is a transaction already.
      const { rowCount } = await pool.query(only.sql, [...only.values]);
      return only.rows === undefined || rowCount === only.rows;
    });
}

/** Always in the same order, so that two commits rarely wait for each other. */
function byShelf(writes: readonly Write[]): ReadonlyMap<ShelfName, readonly Write[]> {
  const sorted = [...writes].sort((a, b) => compare(a.shelf, b.shelf) || compare(a.key, b.key));
  const groups = new Map<ShelfName, Write[]>();
  for (const one of sorted) groups.set(one.shelf, [...(groups.get(one.shelf) ?? []), one]);
  return groups;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function statementsFor(table: string, writes: readonly Write[]): readonly Statement[] {
  const { checked, changed, added, put, removed, deleted } = sorted(writes);
  const keys = (list: readonly Write[]) => list.map((one) => one.key);
  const texts = (list: readonly Write[]) => list.map((one) => (one.entry ? writeEntry(one.entry) : ''));
  const versions = (list: readonly Write[]) => list.map((one) => one.version);
  const fresh = (list: readonly Write[]) => list.map(newVersion);
  const insert = `INSERT INTO ${table} (key, value, version) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])`;
  const all: readonly (Statement & { readonly of: readonly Write[] })[] = [
    {
      of: checked,
      sql: `SELECT 1 FROM ${table} AS row JOIN unnest($1::text[], $2::bigint[]) AS given(key, version) USING (key, version) FOR SHARE OF row`,
      values: [keys(checked), versions(checked)],
      rows: checked.length,
    },
    {
      of: changed,
      sql: `UPDATE ${table} AS row SET value = given.value, version = given.next
        FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS given(key, value, next, version)
        WHERE row.key = given.key AND row.version = given.version`,
      values: [keys(changed), texts(changed), fresh(changed), versions(changed)],
      rows: changed.length,
    },
    {
      of: added,
      sql: `${insert} ON CONFLICT (key) DO NOTHING`,
      values: [keys(added), texts(added), fresh(added)],
      rows: added.length,
    },
    {
      of: put,
      sql: `${insert} ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version`,
      values: [keys(put), texts(put), fresh(put)],
    },
    {
      of: removed,
      sql: `DELETE FROM ${table} AS row USING unnest($1::text[], $2::bigint[]) AS given(key, version)
        WHERE row.key = given.key AND row.version = given.version`,
      values: [keys(removed), versions(removed)],
      rows: removed.length,
    },
    { of: deleted, sql: `DELETE FROM ${table} WHERE key = ANY($1::text[])`, values: [keys(deleted)] },
  ];
  return all.filter(({ of }) => of.length > 0);
}

/** Writes by what they do, see {@link Write}. A deletion of what must not be there needs no statement. */
function sorted(writes: readonly Write[]) {
  const puts = writes.filter((one) => one.entry);
  const deletions = writes.filter((one) => one.entry === null);
  return {
    checked: writes.filter((one) => one.entry === undefined),
    changed: puts.filter((one) => one.version !== undefined && one.version !== 0),
    added: puts.filter((one) => one.version === 0),
    put: puts.filter((one) => one.version === undefined),
    removed: deletions.filter((one) => one.version !== undefined),
    deleted: deletions.filter((one) => one.version === undefined),
  };
}

export function isInTheWay(error: unknown): boolean {
  return error instanceof Error && IN_THE_WAY.has(String((error as { code?: unknown }).code));
}
