// How often tokens may be tried. Each try asks the jobs board whether a token is valid, so without a limit anyone could
// have it answer that for as many guesses as they like.
import { accountHash } from '../domain/account.js';
import { refusal, type UserError } from '../domain/errors.js';
import { type Limit, waitOf } from '../domain/limit.js';
import type { Table } from '../ports/stores.js';

const MINUTE = 60_000;
/** One person's tries that were not proven right, and everybody's together. */
const OF_ONE: Limit = { most: 5, withinMs: 15 * MINUTE };
const OF_ALL: Limit = { most: 60, withinMs: 60 * MINUTE };

/** A try that counts until it is taken back. `who` stands for the account without naming it. */
interface Try {
  readonly who: string;
  readonly at: number;
}

export interface TokenTries {
  /** Counts a try before it is made, so that a burst can't pass; throws a UserError with the wait when there were too many. */
  begin(account: string): Promise<Try>;
  /** It was proven right: it counts no more. */
  succeeded(one: Try): Promise<void>;
}

const KEY = 'token:tries';

/** Deletes the tries of an account: for one that is erased. */
export async function forgetTokenTries(table: Table<unknown>, account: string): Promise<void> {
  const who = accountHash(account);
  await table.update(
    KEY,
    (before) => {
      const tries = before as readonly Try[] | undefined;
      return tries?.some((one) => one.who === who) ? tries.filter((one) => one.who !== who) : tries;
    },
    OF_ALL.withinMs,
  );
}

/** `now` in milliseconds since the epoch. Both limits are one record, of at most sixty tries. */
export function createTokenTries(table: Table<unknown>, now: () => number): TokenTries {
  async function change(edit: (tries: readonly Try[]) => readonly Try[]): Promise<void> {
    await table.update(KEY, (before) => edit((before as readonly Try[] | undefined) ?? []), OF_ALL.withinMs);
  }

  return {
    async begin(account) {
      const one = { who: accountHash(account), at: now() };
      await change((tries) => {
        const times = tries.map(({ at }) => at);
        const own = tries.filter(({ who }) => who === one.who).map(({ at }) => at);
        const wait = Math.max(waitOf(own, one.at, OF_ONE), waitOf(times, one.at, OF_ALL));
        if (wait > 0) throw tooMany(Math.ceil(wait / MINUTE));
        return [...tries, one].slice(-OF_ALL.most);
      });
      return one;
    },
    succeeded: ({ who, at }) =>
      change((tries) => {
        const index = tries.findIndex((one) => one.who === who && one.at === at);
        return tries.filter((_, other) => other !== index);
      }),
  };
}

function tooMany(minutes: number): UserError {
  return refusal(
    'tokenTries',
    `Too many tokens were tried. Try again in ${minutes} minutes; what is stored stays as it is.`,
    minutes,
  );
}
