// How often tokens may be tried. Each try asks the jobs board whether a token is valid, so without a limit anyone could
// have it answer that for as many guesses as they like.
import { refusal, type UserError } from '../../domain/errors.js';

const MINUTE = 60_000;
/** One person's tries that were not proven right, and everybody's together. */
const OF_ONE = { most: 5, withinMs: 15 * MINUTE } as const;
const OF_ALL = { most: 60, withinMs: 60 * MINUTE } as const;

/** A try that counts until it is taken back. */
interface Try {
  readonly account: string;
  readonly at: number;
}

export interface TokenTries {
  /** Counts a try before it is made, so that a burst can't pass; throws a UserError with the wait when there were too many. */
  begin(account: string): Try;
  /** It was proven right: it counts no more. */
  succeeded(one: Try): void;
}

/** `now` in milliseconds since the epoch. Kept in memory, at most sixty tries of one hour. */
export function createTokenTries(now: () => number): TokenTries {
  let tries: readonly Try[] = [];

  /** Milliseconds until one more is allowed; 0 when it is. */
  function waitOf(all: readonly Try[], { most, withinMs }: typeof OF_ONE | typeof OF_ALL): number {
    // By a clock that was set back the time of a try may lie ahead: it counts as made now.
    const ages = all.map(({ at }) => Math.max(0, now() - at)).filter((age) => age < withinMs);
    const freed = ages.at(-most);
    return freed === undefined ? 0 : withinMs - freed;
  }

  return {
    begin(account) {
      tries = tries.filter(({ at }) => now() - at < OF_ALL.withinMs);
      const own = tries.filter((one) => one.account === account);
      const wait = Math.max(waitOf(own, OF_ONE), waitOf(tries, OF_ALL));
      if (wait > 0) throw tooMany(Math.ceil(wait / MINUTE));
      const one = { account, at: now() };
      tries = [...tries, one];
      return one;
    },
    succeeded(one) {
      tries = tries.filter((other) => other !== one);
    },
  };
}

function tooMany(minutes: number): UserError {
  return refusal(
    'tokenTries',
    `Too many tokens were tried. Try again in ${minutes} minutes; what is stored stays as it is.`,
    minutes,
  );
}
