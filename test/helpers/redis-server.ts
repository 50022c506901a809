// A real redis-server on a free port of loopback, with its data only in memory; it can be killed, frozen and filled.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { bound } from './bound.js';
import { until } from './until.js';

/** Why it can't run on this machine; undefined when it can. */
export const REDIS_MISSING = (() => {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'redis-server not installed';
  }
})();

export interface RedisServer {
  readonly url: string;
  /** Runs a command on a separate connection. */
  command(name: string, ...args: string[]): Promise<unknown>;
  /** Everything in it is lost, and it does not answer until `restart`. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** It keeps its connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export async function startRedis(...settings: string[]): Promise<RedisServer> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-redis-'));
  const port = await freePort();
  const start = () =>
    spawn(
      ...bound('redis-server', [
        ...['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', dir],
        ...settings,
      ]),
      { stdio: 'ignore' },
    );
  let server: ChildProcess = start();
  const url = `redis://127.0.0.1:${port}`;

  async function command(name: string, ...args: string[]): Promise<unknown> {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, commandTimeout: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  const answers = () => until(() => command('PING'), { what: 'redis-server to answer' });
  await answers();
  return {
    url,
    command,
    async kill() {
      await end(server, 'SIGKILL');
    },
    async restart() {
      server = start();
      await answers();
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async stop() {
      await end(server, 'SIGKILL');
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
