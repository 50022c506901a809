// How many requests a token has left. Each token has one window, which its first request opens. So Retry-After is
// exact: after it, the whole quota is available again. Windows survive a reload of the tokens file.
import type { RateLimit } from './tokens.js';

/** `resetSeconds`: until the window ends, rounded up, at least 1. */
interface QuotaState {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface Quota {
  /** Counts one request of a token against its limit. A refused one is not counted. `now` in milliseconds. */
  take(id: string, limit: RateLimit, now: number): QuotaState;
  /** Deletes the windows of tokens that are not in `known`. */
  keep(known: { has(id: string): boolean }): void;
}

export function createQuota(): Quota {
  const windows = new Map<string, { start: number; used: number }>();

  function take(id: string, limit: RateLimit, now: number): QuotaState {
    const length = limit.windowSeconds * 1000;
    let window = windows.get(id);
    if (window === undefined || now >= window.start + length || now < window.start) {
      window = { start: now, used: 0 };
      windows.set(id, window);
    }
    const allowed = window.used < limit.requests;
    if (allowed) window.used++;
    return {
      allowed,
      remaining: Math.max(0, limit.requests - window.used),
      resetSeconds: Math.max(1, Math.ceil((window.start + length - now) / 1000)),
    };
  }

  function keep(known: { has(id: string): boolean }): void {
    for (const id of windows.keys()) if (!known.has(id)) windows.delete(id);
  }

  return { take, keep };
}
