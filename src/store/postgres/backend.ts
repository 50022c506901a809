// PostgreSQL behind Keyv, for users who already run a server.
import { KeyvPostgres } from '@keyv/postgres';
import { type Backend, KV_TABLES, type KvTable, type TableName } from '../backend.js';
import { writesOf } from '../commit.js';
import { asStoreErrors } from '../faults.js';
import { createKeyv } from '../keyv.js';
import {
  addUnitColumns,
  createLaneStore,
  dropUnitColumns,
  type LaneWords,
  laneTables,
  type Transact,
} from '../lanes.js';
import { createSqlLeases, leaseTableSql } from '../sql-leases.js';
import { type RunSql, sqlPage, sqlPurge, sqlRows } from '../sql-table.js';
import { createPostgresCommit, isInTheWay } from './commit.js';
import { type Ask, createPostgresPool } from './pool.js';
import type { PostgresAddress } from './url.js';

const LEASES = 'jobcrier_lease';
const SERVER_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
/** The start of the statement. Unlike the present time, it can limit a range of an index. */
const STATEMENT_NOW = '(extract(epoch from statement_timestamp()) * 1000)::bigint';
const EXPIRES = `CASE WHEN left(value, 11) = '{"expires":' THEN substring(value from '[0-9]+')::bigint END`;
/**
 * Processes create tables one after another: IF NOT EXISTS fails when another transaction is creating the same table
 * (PostgreSQL, "Explicit Locking", section "Advisory Locks"). The number only has to be the same in all processes.
 */
const ONE_CREATES = 'SELECT pg_advisory_xact_lock(566237219)';

const EACH = 'json_array_elements($1::json)';

/** How often a transaction is tried when other transactions are in its way. */
const MOST_TRIES = 10;

/**
 * Connects and creates the tables `jobcrier_*` in schema public. `gathers`: ends of turns wait a moment, so that many share
 * a transaction. Throws a StoreError.
 */
export async function openPostgres(address: PostgresAddress, gathers = true): Promise<Backend> {
  const pool = createPostgresPool(address);
  const run = asRun(pool.ask);
  /** Has no time limit: for changes of the schema and statements that read a whole table. */
  const runSlowly: RunSql = (sql, values) =>
    asStoreErrors(() =>
      pool.transact(async (ask) => (await ask(sql, values)).rows, { slow: true, repeatable: true }),
    );

  async function unitColumns(): Promise<ReadonlySet<string>> {
    const columns = await run(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
      [tableOf('unit')],
    );
    return new Set(columns.map(({ name }) => String(name)));
  }

  async function create(sql: string): Promise<void> {
    await runSlowly(`${ONE_CREATES}; ${sql}`);
  }

  try {
    await create(leaseTableSql(LEASES));
    const words: LaneWords = {
      lanes: 'jobcrier_lane',
      units: 'jobcrier_unit',
      now: () => STATEMENT_NOW,
      lock: 'FOR UPDATE SKIP LOCKED',
      waitLock: 'FOR UPDATE',
      largest: 'greatest',
      // A worker's slot stays taken until the end of its turn is written.
      gatherMs: gathers ? 15 : 0,
      each: EACH,
    };
    for (const sql of laneTables(words)) await create(sql);
    // Changes to lanes may run twice. A turn whose claim was not answered is free again after its hold.
    const transact: Transact = (work) =>
      asStoreErrors(async () => {
        for (let tries = 1; ; tries++)
          try {
            return await pool.transact((ask) => work(async (sql, values) => (await ask(sql, values)).rows), {
              repeatable: true,
            });
          } catch (error) {
            if (tries === MOST_TRIES || !isInTheWay(error)) throw error;
          }
      });
    const commit = createPostgresCommit(pool, tableOf, LEASES, words);
    const kvTables: Partial<Record<TableName, KvTable>> = {};
    for (const name of KV_TABLES) {
      const table = tableOf(name);
      await create(`CREATE TABLE IF NOT EXISTS ${table} (key VARCHAR(1024) PRIMARY KEY, value TEXT)`);
      // The database's own order may ignore punctuation. Ranges need byte order and an index in that order.
      await create(`CREATE INDEX IF NOT EXISTS ${table}_order ON ${table} (key COLLATE "C")`);
      kvTables[name] = createKvTable(name, pool.ask, run, commit);
    }
    return {
      kind: 'postgres',
      kvTables: kvTables as Record<TableName, KvTable>,
      leases: createSqlLeases(run, run, { table: LEASES, now: () => SERVER_NOW }),
      lanes: createLaneStore(run, transact, words),
      commit,
      async addColumns() {
        for (const name of KV_TABLES)
          await runSlowly(
            `ALTER TABLE ${tableOf(name)} ADD COLUMN IF NOT EXISTS version BIGINT NOT NULL DEFAULT 1`,
          );
        await addUnitColumns(runSlowly, words.units, await unitColumns());
      },
      async dropFormer() {
        await dropUnitColumns(runSlowly, words.units, await unitColumns());
        await runSlowly('DROP TABLE IF EXISTS jobcrier_requests');
      },
      /** A copy is a set of tables in the same database. */
      copies: {
        async has(copy) {
          const [row] = await run('SELECT to_regclass($1) IS NOT NULL AS found', [copyOf('meta', copy)]);
          return row?.found === true;
        },
        async make(copy, without) {
          await asStoreErrors(() =>
            pool.transact(
              async (ask) => {
                await ask('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
                for (const name of KV_TABLES)
                  await ask(`CREATE TABLE ${copyOf(name, copy)} AS TABLE ${tableOf(name)}`);
                await ask(`DELETE FROM ${copyOf('meta', copy)} WHERE key = $1`, [without]);
              },
              { slow: true },
            ),
          );
          return `tables ${copyOf('*', copy)}`;
        },
      },
      async tryWrite() {
        await run(`DELETE FROM jobcrier_meta WHERE false`);
      },
      close: () => pool.close(),
    };
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** Returns whether the tables exist, without creating any. Throws a StoreError. */
export async function hasTables(address: PostgresAddress): Promise<boolean> {
  const pool = createPostgresPool({ ...address, connections: 1 });
  try {
    const [row] = await asRun(pool.ask)(`SELECT to_regclass('public.jobcrier_meta') IS NOT NULL AS found`);
    return row?.found === true;
  } finally {
    await pool.close();
  }
}

export interface PostgresReport {
  /** Such as "16.4". */
  readonly version: string;
  /** Settings as the server reports them, such as on, off or local. */
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly encoding: string;
  /** `pool`: the most connections that one process opens. */
  readonly connections: { readonly most: number; readonly used: number; readonly pool: number };
}

/** Reads the server's version, settings and connection counts. Throws a StoreError. */
export async function inspectPostgres(address: PostgresAddress): Promise<PostgresReport> {
  const pool = createPostgresPool({ ...address, connections: 1 });
  try {
    const [row = {}] = await asRun(pool.ask)(
      `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
         current_setting('synchronous_commit') AS synchronous, current_setting('server_encoding') AS encoding,
         current_setting('max_connections')::int AS most, (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int AS used`,
    );
    return {
      version: String(row.version),
      fsync: String(row.fsync),
      synchronousCommit: String(row.synchronous),
      encoding: String(row.encoding),
      connections: { most: Number(row.most), used: Number(row.used), pool: address.connections },
    };
  } finally {
    await pool.close();
  }
}

function asRun(ask: Ask): RunSql {
  return (sql, values) => asStoreErrors(async () => (await ask(sql, values)).rows);
}

function tableOf(name: string): string {
  return `jobcrier_${name}`;
}

function copyOf(name: string, copy: string): string {
  return `${tableOf(name)}_${copy.replaceAll(/\W/gu, '_')}`;
}

function createKvTable(name: TableName, ask: Ask, run: RunSql, commit: Backend['commit']): KvTable {
  const table = tableOf(name);
  const keyv = createKeyv(onPool(ask, table));
  const keys = 'SELECT json_array_elements_text($1::json)';
  const words = { table, order: 'key COLLATE "C"', expires: EXPIRES, each: EACH, keys };
  return {
    name,
    ...writesOf(name, commit),
    get: (key) => keyv.get(key),
    ...sqlRows(run, words),
    page: (range, limit) => sqlPage(run, words, range, limit),
    purge: (now) => sqlPurge(run, run, words, now),
  };
}

/**
 * Keyv's store has one pool per process. It is replaced when another address is opened, closed for all users by the first
 * one that closes it, and has no listener for broken connections. Overriding `connect` is the only way to supply another
 * pool. That is why this class exists.
 */
function onPool(ask: Ask, table: string): KeyvPostgres {
  class OwnPool extends KeyvPostgres {
    override async connect(): Promise<(sql: string, values?: unknown[]) => Promise<unknown[]>> {
      return async (sql, values) => [...(await ask(sql, values)).rows];
    }
  }
  return new OwnPool({ table, keySize: 1024 });
}
