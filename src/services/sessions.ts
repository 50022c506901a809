// The sessions in which people manage all subscriptions of an account in a browser: a link that works once opens one. One
// row for each account, so that using a link up and opening its session are one change, and erasing the account ends
// all of them.
import { accountHash } from '../domain/account.js';
import { type Limit, recentOf, waitOf } from '../domain/limit.js';
import { type Secret, sameSecret } from '../domain/secret.js';
import { sessionCookie, sessionCsrf, sessionHash, sessionOwner } from '../domain/session.js';
import type { LinkBook } from '../ports/mail-service.js';
import type { Services } from '../ports/services.js';
import type { Stores, Table } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A session ends after this time without a request, and at the latest after {@link LONGEST_MS}. */
const IDLE_MS = 30 * MINUTE;
const LONGEST_MS = 12 * 60 * MINUTE;
/** The time of the last request is stored at most this often, so that not every request writes. */
const FRESH_MS = MINUTE;
/** The most sessions of an account at the same time. The one that was opened first ends first. */
const MOST = 5;
/** Any reader of a forwarded mail can ask for a link by mail, which only the confirmed address gets. */
const MAILS: Limit = { most: 3, withinMs: DAY };

/** Times in milliseconds since the epoch. */
interface StoredSession {
  /** Of the secret in the browser's cookie. */
  readonly hash: string;
  readonly openedAt: number;
  readonly usedAt: number;
  /** The account's link epoch at that time. A later one ends the session, as it revokes links. */
  readonly epoch: number;
}

interface Stored {
  readonly account: string;
  /** The random name of the link that works; absent once it was used. */
  readonly link?: string;
  readonly sessions?: readonly StoredSession[];
  /** When links were sent by mail. */
  readonly mailed?: readonly number[];
}

const rowOf = (owner: string) => `manage:${owner}`;

/** Ends the sessions of an account that is erased, and its link. */
export async function forgetSessions(table: Table<unknown>, account: string): Promise<void> {
  await table.delete(rowOf(accountHash(account)));
}

/** When the sessions of an account were opened and last used, for the export. */
export async function sessionsReport(table: Table<unknown>, account: string) {
  const stored = (await table.get(rowOf(accountHash(account)))) as Stored | undefined;
  return (stored?.sessions ?? []).map(({ openedAt, usedAt }) => ({ openedAt, usedAt }));
}

/** `links`: absent in a program without pages. `random` returns 32 random bytes in base64url. */
export function createSessionService(
  { stores: { misc }, clock }: { readonly stores: Pick<Stores, 'misc'>; readonly clock: Clock },
  links: LinkBook | undefined,
  random: () => string,
): Pick<Services, 'manageLink' | 'isManageLink' | 'openSession' | 'session' | 'endSession'> {
  async function read(owner: string): Promise<Stored | undefined> {
    return (await misc.get(rowOf(owner))) as Stored | undefined;
  }

  async function change(
    owner: string,
    edit: (before: Stored | undefined) => Stored | undefined,
  ): Promise<void> {
    await misc.update(rowOf(owner), (before) => edit(before as Stored | undefined), DAY);
  }

  function isOpen({ openedAt, usedAt }: StoredSession): boolean {
    const now = clock.now();
    return now - usedAt < IDLE_MS && now - openedAt < LONGEST_MS;
  }

  /** The session of a cookie with its account; undefined if it ended. */
  async function find(cookie: Secret) {
    const owner = sessionOwner(cookie);
    const stored = owner === undefined ? undefined : await read(owner);
    const session = stored?.sessions?.find((one) => sameSecret(one.hash, sessionHash(cookie)));
    if (!owner || !stored || !session || !isOpen(session)) return undefined;
    if (session.epoch !== (await links?.epoch(stored.account))) return undefined;
    return { owner, account: stored.account, session };
  }

  /** Replaces a session, or removes it. A session that ended meanwhile stays ended. */
  function replace(owner: string, { hash: former }: StoredSession, next: readonly StoredSession[]) {
    return change(
      owner,
      (before) =>
        before && {
          ...before,
          sessions: (before.sessions ?? []).flatMap((one) => (one.hash === former ? next : [one])),
        },
    );
  }

  return {
    async manageLink(account, by) {
      if (!links?.links) return undefined;
      const now = clock.now();
      const link = random();
      let isWithin = true;
      await change(accountHash(account), (before) => {
        isWithin = by === 'reply' || waitOf(before?.mailed, now, MAILS) === 0;
        if (!isWithin) return before;
        const mailed = [...recentOf(before?.mailed, now, MAILS), ...(by === 'mailed' ? [now] : [])];
        return { ...before, account, link, mailed };
      });
      if (!isWithin) return undefined;
      return links.links.manage({ account, edition: link, epoch: await links.epoch(account), now });
    },
    async isManageLink(token) {
      const claim = await links?.open('manage', token);
      const stored = claim && (await read(accountHash(claim.account)));
      return stored?.link !== undefined && stored.link === claim?.edition;
    },
    async openSession(token) {
      const claim = await links?.open('manage', token);
      if (!links || !claim) return undefined;
      const owner = accountHash(claim.account);
      const now = clock.now();
      const cookie = sessionCookie(claim.account, random());
      const session = {
        hash: sessionHash(cookie),
        openedAt: now,
        usedAt: now,
        epoch: await links.epoch(claim.account),
      };
      let isUsed = false;
      await change(owner, (before) => {
        isUsed = before?.link !== undefined && before.link === claim.edition;
        if (!before || !isUsed) return before;
        const { link: _used, sessions = [], ...rest } = before;
        return { ...rest, sessions: [...sessions.filter(isOpen), session].slice(-MOST) };
      });
      return isUsed ? cookie : undefined;
    },
    async session(cookie) {
      const found = await find(cookie);
      if (!found) return undefined;
      const { owner, account, session } = found;
      const now = clock.now();
      if (now - session.usedAt >= FRESH_MS) await replace(owner, session, [{ ...session, usedAt: now }]);
      return { account, csrf: sessionCsrf(cookie) };
    },
    async endSession(cookie) {
      const found = await find(cookie);
      if (found) await replace(found.owner, found.session, []);
    },
  };
}
