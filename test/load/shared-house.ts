// PostgreSQL, Redis, and processes of the shipped program that share them; and stores that are filled without a
// command for each entry.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { secret } from '../../src/domain/secret.js';
import { parseSubscription } from '../../src/domain/subscription.js';
import { openStores } from '../../src/store/index.js';
import { parseSecretKeys } from '../../src/store/secret-keys.js';
import { HOUSE_KEY } from '../helpers/house-store.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { REDIS_MISSING, type RedisServer, startRedis } from '../helpers/redis-server.js';
import { missingPrograms, type PostgresServer, startPostgresServer } from '../store/postgres-servers.js';
import { cpuOf, cpuOfAll } from './probe.js';

/** Why it can't run on this machine. */
export const SHARED_MISSING =
  missingPrograms('postgres', 'initdb', 'pg_basebackup', 'pg_ctl') ?? REDIS_MISSING;

const silent = { debug() {}, info() {}, warn() {}, error() {} };
/** Written by one commit. */
const AT_ONCE = 500;

/** An entry of the subscriptions file; `account` and `id` are given. */
export interface Entry {
  readonly id: string;
  readonly account: string;
  readonly [field: string]: unknown;
}

/** Puts accounts and their subscriptions into the store at `url`; their tokens are `token-` and their names. */
export async function fillStore(url: string, dir: string, entries: readonly Entry[]): Promise<void> {
  const clock = { now: Date.now };
  const keys = parseSecretKeys(HOUSE_KEY, 'SECRET_KEY');
  const stores = await openStores({ url, dataDir: dir, keys, log: silent, clock });
  const context = {
    origin: 'cli' as const,
    now: Date.now(),
    liveSchedule: '* * * * * *',
    defaultTimezone: 'UTC',
    parseTarget: (_: string, target: unknown) => String(target),
  };
  const accounts = [...new Set(entries.map(({ account }) => account))];
  for (let from = 0; from < accounts.length; from += AT_ONCE)
    await Promise.all(
      accounts.slice(from, from + AT_ONCE).map((id) => {
        const account = { id, createdAt: 0, token: secret(`token-${id}`) };
        return stores.accounts.update(id, () => account);
      }),
    );
  const byId = new Map(entries.map((one) => [one.id, one]));
  await stores.subscriptions.updateAll([...byId.keys()], (_, id) => parseSubscription(byId.get(id), context));
  await stores.close();
}

/** A destination for which a posting waits until next week, so that only polls are measured. */
export const WEEKLY = { sink: 'console', target: '', cadence: { weekly: 'monday', at: '09:00' } } as const;

/** CPU time so far, milliseconds. */
export interface Cpu {
  readonly workers: number;
  readonly postgres: number;
  readonly redis: number;
}

export type Role = 'control' | 'worker';

interface LaunchOptions {
  /** Beside the settings of the house. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another build than this one. */
  readonly main?: string;
}

export interface SharedHouse {
  readonly dir: string;
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly storeUrl: string;
  /** Starts a process of the program, and comes back at once. */
  launch(role: Role, more?: LaunchOptions): Program;
  /** Starts one and waits until it runs. */
  start(role: Role): Promise<Program>;
  cpu(): Promise<Cpu>;
  /** Ends everything. */
  close(): Promise<void>;
}

export interface HouseOptions {
  /** Beside STORE_URL, QUEUE_URL, SECRET_KEY. */
  readonly env: Record<string, string>;
  /** Of config/default.json. */
  readonly settings?: object;
  /** Lines of postgresql.conf. */
  readonly postgres?: readonly string[];
  /** Adds a synchronous standby, and gives the address of both. */
  readonly addressOf?: (primary: PostgresServer) => Promise<string>;
}

export async function openSharedHouse(options: HouseOptions): Promise<SharedHouse> {
  const undo: (() => unknown)[] = [];
  const close = async () => {
    for (const one of undo.splice(0).reverse()) await one();
  };
  try {
    const { dir, remove } = await workFolder();
    undo.push(remove);
    const postgres = await startPostgresServer(options.postgres);
    undo.push(() => postgres.stop());
    const redis = await startRedis('--maxmemory-policy', 'noeviction');
    undo.push(() => redis.stop());
    const storeUrl = (await options.addressOf?.(postgres)) ?? postgres.address('postgres');
    await mkdir(join(dir, 'config'));
    if (options.settings)
      await writeFile(join(dir, 'config', 'default.json'), JSON.stringify(options.settings));
    const env = {
      STORE_URL: storeUrl,
      QUEUE_URL: redis.url,
      SECRET_KEY: HOUSE_KEY,
      MIN_POLL_SECONDS: '1',
      HTTP_PORT: '0',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      LOG_LEVEL: 'info',
      ...options.env,
    };
    const workers: Program[] = [];
    const launch = (role: Role, more: LaunchOptions = {}) => {
      const program = startProgram(['run', '--role', role], {
        cwd: dir,
        ...more,
        env: { ...env, ...more.env },
      });
      if (role === 'worker') workers.push(program);
      undo.push(async () => {
        program.kill('SIGCONT');
        program.kill('SIGKILL');
        await program.ended;
      });
      return program;
    };
    const server = Number((await readFile(join(postgres.data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    const queue = Number(/process_id:(\d+)/u.exec(String(await redis.command('INFO', 'server')))?.[1]);
    return {
      dir,
      postgres,
      redis,
      storeUrl,
      launch,
      async start(role) {
        const program = launch(role);
        await program.until(
          'the start',
          () => program.stdout.some((line) => line.includes('"running"')),
          60_000,
        );
        return program;
      },
      async cpu() {
        const each = await Promise.all(workers.map(({ child }) => cpuOf(Number(child.pid))));
        return {
          workers: each.reduce((sum, one) => sum + one, 0),
          postgres: await cpuOfAll(server),
          redis: await cpuOf(queue),
        };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
