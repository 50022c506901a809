// Keeps responses for a few minutes (jobs API, Limits 4), so that subscriptions with the same filter, previews and
// restarts need no request. The cache is optional: when its table fails, the poll continues without it.
import { createHash } from 'node:crypto';
import { reasonOf } from '../../domain/errors.js';
import { queryKey } from '../../domain/filter.js';
import { createKeyedMutex } from '../../domain/keyed-mutex.js';
import { fingerprint } from '../../domain/secret.js';
import { unlessAborted } from './token-queue.js';
/** Larger bodies are not kept, because all accounts share the table. In characters. */
export const MAX_BODY = 2 * 1024 * 1024;
/**
 * Returns the key of a response. It holds all filter fields, the format, the account and the token. A response
 * belongs to one account, because its links do (jobs API, Authentication 6), and to one token, because a new one may
 * belong to another person.
 */
export function cacheKey(of) {
    const base = createHash('sha256').update(of.baseUrl).digest('hex').slice(0, 8);
    return [ownerPart(of.account), fingerprint(of.token), base, of.format, queryKey(of.query)].join(':');
}
/** The prefix of an account's keys. */
function ownerPart(account) {
    return `feed:${encodeURIComponent(account)}`;
}
/**
 * `keepMs`: how long rows stay. It is longer than a response counts as fresh, so that its validators can be used.
 * Body and meta are two rows, so that confirming a version rewrites a few bytes and not the whole listing.
 */
export function createResponseCache(table, keepMs, log) {
    let failing = false;
    /** Requests in progress, by account. A request is removed when its account is forgotten. */
    const underway = new Map();
    // A write in progress must end before the rows of its account are listed for deletion.
    const inTurn = createKeyedMutex();
    async function guarded(action) {
        try {
            const value = await action();
            failing = false;
            return value;
        }
        catch (error) {
            // Logged once until the table works again, not at every poll.
            if (!failing)
                log.warn({ reason: reasonOf(error) }, 'response cache failed, going on without it');
            failing = true;
            return undefined;
        }
    }
    async function meta(key) {
        const value = await guarded(() => table.get(key));
        return isMeta(value) ? value : undefined;
    }
    async function body(key, hash) {
        const value = await guarded(() => table.get(`${key}:body`));
        // The two rows are written one after the other; after a crash in between they may be of two versions.
        if (!isBody(value) || value.hash !== hash)
            return undefined;
        return { text: value.text, lossy: value.lossy };
    }
    async function write(key, next, text) {
        await guarded(async () => {
            if (text)
                await table.set(`${key}:body`, { hash: next.hash, text: text.text, lossy: text.lossy }, keepMs);
            await table.set(key, next, keepMs);
        });
    }
    async function asking(account, work) {
        const request = {};
        const requests = underway.get(account) ?? new Set();
        underway.set(account, requests.add(request));
        try {
            return await work((...answer) => inTurn(account, async () => {
                if (underway.get(account)?.has(request))
                    await write(...answer);
            }));
        }
        finally {
            requests.delete(request);
            if (requests.size === 0 && underway.get(account) === requests)
                underway.delete(account);
        }
    }
    function forget(account) {
        underway.delete(account);
        return inTurn(account, async () => {
            const keys = [];
            for await (const [key] of table.entries(`${ownerPart(account)}:`))
                keys.push(key);
            for (const key of keys)
                await table.delete(key);
        });
    }
    return { meta, body, asking, forget, keepMs };
}
function isMeta(value) {
    const meta = value;
    return (typeof meta?.hash === 'string' && typeof meta.fetchedAt === 'number' && typeof meta.bodyAt === 'number');
}
function isBody(value) {
    const body = value;
    return typeof body?.text === 'string' && typeof body.hash === 'string' && typeof body.lossy === 'boolean';
}
export function createSingleFlight() {
    const inFlight = new Map();
    /** Includes work without callers, which may be in the middle of a write. */
    const running = new Set();
    function launch(key, start) {
        const controller = new AbortController();
        const shared = { work: start(controller.signal), controller, waiting: 0 };
        inFlight.set(key, shared);
        running.add(shared);
        const land = () => {
            running.delete(shared);
            if (inFlight.get(key) === shared)
                inFlight.delete(key);
        };
        shared.work.then(land, land);
        return shared;
    }
    async function join(key, signal, start) {
        const shared = inFlight.get(key) ?? launch(key, start);
        shared.waiting++;
        try {
            return await unlessAborted(shared.work, signal);
        }
        finally {
            shared.waiting--;
            if (shared.waiting === 0) {
                // A caller that comes now must not join work that is being aborted.
                if (inFlight.get(key) === shared)
                    inFlight.delete(key);
                shared.controller.abort();
            }
        }
    }
    async function close() {
        const all = [...running];
        for (const shared of all)
            shared.controller.abort();
        await Promise.allSettled(all.map((shared) => shared.work));
    }
    return { join, close };
}
//# sourceMappingURL=cache.js.map