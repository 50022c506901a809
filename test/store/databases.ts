// The databases that the store is tested on: SQLite always, and PostgreSQL if its server is installed.
// The test starts it on loopback in a temporary directory, and gets a new store on request.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingPrograms, startPostgresServer } from './postgres-servers.js';

export interface Database {
  readonly name: 'sqlite' | 'postgres';
  /** Why it can't be tested on this machine. */
  readonly missing?: string;
  start(): Promise<RunningDatabase>;
}

export interface RunningDatabase {
  /** The address of an empty store; earlier ones may be deleted. */
  freshUrl(): Promise<string>;
  /** Ends the server like a crash of its machine, and starts it again. Absent if there is no server. */
  outage?: { begin(): Promise<void>; finish(): Promise<void> };
  stop(): Promise<void>;
}

/** Why PostgreSQL can't be tested on this machine. */
export const POSTGRES_MISSING = missingPrograms('postgres', 'initdb');

export const DATABASES: readonly Database[] = [
  { name: 'sqlite', start: startSqlite },
  { name: 'postgres', start: startPostgres, ...(POSTGRES_MISSING ? { missing: POSTGRES_MISSING } : {}) },
];

/**
 * Options of a group of tests for each database: what holds for all of them is tried daily on SQLite. The contract of the store
 * and of BullMQ is tried daily on PostgreSQL, too.
 */
export const daily = ({ name }: Database) => (name === 'sqlite' ? {} : { tags: ['long'] });

async function startSqlite(): Promise<RunningDatabase> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-sqlite-'));
  let count = 0;
  return {
    freshUrl: async () => `sqlite://${dir}/${count++}/store.sqlite`,
    stop: () => rm(dir, { recursive: true, force: true }),
  };
}

async function startPostgres(): Promise<RunningDatabase> {
  const server = await startPostgresServer();
  let count = 0;
  return {
    outage: { begin: () => server.crash(), finish: () => server.restart() },
    async freshUrl() {
      const name = `store${count++}`;
      await server.sql(`CREATE DATABASE ${name}`);
      return server.address(name);
    },
    stop: () => server.stop(),
  };
}
