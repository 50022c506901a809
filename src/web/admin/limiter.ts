// How often a wrong token may be tried: by address, so that nobody guesses, and by all together, so that many
// addresses can't either. Only failures count, and a session that exists is never asked.
import type { Clock } from '../../ports/system.js';

const WINDOW_MS = 15 * 60_000;
const PER_ADDRESS = 5;
const ALL_TOGETHER = 50;

export interface Limiter {
  /** Seconds until the address may try again; 0 when it may now. */
  wait(address: string): number;
  failed(address: string): void;
  /** The right token was given: what was mistyped before is forgotten. */
  passed(address: string): void;
}

interface Tries {
  readonly since: number;
  readonly count: number;
}

export function createLimiter(clock: Clock): Limiter {
  const tries = new Map<string, Tries>();
  let all: Tries = { since: 0, count: 0 };

  /** Also when the clock went back: a lock must not last longer than it says. */
  const isOver = ({ since }: Tries, now: number) => now - since >= WINDOW_MS || now < since;
  const current = (one: Tries | undefined, now: number): Tries =>
    one && !isOver(one, now) ? one : { since: now, count: 0 };

  return {
    wait(address) {
      const now = clock.now();
      const left = ({ since, count }: Tries, most: number) =>
        count < most ? 0 : Math.ceil((since + WINDOW_MS - now) / 1000);
      return Math.max(
        left(current(tries.get(address), now), PER_ADDRESS),
        left(current(all, now), ALL_TOGETHER),
      );
    },
    failed(address) {
      const now = clock.now();
      // At most as many entries per window as failures are allowed in it.
      for (const [one, entry] of tries) if (isOver(entry, now)) tries.delete(one);
      const own = current(tries.get(address), now);
      tries.set(address, { ...own, count: own.count + 1 });
      all = current(all, now);
      all = { ...all, count: all.count + 1 };
    },
    passed: (address) => void tries.delete(address),
  };
}
