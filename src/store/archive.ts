// The postings found by an account's polls, one row each, for previews ("how often did this match") and charts.
// Keys: days:<account>:<YYYY-MM-DD>:<posting key>, owner:<subscription>, owns:<account>:<subscription>.
import { trimmed } from '../domain/ledger.js';
import type { ArchivedPosting, History } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { KvTable } from './backend.js';
import { all, key, under } from './keys.js';
import { createTable } from './table.js';

const LIFE_MS = 95 * 86_400_000;
const DAY_MS = 86_400_000;
/** The most postings read: enough to show how often a filter matches. */
const MOST_READ = 20_000;

export interface Archive {
  readonly add: History['archive'];
  readonly read: History['archived'];
  /** Records once which account owns the subscription, so that its data can be found by account and by subscription. */
  remember(subscription: string, account: string): Promise<void>;
  subscriptionsOf(account: string): Promise<readonly string[]>;
  forgetSubscription(subscription: string): Promise<void>;
  forgetAccount(account: string): Promise<void>;
}

export function createArchive(table: KvTable, clock: Clock): Archive {
  const days = createTable<ArchivedPosting>(table, clock);
  const owners = createTable<string>(table, clock);
  const known = new Map<string, string>();

  async function remember(subscription: string, account: string): Promise<void> {
    if (known.get(subscription) === account) return;
    await owners.set(key('owns', account, subscription), subscription);
    await owners.set(key('owner', subscription), account);
    known.set(subscription, account);
  }

  /** Adds postings. One that another subscription of the account archived on the same day is not changed. */
  async function add(account: string, postings: readonly ArchivedPosting[]): Promise<void> {
    for (const subscription of new Set(postings.map((one) => one.subscription)))
      await remember(subscription, account);
    const rows = new Map(postings.map((one) => [key('days', account, dayOf(one.at), one.posting.key), one]));
    const there = await table.readMany([...rows.keys()]);
    const fresh = [...rows].filter(([row]) => !there.has(row));
    await Promise.all(
      fresh.map(([row, one]) => days.set(row, { ...one, posting: trimmed(one.posting) }, LIFE_MS)),
    );
  }

  return {
    add,
    remember,
    async read(account, wanted, now) {
      const since = now - Math.min(wanted, 90) * DAY_MS;
      const found = new Map<string, ArchivedPosting>();
      const { to } = under('days', account);
      for await (const [, one] of days.range({ from: key('days', account, dayOf(since)), to })) {
        if (one.at >= since && one.at <= now && !found.has(one.posting.key)) found.set(one.posting.key, one);
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
      for (const [row, one] of await all(days, under('days', account)))
        if (one.subscription === subscription) await days.delete(row);
      await owners.delete(key('owns', account, subscription));
      await owners.delete(key('owner', subscription));
      known.delete(subscription);
    },
    async forgetAccount(account) {
      for (const [row] of await all(days, under('days', account))) await days.delete(row);
    },
  };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
