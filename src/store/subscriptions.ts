// Subscriptions, whole but for their sealed targets.
import type { Subscription } from '../domain/subscription.js';
import type { SubscriptionStore } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Shelf } from './backend.js';
import { packDestination, type StoredDestination, unpackDestination } from './destinations.js';
import type { Sealer } from './sealing.js';
import { createTable } from './table.js';

interface StoredSubscription extends Omit<Subscription, 'destinations'> {
  readonly destinations: readonly StoredDestination[];
}

/**
 * There are no indexes by server, channel, account or state, on purpose: a running service keeps all subscriptions in
 * memory (pipeline/catalogue.ts), filled at start from one pass of `list()` in key order, a page at a time and so
 * never whole in memory here, and answers every "which of …" from there; the command line makes one pass. So the
 * store owes two things, a fast pass and point reads, and an index would only be one more thing a crash between
 * two writes could leave wrong. 100,000 subscriptions are listed in about two seconds on one core,
 * with a heap under 100 MB.
 */
export function createSubscriptionStore(
  shelf: Shelf,
  clock: Clock,
  sealer: Sealer,
  announce: (id: string) => Promise<void>,
): SubscriptionStore {
  const table = createTable<StoredSubscription>(shelf, clock);
  const at = (record: string, destination: string) => ({
    table: 'subscriptions',
    record,
    field: `destinations.${destination}.target`,
  });

  function unpack(id: string, stored: StoredSubscription): Subscription {
    return {
      ...stored,
      destinations: stored.destinations.map((one) => unpackDestination(one, at(id, one.id), sealer)),
    };
  }

  return {
    async get(id) {
      const stored = await table.get(id);
      return stored && unpack(id, stored);
    },
    async put(subscription) {
      const { id, destinations } = subscription;
      const blank = destinations.some((one) => one.target === '');
      const before = blank ? await table.get(id) : undefined;
      await table.set(id, {
        ...subscription,
        destinations: destinations.map((one) =>
          packDestination(
            one,
            at(id, one.id),
            sealer,
            before?.destinations.find((old) => old.id === one.id),
          ),
        ),
      });
      await announce(id);
    },
    async remove(id) {
      await table.delete(id);
      await announce(id);
    },
    async *list() {
      for await (const [id, stored] of table.range({}, 1000)) yield unpack(id, stored);
    },
  };
}
