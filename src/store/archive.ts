// The postings found by an account's polls, for previews ("how often did this match") and charts. Those that a poll found
// together share rows. One that was found alone has its own row, which all subscriptions of the account share: what the first
// of them found on a day stays.
// Keys: days:<account>:<YYYY-MM-DD>:<posting key>, days:<account>:<YYYY-MM-DD>:<subscription>:<key of the first posting>,
// owner:<subscription>, owns:<account>:<subscription>.

import { partsOf } from '../domain/edition.js';
import type { ArchivedPosting, Found } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { KvTable, Write } from './backend.js';
import { key, under } from './keys.js';
import { all, createTable } from './table.js';

export interface Archive {
  /**
   * Returns the writes that add what a poll of a subscription found. They also record which account owns the subscription,
   * so that its data can be found by account and by subscription.
   */
  writes(subscription: string, found: Found): readonly Write[];
  /** Called once the writes for a subscription are stored: the next ones do not record its owner again. */
  written(subscription: string, account: string): void;
  /** Records which account owns the subscription. */
  remember(subscription: string, account: string): Promise<void>;
  /** Postings first seen within the last `days` (at most 90), oldest first. */
  read(account: string, days: number, now: number): Promise<readonly ArchivedPosting[]>;
  subscriptionsOf(account: string): Promise<readonly string[]>;
  forgetSubscription(subscription: string): Promise<void>;
  forgetAccount(account: string): Promise<void>;
}

const DAY_MS = 86_400_000;
const LIFE_MS = 95 * DAY_MS;
/** The most postings in a row. A page of rows is read at a time. */
const MOST_TOGETHER = 20;
/** The most postings read: enough to show how often a filter matches. */
const MOST_READ = 20_000;

export function createArchive(table: KvTable, clock: Clock): Archive {
  const days = createTable<ArchivedPosting | readonly ArchivedPosting[]>(table, clock);
  const owners = createTable<string>(table, clock);
  /** The account of each subscription whose owner this process has recorded. */
  const known = new Map<string, string>();

  const ownerRows = (subscription: string, account: string) =>
    known.get(subscription) === account
      ? []
      : ([
          [key('owns', account, subscription), subscription],
          [key('owner', subscription), account],
        ] as const);

  return {
    writes(subscription, { account, at, postings }) {
      const writes: Write[] = [];
      for (const [row, value] of ownerRows(subscription, account))
        writes.push({ table: 'history', key: row, entry: { value } });
      const expires = Math.trunc(clock.now() + LIFE_MS);
      for (const part of partsOf(postings, MOST_TOGETHER)) {
        const archived = part.map((posting): ArchivedPosting => ({ at, subscription, posting }));
        const [first] = archived as [ArchivedPosting];
        const isAlone = archived.length === 1;
        const name = isAlone ? [first.posting.key] : [subscription, first.posting.key];
        writes.push({
          table: 'history',
          key: key('days', account, dayOf(at), ...name),
          entry: { expires, value: isAlone ? first : archived },
          ifAbsent: isAlone,
        });
      }
      return writes;
    },
    written(subscription, account) {
      known.set(subscription, account);
    },
    async remember(subscription, account) {
      for (const [row, value] of ownerRows(subscription, account)) await owners.set(row, value);
      known.set(subscription, account);
    },
    async read(account, wanted, now) {
      const since = now - Math.min(wanted, 90) * DAY_MS;
      const found = new Map<string, ArchivedPosting>();
      const row = (at: number) => key('days', account, dayOf(at));
      for await (const [, stored] of days.range({ from: row(since), to: row(now + DAY_MS) })) {
        for (const one of [stored].flat())
          if (one.at >= since && one.at <= now && one.at < (found.get(one.posting.key)?.at ?? Infinity))
            found.set(one.posting.key, one);
        if (found.size >= MOST_READ) break;
      }
      return [...found.values()].sort((a, b) => a.at - b.at);
    },
    async subscriptionsOf(account) {
      return (await all(owners, under('owns', account))).map(([, subscription]) => subscription);
    },
    async forgetSubscription(subscription) {
      const account = await owners.get(key('owner', subscription));
      if (account === undefined) return;
      for (const [row, stored] of await all(days, under('days', account)))
        if ([stored].flat().some((one) => one.subscription === subscription)) await days.delete(row);
      await owners.delete(key('owns', account, subscription));
      await owners.delete(key('owner', subscription));
      known.delete(subscription);
    },
    forgetAccount: (account) => days.deleteUnder(under('days', account).from),
  };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
