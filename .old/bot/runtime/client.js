// A discord.js client with limits on its reconnects. The library reconnects every half second without end, may
// identify again every five seconds (Discord resets a token after 1,000 identifies a day), and continues when it is
// destroyed between two attempts. The hooks below handle each case.
import { Client, DefaultRestOptions, Events, GatewayIntentBits, Options, SimpleShardingStrategy, } from 'discord.js';
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** At most 30 identifies an hour, which is 720 a day. */
const IDENTIFIES = 30;
const IDENTIFY_WINDOW_MS = 3_600_000;
const IDENTIFY_GAP_MS = 5_000;
/**
 * Milliseconds before the n-th attempt in a row (0-based). Up to a quarter is random, so that bots don't reconnect in
 * step.
 */
export function pauseBefore(attempt, chance = Math.random()) {
    if (attempt <= 1)
        return 0;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_PAUSE_MS);
    return Math.round(pause * (1 - chance / 4));
}
/** The time of the next allowed identify, given the times of the last ones; milliseconds since the epoch. */
export function nextIdentifyAt(past, now) {
    const recent = past.filter((at) => now - at < IDENTIFY_WINDOW_MS);
    const oldest = recent.at(-IDENTIFIES);
    const budget = oldest === undefined ? now : oldest + IDENTIFY_WINDOW_MS;
    const last = recent.at(-1);
    return Math.max(now, budget, last === undefined ? now : last + IDENTIFY_GAP_MS);
}
function throttle(past, log) {
    return {
        async waitForIdentify(_shard, signal) {
            const wait = nextIdentifyAt(past, Date.now()) - Date.now();
            if (wait > IDENTIFY_GAP_MS)
                log.warn({ waitMs: wait }, 'waiting with the next identify');
            await sleep(wait, signal);
            past.push(Date.now());
            past.splice(0, Math.max(0, past.length - IDENTIFIES));
        },
    };
}
function sleep(ms, signal) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, Math.max(0, ms));
        signal?.addEventListener('abort', () => {
            clearTimeout(timer);
            reject(signal.reason);
        });
    });
}
/**
 * discord.js creates form data of Node's own kind, which undici can't read in every pairing of their versions.
 * Encoding the body first makes files work in each of them.
 */
const requestWithFiles = async (url, init) => {
    if (!(init.body instanceof FormData))
        return DefaultRestOptions.makeRequest(url, init);
    const form = new Response(init.body);
    const type = form.headers.get('content-type') ?? '';
    const headers = { ...init.headers, 'content-type': type };
    return DefaultRestOptions.makeRequest(url, {
        ...init,
        headers,
        body: new Uint8Array(await form.arrayBuffer()),
    });
};
/**
 * Roles and channels are needed to check rights. Users who once pressed a button are not, so few of them are kept.
 */
function smallCache() {
    const few = (maxSize) => ({
        maxSize,
        keepOverLimit: ({ id, client }) => id === client.user.id,
    });
    return Options.cacheWithLimits({
        ...Options.DefaultMakeCacheSettings,
        MessageManager: 0,
        GuildEmojiManager: 0,
        GuildStickerManager: 0,
        GuildScheduledEventManager: 0,
        VoiceStateManager: 0,
        UserManager: few(500),
        GuildMemberManager: few(50),
    });
}
/**
 * `identifies`: times of past identifies; the caller keeps them across connections. Nothing is sent before
 * `client.login`.
 */
export function createConnection(options) {
    const { apiUrl, log, identifies } = options;
    const closing = new AbortController();
    /** Attempts in a row, for each shard that is not connected. */
    const attempts = new Map();
    const connecting = new Set();
    const client = new Client({
        intents: [GatewayIntentBits.Guilds],
        allowedMentions: { parse: [], repliedUser: false },
        // As many shards as Discord recommends, in this process. A bot in under 2,500 servers needs one.
        shards: 'auto',
        makeCache: smallCache(),
        // The library waits this long for unavailable servers and holds interactions back meanwhile.
        waitGuildTimeout: 1_000,
        rest: {
            version: '10',
            timeout: 10_000,
            retries: 2,
            makeRequest: requestWithFiles,
            // Logged here, because the library waits out a 429 silently, however long, and holds back later calls on that
            // route.
            rejectOnRateLimit({ route, retryAfter }) {
                log.warn({ route, ms: retryAfter }, 'Discord asks for a pause');
                return false;
            },
            ...(apiUrl ? { api: apiUrl } : {}),
        },
        ws: {
            buildIdentifyThrottler: () => throttle(identifies, log),
            buildStrategy(manager) {
                const { retrieveSessionInfo } = manager.options;
                // Called before each attempt to connect. It is the only place where an attempt can be delayed.
                manager.options.retrieveSessionInfo = async (shard) => {
                    if (!connecting.has(shard)) {
                        connecting.add(shard);
                        const attempt = attempts.get(shard) ?? 0;
                        attempts.set(shard, attempt + 1);
                        await sleep(pauseBefore(attempt), closing.signal).catch(() => undefined);
                    }
                    if (closing.signal.aborted)
                        return new Promise(() => undefined);
                    return retrieveSessionInfo(shard);
                };
                return new SimpleShardingStrategy(manager);
            },
        },
    });
    client.on(Events.Error, (error) => log.warn({ reason: error.message }, 'discord client error'));
    client.on(Events.ShardError, (error) => log.warn({ reason: error.message }, 'discord gateway error'));
    client.on(Events.ShardReconnecting, (shard) => {
        connecting.delete(shard);
    });
    client.on(Events.ShardReady, (shard) => {
        attempts.delete(shard);
    });
    client.on(Events.ShardResume, (shard) => {
        attempts.delete(shard);
    });
    client.on(Events.Warn, (message) => log.warn({ reason: message }, 'discord client warning'));
    return {
        client,
        async close(ms = 3_000) {
            closing.abort();
            client.removeAllListeners();
            // Without a listener, a late error would end the process.
            client.on(Events.Error, () => undefined);
            client.on(Events.ShardError, () => undefined);
            await Promise.race([client.destroy().catch(() => undefined), sleep(ms)]);
        },
    };
}
//# sourceMappingURL=client.js.map