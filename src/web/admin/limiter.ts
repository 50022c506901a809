// How often a wrong token is answered as such, by the network it came from. Only failures count: the right token is
// never refused, so no stranger can keep the operator out.
import type { Clock } from '../../ports/system.js';

const WINDOW_MS = 15 * 60_000;
const FAILURES = 5;
/** Networks remembered at the same time; the oldest gives way. */
const REMEMBERED = 10_000;

export interface Limiter {
  /** Counts a failure. Seconds until the next one is answered; 0 when one more is. */
  failed(network: string): number;
  /** The right token was given: what was mistyped before is forgotten. */
  passed(network: string): void;
}

export function createLimiter(clock: Clock): Limiter {
  /** In the order of their first failure, so that those that are over stand in front. */
  const failures = new Map<string, { readonly since: number; readonly count: number }>();

  return {
    failed(network) {
      const now = clock.now();
      // Also when the clock went back: a wait must not last longer than it says.
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
