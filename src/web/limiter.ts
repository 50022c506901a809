// Limits for requests, in the memory of this process.
import { type Limit, recentOf, waitOf } from '../domain/limit.js';
import type { Clock } from '../ports/system.js';

const WINDOW_MS = 15 * 60_000;
const FAILURES = 5;
/** Networks or accounts remembered at the same time; the oldest is dropped first. */
const REMEMBERED = 10_000;

/**
 * Limits wrong tokens and keys by the network they come from. Only failures count: the right one is never refused, so no
 * stranger can lock out the operator or a program.
 */
export interface Limiter {
  /** Counts a failure. Returns the seconds until the next attempt; 0 when another one is allowed. */
  failed(network: string): number;
  /** Forgets the failures of a network after the operator's token was given. */
  passed(network: string): void;
}

export function createLimiter(clock: Clock): Limiter {
  /** In the order of their first failure, so that expired entries come first. */
  const failures = new Map<string, { readonly since: number; readonly count: number }>();

  return {
    failed(network) {
      const now = clock.now();
      // Also over when the clock was set back: a wait must not be longer than announced.
      const isOver = (since: number) => now - since >= WINDOW_MS || now < since;
      for (const [one, { since }] of failures) {
        if (!isOver(since) && failures.size <= REMEMBERED) break;
        failures.delete(one);
      }
      const { since, count } = failures.get(network) ?? { since: now, count: 0 };
      failures.set(network, { since, count: count + 1 });
      return count + 1 < FAILURES ? 0 : Math.ceil((since + WINDOW_MS - now) / 1000);
    },
    passed: (network) => void failures.delete(network),
  };
}

/**
 * Limits how often each account may do something, because a search may read thousands of postings. The result counts a
 * request of an account, and returns the milliseconds to wait when there were too many; 0 otherwise.
 */
export function createAllowance(limit: Limit, clock: Clock): (account: string) => number {
  const requests = new Map<string, readonly number[]>();
  return (account) => {
    const now = clock.now();
    const times = recentOf(requests.get(account), now, limit);
    const wait = waitOf(times, now, limit);
    // At the end again, so that the account that asked first is dropped first.
    requests.delete(account);
    requests.set(account, wait > 0 ? times : [...times, now]);
    for (const [one] of requests) {
      if (requests.size <= REMEMBERED) break;
      requests.delete(one);
    }
    return wait;
  };
}
