// Subscriptions, stored as they are except for their sealed targets, and an index by account, server and destination. One
// commit writes a subscription, its index rows and the note that the change must still be applied, so they always exist
// together. The same commit makes the requests it needs due, to be read in full: see RequestState.
// Keys of lookups: account:<account>:<id>, server:<server>:<id>, place:<destination>:<id>, request:<lane>:<subject>:<id>,
// file:<id>, left:<server>:<id>, until:<id> for a pause with an end, quiet:<id> for quiet weeks; changed:<id> for the note; room:account:<account> and room:server:<server>, see
// roomWrites.
import { deliveryPlan } from '../domain/delivery.js';
import { partsOf } from '../domain/edition.js';
import { type RequestRef, requestsOf, requestUnit } from '../domain/request.js';
import { createKeyedMutex } from '../domain/serial.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { Plan, StateChange } from '../ports/lanes.js';
import type {
  ChangeOf,
  Room,
  SubscriptionChange,
  SubscriptionStore,
  UpdateOptions,
  VersionedSubscription,
} from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Backend, Versioned, Write } from './backend.js';
import { packDestination, type StoredDestination, unpackDestination } from './destinations.js';
import { key, lastOf, under } from './keys.js';
import { idsIn, rowsOf } from './pages.js';
import type { Sealer } from './sealing.js';
import { createTable } from './table.js';

interface StoredSubscription extends Omit<Subscription, 'destinations'> {
  readonly destinations: readonly StoredDestination[];
}

const PAGE = 1000;
/** Subscriptions changed by one commit. */
const AT_ONCE = 250;

/** What an index finds subscriptions by. */
type Side = 'account' | 'server' | 'place' | 'request';

/** A subscription as it is stored or as it is used. */
type Indexed = Omit<Subscription, 'destinations'> & {
  readonly destinations: readonly Pick<Destination, 'id' | 'options'>[];
};

/** Keys of the index rows of a subscription. */
export function indexOf(subscription: Indexed): readonly string[] {
  const { id, account, guild, destinations, origin, leftGuildAt, pausedUntil } = subscription;
  return [
    key('account', account, id),
    ...(guild ? [key('server', guild, id)] : []),
    ...new Set(destinations.map((one) => key('place', one.id, id))),
    ...requestsOf(subscription).map(({ lane, subject }) => key('request', lane, subject, id)),
    ...(origin === 'file' ? [key('file', id)] : []),
    ...(guild && leftGuildAt !== undefined ? [key('left', guild, id)] : []),
    ...(pausedUntil === undefined ? [] : [key('until', id)]),
    ...(destinations.some(({ options }) => options?.quietWeek === true) ? [key('quiet', id)] : []),
  ];
}

const noteOf = (id: string) => key('changed', id);

/** What a note contains: the subscription before the change, null when there was none. */
interface Note {
  readonly former: StoredSubscription | null;
}

/** Returns the requests affected by a change of a subscription: `all` must be rebuilt, `due` must be sent. */
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

/** Returns the deliveries to check because of a change: postings in the outbox may have moved or may be ready to send. */
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
  { kvTables, commit }: Pick<Backend, 'kvTables' | 'commit'>,
  clock: Clock,
  sealer: Sealer,
): SubscriptionStore {
  const { subscriptions, lookups } = kvTables;
  const table = createTable<Subscription>(subscriptions, clock, { pack, unpack });
  const serially = createKeyedMutex();
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

  /**
   * Returns what a change writes; `made` is missing when it changes nothing. `note`: the note of an earlier change, if
   * any.
   */
  function changeIn(
    id: string,
    row: Versioned,
    note: Versioned,
    change: ChangeOf<Subscription>,
    firstAskMs = 0,
  ) {
    const stored = row.entry?.value as StoredSubscription | undefined;
    const before = stored && unpack(id, stored);
    const next = change(before);
    if (next === before) return { stored, next };
    const rows = next ? indexOf(next) : [];
    const known = stored ? indexOf(stored) : [];
    const value = (note.entry?.value as Note | undefined) ?? {
      former: stored ? withoutSecrets(stored) : null,
    };
    const requests = changedRequests(stored, next);
    const writes: Write[] = [
      {
        table: 'subscriptions',
        key: id,
        version: row.version,
        entry: next ? { value: pack(id, next, stored) } : null,
      },
      ...rows
        .filter((one) => !known.includes(one))
        .map((one): Write => ({ table: 'lookups', key: one, entry: { value: id } })),
      ...known
        .filter((one) => !rows.includes(one))
        .map((one): Write => ({ table: 'lookups', key: one, entry: null })),
      { table: 'lookups', key: noteOf(id), version: note.version, entry: { value } },
    ];
    const now = clock.now();
    const due = requests.due.map((one): Plan => ({ ...requestUnit(one), at: now + firstAskMs }));
    // Clear the state of all these requests, including those that no subscription needs any more.
    const states = requests.all.map((one): StateChange => ({ ...requestUnit(one), state: null }));
    return {
      stored,
      next,
      made: { writes, states, plans: [...due, ...changedDeliveries(stored, next, now)] },
    };
  }

  /** Writes changes of different subscriptions together; resolves to false, and writes nothing, if one has a conflict. */
  async function writeAll(changes: readonly Required<ReturnType<typeof changeIn>>[]): Promise<boolean> {
    const writes = new Map<string, Write>();
    for (const { stored, next, made } of changes)
      for (const one of [...made.writes, ...((await roomWrites(stored, next)) ?? [])])
        writes.set(`${one.table}\n${one.key}`, one);
    if (writes.size === 0) return true;
    return commit({
      writes: [...writes.values()],
      plans: changes.flatMap(({ made }) => made.plans),
      states: changes.flatMap(({ made }) => made.states),
    });
  }

  async function update(
    id: string,
    change: ChangeOf<Subscription>,
    { room, firstAskMs }: UpdateOptions = {},
  ): Promise<Subscription | undefined> {
    for (;;) {
      const [row, note] = await Promise.all([subscriptions.read(id), lookups.read(noteOf(id))]);
      const { stored, next, made } = changeIn(id, row, note, change, firstAskMs);
      if (!made) return next;
      const more = await roomWrites(stored, next, room);
      if (!more) return stored && unpack(id, stored);
      if (await commit({ ...made, writes: [...made.writes, ...more] })) return next;
    }
  }

  /**
   * Returns the writes of the `room` rows. Each account and server has such a row, and its version changes whenever a
   * subscription is added there. To add one under a limit, a process reads the row, counts, and commits on the condition
   * that the row is unchanged, so the count is correct. The row is deleted with the last subscription. Returns undefined
   * when `room` refuses the subscription.
   */
  async function roomWrites(
    before: StoredSubscription | undefined,
    next: Subscription | undefined,
    room?: Room,
  ): Promise<readonly Write[] | undefined> {
    const writes: Write[] = [];
    for (const [side, was, is] of [
      ['account', before?.account, next?.account],
      ['server', before?.guild, next?.guild],
    ] as const) {
      if (was === is) continue;
      if (is !== undefined) {
        const row = key('room', side, is);
        if (room) {
          const { version } = await lookups.read(row);
          if (side === 'account' && room.beside) {
            const others = (await by('account', is)).filter((one) => one.id !== next?.id);
            if (!room.beside(others)) return undefined;
          }
          const there = await lookups.page(under(side, is), Math.max(1, room[side]));
          if (there.length >= room[side]) throw room.full(side);
          writes.push({ table: 'lookups', key: row, version, entry: { value: side } });
        } else writes.push({ table: 'lookups', key: row, entry: { value: side } });
      }
      if (was !== undefined) {
        const row = key('room', side, was);
        const { version } = await lookups.read(row);
        const isLast = (await lookups.page(under(side, was), 2)).length < 2;
        if (version !== 0 && isLast) writes.push({ table: 'lookups', key: row, version, entry: null });
      }
    }
    return writes;
  }

  async function withVersions(ids: readonly string[]): Promise<readonly VersionedSubscription[]> {
    const rows = await subscriptions.readMany(ids);
    return ids.flatMap((id) => {
      const { entry, version } = rows.get(id) ?? NO_ROW;
      return entry ? [{ subscription: unpack(id, entry.value), version }] : [];
    });
  }

  const many = async (ids: readonly string[]) =>
    (await withVersions(ids)).map(({ subscription }) => subscription);

  /** Returns the ids that an index has for one account, server, destination or request. */
  async function idsOf(side: Side, ...what: readonly string[]): Promise<readonly string[]> {
    const { from } = under(side, ...what);
    return (await lookups.keysUnder(from)).map(lastOf);
  }

  const by = async (side: Side, ...what: readonly string[]) => many(await idsOf(side, ...what));

  return {
    get: (id) => table.get(id),
    many,
    withVersions,
    // Updates that count the same rows run one at a time, because they would only conflict.
    update: (id, change, options) =>
      options?.room ? serially('room', () => update(id, change, options)) : update(id, change, options),
    async updateAll(ids, change) {
      // The next part is put together while the database writes this one.
      let written: Promise<unknown> = Promise.resolve();
      for (const part of partsOf(ids, AT_ONCE)) {
        const [rows, notes] = await Promise.all([
          subscriptions.readMany(part),
          lookups.readMany(part.map(noteOf)),
        ]);
        const made = part.flatMap((id) => {
          const [row, note] = [rows.get(id) ?? NO_ROW, notes.get(noteOf(id)) ?? NO_ROW];
          const changed = changeIn(id, row, note, (before) => change(before, id));
          return changed.made ? [{ ...changed, made: changed.made }] : [];
        });
        await written;
        written = writeAll(made).then(async (isDone) => {
          // If another process wrote to one of them, each is updated alone.
          if (!isDone) for (const id of part) await update(id, (before) => change(before, id));
        });
        // A failure is thrown above or below. Until then, it must not end the process as unhandled.
        written.catch(() => undefined);
      }
      await written;
    },
    remove: async (id) => void (await update(id, () => undefined)),
    byAccount: (account) => by('account', account),
    async *accounts() {
      let account: string | undefined;
      let count = 0;
      for await (const [row] of rowsOf(lookups, under('account'))) {
        const next = decodeURIComponent(row.split(':')[1] ?? '');
        if (account !== undefined && next !== account) yield [account, count] as const;
        count = next === account ? count + 1 : 1;
        account = next;
      }
      if (account !== undefined) yield [account, count] as const;
    },
    byServer: (server) => by('server', server),
    async byDestination(destination, except) {
      const ids = await idsOf('place', destination);
      return many(ids.filter((id) => id !== except));
    },
    needing: ({ lane, subject }) => by('request', lane, subject),
    idsNeeding: ({ lane, subject }) => idsOf('request', lane, subject),
    idsFromFile: () => idsIn(lookups, under('file')),
    idsLeft: () => idsIn(lookups, under('left')),
    idsPausedUntil: () => idsIn(lookups, under('until')),
    idsWithQuietWeeks: () => idsIn(lookups, under('quiet')),
    async servers() {
      const staying = new Map<string, number>();
      const count = async (side: 'server' | 'left', by: number) => {
        for await (const [row] of rowsOf(lookups, under(side))) {
          const guild = decodeURIComponent(row.split(':')[1] ?? '');
          staying.set(guild, (staying.get(guild) ?? 0) + by);
        }
      };
      await count('server', 1);
      await count('left', -1);
      return [...staying].map(([guild, left]) => ({ guild, left: left <= 0 }));
    },
    async *list() {
      for await (const [, subscription] of table.range({}, PAGE)) yield subscription;
    },
    async changed(most, after) {
      const { from, to } = under('changed');
      const rows = await lookups.page(
        after === undefined ? { from, to } : { after: noteOf(after), to },
        most,
      );
      return rows.map(([row]) => lastOf(row));
    },
    async changeOf(id) {
      const { entry, version } = await lookups.read(noteOf(id));
      if (!entry) return undefined;
      const { former } = entry.value as Note;
      return { id, former: former ? unpack(id, former) : undefined, version };
    },
    settle: ({ id, version }: SubscriptionChange) =>
      commit({ writes: [{ table: 'lookups', key: noteOf(id), version, entry: null }] }),
  };
}

const NO_ROW: Versioned = { version: 0 };

/** A change of keys does not look for secrets in notes, so notes contain none. */
function withoutSecrets(stored: StoredSubscription): StoredSubscription {
  return {
    ...stored,
    destinations: stored.destinations.map((one) =>
      typeof one.target === 'string' ? one : { ...one, target: '' },
    ),
  };
}
