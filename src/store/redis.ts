// Redis or Valkey behind Keyv, one server (no cluster), for those who run one anyway and let it keep its data on disk.
import { createClient, default as KeyvRedis } from '@keyv/redis';
import type { Log } from '../ports/system.js';
import { type Backend, type LeaseRows, SHELVES, type Shelf, type ShelfName } from './backend.js';
import { asStoreErrors } from './faults.js';
import { createKeyv } from './keyv.js';
import { DELETE, PURGE, RELEASE, RENEW, SWAP, TAKE, WRITE } from './redis-scripts.js';
import { writeEntry } from './sql-shelf.js';

const PREFIX = 'jobcrier';
const PURGE_PAGE = 1000;

type Client = Awaited<ReturnType<typeof connect>>;
type RunScript = (
  script: string,
  keys: readonly string[],
  values: readonly (string | number)[],
) => Promise<unknown>;

/** Connects; warns when the server is set up to lose what it was given. Fails with a StoreError. */
export async function openRedis(url: string, log: Log): Promise<Backend> {
  const client = await asStoreErrors(() => connect(url));
  const run: RunScript = (script, keys, values) =>
    asStoreErrors(() => client.eval(script, { keys: [...keys], arguments: values.map(String) }));
  await warnOfLoss(client, log);
  const shelves = Object.fromEntries(SHELVES.map((name) => [name, createShelf(name, client, run)]));
  return {
    kind: 'redis',
    shelves: shelves as Record<ShelfName, Shelf>,
    leases: createLeases(run),
    async close() {
      if (client.isReady) await client.close();
      else client.destroy();
    },
  };
}

async function connect(url: string) {
  let connected = false;
  const client = createClient({
    url,
    // Waiting commands would look like a store that hangs; failing ones pause the polls until it is back.
    disableOfflineQueue: true,
    commandOptions: { timeout: 10_000 },
    socket: {
      connectTimeout: 5000,
      // Once connected it keeps trying; at the start a wrong address should be told at once.
      reconnectStrategy: (retries, cause) => (connected ? Math.min(2 ** retries * 100, 2000) : cause),
    },
  });
  // Every Keyv store object listens too.
  client.setMaxListeners(0);
  client.on('error', () => undefined);
  await client.connect();
  connected = true;
  return client;
}

function createShelf(name: ShelfName, client: Client, run: RunScript): Shelf {
  const namespace = `${PREFIX}:${name}`;
  // Without throwOnErrors the store object reports a failed write as done, whatever Keyv was told.
  const store = new KeyvRedis(client, { namespace, throwOnErrors: true });
  // It would open the connection anew after it was closed, and nobody would close that one.
  store.getClient = async () => client;
  const keyv = createKeyv(store, namespace);
  const index = `${namespace}:keys`;
  const row = (key: string) => store.createKeyPrefix(key, namespace);

  async function write(key: string, text: string, ttlMs?: number, lease = '', fence = ''): Promise<boolean> {
    // Not by Keyv: row and index must change together.
    const life = ttlMs === undefined ? 0 : Math.max(1, Math.ceil(ttlMs));
    return (await run(WRITE, [row(key), index, fenceKey(lease)], [key, text, life, fence])) === 1;
  }

  async function keysOf(from: string, to: string, limit: number): Promise<string[]> {
    return asStoreErrors(() =>
      client.zRange(index, from, to, { BY: 'LEX', LIMIT: { offset: 0, count: limit } }),
    );
  }

  return {
    name,
    get: (key) => keyv.get(key),
    async set(key, entry, ttlMs) {
      await write(key, writeEntry(entry), ttlMs);
    },
    setFenced: (key, entry, { lease, fence }) =>
      write(key, writeEntry(entry), undefined, lease, String(fence)),
    async delete(key) {
      await run(DELETE, [row(key), index], [key]);
    },
    async page({ from, after, to }, limit) {
      let start = after === undefined ? (from === undefined ? '-' : `[${from}`) : `(${after}`;
      const end = to === undefined ? '+' : `(${to}`;
      const found: (readonly [string, string])[] = [];
      for (;;) {
        const wanted = limit - found.length;
        const keys = await keysOf(start, end, wanted);
        const texts = keys.length === 0 ? [] : await asStoreErrors(() => client.mGet(keys.map(row)));
        for (const [position, key] of keys.entries()) {
          const text = texts[position];
          if (typeof text === 'string') found.push([key, text]);
        }
        // Rows the server let expire stay in the index until a purge; a page goes on past them.
        if (keys.length < wanted || found.length === limit) return found;
        start = `(${keys.at(-1)}`;
      }
    },
    swap: async (key, before, after) => (await run(SWAP, [row(key)], [before, after])) === 1,
    async purge(now) {
      let deleted = 0;
      for (let start = '-'; ; ) {
        const keys = await keysOf(start, '+', PURGE_PAGE);
        if (keys.length > 0)
          deleted += Number(await run(PURGE, [index, ...keys.map(row)], [Math.trunc(now), ...keys]));
        if (keys.length < PURGE_PAGE) return deleted;
        start = `(${keys.at(-1)}`;
      }
    },
  };
}

function leaseKey(name: string): string {
  return `${PREFIX}:lease:${name}`;
}

function fenceKey(name: string): string {
  return `${PREFIX}:fence:${name}`;
}

function createLeases(run: RunScript): LeaseRows {
  const keys = (name: string) => [leaseKey(name), fenceKey(name)];
  return {
    async take(name, holder, ttlMs, dead) {
      const fence = await run(TAKE, keys(name), [holder, Math.ceil(ttlMs), dead ?? '']);
      return fence === null ? undefined : Number(fence);
    },
    renew: async (name, fence, holder, ttlMs) =>
      (await run(RENEW, keys(name), [holder, Math.ceil(ttlMs), fence])) === 1,
    async read(name) {
      const [holder, fence] = (await run('return redis.call("MGET", KEYS[1], KEYS[2])', keys(name), [])) as (
        | string
        | null
      )[];
      if (typeof fence !== 'string') return undefined;
      return { fence: Number(fence), holder: holder ?? '', expired: holder === null };
    },
    async release(name, fence, holder) {
      await run(RELEASE, keys(name), [holder, fence]);
    },
  };
}

/** A cache's settings lose ledgers, and a lost ledger announces every posting anew or none. */
async function warnOfLoss(client: Client, log: Log): Promise<void> {
  // Hosted servers often forbid the question.
  const settings = await client
    .configGet(['appendonly', 'maxmemory', 'maxmemory-policy'])
    .catch(() => undefined);
  if (!settings) return;
  if (settings.appendonly === 'no')
    log.warn(
      {},
      'redis keeps no append-only file: what was written last is lost when it ends; set appendonly yes',
    );
  if (settings.maxmemory !== '0' && settings['maxmemory-policy'] !== 'noeviction')
    log.warn({}, 'redis may evict stored records when memory is short; set maxmemory-policy noeviction');
}
