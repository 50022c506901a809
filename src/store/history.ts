// History: the last events of each subscription, the editions sent, and the postings found by an account's polls.
// Keys: events:<subscription>, edition:<id>, of:<subscription>:<edition>, by:<account>:<edition>, matches:<subscription>;
// days and owners are in archive.ts. The two indexes are separate rows, so deleting a person's data finds everything that
// names them without reading the rest.
import { createKeyedMutex } from '../domain/keyed-mutex.js';
import type { EditionRecord, History, HistoryEvent, MatchCounts } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import { createArchive } from './archive.js';
import type { KvTable } from './backend.js';
import { packDestination, type StoredDestination, unpackDestination } from './destinations.js';
import { all, key, under } from './keys.js';
import type { Sealer } from './sealing.js';
import { createTable } from './table.js';

const EVENTS = 50;
const EDITION_LIFE_MS = 35 * 86_400_000;
const HOUR = 3_600_000;
const MATCHES_LIFE_MS = 90 * 24 * HOUR;

interface StoredEdition extends Omit<EditionRecord, 'destination'> {
  readonly destination: StoredDestination;
}

export function createHistory(table: KvTable, clock: Clock, sealer: Sealer): History {
  const serially = createKeyedMutex();
  const events = createTable<readonly HistoryEvent[]>(table, clock);
  const editions = createTable<StoredEdition>(table, clock);
  const index = createTable<string>(table, clock);
  const matches = createTable<MatchCounts>(table, clock);
  const archive = createArchive(table, clock);
  const at = (id: string) => ({ table: 'history', record: key('edition', id), field: 'destination.target' });

  async function forgetEdition(id: string): Promise<void> {
    const stored = await editions.get(key('edition', id));
    await editions.delete(key('edition', id));
    if (!stored) return;
    await index.delete(key('of', stored.subscription, id));
    await index.delete(key('by', stored.account, id));
  }

  async function forgetIndexed(range: { from: string; to: string }): Promise<void> {
    for (const [row, edition] of await all(index, range)) {
      await forgetEdition(edition);
      await index.delete(row);
    }
  }

  async function forgetSubscription(subscription: string): Promise<void> {
    await serially(subscription, async () => {
      await events.delete(key('events', subscription));
      await matches.delete(key('matches', subscription));
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
    countMatches: ({ account, subscription, at, count, first }) =>
      serially(subscription, async () => {
        await archive.remember(subscription, account);
        const row = key('matches', subscription);
        const before = (first ? undefined : await matches.get(row)) ?? { since: at, whole: first, hours: [] };
        const hour = at - (at % HOUR);
        const others = before.hours.filter(([one]) => one !== hour && one > at - MATCHES_LIFE_MS);
        const now = (before.hours.find(([one]) => one === hour)?.[1] ?? 0) + (first ? 0 : count);
        const hours = [...others, ...(now > 0 ? [[hour, now] as const] : [])].sort(([a], [b]) => a - b);
        await matches.set(row, { ...before, hours });
      }),
    matches: (subscription) => matches.get(key('matches', subscription)),
    forgetSubscription,
    async forgetAccount(account) {
      for (const subscription of await archive.subscriptionsOf(account))
        await forgetSubscription(subscription);
      await forgetIndexed(under('by', account));
      await archive.forgetAccount(account);
    },
  };
}
