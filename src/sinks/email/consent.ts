// Anyone can type any address, so an address gets nothing but one question until its owner says yes. The answer to
// whoever typed it is always the same: it must not tell which addresses are known, refused or bouncing.
import { createHash, randomBytes } from 'node:crypto';
import { accountHash } from '../../domain/account.js';
import { recentOf, waitOf } from '../../domain/limit.js';
import type { LinkKey } from '../../domain/link-token.js';
import { isTag } from '../../domain/tags.js';
import type { Table } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';
import { describeTags } from '../../render/describe.js';
import { addressKeys, oneMailbox } from './address.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Life of a confirm link in hours, and how many mails of this kind may be caused (mail rules, double opt-in). */
export const CONFIRM_HOURS = 48;
const PER_ADDRESS = 3;
const PER_ACCOUNT = 10;

/** Who wants which address, and for what. */
export interface ConsentRequest {
  readonly account: string;
  readonly address: string;
  readonly locale: string;
  /**
   * What is asked for: slugs of tags, and nothing that the asker can word, because the mail goes to an address that
   * anyone may have typed. Others are left out.
   */
  readonly tags?: readonly string[];
}

interface Open extends ConsentRequest {
  readonly askedAt: number;
}

/** When and to what a reader said yes. Milliseconds since the epoch. */
interface ConsentRecord {
  readonly askedAt: number;
  readonly confirmedAt: number;
  readonly about?: string;
}

type Confirmed = ConsentRequest & ConsentRecord;

/** What is asked for in words, in the mail, on the page and in the record; undefined when it names no tag. */
export function consentAbout({ tags = [], locale }: ConsentRequest): string | undefined {
  const known = tags.filter(isTag);
  return known.length > 0 ? describeTags(known, locale) : undefined;
}

export interface Consent {
  /**
   * Sends the question; false while a limit holds it back. Whether the address may be written to at all is not told.
   * Rejects as `send` and `probe` do; a question that was not sent is as if it had never been asked.
   */
  request(request: ConsentRequest): Promise<boolean>;
  /** A question to this address is open. */
  waiting(account: string, address: string): Promise<boolean>;
  /** Whom a token is for, changing nothing: the page that shows the button. */
  peek(token: string): Promise<ConsentRequest | undefined>;
  /** Uses a token up. Undefined for one that is unknown, used or too old. */
  confirm(token: string): Promise<Confirmed | undefined>;
  given(account: string, address: string): Promise<ConsentRecord | undefined>;
  /** Forgets the consent and any open question. */
  withdraw(account: string, address: string): Promise<void>;
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/**
 * Deletes the consents and open questions of an account, those for addresses it no longer has included, and gives back
 * the hashes of those addresses. How many questions it caused within the last day stays counted for that day, under
 * keyed hashes: or erasing would be a way around the limits.
 */
export async function forgetConsents(table: Table<unknown>, account: string): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  const last = (key: string) => key.slice(key.lastIndexOf(':') + 1);
  for await (const [key, question] of table.entries(`mail:asked:${accountHash(account)}:`)) {
    await table.delete(`mail:confirm:${String(question)}`);
    await table.delete(key);
    hashes.add(last(key));
  }
  for await (const [key] of table.entries(`mail:consent:${accountHash(account)}:`)) {
    await table.delete(key);
    hashes.add(last(key));
  }
  return hashes;
}

/**
 * `send` mails the question with the token; `blocked` says that an address must not be written to at all. `probe` does
 * what `send` does but the sending, so that a question held back takes as long and fails as one that goes out.
 */
export function createConsent(deps: {
  table: Table<unknown>;
  keys: readonly LinkKey[];
  clock: Clock;
  log: Log;
  blocked(address: string): Promise<boolean>;
  send(request: ConsentRequest, token: string): Promise<void>;
  probe(): Promise<void>;
}): Consent {
  const { table, clock, log } = deps;
  const keysOf = (address: string) => addressKeys(deps.keys, address);

  /** Counts one more mail of the last day; false when there were `most` already. */
  async function within(key: string, most: number): Promise<boolean> {
    const limit = { most, withinMs: DAY };
    let isWithin = false;
    await table.update(
      key,
      (before) => {
        const now = clock.now();
        const times = before as readonly number[] | undefined;
        isWithin = waitOf(times, now, limit) === 0;
        return isWithin ? [...recentOf(times, now, limit), now] : before;
      },
      DAY,
    );
    return isWithin;
  }

  /** Takes the newest of a count back: its mail was not sent. */
  async function uncount(key: string): Promise<void> {
    await table.update(key, (before) => (before as readonly number[] | undefined)?.slice(0, -1), DAY);
  }

  async function openOf(token: string): Promise<Open | undefined> {
    // A token is 43 characters; nothing else is worth a look into the store.
    if (!/^[\w-]{43}$/u.test(token)) return undefined;
    const open = (await table.get(`mail:confirm:${hashOf(token)}`)) as Open | undefined;
    return open && clock.now() - open.askedAt < CONFIRM_HOURS * HOUR ? open : undefined;
  }

  async function close(account: string, address: string): Promise<void> {
    for (const key of keysOf(address)) {
      const slot = `mail:asked:${accountHash(account)}:${key}`;
      const former = (await table.get(slot)) as string | undefined;
      if (former) await table.delete(`mail:confirm:${former}`);
      await table.delete(slot);
    }
  }

  async function given(account: string, address: string): Promise<ConsentRecord | undefined> {
    for (const key of keysOf(address)) {
      const record = await table.get(`mail:consent:${accountHash(account)}:${key}`);
      if (record) return record as ConsentRecord;
    }
    return undefined;
  }

  async function ask(request: ConsentRequest): Promise<boolean> {
    const { account, address } = request;
    const [key] = keysOf(address);
    const counts = [
      [`mail:asks:account:${keysOf(`account:${account}`)[0]}`, PER_ACCOUNT],
      [`mail:asks:address:${keysOf(oneMailbox(address))[0]}`, PER_ADDRESS],
    ] as const;
    if (await deps.blocked(address)) {
      log.info({ account }, 'confirm mail held back, address suppressed');
      await deps.probe();
      return true;
    }
    for (const [count, limit] of counts) {
      if (await within(count, limit)) continue;
      log.info({ account }, 'confirm mail held back, limit reached');
      await deps.probe();
      return false;
    }
    // A new question replaces the open one, so that one link at most works at any time: also of two asked at once.
    await close(account, address);
    const token = randomBytes(32).toString('base64url');
    const life = CONFIRM_HOURS * HOUR;
    await table.set(`mail:confirm:${hashOf(token)}`, { ...request, askedAt: clock.now() }, life);
    let other: string | undefined;
    await table.update(
      `mail:asked:${accountHash(account)}:${key}`,
      (before) => {
        other = before as string | undefined;
        return hashOf(token);
      },
      life,
    );
    if (other) await table.delete(`mail:confirm:${other}`);
    try {
      await deps.send(request, token);
    } catch (error) {
      await close(account, address);
      for (const [count] of counts) await uncount(count);
      throw error;
    }
    return true;
  }

  return {
    given,
    request: ask,
    async waiting(account, address) {
      const [key] = keysOf(address);
      return (await table.get(`mail:asked:${accountHash(account)}:${key}`)) !== undefined;
    },
    async peek(token) {
      const open = await openOf(token);
      if (!open) return undefined;
      const { askedAt: _askedAt, ...request } = open;
      return request;
    },
    async confirm(token) {
      const open = await openOf(token);
      if (!open) return undefined;
      const { askedAt, ...request } = open;
      const { account, address } = request;
      const about = consentAbout(request);
      const record = { askedAt, confirmedAt: clock.now(), ...(about ? { about } : {}) };
      // Written before the token is used up: a crash in between leaves a link that works once more, not a lost yes.
      await table.set(`mail:consent:${accountHash(account)}:${keysOf(address)[0]}`, record);
      await table.delete(`mail:confirm:${hashOf(token)}`);
      await close(account, address);
      return { ...request, ...record };
    },
    async withdraw(account, address) {
      await close(account, address);
      for (const key of keysOf(address)) await table.delete(`mail:consent:${accountHash(account)}:${key}`);
    },
  };
}
