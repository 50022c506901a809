// A discord.js client with limits on its reconnects. The library reconnects every half second without end, may
// identify again every five seconds (Discord resets a token after 1,000 identifies a day), and continues when it is
// destroyed between two attempts. The hooks below handle each case.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  Events,
  GatewayIntentBits,
  type IIdentifyThrottler,
  Options,
  type REST,
  SimpleShardingStrategy,
} from 'discord.js';
import type { Log } from '../../ports/system.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** At most 30 identifies an hour, which is 720 a day. */
const IDENTIFIES = 30;
const IDENTIFY_WINDOW_MS = 3_600_000;
const IDENTIFY_GAP_MS = 5_000;

export interface Connection {
  readonly client: Client;
  /**
   * Closes the connection for good, also during an attempt. Waits at most `ms` milliseconds for a clean disconnect.
   */
  close(ms?: number): Promise<void>;
}

/**
 * Milliseconds before the n-th attempt in a row (0-based). Up to a quarter is random, so that bots don't reconnect in
 * step.
 */
export function pauseBefore(attempt: number, chance = Math.random()): number {
  if (attempt <= 1) return 0;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_PAUSE_MS);
  return Math.round(pause * (1 - chance / 4));
}

/** The time of the next allowed identify, given the times of the last ones; milliseconds since the epoch. */
export function nextIdentifyAt(past: readonly number[], now: number): number {
  const recent = past.filter((at) => now - at < IDENTIFY_WINDOW_MS);
  const oldest = recent.at(-IDENTIFIES);
  const budget = oldest === undefined ? now : oldest + IDENTIFY_WINDOW_MS;
  const last = recent.at(-1);
  return Math.max(now, budget, last === undefined ? now : last + IDENTIFY_GAP_MS);
}

function throttle(past: number[], log: Log): IIdentifyThrottler {
  return {
    async waitForIdentify(_shard, signal) {
      const wait = nextIdentifyAt(past, Date.now()) - Date.now();
      if (wait > IDENTIFY_GAP_MS) log.warn({ waitMs: wait }, 'waiting with the next identify');
      await sleep(wait, undefined, { signal });
      past.push(Date.now());
      past.splice(0, Math.max(0, past.length - IDENTIFIES));
    },
  };
}

/**
 * Roles and channels are needed to check rights. Users who once pressed a button are not, so few of them are kept.
 */
function smallCache() {
  const few = (maxSize: number) => ({
    maxSize,
    keepOverLimit: ({ id, client }: { readonly id: string; readonly client: Client<true> }) =>
      id === client.user.id,
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
export function createConnection(options: {
  /** Shared with the sink; it stays open when the connection is closed. */
  readonly rest: REST;
  readonly log: Log;
  readonly identifies: number[];
}): Connection {
  const { rest, log, identifies } = options;
  const closing = new AbortController();
  /** Attempts in a row, for each shard that is not connected. */
  const attempts = new Map<number, number>();
  const connecting = new Set<number>();

  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    allowedMentions: { parse: [], repliedUser: false },
    // As many shards as Discord recommends, in this process. A bot in under 2,500 servers needs one.
    shards: 'auto',
    makeCache: smallCache(),
    // The library waits this long for unavailable servers and holds interactions back meanwhile.
    waitGuildTimeout: 1_000,
    // Replaced below, so it needs no timers.
    rest: { hashSweepInterval: 0, handlerSweepInterval: 0 },
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
            await sleep(pauseBefore(attempt), undefined, { signal: closing.signal }).catch(() => undefined);
          }
          if (closing.signal.aborted) return new Promise<never>(() => undefined);
          return retrieveSessionInfo(shard);
        };
        return new SimpleShardingStrategy(manager);
      },
    },
  });
  client.rest = rest;
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
