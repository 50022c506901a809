// Commits on PostgreSQL, one transaction each. A condition is part of the statement that writes. If another transaction
// is changing the row, the statement waits for it and then compares the new version.
import { setTimeout } from 'node:timers/promises';
import type { StoreError } from '../../domain/errors.js';
import type { Turn } from '../../ports/lanes.js';
import type { Backend, Commit, Fence, TableName, Write } from '../backend.js';
import { laneChanges, newVersion } from '../commit.js';
import { asStoreErrors, storeError } from '../faults.js';
import { changeLanes, type LaneChange, type LaneWords } from '../lanes.js';
import { writeEntry } from '../sql-table.js';
import { presentTurn } from '../turn-fence.js';
import { type Ask, isUnsure, type PostgresPool } from './pool.js';

/** A statement, and how many rows it must touch for the commit to succeed; undefined for any number. */
interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly rows?: number;
}

/** Another transaction was in the way (serialization failure, deadlock). Read and try again, as after a conflict. */
const IN_THE_WAY = new Set(['40001', '40P01']);

/** How long to try to find out whether a commit without an answer was written. */
const LEARN_MS = 20_000;
const LEARN_AGAIN_MS = 500;

/** A write with the new version of its row. */
interface Stamped extends Write {
  readonly next: number;
}

/** Conditions of a commit, see {@link Commit}. */
interface Conditions {
  readonly fence: Fence | undefined;
  readonly turn: Turn | undefined;
}

/** Thrown inside a transaction to roll it back, because a row had another version. */
class Conflict extends Error {}

export function createPostgresCommit(
  pool: PostgresPool,
  tableOf: (table: TableName) => string,
  leaseTable: string,
  lanes: LaneWords,
): Backend['commit'] {
  async function run(
    ask: Ask,
    {
      statements,
      fence,
      turn,
      changes,
    }: Conditions & { statements: readonly Statement[]; changes: readonly LaneChange[] },
  ): Promise<void> {
    if (fence) {
      const held = await ask(`SELECT 1 FROM ${leaseTable} WHERE name = $1 AND fence = $2 FOR SHARE`, [
        fence.lease,
        fence.fence,
      ]);
      if (held.count === 0) throw storeError('lost');
    }
    if (turn) {
      const held = await ask(
        `SELECT 1 FROM ${lanes.lanes} WHERE queue = $1 AND id = $2 AND epoch = $3 AND unit IS NOT NULL FOR UPDATE`,
        [turn.queue, turn.lane, turn.epoch],
      );
      if (held.count === 0) throw storeError('taken');
    }
    for (const { sql, values, rows } of statements) {
      const { count } = await ask(sql, values);
      if (rows !== undefined && count !== rows) throw new Conflict();
    }
    await changeLanes(async (sql, values) => (await ask(sql, values)).rows, lanes, changes);
  }

  async function once(
    writes: readonly Stamped[],
    conditions: Conditions,
    changes: readonly LaneChange[],
  ): Promise<boolean> {
    const statements = [...byTable(writes)].flatMap(([table, rows]) => statementsFor(tableOf(table), rows));
    const [first] = statements;
    if (!first && changes.length === 0) return true;
    try {
      const { fence, turn } = conditions;
      if (first?.rows !== undefined && writes.length === 1 && !fence && !turn && changes.length === 0) {
        // A statement for one row is already a transaction. If a stalled server runs it late, its condition no longer
        // holds. Without a condition it would overwrite a newer value. For several rows, it would write some of them.
        const { count } = await pool.write(first.sql, first.values);
        return count === first.rows;
      }
      await pool.transact((ask) => run(ask, { statements, ...conditions, changes }));
      return true;
    } catch (error) {
      if (error instanceof Conflict || isInTheWay(error)) return false;
      throw error;
    }
  }

  /**
   * Returns whether a commit without an answer was written; undefined when that can't be known because of a later write.
   * It compares the row's version, which is unique to each write. A transaction that is still running holds its rows, so
   * this waits for its end. The lock taken here is committed after it, so once this answers, a synchronous standby has
   * both.
   */
  async function wasWritten(writes: readonly Stamped[]): Promise<boolean | undefined> {
    const witness =
      writes.find((one) => one.entry && one.version) ??
      writes.find((one) => one.entry === null && one.version) ??
      writes.find((one) => one.entry && one.version === 0) ??
      writes.find((one) => one.entry && !one.ifAbsent);
    if (!witness) return false;
    const { key, entry, version, next } = witness;
    const table = tableOf(witness.table);
    const [row] = await pool.transact(
      async (ask) => {
        // A row that is being inserted can't be seen or locked, but inserting the same key waits for it.
        if (!version) {
          await ask(
            `INSERT INTO ${table} (key, value, version) VALUES ($1, NULL, 0) ON CONFLICT (key) DO NOTHING`,
            [key],
          );
          await ask(`DELETE FROM ${table} WHERE key = $1 AND version = 0`, [key]);
        }
        return (await ask(`SELECT version FROM ${table} WHERE key = $1 FOR UPDATE`, [key])).rows;
      },
      { repeatable: true },
    );
    const found = row && Number(row.version);
    if (entry === null) return found === undefined ? true : found === version ? false : undefined;
    if (found === next) return true;
    // A write without a condition may be repeated whatever the row contains.
    if (version === undefined) return false;
    return found === (version || undefined) ? false : undefined;
  }

  /** Calls {@link wasWritten} until it answers, even if the connection breaks, for up to {@link LEARN_MS}. */
  async function learn(writes: readonly Stamped[], until: number): Promise<boolean | undefined> {
    for (;;) {
      try {
        return await wasWritten(writes);
      } catch (error) {
        if (performance.now() >= until) throw error;
        await setTimeout(LEARN_AGAIN_MS);
      }
    }
  }

  return ({ writes, fence, turn = presentTurn(), ...units }: Commit) =>
    asStoreErrors(async () => {
      const conditions = { fence, turn };
      const changes = laneChanges(units);
      const stamped = writes.map((one) => ({ ...one, next: newVersion() }));
      const until = performance.now() + LEARN_MS;
      let lost: StoreError | undefined;
      for (;;) {
        let isConflict = false;
        try {
          if (await once(stamped, conditions, changes)) return true;
          if (!lost) return false;
          isConflict = true;
        } catch (error) {
          if (!isUnsure(error)) throw error;
          lost = error;
        }
        // After a conflict, too: the attempt without an answer may have arrived after it was looked for.
        const written = await learn(stamped, until).catch(() => undefined);
        if (written) return true;
        if (written === undefined || performance.now() >= until) throw lost;
        if (isConflict) return false;
      }
    });
}

/** Groups writes by table, always in the same order, so that two commits rarely wait for each other. */
function byTable(writes: readonly Stamped[]): ReadonlyMap<TableName, readonly Stamped[]> {
  const sorted = [...writes].sort((a, b) => compare(a.table, b.table) || compare(a.key, b.key));
  const groups = new Map<TableName, Stamped[]>();
  for (const one of sorted) groups.set(one.table, [...(groups.get(one.table) ?? []), one]);
  return groups;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function statementsFor(table: string, writes: readonly Stamped[]): readonly Statement[] {
  const { absent, checked, changed, added, put, addedIfAbsent, removed, deleted } = sorted(writes);
  const keys = (list: readonly Stamped[]) => list.map((one) => one.key);
  const texts = (list: readonly Stamped[]) => list.map((one) => (one.entry ? writeEntry(one.entry) : ''));
  const versions = (list: readonly Stamped[]) => list.map((one) => one.version);
  const fresh = (list: readonly Stamped[]) => list.map((one) => one.next);
  const insert = `INSERT INTO ${table} (key, value, version) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])`;
  const all: readonly (Statement & { readonly of: readonly Stamped[] })[] = [
    {
      of: absent,
      sql: `SELECT 1 FROM ${table} WHERE key = ANY($1::text[]) FOR SHARE`,
      values: [keys(absent)],
      rows: 0,
    },
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
      of: addedIfAbsent,
      sql: `${insert} ON CONFLICT (key) DO NOTHING`,
      values: [keys(addedIfAbsent), texts(addedIfAbsent), fresh(addedIfAbsent)],
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

/** Groups writes by what they do, see {@link Write}. For a row that must not exist, only its absence is checked. */
function sorted(writes: readonly Stamped[]) {
  const puts = writes.filter((one) => one.entry);
  const absent = writes.filter((one) => !one.entry && one.version === 0);
  const others = writes.filter((one) => !one.entry && one.version !== 0);
  const deletions = others.filter((one) => one.entry === null);
  return {
    absent,
    checked: others.filter((one) => one.entry === undefined),
    changed: puts.filter((one) => one.version !== undefined && one.version !== 0),
    added: puts.filter((one) => one.version === 0),
    put: puts.filter((one) => one.version === undefined && !one.ifAbsent),
    addedIfAbsent: puts.filter((one) => one.ifAbsent),
    removed: deletions.filter((one) => one.version !== undefined),
    deleted: deletions.filter((one) => one.version === undefined),
  };
}

export function isInTheWay(error: unknown): boolean {
  return error instanceof Error && IN_THE_WAY.has(String((error as { code?: unknown }).code));
}
