// Subscriptions, whole but for their sealed targets, and the index that finds them by account, server and destination. Both
// are written in one commit, so neither is ever without the other.
// Keys of lookups: account:<account>:<id>, server:<server>:<id>, place:<destination>:<id>, request:<lane>:<subject>:<id>.
// With the record, in the same commit, the requests it needs are due and read in full: see RequestState.

import { deliveryPlan } from '../domain/delivery.js';
import { POLL_QUEUE, type RequestRef, requestsOf, requestUnit } from '../domain/request.js';
import type { Subscription } from '../domain/subscription.js';
import type { Plan } from '../ports/lanes.js';
import type { ChangeOf, SubscriptionStore } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Backend, Write } from './backend.js';
import { packDestination, type StoredDestination, unpackDestination } from './destinations.js';
import { key, under } from './keys.js';
import { requestKey } from './requests.js';
import type { Sealer } from './sealing.js';
import { createTable } from './table.js';

interface StoredSubscription extends Omit<Subscription, 'destinations'> {
  readonly destinations: readonly StoredDestination[];
}

const PAGE = 1000;

/** What a subscription is found by. */
type Side = 'account' | 'server' | 'place' | 'request';

/** A subscription as it is stored or as it is used. */
type Indexed = Omit<Subscription, 'destinations'> & {
  readonly destinations: readonly { readonly id: string }[];
};

/** Keys of the index rows of a subscription. */
export function indexOf(subscription: Indexed): readonly string[] {
  const { id, account, guild, destinations } = subscription;
  return [
    key('account', account, id),
    ...(guild ? [key('server', guild, id)] : []),
    ...new Set(destinations.map((one) => key('place', one.id, id))),
    ...requestsOf(subscription).map(({ lane, subject }) => key('request', lane, subject, id)),
  ];
}

/** Requests that have to be put together anew, and asked, because of a change of a subscription. */
function changedRequests(
  before: Indexed | undefined,
  next: Subscription | undefined,
): { readonly all: readonly RequestRef[]; readonly due: readonly RequestRef[] } {
  const needs = (one: Indexed | undefined) => (one ? requestsOf(one) : []);
  const what = (one: Indexed | undefined) =>
    one && JSON.stringify([one.account, one.filter, one.schedule, one.pausedAt, one.resumedAt]);
  if (what(before) === what(next)) return { all: [], due: [] };
  const all = new Map([...needs(before), ...needs(next)].map((one) => [`${one.lane}${one.subject}`, one]));
  return { all: [...all.values()], due: needs(next) };
}

/** Deliveries to look at because of a change: what is owed may have moved, or go on. */
function changedDeliveries(
  before: Indexed | undefined,
  next: Subscription | undefined,
  at: number,
): readonly Plan[] {
  const what = (one: Indexed) =>
    JSON.stringify([one.destinations.map(({ id }) => id), one.pausedAt, one.resumedAt]);
  if (!before || !next || what(before) === what(next)) return [];
  return next.destinations.map((one) => deliveryPlan(next, one, at));
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
      const requests = changedRequests(stored, next);
      const writes: Write[] = [
        { shelf: 'subscriptions', key: id, version, entry: next ? { value: pack(id, next, stored) } : null },
        ...rows.map((row): Write => ({ shelf: 'lookups', key: row, entry: { value: id } })),
        ...gone.map((row): Write => ({ shelf: 'lookups', key: row, entry: null })),
        ...requests.all.map(
          (one): Write => ({ shelf: 'requests', key: requestKey(one), entry: { value: {} } }),
        ),
      ];
      const plans = requests.due.map(({ lane, subject }) => ({
        queue: POLL_QUEUE,
        lane,
        unit: requestUnit(subject),
        at: clock.now(),
      }));
      if (await commit({ writes, plans: [...plans, ...changedDeliveries(stored, next, clock.now())] }))
        return next;
    }
  }

  /** Ids on one side of the index, in their order. */
  async function idsBy(side: Side, ...what: readonly string[]): Promise<readonly string[]> {
    const { from, to } = under(side, ...what);
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

  const by = async (side: Side, ...what: readonly string[]) => many(await idsBy(side, ...what));

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
    needing: ({ lane, subject }) => by('request', lane, subject),
    async *list() {
      for await (const [, subscription] of table.range({}, PAGE)) yield subscription;
    },
  };
}
