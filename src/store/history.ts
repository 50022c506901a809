// History: the last events of each subscription, the editions sent, and the archive of the postings that polls found.
// Keys: events:<subscription>, edition:<id>, of:<subscription>:<edition>, by:<account>:<edition>; for those of the archive
// see archive.ts. The two indexes are separate rows, so deleting a person's data finds everything that names them without
// reading the rest.

import { createKeyedMutex } from '../domain/serial.js';
import type { EditionRecord, History, HistoryEvent } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Archive } from './archive.js';
import type { KvTable } from './backend.js';
import { packDestination, type StoredDestination, unpackDestination } from './destinations.js';
import { key, lastOf, under } from './keys.js';
import type { Sealer } from './sealing.js';
import { createTable } from './table.js';

const EVENTS = 50;
const DAY_MS = 86_400_000;
const EDITION_LIFE_MS = 35 * DAY_MS;

interface StoredEdition extends Omit<EditionRecord, 'destination'> {
  readonly destination: StoredDestination;
}

export function createHistory(table: KvTable, clock: Clock, sealer: Sealer, archive: Archive): History {
  const serially = createKeyedMutex();
  const events = createTable<readonly HistoryEvent[]>(table, clock);
  const editions = createTable<StoredEdition>(table, clock);
  const index = createTable<string>(table, clock);
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
    archived: archive.read,
    forgetSubscription,
    async forgetAccount(account) {
      for (const subscription of await archive.subscriptionsOf(account))
        await forgetSubscription(subscription);
      await forgetIndexed(under('by', account));
      await archive.forgetAccount(account);
    },
  };
}
