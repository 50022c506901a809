// Limits wrong tokens and keys by the network they come from. Only failures count: the right one is never refused, so no
// stranger can lock out the operator or a program.
import type { Clock } from '../ports/system.js';

const WINDOW_MS = 15 * 60_000;
const FAILURES = 5;
/** Networks remembered at the same time; the oldest is dropped first. */
const REMEMBERED = 10_000;

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
