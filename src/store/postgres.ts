// PostgreSQL behind Keyv, for those who run one anyway.
import { KeyvPostgres } from '@keyv/postgres';
import pg from 'pg';
import { type Backend, SHELVES, type Shelf, type ShelfName } from './backend.js';
import { writesOf } from './commit.js';
import { asStoreErrors } from './faults.js';
import { createKeyv } from './keyv.js';
import { createLaneStore, type LaneWords, laneTables, type Transact } from './lanes.js';
import { createPostgresCommit, isInTheWay } from './postgres-commit.js';
import { createSqlLeases, leaseTableSql } from './sql-leases.js';
import { type RunSql, sqlPage, sqlPurge, sqlRead, sqlReadMany } from './sql-shelf.js';

const LEASES = 'jobcrier_lease';
const SERVER_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
const EXPIRES = `CASE WHEN left(value, 11) = '{"expires":' THEN substring(value from '[0-9]+')::bigint END`;
/** unique_violation: two processes created the same table at once, and it is there. */
const CREATED_TWICE = '23505';

/** Transactions that were in each other's way are tried again so often. */
const MOST_TRIES = 10;

/** Connects and creates the tables `jobcrier_*` in schema public. Fails with a StoreError. */
export async function openPostgres(url: string): Promise<Backend> {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'jobcrier',
    max: 10,
    connectionTimeoutMillis: 5000,
    query_timeout: 30_000,
    keepAlive: true,
  });
  // An idle connection that breaks is emitted here; unheard, it would end the process. The next statement reconnects.
  pool.on('error', () => undefined);
  const run: RunSql = (sql, values = []) =>
    asStoreErrors(async () => (await pool.query(sql, [...values])).rows);

  async function create(sql: string): Promise<void> {
    await asStoreErrors(() =>
      pool.query(sql).catch((error: { code?: string }) => {
        if (error.code !== CREATED_TWICE) throw error;
      }),
    );
  }

  try {
    await create(leaseTableSql(LEASES));
    const words: LaneWords = {
      lanes: 'jobcrier_lane',
      units: 'jobcrier_unit',
      now: () => SERVER_NOW,
      lock: 'FOR UPDATE SKIP LOCKED',
      waitLock: 'FOR UPDATE',
    };
    for (const sql of laneTables(words)) await create(sql);
    const transact: Transact = (work) =>
      asStoreErrors(async () => {
        for (let tries = 1; ; tries++)
          try {
            return await once(work);
          } catch (error) {
            if (tries === MOST_TRIES || !isInTheWay(error)) throw error;
          }
      });
    const once: Transact = async (work) => {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        await client.query('BEGIN');
        const result = await work(async (sql, values = []) => (await client.query(sql, [...values])).rows);
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch((cause: Error) => {
          broken = cause;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    };
    const commit = createPostgresCommit(pool, tableOf, LEASES, words);
    const shelves: Partial<Record<ShelfName, Shelf>> = {};
    for (const name of SHELVES) {
      const table = tableOf(name);
      await create(`CREATE TABLE IF NOT EXISTS ${table} (key VARCHAR(1024) PRIMARY KEY, value TEXT)`);
      // The database's own order may ignore punctuation; ranges need the order of bytes, and an index in it.
      await create(`CREATE INDEX IF NOT EXISTS ${table}_order ON ${table} (key COLLATE "C")`);
      shelves[name] = createShelf(name, pool, run, commit);
    }
    return {
      kind: 'postgres',
      shelves: shelves as Record<ShelfName, Shelf>,
      leases: createSqlLeases(run, run, { table: LEASES, now: () => SERVER_NOW }),
      lanes: createLaneStore(run, transact, words),
      commit,
      async addVersions() {
        for (const name of SHELVES)
          await run(
            `ALTER TABLE ${tableOf(name)} ADD COLUMN IF NOT EXISTS version BIGINT NOT NULL DEFAULT 1`,
          );
      },
      /** The copies are tables of the same database, named by the suffix. */
      async copyAside(suffix) {
        const ending = suffix.replaceAll(/\W/gu, '_');
        for (const name of SHELVES)
          await run(`CREATE TABLE IF NOT EXISTS ${tableOf(name)}_${ending} AS TABLE ${tableOf(name)}`);
      },
      async tryWrite() {
        await run(`DELETE FROM jobcrier_meta WHERE false`);
      },
      close: () => pool.end(),
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Whether the tables are there; makes none. Fails with a StoreError. */
export async function hasTables(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    query_timeout: 30_000,
  });
  client.on('error', () => undefined);
  return asStoreErrors(async () => {
    try {
      await client.connect();
      const { rows } = await client.query(`SELECT to_regclass('public.jobcrier_meta') IS NOT NULL AS found`);
      return rows[0]?.found === true;
    } finally {
      await client.end().catch(() => undefined);
    }
  });
}

function tableOf(shelf: ShelfName): string {
  return `jobcrier_${shelf}`;
}

function createShelf(name: ShelfName, pool: pg.Pool, run: RunSql, commit: Backend['commit']): Shelf {
  const table = tableOf(name);
  const keyv = createKeyv(onPool(pool, table));
  const words = { table, order: 'key COLLATE "C"', expires: EXPIRES };
  return {
    name,
    ...writesOf(name, commit),
    get: (key) => keyv.get(key),
    read: (key) => sqlRead(run, words, key),
    readMany: (keys) => sqlReadMany(run, words, keys),
    page: (range, limit) => sqlPage(run, words, range, limit),
    purge: (now) => sqlPurge(run, run, words, now),
  };
}

/**
 * Keyv's store keeps one pool per process, replaced when another address is opened, ended under everyone who shares it
 * by whoever closes first, and without a listener for broken connections. Overriding `connect` is its one way
 * to bring a pool of one's own; hence the only class here that is no error.
 */
function onPool(pool: pg.Pool, table: string): KeyvPostgres {
  class OwnPool extends KeyvPostgres {
    override async connect(): Promise<(sql: string, values?: unknown[]) => Promise<unknown[]>> {
      return async (sql, values) => (await pool.query(sql, values)).rows;
    }
  }
  return new OwnPool({ table, keySize: 1024 });
}
