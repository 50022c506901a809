// The databases the store is tested over: SQLite always, PostgreSQL where its server is installed.
// It is started by the test itself, on loopback, in a temporary directory, and gives a fresh store on request.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '../helpers/until.js';

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

/** `nobody`: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65534;

export const DATABASES: readonly Database[] = [
  { name: 'sqlite', start: startSqlite },
  { name: 'postgres', start: startPostgres, ...missing('postgres', 'initdb') },
];

function missing(...programs: readonly string[]): { missing?: string } {
  const absent = programs.filter((program) => {
    try {
      execFileSync('which', [program], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  return absent.length > 0 ? { missing: `${absent.join(' and ')} not installed` } : {};
}

async function startSqlite(): Promise<RunningDatabase> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-sqlite-'));
  let count = 0;
  return {
    freshUrl: async () => `sqlite://${dir}/${count++}/store.sqlite`,
    stop: () => rm(dir, { recursive: true, force: true }),
  };
}

async function startPostgres(): Promise<RunningDatabase> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-postgres-'));
  const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  if (user.uid !== undefined) await chown(dir, user.uid, user.gid);
  const data = join(dir, 'data');
  const initdb = (...more: string[]) =>
    execFileSync('initdb', ['-D', data, '-U', 'tester', '-A', 'trust', '--no-sync', ...more], {
      ...user,
      stdio: 'ignore',
      cwd: dir,
    });
  try {
    // An order that is not that of bytes would show ranges that lean on the database's own.
    initdb('--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en');
  } catch {
    initdb('--encoding=UTF8', '--locale=C.UTF-8');
  }
  const port = await freePort();
  const settings = [
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'fsync=off',
    '-c',
    `unix_socket_directories=${dir}`,
  ];
  const start = () =>
    spawn('postgres', ['-D', data, '-p', String(port), ...settings], { ...user, stdio: 'ignore', cwd: dir });
  let server = start();
  const address = (name: string) => `postgres://tester@127.0.0.1:${port}/${name}`;
  const pool = new pg.Pool({ connectionString: address('postgres'), max: 1 });
  pool.on('error', () => undefined);
  const answers = () =>
    until(() => pool.query('SELECT 1'), { timeoutMs: 30_000, what: 'postgres to answer' });
  await answers();
  let count = 0;
  return {
    outage: {
      // An immediate shutdown: open connections break in the middle.
      begin: () => end(server, 'SIGQUIT'),
      async finish() {
        server = start();
        await answers();
      },
    },
    async freshUrl() {
      const name = `store${count++}`;
      await pool.query(`CREATE DATABASE ${name}`);
      return address(name);
    },
    async stop() {
      await pool.end();
      await end(server, 'SIGINT');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill(signal);
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
