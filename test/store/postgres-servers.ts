// Real PostgreSQL servers for tests, on loopback in a temporary folder, started and ended by the test: a single one,
// or a primary with a synchronous standby.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync } from 'node:fs';
import { chown, mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { bound } from '../helpers/bound.js';
import { until } from '../helpers/until.js';

/** `nobody`, because PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65534;
const AS_USER = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};

export interface PostgresServer {
  readonly port: number;
  readonly data: string;
  /** `host:port`. */
  readonly host: string;
  address(database: string): string;
  /** Runs one statement on a separate connection. */
  sql(statement: string, database?: string): Promise<Record<string, unknown>[]>;
  /** `kill -9` of the server and all its processes, as when its machine loses power. */
  kill(): Promise<void>;
  /** Suspends all its processes without ending them: connections stay open and nothing answers. */
  freeze(): () => void;
  /** An immediate shutdown: open connections break in the middle. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  /** A second server that follows this one and confirms each of its commits. */
  standby(): Promise<PostgresServer>;
  /** Makes a standby the primary; resolves when it accepts writes. */
  promote(): void;
  stop(): Promise<void>;
}

/** Names the missing programs; undefined when all are there. */
export function missingPrograms(...programs: readonly string[]): string | undefined {
  const absent = programs.filter((program) => {
    try {
      execFileSync('which', [program], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  return absent.length > 0 ? `${absent.join(' and ')} not installed` : undefined;
}

/** Numbers the folders of standbys, which may follow one another. */
let standbysMade = 0;

/** `settings`: lines of postgresql.conf. */
export async function startPostgresServer(settings: readonly string[] = []): Promise<PostgresServer> {
  const dir = await ownFolder('jobcrier-postgres-');
  const data = join(dir, 'data');
  execFileSync('cp', ['-a', await emptyCluster(), data], { ...AS_USER, stdio: 'ignore', cwd: dir });
  appendFileSync(
    join(data, 'postgresql.conf'),
    [
      '',
      "listen_addresses = '127.0.0.1'",
      'fsync = off',
      // In its folder, where nothing is left of a server that was killed.
      'dynamic_shared_memory_type = mmap',
      `unix_socket_directories = '${dir}'`,
      ...settings,
      '',
    ].join('\n'),
  );
  return serve(dir, 'data');
}

/** A folder that the server's user can write to. */
async function ownFolder(prefix: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), prefix));
  if (AS_USER.uid !== undefined) await chown(dir, AS_USER.uid, AS_USER.gid);
  return dir;
}

/** A cluster without data, made once per run: making one takes seconds, and copying it a moment. */
async function emptyCluster(): Promise<string> {
  const made = join(process.env.TEST_RUN_DIR!, 'postgres');
  if (existsSync(made)) return made;
  const dir = await ownFolder('jobcrier-cluster-');
  const data = join(dir, 'data');
  const initdb = (...more: string[]) =>
    execFileSync('initdb', ['-D', data, '-U', 'tester', '-A', 'trust', '--no-sync', ...more], {
      ...AS_USER,
      stdio: 'ignore',
      cwd: dir,
    });
  try {
    // An order other than that of bytes would show ranges that rely on the order of the database.
    initdb('--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en');
  } catch {
    initdb('--encoding=UTF8', '--locale=C.UTF-8');
  }
  // Another file may have made one at the same time; the first stays.
  await rename(data, made).catch(() => undefined);
  await rm(dir, { recursive: true, force: true });
  return made;
}

async function serve(dir: string, folder: string): Promise<PostgresServer> {
  const data = join(dir, folder);
  const port = await freePort();
  const standbys: PostgresServer[] = [];
  const start = () =>
    spawn(...bound('postgres', ['-D', data, '-p', String(port)]), { ...AS_USER, stdio: 'ignore', cwd: dir });
  let server = start();
  const address = (database: string) => `postgres://tester@127.0.0.1:${port}/${database}`;

  async function sql(statement: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: address(database) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }
  const answers = () => until(() => sql('SELECT 1'), { timeoutMs: 30_000, what: 'postgres to answer' });
  await answers();

  return {
    port,
    data,
    host: `127.0.0.1:${port}`,
    address,
    sql,
    async kill() {
      const all = family(server);
      const gone = once(server, 'exit');
      for (const pid of all) signal(pid, 'SIGKILL');
      await gone;
    },
    freeze() {
      // The server itself last, because it starts processes while it runs.
      const all = family(server);
      for (const pid of all) signal(pid, 'SIGSTOP');
      return () => {
        for (const pid of all) signal(pid, 'SIGCONT');
      };
    },
    crash: () => end(server, 'SIGQUIT'),
    async restart() {
      server = start();
      await answers();
    },
    async standby() {
      const name = `standby${++standbysMade}`;
      execFileSync(
        'pg_basebackup',
        [
          '-D',
          join(dir, name),
          '-R',
          '-X',
          'stream',
          '-c',
          'fast',
          '--no-sync',
          '-d',
          `postgres://tester@127.0.0.1:${port}/postgres?application_name=${name}`,
        ],
        { ...AS_USER, stdio: 'ignore', cwd: dir },
      );
      const standby = await serve(dir, name);
      standbys.push(standby);
      await until(async () => (await sql('SELECT 1 FROM pg_stat_replication')).length > 0, {
        what: 'the standby to follow',
      });
      await sql(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await sql('SELECT pg_reload_conf()');
      await until(
        async () => (await sql(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)).length > 0,
        {
          what: 'the standby to be synchronous',
        },
      );
      return standby;
    },
    promote() {
      execFileSync('pg_ctl', ['promote', '-w', '-D', data], { ...AS_USER, stdio: 'ignore', cwd: dir });
    },
    async stop() {
      for (const standby of standbys) await standby.stop();
      await end(server, 'SIGINT');
      if (folder === 'data') await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The process and its children. */
function family({ pid = 0 }: ChildProcess): number[] {
  try {
    const children = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
    return [pid, ...children.trim().split('\n').map(Number)];
  } catch {
    return [pid];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has already ended.
  }
}

async function end(server: ChildProcess, name: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.kill(name);
  await gone;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
