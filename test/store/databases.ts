// The databases the store is tested over: SQLite always, PostgreSQL where its server is installed.
// It is started by the test itself, on loopback, in a temporary directory, and gives a fresh store on request.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingPrograms, startPostgresServer } from './postgres-servers.js';

export interface Database {
  readonly name: 'sqlite' | 'postgres';
  /** Why it can't be tested here. */
  readonly missing?: string;
  start(): Promise<RunningDatabase>;
}

export interface RunningDatabase {
  /** The address of an empty store; earlier ones may be gone. */
  freshUrl(): Promise<string>;
  /** Ends the server as a crash of its machine would, and starts it again; absent where there is none. */
  outage?: { begin(): Promise<void>; finish(): Promise<void> };
  stop(): Promise<void>;
}

/** Why PostgreSQL can't be tested here. */
export const POSTGRES_MISSING = missingPrograms('postgres', 'initdb');

export const DATABASES: readonly Database[] = [
  { name: 'sqlite', start: startSqlite },
  { name: 'postgres', start: startPostgres, ...(POSTGRES_MISSING ? { missing: POSTGRES_MISSING } : {}) },
];

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
