// Anyone can type any address, so an address gets nothing but a confirm mail until its owner agrees. The person who
// typed it always gets the same answer, which does not reveal whether it is known, refused or bouncing.

import { createHash, randomBytes } from 'node:crypto';
import { accountHash } from '../../domain/account.js';
import { defined } from '../../domain/defined.js';
import { recentOf, waitOf } from '../../domain/limit.js';
import type { LinkKey } from '../../domain/link-token.js';
import { isTag } from '../../domain/tags.js';
import type { Table } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';
import { describeTags } from '../../render/describe.js';
import { addressKeys, oneMailbox } from './address.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Hours for which a confirm link works. Below: the most confirm mails per day (mail rules, double opt-in). */
export const CONFIRM_HOURS = 48;
const PER_ADDRESS = 3;
const PER_ACCOUNT = 10;

/** An account's request to send mails to an address, and what they are about. */
export interface ConsentRequest {
  readonly account: string;
  readonly address: string;
  readonly locale: string;
  /**
   * Slugs of tags; unknown ones are left out. The account cannot add its own text, because the mail goes to an
   * address that anyone may have typed.
   */
  readonly tags?: readonly string[];
}

interface Open extends ConsentRequest {
  readonly askedAt: number;
}

/** When and to what a reader agreed. Times in milliseconds since the epoch. */
interface ConsentRecord {
  readonly askedAt: number;
  readonly confirmedAt: number;
  readonly about?: string;
}

type Confirmed = ConsentRequest & ConsentRecord;

/** The tags of a request in words, for the mail, the page and the record; undefined when it has no known tag. */
export function consentAbout({ tags = [], locale }: ConsentRequest): string | undefined {
  const known = tags.filter(isTag);
  return known.length > 0 ? describeTags(known, locale) : undefined;
}

export interface Consent {
  /**
   * Sends the confirm mail. Returns false while a limit holds it back. The result does not show whether the address
   * is suppressed. Rejects as `send` and `probe` do; a mail that was not sent does not count.
   */
  request(request: ConsentRequest): Promise<boolean>;
  /** True while a confirm link for this address is open. */
  waiting(account: string, address: string): Promise<boolean>;
  /** The request behind a token; undefined if the token does not work. Changes nothing: for the page with the button. */
  peek(token: string): Promise<ConsentRequest | undefined>;
  /** Uses a token up and stores the consent. Undefined for a token that is unknown, used or expired. */
  confirm(token: string): Promise<Confirmed | undefined>;
  given(account: string, address: string): Promise<ConsentRecord | undefined>;
  /** Deletes the consent and any open question. */
  withdraw(account: string, address: string): Promise<void>;
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/**
 * Deletes an account's consents and open questions, including those for addresses it no longer has. Returns the
 * hashes of those addresses. The mails of the last day stay counted, under keyed hashes, until the day is over;
 * otherwise erasing an account would reset the limits.
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
 * `send` mails the confirm link with the token. `blocked` returns true for an address that must not get any mail.
 * `probe` does what `send` does except sending, so a mail that is held back takes as long and fails in the same way.
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

  /** Counts one more mail in the last day; false when there were `most` already. */
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

  /** Removes the newest entry of a count, because its mail was not sent. */
  async function uncount(key: string): Promise<void> {
    await table.update(key, (before) => (before as readonly number[] | undefined)?.slice(0, -1), DAY);
  }

  async function openOf(token: string): Promise<Open | undefined> {
    // A token has 43 characters. Nothing else is looked up in the store.
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
    // A new question replaces the open one, so at most one link works, even when two requests arrive together.
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
      const record = { askedAt, confirmedAt: clock.now(), ...defined({ about: about || undefined }) };
      // Written before the token is used up: after a crash in between, the link works again and no consent is lost.
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
