// PostgreSQL behind Keyv, for those who run one anyway.
import { KeyvPostgres } from '@keyv/postgres';
import pg from 'pg';
import { type Backend, SHELVES, type Shelf, type ShelfName } from './backend.js';
import { asStoreErrors } from './faults.js';
import { createKeyv } from './keyv.js';
import { createSqlLeases, leaseTableSql } from './sql-leases.js';
import { type RunSql, sqlPage, sqlPurge, sqlSetFenced, sqlSwap, writeEntry } from './sql-shelf.js';

const LEASES = 'jobcrier_lease';
const SERVER_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
const EXPIRES = `CASE WHEN left(value, 11) = '{"expires":' THEN substring(value from '[0-9]+')::bigint END`;
/** unique_violation: two processes created the same table at once, and it is there. */
const CREATED_TWICE = '23505';

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
    const shelves: Partial<Record<ShelfName, Shelf>> = {};
    for (const name of SHELVES) {
      const table = `jobcrier_${name}`;
      await create(`CREATE TABLE IF NOT EXISTS ${table} (key VARCHAR(1024) PRIMARY KEY, value TEXT)`);
      // The database's own order may ignore punctuation; ranges need the order of bytes, and an index in it.
      await create(`CREATE INDEX IF NOT EXISTS ${table}_order ON ${table} (key COLLATE "C")`);
      shelves[name] = createShelf(name, table, pool, run);
    }
    return {
      kind: 'postgres',
      shelves: shelves as Record<ShelfName, Shelf>,
      leases: createSqlLeases(run, run, { table: LEASES, now: () => SERVER_NOW }),
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

function createShelf(name: ShelfName, table: string, pool: pg.Pool, run: RunSql): Shelf {
  const keyv = createKeyv(onPool(pool, table));
  const words = { table, leaseTable: LEASES, order: 'key COLLATE "C"', expires: EXPIRES };
  return {
    name,
    get: (key) => keyv.get(key),
    set: (key, entry) => keyv.set(key, entry),
    setFenced: (key, entry, fence) => sqlSetFenced(run, words, [[key, writeEntry(entry)]], fence),
    delete: (key) => keyv.delete(key),
    page: (range, limit) => sqlPage(run, words, range, limit),
    swap: (key, before, after) => sqlSwap(run, words, key, before, after),
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
