// A Redis store of version 0.1, which is no longer run on but can be copied from. Beside every table lies a sorted set of
// its keys, in the order of their bytes. Nothing is written but the lease, so that no service of that version starts meanwhile.
import { Redis } from 'ioredis';
import type { LeaseRows } from './backend.js';
import type { CopySource } from './copy.js';
import { asStoreErrors } from './faults.js';

const PREFIX = 'jobcrier';

/** KEYS: lease, fence counter. ARGV: holder, life in ms, fence of a dead holder or ''. The new fence or nil. */
const TAKE = `
if redis.call('GET', KEYS[1]) and redis.call('GET', KEYS[2]) ~= ARGV[3] then return nil end
local fence = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return fence`;

/** KEYS: lease, fence counter. ARGV: holder, life in ms, fence. 1 when extended. */
const RENEW = `
local holder = redis.call('GET', KEYS[1])
if redis.call('GET', KEYS[2]) ~= ARGV[3] or (holder and holder ~= ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** KEYS: lease, fence counter. ARGV: holder, fence. */
const RELEASE = `
if redis.call('GET', KEYS[2]) == ARGV[2] and redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;

/** Connects. Fails with a StoreError. */
export async function openRedisSource(url: string): Promise<CopySource> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 5000,
    commandTimeout: 30_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // An interrupted copy is run again and goes on.
    retryStrategy: () => null,
  });
  client.on('error', () => undefined);
  try {
    await asStoreErrors(() => client.connect());
  } catch (error) {
    client.disconnect();
    throw error;
  }
  return {
    leases: createLeases(client),
    async page(table, { after }, limit) {
      const index = `${PREFIX}:${table}:keys`;
      const found: (readonly [string, string])[] = [];
      for (let start = after === undefined ? '-' : `(${after}`; ; ) {
        const wanted = limit - found.length;
        const keys = await asStoreErrors(() => client.zrangebylex(index, start, '+', 'LIMIT', 0, wanted));
        const rows = keys.map((key) => `${PREFIX}:${table}::${key}`);
        const texts = rows.length === 0 ? [] : await asStoreErrors(() => client.mget(rows));
        // Rows that the server let expire stay in the index.
        for (const [position, key] of keys.entries()) {
          const text = texts[position];
          if (typeof text === 'string') found.push([key, text]);
        }
        if (keys.length < wanted || found.length === limit) return found;
        start = `(${keys.at(-1)}`;
      }
    },
    // That version found out at each start what was due.
    rests: async () => [],
    units: async () => [],
    async close() {
      client.disconnect();
    },
  };
}

function createLeases(client: Redis): LeaseRows {
  const keys = (name: string) => [`${PREFIX}:lease:${name}`, `${PREFIX}:fence:${name}`];
  const run = (script: string, name: string, values: readonly (string | number)[]) =>
    asStoreErrors(() => client.eval(script, 2, ...keys(name), ...values));
  return {
    async take(name, holder, ttlMs, dead) {
      const fence = await run(TAKE, name, [holder, Math.ceil(ttlMs), dead ?? '']);
      return fence === null ? undefined : Number(fence);
    },
    renew: async (name, fence, holder, ttlMs) =>
      (await run(RENEW, name, [holder, Math.ceil(ttlMs), fence])) === 1,
    async read(name) {
      const [holder, fence] = await asStoreErrors(() => client.mget(keys(name)));
      if (typeof fence !== 'string') return undefined;
      return { fence: Number(fence), holder: holder ?? '', expired: typeof holder !== 'string' };
    },
    async release(name, fence, holder) {
      await run(RELEASE, name, [holder, fence]);
    },
    // Such a store has one process, which the lease itself names.
    list: async () => [],
    purge: async () => undefined,
  };
}
