// Connections to Redis or Valkey, and checks of the server. Redis only says which lane is due; the program loses nothing
// when Redis loses its data.
import { Redis, type RedisOptions } from 'ioredis';
import { reasonOf } from '../domain/errors.js';

/** How long a working server may take for one answer, in milliseconds. */
export const ANSWER_MS = 3_000;
const LONGEST_PAUSE_MS = 2_000;
/**
 * A connection is replaced when it brings no answer for this long. Without it, only the system would find out that the
 * other end is gone, after a quarter of an hour. Longer than BullMQ's longest wait for work, which is 10 s.
 */
const SILENT_MS = 12_000;
/** BullMQ needs commands of this version. Valkey began with 7.2 and reports 7.2.4 where Redis reports its version. */
const LEAST = [6, 2] as const;

/**
 * Connects to Redis. The first attempt has started when this returns, and the client never stops trying. `url`:
 * QUEUE_URL.
 */
export function connectRedis(url: string, more: RedisOptions): Redis {
  const redis = new Redis(url.replace(/^valkey/u, 'redis'), {
    connectTimeout: 5_000,
    keepAlive: 10_000,
    socketTimeout: SILENT_MS,
    retryStrategy: (tries) => Math.min(tries * 100, LONGEST_PAUSE_MS),
    ...more,
  });
  // Without a listener, the client prints each failed attempt.
  redis.on('error', () => undefined);
  // The client leaves the timer of a lost connection running, and it would end the next connection.
  redis.on('close', () => {
    clearTimeout((redis as unknown as { socketTimeoutTimer?: NodeJS.Timeout }).socketTimeoutTimer);
    Object.assign(redis, { socketTimeoutTimer: undefined });
  });
  return redis;
}

export interface RedisReport {
  /** Such as "Redis 7.0.15". */
  readonly server: string;
  /** What is wrong, and how to fix it. */
  readonly faults: readonly { readonly says: string; readonly fix: string }[];
}

/** Reads the version and settings of the server of QUEUE_URL. Rejects when it does not answer. */
export async function inspectRedis(url: string): Promise<RedisReport> {
  const redis = connectRedis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: ANSWER_MS,
    connectTimeout: ANSWER_MS,
    retryStrategy: () => null,
  });
  let refused: Error | undefined;
  redis.on('error', (error: Error) => {
    refused = error;
  });
  try {
    await redis.connect();
    return reportOf(await redis.info());
  } catch (error) {
    // "Connection is closed" says less than the error that caused it.
    throw new Error(`Redis does not answer: ${reasonOf(refused ?? error)}`);
  } finally {
    redis.disconnect();
  }
}

function reportOf(info: string): RedisReport {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'mu').exec(info)?.[1];
  const version = field('redis_version') ?? '0';
  const valkey = field('valkey_version');
  const faults: RedisReport['faults'][number][] = [];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1]))
    faults.push({
      says: `Redis ${version} is too old`,
      fix: `use Redis ${LEAST.join('.')} or newer, or Valkey`,
    });
  const policy = field('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction')
    faults.push({
      says: `Redis may throw away jobs when its memory is full (maxmemory-policy ${policy})`,
      fix: 'set maxmemory-policy to noeviction, and use this Redis for nothing else',
    });
  return { server: valkey ? `Valkey ${valkey}` : `Redis ${version}`, faults };
}
