// Addresses that get no more mail. They are stored as keyed hashes, so that the list recognises an address without
// revealing it. One permanent failure is enough, or three temporary ones without a success in between.

import { defined } from '../../domain/defined.js';
import type { LinkKey } from '../../domain/link-token.js';
import type { Table } from '../../ports/stores.js';
import type { Clock } from '../../ports/system.js';
import { addressKeys } from './address.js';

const FOURTEEN_DAYS = 14 * 86_400_000;
const SOFT_LIMIT = 3;

/** Times in milliseconds since the epoch; `why` contains codes, never a server's text. */
interface Suppressed {
  readonly at: number;
  readonly why: string;
}

interface Soft {
  /** The messages that failed, each listed once for all its attempts. */
  readonly failed: readonly {
    readonly message: string;
    readonly at: number;
    /** Reported after a server had accepted the message, so acceptance of the next one proves nothing. */
    readonly reported?: true;
  }[];
}

export interface Suppression {
  find(address: string): Promise<Suppressed | undefined>;
  add(address: string, why: string): Promise<void>;
  /** Adds an address by the token of its envelope sender, when the address is not known. */
  addToken(token: string, why: string): Promise<void>;
  /**
   * Counts a temporary failure of a message. Returns true if that was one too many and the address is now suppressed.
   * `who`: an address or a token; `reported`: the mail came back after a server had accepted it.
   */
  soft(
    who: { address: string } | { token: string },
    message: string,
    why: string,
    reported?: true,
  ): Promise<boolean>;
  /** A server accepted a message: forgets earlier temporary failures, except reported ones. */
  arrived(address: string): Promise<void>;
  remove(address: string): Promise<void>;
  /** The token of an address for its envelope sender. */
  token(address: string): string;
}

const NONE_FAILED: Soft = { failed: [] };

export function createSuppression(deps: {
  table: Table<unknown>;
  keys: readonly LinkKey[];
  clock: Clock;
}): Suppression {
  const { table, clock } = deps;
  const tokensOf = (address: string) => addressKeys(deps.keys, address);
  const token = (address: string) => tokensOf(address)[0] as string;

  async function addToken(one: string, why: string): Promise<void> {
    await table.set(`mail:suppressed:${one}`, { at: clock.now(), why } satisfies Suppressed);
  }

  return {
    token,
    addToken,
    add: (address, why) => addToken(token(address), why),
    async find(address) {
      for (const one of tokensOf(address)) {
        const found = await table.get(`mail:suppressed:${one}`);
        if (found) return found as Suppressed;
      }
      return undefined;
    },
    async soft(who, message, why, reported) {
      const one = 'token' in who ? who.token : token(who.address);
      const now = clock.now();
      const after = await table.update(
        `mail:soft:${one}`,
        (before) => {
          const { failed } = (before as Soft | undefined) ?? NONE_FAILED;
          const recent = failed.filter(
            (entry) => now - entry.at < FOURTEEN_DAYS && entry.message !== message,
          );
          return { failed: [...recent, { message, at: now, ...defined({ reported }) }] };
        },
        FOURTEEN_DAYS,
      );
      if ((after as Soft).failed.length < SOFT_LIMIT) return false;
      await addToken(one, why);
      return true;
    },
    async arrived(address) {
      await table.update(
        `mail:soft:${token(address)}`,
        (before) => {
          if (before === undefined) return undefined;
          const { failed } = before as Soft;
          const left = failed.filter(({ reported }) => reported);
          if (left.length === failed.length) return before;
          return left.length > 0 ? { failed: left } : undefined;
        },
        FOURTEEN_DAYS,
      );
    },
    async remove(address) {
      for (const one of tokensOf(address)) {
        await table.delete(`mail:suppressed:${one}`);
        await table.delete(`mail:soft:${one}`);
      }
    },
  };
}
