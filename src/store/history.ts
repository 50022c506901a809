// History: the last events of each subscription, the editions sent, and the postings found by an account's polls.
// Keys: events:<subscription>, edition:<id>, of:<subscription>:<edition>, by:<account>:<edition>; for those of the archive
// see below. The two indexes are separate rows, so deleting a person's data finds everything that names them without reading
// the rest.

import { partsOf } from '../domain/edition.js';
import { createKeyedMutex } from '../domain/serial.js';
import type { ArchivedPosting, EditionRecord, History, HistoryEvent } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { KvTable } from './backend.js';
import { packDestination, type StoredDestination, unpackDestination } from './destinations.js';
import { key, lastOf, under } from './keys.js';
import type { Sealer } from './sealing.js';
import { all, createTable } from './table.js';

const EVENTS = 50;
const DAY_MS = 86_400_000;
const EDITION_LIFE_MS = 35 * DAY_MS;

interface StoredEdition extends Omit<EditionRecord, 'destination'> {
  readonly destination: StoredDestination;
}

export function createHistory(table: KvTable, clock: Clock, sealer: Sealer): History {
  const serially = createKeyedMutex();
  const events = createTable<readonly HistoryEvent[]>(table, clock);
  const editions = createTable<StoredEdition>(table, clock);
  const index = createTable<string>(table, clock);
  const archive = createArchive(table, clock);
  const at = (id: string) => ({ table: 'history', record: key('edition', id), field: 'destination.target' });

  async function forgetEdition(id: string): Promise<void> {
    const stored = await editions.get(key('edition', id));
    await editions.delete(key('edition', id));
    if (!stored) return;
    await index.delete(key('of', stored.subscription, id));
    await index.delete(key('by', stored.account, id));
  }

  /** Deletes the editions of an index with their index rows, also those that have expired. */
  async function forgetIndexed({ from }: { from: string }): Promise<void> {
    for (const row of await table.keysUnder(from)) {
      await forgetEdition(lastOf(row));
      await index.delete(row);
    }
  }

  async function forgetSubscription(subscription: string): Promise<void> {
    await serially(subscription, async () => {
      await events.delete(key('events', subscription));
      await forgetIndexed(under('of', subscription));
    });
    await archive.forgetSubscription(subscription);
  }

  return {
    note: (subscription, event) =>
      serially(subscription, async () => {
        const row = key('events', subscription);
        const ring = (await events.get(row)) ?? [];
        await events.set(row, [event, ...ring].slice(0, EVENTS));
      }),
    events: async (subscription) => (await events.get(key('events', subscription))) ?? [],
    keepEdition: (record) =>
      serially(record.subscription, async () => {
        const { id, subscription, account } = record;
        // Write the indexes first: a crash then leaves an index row without an edition, never an edition that can't be
        // deleted.
        await index.set(key('of', subscription, id), id, EDITION_LIFE_MS);
        await index.set(key('by', account, id), id, EDITION_LIFE_MS);
        await archive.remember(subscription, account);
        const destination = packDestination(record.destination, at(id), sealer);
        await editions.set(key('edition', id), { ...record, destination }, EDITION_LIFE_MS);
      }),
    async edition(id) {
      const stored = await editions.get(key('edition', id));
      return stored && { ...stored, destination: unpackDestination(stored.destination, at(id), sealer) };
    },
    archive: archive.add,
    archived: archive.read,
    own: (account, subscription) => archive.remember(subscription, account),
    forgetSubscription,
    async forgetAccount(account) {
      for (const subscription of await archive.subscriptionsOf(account))
        await forgetSubscription(subscription);
      await forgetIndexed(under('by', account));
      await archive.forgetAccount(account);
    },
  };
}

// The postings found by an account's polls, for previews ("how often did this match") and charts. Those that a poll found
// together share rows; one that was found alone has its own, which all subscriptions of the account share.
// Keys: days:<account>:<YYYY-MM-DD>:<posting key>, days:<account>:<YYYY-MM-DD>:<subscription>:<key of the first posting>,
// owner:<subscription>, owns:<account>:<subscription>.

const LIFE_MS = 95 * DAY_MS;
/** The most postings in a row. A page of rows is read at a time. */
const MOST_TOGETHER = 20;
/** The most postings read: enough to show how often a filter matches. */
const MOST_READ = 20_000;

interface Archive {
  readonly add: History['archive'];
  readonly read: History['archived'];
  /** Records once which account owns the subscription, so that its data can be found by account and by subscription. */
  remember(subscription: string, account: string): Promise<void>;
  subscriptionsOf(account: string): Promise<readonly string[]>;
  forgetSubscription(subscription: string): Promise<void>;
  forgetAccount(account: string): Promise<void>;
}

function createArchive(table: KvTable, clock: Clock): Archive {
  const days = createTable<ArchivedPosting | readonly ArchivedPosting[]>(table, clock);
  const owners = createTable<string>(table, clock);
  const known = new Map<string, string>();

  async function remember(subscription: string, account: string): Promise<void> {
    if (known.get(subscription) === account) return;
    await owners.set(key('owns', account, subscription), subscription);
    await owners.set(key('owner', subscription), account);
    known.set(subscription, account);
  }

  /** Adds postings. One that is alone, and that the account found on the same day, is not added again. */
  async function add(account: string, postings: readonly ArchivedPosting[]): Promise<void> {
    for (const subscription of new Set(postings.map((one) => one.subscription)))
      await remember(subscription, account);
    const expires = Math.trunc(clock.now() + LIFE_MS);
    const together = new Map<string, ArchivedPosting[]>();
    for (const one of postings) {
      const group = key(dayOf(one.at), one.subscription);
      const others = together.get(group);
      if (others) others.push(one);
      else together.set(group, [one]);
    }
    const writes: Promise<unknown>[] = [];
    for (const all of together.values())
      for (const part of partsOf(all, MOST_TOGETHER)) {
        const [first] = part as [ArchivedPosting];
        const day = dayOf(first.at);
        const { subscription, posting } = first;
        writes.push(
          part.length > 1
            ? table.set(key('days', account, day, subscription, posting.key), { expires, value: part })
            : table.replace(key('days', account, day, posting.key), 0, { expires, value: first }),
        );
      }
    await Promise.all(writes);
  }

  return {
    add,
    remember,
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
