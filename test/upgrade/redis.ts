// A separate Redis for a test, on loopback, in a temporary folder; and its rows as JSON, which any version can load.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { bound } from '../helpers/bound.js';
import { until } from '../helpers/until.js';
import { freePort } from '../store/postgres-servers.js';

export interface RunningRedis {
  readonly url: string;
  stop(): Promise<void>;
}

export function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function startRedis(): Promise<RunningRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-redis-'));
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir];
  const server: ChildProcess = spawn(...bound('redis-server', settings), { stdio: 'ignore' });
  const url = `redis://127.0.0.1:${port}/0`;
  await until(() => withRedis(url, (client) => client.ping()), {
    timeoutMs: 30_000,
    what: 'redis to answer',
  });
  return {
    url,
    async stop() {
      if (server.exitCode === null && server.signalCode === null) {
        const gone = once(server, 'exit');
        server.kill('SIGKILL');
        await gone;
      }
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.disconnect();
  }
}

/** Texts by key, and members of sorted sets by key. */
export interface RedisDump {
  readonly texts: Readonly<Record<string, string>>;
  readonly sets: Readonly<Record<string, readonly string[]>>;
}

export function dumpRedis(url: string): Promise<RedisDump> {
  return withRedis(url, async (client) => {
    const texts: Record<string, string> = {};
    const sets: Record<string, string[]> = {};
    // A lease would have expired when it is loaded.
    for (const key of (await client.keys('*')).filter((one) => !one.includes(':lease:')).sort()) {
      if ((await client.type(key)) === 'zset') sets[key] = await client.zrange(key, 0, -1);
      else texts[key] = (await client.get(key)) ?? '';
    }
    return { texts, sets };
  });
}

export function loadRedis(url: string, { texts, sets }: RedisDump): Promise<void> {
  return withRedis(url, async (client) => {
    for (const [key, text] of Object.entries(texts))
      if (!key.includes(':lease:')) await client.set(key, text);
    for (const [key, members] of Object.entries(sets))
      await client.zadd(key, ...members.flatMap((member) => [0, member]));
  });
}
