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
  const table = createTable<Subscription>(shelf, clock, { pack, unpack });
  const at = (record: string, destination: string) => ({
    table: 'subscriptions',
    record,
    field: `destinations.${destination}.target`,
  });

  function unpack(id: string, value: unknown): Subscription {
    const stored = value as StoredSubscription;
    return {
      ...stored,
      destinations: stored.destinations.map((one) => unpackDestination(one, at(id, one.id), sealer)),
    };
  }

  function pack(id: string, subscription: Subscription, stored?: unknown): StoredSubscription {
    const before = stored as StoredSubscription | undefined;
    const formerly = (wanted: string) => before?.destinations.find((old) => old.id === wanted);
    return {
      ...subscription,
      destinations: subscription.destinations.map((one) =>
        packDestination(one, at(id, one.id), sealer, formerly(one.id)),
      ),
    };
  }

  return {
    get: (id) => table.get(id),
    async update(id, change) {
      const subscription = await table.update(id, change);
      await announce(id);
      return subscription;
    },
    async remove(id) {
      await table.delete(id);
      await announce(id);
    },
    async *list() {
      for await (const [, subscription] of table.range({}, 1000)) yield subscription;
    },
  };
}
