// How often tokens may be tried. Each try asks the jobs board whether a token is valid. Without a limit, anyone could
// use it to check as many guesses as they like.
import { accountHash } from '../domain/account.js';
import { refusal, type UserError } from '../domain/errors.js';
import { type Limit, waitOf } from '../domain/limit.js';
import type { Table } from '../ports/stores.js';

const MINUTE = 60_000;
/** Tries that did not succeed, of one person and of all together. */
const OF_ONE: Limit = { most: 5, withinMs: 15 * MINUTE };
const OF_ALL: Limit = { most: 60, withinMs: 60 * MINUTE };

/** A try that counts until it is taken back. `who`: a hash of the account, so that it is not named. */
interface Try {
  readonly who: string;
  readonly at: number;
}

export interface TokenTries {
  /**
   * Counts a try before it is made, so that a burst can't exceed the limit. Throws a UserError with the wait when
   * there were too many.
   */
  begin(account: string): Promise<Try>;
  /** The token was accepted: the try no longer counts. */
  succeeded(one: Try): Promise<void>;
}

const KEY = 'token:tries';

/** Deletes the tries of an account that is erased. */
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

/** `now` returns milliseconds since the epoch. Both limits use one record of at most sixty tries. */
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
    `Too many tokens were tried. Try again in ${minutes} minutes; nothing was changed.`,
    minutes,
  );
}
