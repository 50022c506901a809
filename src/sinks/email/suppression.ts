// Addresses that mail must not go to any more. Kept as keyed hashes: the list has to recognise an address,
// not to tell it. One failure of the lasting kind is enough; of the passing kind it takes three without a success.

import type { LinkKey } from '../../domain/link-token.js';
import type { Table } from '../../ports/stores.js';
import type { Clock } from '../../ports/system.js';
import { addressKeys } from './address.js';

const FOURTEEN_DAYS = 14 * 86_400_000;
const SOFT_LIMIT = 3;

/** Times in milliseconds since the epoch; `why` holds codes, never words of a server. */
interface Suppressed {
  readonly at: number;
  readonly why: string;
}

interface Soft {
  /** The messages that failed, each once however often it was tried. */
  readonly failed: readonly {
    readonly message: string;
    readonly at: number;
    /** Told by a report after a server had taken the message: that one takes the next says nothing of the mailbox. */
    readonly reported?: true;
  }[];
}

export interface Suppression {
  find(address: string): Promise<Suppressed | undefined>;
  add(address: string, why: string): Promise<void>;
  /** By the token of an envelope sender, where the address is not known. */
  addToken(token: string, why: string): Promise<void>;
  /**
   * Counts a passing failure of a message; true when that was one too many. `who`: an address or a token; `reported`:
   * it came back after a server had taken it.
   */
  soft(
    who: { address: string } | { token: string },
    message: string,
    why: string,
    reported?: true,
  ): Promise<boolean>;
  /** A server took a message: what servers refused before was passing indeed. */
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
          return { failed: [...recent, { message, at: now, ...(reported ? { reported } : {}) }] };
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
