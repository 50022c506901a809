// A Redis store of version 0.1. It can be copied from but no longer used. Each table has a sorted set of its keys, in
// byte order. Only the lease is written, so that no service of version 0.1 starts during the copy.
import { Redis } from 'ioredis';
import { asStoreErrors } from './faults.js';
const PREFIX = 'jobcrier';
/** KEYS: lease, fence counter. ARGV: holder, life in ms, fence of a dead holder or ''. Returns the new fence or nil. */
const TAKE = `
if redis.call('GET', KEYS[1]) and redis.call('GET', KEYS[2]) ~= ARGV[3] then return nil end
local fence = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return fence`;
/** KEYS: lease, fence counter. ARGV: holder, life in ms, fence. Returns 1 when extended. */
const RENEW = `
local holder = redis.call('GET', KEYS[1])
if redis.call('GET', KEYS[2]) ~= ARGV[3] or (holder and holder ~= ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
/** KEYS: lease, fence counter. ARGV: holder, fence. */
const RELEASE = `
if redis.call('GET', KEYS[2]) == ARGV[2] and redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;
/** Connects. Throws a StoreError. */
export async function openRedisSource(url) {
    const client = new Redis(url, {
        lazyConnect: true,
        connectTimeout: 5000,
        commandTimeout: 30_000,
        enableOfflineQueue: false,
        maxRetriesPerRequest: 0,
        // No retry: you can run an interrupted copy again, and it resumes.
        retryStrategy: () => null,
    });
    client.on('error', () => undefined);
    try {
        await asStoreErrors(() => client.connect());
    }
    catch (error) {
        client.disconnect();
        throw error;
    }
    return {
        leases: createLeases(client),
        async page(table, { after }, limit) {
            const index = `${PREFIX}:${table}:keys`;
            const found = [];
            for (let start = after === undefined ? '-' : `(${after}`;;) {
                const wanted = limit - found.length;
                const keys = await asStoreErrors(() => client.zrangebylex(index, start, '+', 'LIMIT', 0, wanted));
                const rows = keys.map((key) => `${PREFIX}:${table}::${key}`);
                const texts = rows.length === 0 ? [] : await asStoreErrors(() => client.mget(rows));
                // Rows that the server has expired stay in the index.
                for (const [position, key] of keys.entries()) {
                    const text = texts[position];
                    if (typeof text === 'string')
                        found.push([key, text]);
                }
                if (keys.length < wanted || found.length === limit)
                    return found;
                start = `(${keys.at(-1)}`;
            }
        },
        // Version 0.1 did not store what was due; it found that at each start.
        rests: async () => [],
        units: async () => [],
        async close() {
            client.disconnect();
        },
    };
}
function createLeases(client) {
    const keys = (name) => [`${PREFIX}:lease:${name}`, `${PREFIX}:fence:${name}`];
    const run = (script, name, values) => asStoreErrors(() => client.eval(script, 2, ...keys(name), ...values));
    return {
        async take(name, holder, ttlMs, dead) {
            const fence = await run(TAKE, name, [holder, Math.ceil(ttlMs), dead ?? '']);
            return fence === null ? undefined : Number(fence);
        },
        renew: async (name, fence, holder, ttlMs) => (await run(RENEW, name, [holder, Math.ceil(ttlMs), fence])) === 1,
        async read(name) {
            const [holder, fence] = await asStoreErrors(() => client.mget(keys(name)));
            if (typeof fence !== 'string')
                return undefined;
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
//# sourceMappingURL=redis-source.js.map