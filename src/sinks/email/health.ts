// When mail servers stop believing us, every further mail makes it worse. This keeps count and stops the stream:
// for all recipients, or for those of one domain. It counts per process: a restart is an operator's look at it.
import type { Clock } from '../../ports/system.js';

const HOUR = 3_600_000;
/** More than this share of lasting failures stops a run (mail rules, bounces) … */
const HARD_SHARE = 0.05;
/** … once it is long enough to mean something. */
const LEAST_SENT = 20;
/** Results further apart than this belong to another run. */
const RUN_GAP = HOUR;
const PAUSE = HOUR;

export interface StreamHealth {
  /** Milliseconds for which nothing goes to this domain; 0 when it may. */
  pausedFor(domain: string): number;
  /** Stops sending for an hour, to one domain or to all. */
  pause(domain?: string): number;
  /** A mail was accepted or its address refused for good; true when that share became too large and the stream stopped. */
  result(hard: boolean): boolean;
}

export function createStreamHealth(clock: Clock): StreamHealth {
  const until = new Map<string, number>();
  let run = { sent: 0, hard: 0, lastAt: 0 };

  function pause(domain = ''): number {
    if (until.size > 1000) until.clear();
    until.set(domain, clock.now() + PAUSE);
    return PAUSE;
  }

  return {
    pause,
    pausedFor(domain) {
      const latest = Math.max(until.get('') ?? 0, until.get(domain) ?? 0);
      const left = Math.max(0, latest - clock.now());
      // Longer than any pause: the clock was set back since.
      return left > PAUSE ? 0 : left;
    },
    result(hard) {
      const now = clock.now();
      if (now - run.lastAt > RUN_GAP) run = { sent: 0, hard: 0, lastAt: now };
      run = { sent: run.sent + 1, hard: run.hard + (hard ? 1 : 0), lastAt: now };
      if (run.sent < LEAST_SENT || run.hard / run.sent <= HARD_SHARE) return false;
      run = { sent: 0, hard: 0, lastAt: now };
      pause();
      return true;
    },
  };
}
