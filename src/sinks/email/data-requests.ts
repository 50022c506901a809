// Exporting or deleting a reader's data, on request from a page behind a mailed link. Mails are forwarded, so that
// link is not enough: another mail, with a link that works once, goes to the address that gets the mails.
import { createHash, randomBytes } from 'node:crypto';
import { accountHash } from '../../domain/account.js';
import { recentOf, waitOf } from '../../domain/limit.js';
import type { DataRequest } from '../../ports/mail-service.js';
import type { Table } from '../../ports/stores.js';
import type { Clock } from '../../ports/system.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Hours for which the mailed link works. */
export const DATA_REQUEST_HOURS = 1;
/** The most mails of this kind that the links of an account may cause in a day. */
const LIMIT = { most: 3, withinMs: DAY };

interface Stored extends DataRequest {
  readonly address: string;
  readonly askedAt: number;
}

/** The open request of an account (a hash of its token), and when requests were made. */
interface Asked {
  readonly open?: string;
  readonly times: readonly number[];
}

export interface DataRequests {
  /** Mails the link. Returns false if there were too many in a day. Rejects if sending fails; then it does not count. */
  ask(request: DataRequest, address: string): Promise<boolean>;
  /** What a link is for; undefined if it is unknown, used, replaced or expired. Changes nothing. */
  peek(token: string): Promise<Stored | undefined>;
  /** Like `peek`, and uses the link up. */
  take(token: string): Promise<Stored | undefined>;
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const slot = (account: string) => `mail:data:${accountHash(account)}`;

/** Deletes the requests of an account that is erased. */
export async function forgetDataRequests(table: Table<unknown>, account: string): Promise<void> {
  const asked = (await table.get(slot(account))) as Asked | undefined;
  if (asked?.open) await table.delete(`mail:datalink:${asked.open}`);
  await table.delete(slot(account));
}

export function createDataRequests(deps: {
  readonly table: Table<unknown>;
  readonly clock: Clock;
  readonly send: (request: DataRequest, address: string, token: string) => Promise<void>;
}): DataRequests {
  const { table, clock, send } = deps;

  async function ask(request: DataRequest, address: string): Promise<boolean> {
    const now = clock.now();
    const key = slot(request.account);
    const token = randomBytes(32).toString('base64url');
    const open = hashOf(token);
    let asked: Asked | undefined;
    let isWithin = false;
    await table.update(
      key,
      (before) => {
        asked = before as Asked | undefined;
        isWithin = waitOf(asked?.times, now, LIMIT) === 0;
        if (!isWithin) return before;
        return { open, times: [...recentOf(asked?.times, now, LIMIT), now] } satisfies Asked;
      },
      DAY,
    );
    if (!isWithin) return false;
    if (asked?.open) await table.delete(`mail:datalink:${asked.open}`);
    const stored: Stored = { ...request, address, askedAt: now };
    await table.set(`mail:datalink:${open}`, stored, DATA_REQUEST_HOURS * HOUR);
    try {
      await send(request, address, token);
    } catch (error) {
      await table.delete(`mail:datalink:${open}`);
      await table.update(key, (before) => withoutRequest(before as Asked | undefined, open, now), DAY);
      throw error;
    }
    return true;
  }

  async function peek(token: string): Promise<Stored | undefined> {
    // A token has 43 characters. Nothing else is looked up in the store.
    if (!/^[\w-]{43}$/u.test(token)) return undefined;
    const stored = (await table.get(`mail:datalink:${hashOf(token)}`)) as Stored | undefined;
    return stored && clock.now() - stored.askedAt < DATA_REQUEST_HOURS * HOUR ? stored : undefined;
  }

  return {
    peek,
    ask,
    async take(token) {
      if (!(await peek(token))) return undefined;
      // If two requests use the link at the same time, one of them finds it deleted.
      let taken: Stored | undefined;
      await table.update(`mail:datalink:${hashOf(token)}`, (before) => {
        taken = before as Stored | undefined;
        return undefined;
      });
      return taken;
    },
  };
}

/** The mail was not sent, so it does not count. */
function withoutRequest(asked: Asked | undefined, open: string, at: number): Asked | undefined {
  if (!asked) return undefined;
  const times = asked.times.filter((one) => one !== at);
  return asked.open === open ? { times } : { ...asked, times };
}
