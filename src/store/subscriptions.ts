// Subscriptions, whole but for their sealed targets, and the index that finds them by account, server and destination. Both
// are written in one commit, so neither is ever without the other.
// Keys of lookups: account:<account>:<id>, server:<server>:<id>, place:<destination>:<id>.
import type { Subscription } from '../domain/subscription.js';
import type { ChangeOf, SubscriptionStore } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Backend, Write } from './backend.js';
import { packDestination, type StoredDestination, unpackDestination } from './destinations.js';
import { key, under } from './keys.js';
import type { Sealer } from './sealing.js';
import { createTable } from './table.js';

interface StoredSubscription extends Omit<Subscription, 'destinations'> {
  readonly destinations: readonly StoredDestination[];
}

const PAGE = 1000;

/** What a subscription is found by. */
type Side = 'account' | 'server' | 'place';

/** Keys of the index rows of a subscription. */
export function indexOf({
  id,
  account,
  guild,
  destinations,
}: Pick<Subscription, 'id' | 'account' | 'guild'> & {
  readonly destinations: readonly { readonly id: string }[];
}): readonly string[] {
  return [
    key('account', account, id),
    ...(guild ? [key('server', guild, id)] : []),
    ...new Set(destinations.map((one) => key('place', one.id, id))),
  ];
}

export function createSubscriptionStore(
  { shelves, commit }: Pick<Backend, 'shelves' | 'commit'>,
  clock: Clock,
  sealer: Sealer,
  announce: (id: string) => Promise<void>,
): SubscriptionStore {
  const { subscriptions: shelf, lookups } = shelves;
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

  async function update(id: string, change: ChangeOf<Subscription>): Promise<Subscription | undefined> {
    for (;;) {
      const { entry, version } = await shelf.read(id);
      const stored = entry?.value as StoredSubscription | undefined;
      const before = stored && unpack(id, stored);
      const next = change(before);
      if (next === before) return next;
      const rows = next ? indexOf(next) : [];
      const gone = stored ? indexOf(stored).filter((row) => !rows.includes(row)) : [];
      const writes: Write[] = [
        { shelf: 'subscriptions', key: id, version, entry: next ? { value: pack(id, next, stored) } : null },
        ...rows.map((row): Write => ({ shelf: 'lookups', key: row, entry: { value: id } })),
        ...gone.map((row): Write => ({ shelf: 'lookups', key: row, entry: null })),
      ];
      if (await commit({ writes })) return next;
    }
  }

  /** Ids on one side of the index, in their order. */
  async function idsBy(side: Side, what: string): Promise<readonly string[]> {
    const { from, to } = under(side, what);
    const ids: string[] = [];
    for (let after: string | undefined; ; ) {
      const rows = await lookups.page(after === undefined ? { from, to } : { after, to }, PAGE);
      ids.push(...rows.map(([row]) => decodeURIComponent(row.slice(from.length))));
      if (rows.length < PAGE) return ids;
      after = rows.at(-1)?.[0];
    }
  }

  async function many(ids: readonly string[]): Promise<readonly Subscription[]> {
    const rows = await shelf.readMany(ids);
    return ids.flatMap((id) => {
      const entry = rows.get(id)?.entry;
      return entry ? [unpack(id, entry.value)] : [];
    });
  }

  const by = async (side: Side, what: string) => many(await idsBy(side, what));

  return {
    get: (id) => table.get(id),
    many,
    async update(id, change) {
      const subscription = await update(id, change);
      await announce(id);
      return subscription;
    },
    async remove(id) {
      await update(id, () => undefined);
      await announce(id);
    },
    byAccount: (account) => by('account', account),
    byServer: (server) => by('server', server),
    byDestination: (destination) => by('place', destination),
    async *list() {
      for await (const [, subscription] of table.range({}, PAGE)) yield subscription;
    },
  };
}
