// The postings an account's polls found, a row a day, for previews ("how often did this match") and charts.
// Keys: days:<account>:<YYYY-MM-DD>, owner:<subscription>, owns:<account>:<subscription>.
import { trimmed } from '../domain/ledger.js';
import { createLines } from '../domain/lines.js';
import type { ArchivedPosting, History } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Shelf } from './backend.js';
import { all, key, under } from './keys.js';
import { createTable } from './table.js';

const LIFE_MS = 95 * 86_400_000;
const DAY_MS = 86_400_000;
/** Postings kept of one day: enough to tell how often a filter matches, little enough to write at every poll. */
const A_DAY = 500;

export interface Archive {
  readonly add: History['archive'];
  readonly read: History['archived'];
  /** Notes whose subscription it is, once: what is forgotten by subscription must be found by account. */
  remember(subscription: string, account: string): Promise<void>;
  subscriptionsOf(account: string): Promise<readonly string[]>;
  forgetSubscription(subscription: string): Promise<void>;
  forgetAccount(account: string): Promise<void>;
}

export function createArchive(shelf: Shelf, clock: Clock): Archive {
  const serially = createLines();
  const days = createTable<readonly ArchivedPosting[]>(shelf, clock);
  const owners = createTable<string>(shelf, clock);
  const known = new Map<string, string>();

  async function remember(subscription: string, account: string): Promise<void> {
    if (known.get(subscription) === account) return;
    await owners.set(key('owns', account, subscription), subscription);
    await owners.set(key('owner', subscription), account);
    known.set(subscription, account);
  }

  /** One account's rows change one after the other: subscriptions of an account are polled at the same time. */
  function add(account: string, postings: readonly ArchivedPosting[]): Promise<void> {
    return serially(account, async () => {
      for (const subscription of new Set(postings.map((one) => one.subscription)))
        await remember(subscription, account);
      for (const day of new Set(postings.map((one) => dayOf(one.at)))) {
        const found = postings.filter((one) => dayOf(one.at) === day);
        const row = key('days', account, day);
        const before = (await days.get(row)) ?? [];
        const have = new Set(before.map((one) => one.posting.key));
        const more = found.filter((one) => !have.has(one.posting.key)).slice(0, A_DAY - before.length);
        if (more.length === 0) continue;
        await days.set(
          row,
          [...before, ...more.map((one) => ({ ...one, posting: trimmed(one.posting) }))],
          LIFE_MS,
        );
      }
    });
  }

  return {
    add,
    remember,
    async read(account, wanted, now) {
      const since = now - Math.min(wanted, 90) * DAY_MS;
      const found = new Map<string, ArchivedPosting>();
      const { to } = under('days', account);
      for await (const [, list] of days.range({ from: key('days', account, dayOf(since)), to }, 20))
        for (const one of list)
          if (one.at >= since && one.at <= now && !found.has(one.posting.key))
            found.set(one.posting.key, one);
      return [...found.values()].sort((a, b) => a.at - b.at);
    },
    async subscriptionsOf(account) {
      return (await all(owners, under('owns', account))).map(([, subscription]) => subscription);
    },
    async forgetSubscription(subscription) {
      const account = await owners.get(key('owner', subscription));
      if (account === undefined) return;
      await serially(account, async () => {
        for (const [row, list] of await all(days, under('days', account))) {
          const rest = list.filter((one) => one.subscription !== subscription);
          if (rest.length === 0) await days.delete(row);
          else if (rest.length < list.length) await days.set(row, rest, LIFE_MS);
        }
        await owners.delete(key('owns', account, subscription));
        await owners.delete(key('owner', subscription));
        known.delete(subscription);
      });
    },
    forgetAccount: (account) =>
      serially(account, async () => {
        for (const [row] of await all(days, under('days', account))) await days.delete(row);
      }),
  };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
