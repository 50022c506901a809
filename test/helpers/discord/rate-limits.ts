// The limiter: one bucket per route and channel (or token), and 50 requests a second in total. A 429 that it sends
// without a scripted fault is natural and is counted; a good bot never gets one.
import { DiscordError } from './errors.js';
import type { Settings, State } from './types.js';

interface Window {
  startedAt: number;
  used: number;
}

export interface Limiter {
  /** Counts one request; throws the 429, otherwise returns the headers for the answer. */
  count: (bucket: string | null, countsGlobally: boolean) => Record<string, string>;
}

/** The global second is measured a little short, so that a client with its own count is never blamed for the network. */
const GLOBAL_MS = 950;

export function createLimiter(state: State): Limiter {
  const windows = new Map<string, Window>();
  const take = (key: string, limit: number, length: number) => {
    const now = performance.now();
    let window = windows.get(key);
    if (!window || now - window.startedAt >= length) {
      window = { startedAt: now, used: 0 };
      windows.set(key, window);
    }
    const left = (window.startedAt + length - now) / 1000;
    if (window.used >= limit) return { full: true, remaining: 0, left };
    window.used += 1;
    return { full: false, remaining: limit - window.used, left };
  };
  return {
    count(bucket, countsGlobally) {
      const { ratePerWindow, rateWindowMs, globalPerSecond } = state.settings satisfies Settings;
      if (countsGlobally) {
        const all = take('global', globalPerSecond, GLOBAL_MS);
        if (all.full) throw natural(state, limited(all.left, true, {}), 'global');
      }
      if (bucket === null) return {};
      const own = take(bucket, ratePerWindow, rateWindowMs);
      const headers = {
        'x-ratelimit-limit': String(ratePerWindow),
        'x-ratelimit-remaining': String(own.remaining),
        'x-ratelimit-reset': (Date.now() / 1000 + own.left).toFixed(3),
        'x-ratelimit-reset-after': own.left.toFixed(3),
        'x-ratelimit-bucket': Buffer.from(bucket.split(' ').slice(0, 2).join(' '))
          .toString('hex')
          .slice(0, 32),
      };
      if (own.full) throw natural(state, limited(own.left, false, headers), bucket);
      return headers;
    },
  };
}

function natural(state: State, error: DiscordError, bucket: string): DiscordError {
  state.naturalRateLimits += 1;
  state.violations.push(`rate limit exceeded: ${bucket}`);
  return error;
}

/** Discord's 429; `seconds` until it may be tried again. */
export function limited(seconds: number, global: boolean, headers: Record<string, string>): DiscordError {
  const rounded = Math.max(0.001, Number(seconds.toFixed(3)));
  return new DiscordError(
    429,
    0,
    { message: 'You are being rate limited.', retry_after: rounded, global },
    {
      ...headers,
      'retry-after': String(rounded),
      'x-ratelimit-scope': global ? 'global' : 'user',
      ...(global ? { 'x-ratelimit-global': 'true' } : {}),
    },
  );
}
