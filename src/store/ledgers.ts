// Stores ledgers as rows, so that the cost of a change depends on its size. What waits in a long outbox, the seen set and the
// outcome of each delivery are separate rows. An index shows what was delivered at a destination without opening other
// subscriptions' ledgers. Each change is one commit.
//
// A separate index names the ledgers that owe something, so counting does not open the others.
//
// Keys: ledgers `<subscription>`; owed `<subscription>:<number>`; seen `<subscription>:<posting key>`, and
// `<subscription>:<name>` for the keys found under a name; outcomes `<subscription>:<posting key>\n<destination>`; delivered
// `<destination>:<posting key>`; lookups `owes:<subscription>`, `parked:<subscription>`, `waits:<destination>:<subscription>`;
// history `matches:<subscription>:<hour>` with the matches of a day up to that hour.
import { type Backlog, backlogOf, type Owing, placesOf, waitingIn } from '../domain/backlog.js';
import { type Edition, partsOf } from '../domain/edition.js';
import { EMPTY_LEDGER, type Ledger, type Owed, type Waiting } from '../domain/ledger.js';
import { type HourCounts, summed } from '../domain/match-counts.js';
import {
  bounded,
  type Done,
  linkMark,
  MOST_UNDER_NAME,
  namesFor,
  namesOf,
  type Seen,
} from '../domain/seen.js';
import type { DeliveredHere, LedgerCommit, LedgerStore, OpenLedger, Wanted } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Archive } from './archive.js';
import type { Backend, Entry, Versioned, Write } from './backend.js';
import { storeError } from './faults.js';
import { key as keyOf, lastOf, under } from './keys.js';
import type { FencedLease } from './lease.js';
import { idsIn, pagesOf, rowsOf } from './pages.js';
import { readEntry } from './sql-table.js';
import { all, createTable } from './table.js';

/** The part of a ledger that is stored in `ledgers`. */
export interface StoredLedger extends Omit<Ledger, 'seen' | 'done' | 'unread'> {
  /**
   * Set while the outbox is rows of `owed`, and none of it is in `outbox`: what they are in numbers, and the number of the
   * next row.
   */
  readonly unread?: (Waiting & { readonly next: number }) | undefined;
}

const NOTHING: StoredLedger = { ...EMPTY_LEDGER, unread: undefined };

/** An outbox with the rows of `owed` that hold it. */
interface ReadOutbox {
  readonly outbox: readonly Owed[];
  readonly rows: ReadonlyMap<Owed, string>;
}

/**
 * The most postings in the row of a ledger: one that is sent at once needs no row. If more wait, they become rows of `owed`,
 * so that a poll neither reads nor writes those that wait already.
 */
const MOST_INLINE = 1;
/** Rows of `owed` are read in the order of their keys, so their numbers have the same length. */
const NUMBER_LENGTH = 10;

/** A ledger as it was read. `names`: the keys found under each name that was looked for. */
interface Opened extends Pick<ReadOutbox, 'rows'> {
  readonly id: string;
  readonly stored: StoredLedger;
  readonly version: number;
  readonly before: Ledger;
  readonly names: ReadonlyMap<string, readonly string[]> | undefined;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** How long the index keeps what was delivered at a destination. */
const DELIVERED_MS = 90 * DAY;
/** For how long matches are counted, before the last one. */
const MATCHES_MS = 90 * DAY;
const PAGE = 1000;
/** Ledgers read at a time to count what they owe. Each can be some kilobytes. */
const BACKLOGS = 200;

/** What one subscription did with a posting at a destination. */
interface Claim {
  readonly subscription: string;
  readonly how: DeliveredHere['how'];
  readonly link: string;
}

const prefixOf = (subscription: string) => `${encodeURIComponent(subscription)}:`;
/** The key of a row of `seen` or `owed`. */
export const rowOf = (subscription: string, name: string) => prefixOf(subscription) + name;
const outcomeRow = (subscription: string, key: string, destination: string) =>
  `${prefixOf(subscription)}${key}\n${destination}`;
const deliveredRow = (destination: string, key: string) => `${destination}:${key}`;

export function createLedgerStore(
  { kvTables, commit }: Pick<Backend, 'kvTables' | 'commit'>,
  clock: Clock,
  lease: Pick<FencedLease, 'fence'>,
  archive: Pick<Archive, 'writes' | 'written'>,
): LedgerStore {
  const pastDays = createTable<HourCounts>(kvTables.history, clock);

  async function ledgerRow(id: string): Promise<{ stored: StoredLedger | undefined; version: number }> {
    const { entry, version } = await kvTables.ledgers.read(id);
    return { stored: entry?.value as StoredLedger | undefined, version };
  }

  /** Returns a ledger without the seen set and outcomes. */
  async function whole(id: string): Promise<Ledger | undefined> {
    const { stored, version } = await ledgerRow(id);
    if (!stored) return undefined;
    const read = await outboxOf(id, stored, version);
    return read ? { ...stored, outbox: read.outbox, unread: undefined, seen: {}, done: {} } : whole(id);
  }

  /** Returns the whole outbox; undefined if the ledger was changed in the meantime, so the rows may be of another time. */
  async function outboxOf(
    id: string,
    stored: StoredLedger,
    version: number,
  ): Promise<ReadOutbox | undefined> {
    if (!stored.unread) return { outbox: stored.outbox, rows: new Map() };
    const rows = await owedRows(id, stored);
    if ((await kvTables.ledgers.read(id)).version !== version) return undefined;
    if (rows.size !== stored.unread.postings) throw storeError('corrupt', 'a posting that waits is missing');
    return { outbox: [...rows.keys()], rows };
  }

  /** Returns what waits in rows, in the order of the outbox, with the key of each row. */
  async function owedRows(id: string, { unread }: StoredLedger): Promise<Map<Owed, string>> {
    const found = new Map<Owed, string>();
    if (unread)
      for await (const [name, owed] of namedRows('owed', id)) found.set(owed as Owed, rowOf(id, name));
    return found;
  }

  /** Returns entries under any of the keys and names, oldest first, and the keys found under each name. */
  async function seenUnder(
    id: string,
    { keys = [], entries: exact = [], likes = [] }: Wanted,
  ): Promise<{ seen: Record<string, Seen>; names: Map<string, readonly string[]> }> {
    const wantedNames = namesFor(keys, likes);
    const prefix = prefixOf(id);
    const first = await readRows('seen', prefix, [...keys, ...exact, ...wantedNames]);
    const names = new Map<string, readonly string[]>();
    for (const name of wantedNames) names.set(name, (first.get(name)?.value as string[] | undefined) ?? []);
    const entries = new Map<string, Seen>();
    for (const key of [...keys, ...exact]) keepSeen(entries, key, first);
    const more = new Set<string>();
    for (const under of names.values()) for (const key of under) if (!entries.has(key)) more.add(key);
    const others = await readRows('seen', prefix, [...more]);
    for (const key of more) keepSeen(entries, key, others);
    return { seen: Object.fromEntries([...entries].sort(byTime)), names };
  }

  async function backlogs(ids: readonly string[]): Promise<ReadonlyMap<string, Backlog>> {
    const rows = await kvTables.ledgers.readMany(ids);
    const found = new Map<string, Backlog>();
    for (const id of ids) {
      const stored = rows.get(id)?.entry?.value as StoredLedger | undefined;
      const backlog = stored && backlogOf(stored);
      if (backlog) found.set(id, backlog);
    }
    return found;
  }

  /** Returns the rows whose keys are the prefix and one of the names, by name. */
  async function readRows(
    table: 'seen' | 'outcomes' | 'delivered',
    prefix: string,
    names: readonly string[],
  ): Promise<Map<string, Entry>> {
    const found = new Map<string, Entry>();
    const distinct = [...new Set(names)];
    if (distinct.length === 0) return found;
    const rows = await kvTables[table].readMany(distinct.map((name) => prefix + name));
    for (const [row, { entry }] of rows) if (entry) found.set(row.slice(prefix.length), entry);
    return found;
  }

  async function doneOf(
    id: string,
    { keys: wanted, destinations }: NonNullable<Wanted['outcomes']>,
    outbox: readonly Owed[],
  ): Promise<Ledger['done']> {
    const keys = wanted === 'owed' ? outbox.map(({ posting }) => posting.key) : wanted;
    const pairs = keys.flatMap((key) => destinations.map((destination) => `${key}\n${destination}`));
    const rows = await readRows('outcomes', prefixOf(id), pairs);
    return gathered([...rows].map(([pair, entry]) => [pair, entry.value as Done]));
  }

  async function* namedRows(
    table: 'owed' | 'seen' | 'outcomes',
    id: string,
  ): AsyncIterable<readonly [string, unknown]> {
    const prefix = prefixOf(id);
    // The semicolon directly follows the colon in byte order.
    const range = { from: prefix, to: `${prefix.slice(0, -1)};` };
    for await (const [row, text] of rowsOf(kvTables[table], range))
      yield [row.slice(prefix.length), readEntry(text).value] as const;
  }

  async function allSeen(id: string): Promise<Record<string, Seen>> {
    const found: [string, Seen][] = [];
    for await (const [name, value] of namedRows('seen', id))
      if (isKey(name)) found.push([name, value as Seen]);
    return Object.fromEntries(found.sort(byTime));
  }

  async function open(
    id: string,
    wanted?: (ledger: Ledger) => Wanted | Promise<Wanted>,
  ): Promise<OpenLedger> {
    const { stored = NOTHING, version } = await ledgerRow(id);
    const fromRow: Ledger = { seen: {}, done: {}, unread: undefined, ...stored };
    const want = (await wanted?.(fromRow)) ?? {};
    const isCounted = want.owed === 'count';
    const read = isCounted
      ? { outbox: stored.outbox, rows: new Map<Owed, string>() }
      : await outboxOf(id, stored, version);
    if (!read) return open(id, wanted);
    // A ledger without a record has no other rows either.
    const isNew = version === 0;
    const { seen, names } = isNew
      ? { seen: {}, names: undefined }
      : want.all
        ? { seen: await allSeen(id), names: undefined }
        : await seenUnder(id, want);
    const done = want.outcomes ? await doneOf(id, want.outcomes, read.outbox) : {};
    const unread = isCounted ? stored.unread : undefined;
    const before: Ledger = { ...fromRow, outbox: read.outbox, unread, seen, done };
    const opened: Opened = { id, stored, version, before, rows: read.rows, names };
    return {
      ledger: before,
      isNew,
      commit: (next, also) => commitChange(opened, next, also),
    };
  }

  async function commitChange(
    opened: Opened,
    next: Ledger,
    { plans = [], subscriptionVersion, found }: LedgerCommit = {},
  ): Promise<boolean> {
    const { id, version, before } = opened;
    if (before.unread && (next.editions !== before.editions || next.done !== before.done))
      throw new Error(`${id}: postings that wait are to change, and were not read`);
    const { owing, writes: owedWrites } = outboxWrites(opened, next);
    const { counts, writes: dayWrites } = matchWrites(id, before, next);
    // JSON leaves out what is undefined, and V8 takes far longer to copy an object without some of its properties.
    const value = { ...next, ...owing, ...counts, seen: undefined, done: undefined };
    const writes: Write[] = [
      { table: 'ledgers', key: id, version, entry: { value } },
      ...owedWrites,
      ...dayWrites,
      ...(await seenWrites(opened, next)),
      ...outcomeWrites(id, before, next),
      ...(await claimWrites(kvTables, clock, id, claimsOf(id, before, next))),
      ...backlogWrites(id, before, next),
      ...(found ? archive.writes(id, found) : []),
    ];
    if (subscriptionVersion !== undefined)
      writes.push({ table: 'subscriptions', key: id, version: subscriptionVersion });
    const isDone = await commit({ writes, plans, fence: lease.fence() });
    if (isDone && found) archive.written(id, found.account);
    return isDone;
  }

  /** Returns how the counts of matches are stored from now on, and the writes for the rows of past days. */
  function matchWrites(
    id: string,
    before: Ledger,
    { matches }: Ledger,
  ): { readonly counts: Pick<StoredLedger, 'matches'>; readonly writes: readonly Write[] } {
    const [newest] = matches?.hours.at(-1) ?? [];
    const [last] = before.matches?.hours.at(-1) ?? [];
    if (!matches || newest === undefined || last === undefined) return { counts: {}, writes: [] };
    const today = newest - (newest % DAY);
    if (last >= today) return { counts: {}, writes: [] };
    const past = matches.hours.filter(([hour]) => hour < today);
    const expires = Math.trunc(clock.now() + MATCHES_MS + DAY);
    const row = keyOf('matches', id, new Date(last).toISOString().slice(0, 13));
    return {
      counts: { matches: { ...matches, hours: matches.hours.slice(past.length) } },
      writes: [{ table: 'history', key: row, entry: { expires, value: past } }],
    };
  }

  /** Returns writes for the entries that changed, and for the names they are found under from now on. */
  async function seenWrites({ id, version, before, names: known }: Opened, next: Ledger): Promise<Write[]> {
    if (next.seen === before.seen) return [];
    const writes: Write[] = [];
    const prefix = prefixOf(id);
    const added = new Map<string, string[]>();
    for (const [key, entry] of Object.entries(next.seen)) {
      const former = before.seen[key];
      if (former === entry) continue;
      writes.push({ table: 'seen', key: prefix + key, entry: { value: entry } });
      const had = new Set(former ? namesOf(key, former) : []);
      for (const name of namesOf(key, entry))
        if (!had.has(name)) added.set(name, [...(added.get(name) ?? []), key]);
    }
    const unread: string[] = [];
    for (const name of added.keys()) if (!known?.has(name)) unread.push(name);
    const rows = version === 0 ? undefined : await readRows('seen', prefix, unread);
    for (const [name, keys] of added) {
      const listed = known?.get(name) ?? (rows?.get(name)?.value as string[] | undefined) ?? [];
      const value = [...new Set([...listed, ...keys])].slice(-MOST_UNDER_NAME);
      writes.push({ table: 'seen', key: prefix + name, entry: { value } });
    }
    return writes;
  }

  /** Removes a subscription's claims from the index of every destination. */
  async function withdrawClaims(id: string): Promise<void> {
    const { stored } = await ledgerRow(id);
    const named = new Set(stored ? underway(stored).keys() : []);
    for await (const [pair] of namedRows('outcomes', id)) {
      const at = pair.indexOf('\n');
      named.add(deliveredRow(pair.slice(at + 1), pair.slice(0, at)));
    }
    for (const part of partsOf([...named], PAGE)) {
      // Other subscriptions may deliver meanwhile. On a conflict, their writes are read again.
      for (let isDone = false; !isDone; ) {
        const rows = await kvTables.delivered.readMany(part);
        const writes = [...rows].flatMap(([key, { entry, version }]): Write[] => {
          const claims = claimsIn(entry);
          const value = claims.filter(({ subscription }) => subscription !== id);
          if (value.length === claims.length) return [];
          return [{ table: 'delivered', key, version, entry: value.length > 0 ? { ...entry, value } : null }];
        });
        isDone = await commit({ writes });
      }
    }
  }

  async function removeRows(table: 'seen' | 'outcomes', id: string): Promise<void> {
    const rows: string[] = [];
    for await (const [name] of namedRows(table, id)) rows.push(prefixOf(id) + name);
    for (const part of partsOf(rows, PAGE))
      await commit({ writes: part.map((key) => ({ table, key, entry: null })) });
  }

  return {
    open,
    async read(id) {
      const ledger = await whole(id);
      if (!ledger) return undefined;
      const rows: [string, Done][] = [];
      for await (const [pair, value] of namedRows('outcomes', id)) rows.push([pair, value as Done]);
      return { ...ledger, seen: await allSeen(id), done: gathered(rows) };
    },
    owed: whole,
    async outcomesOf(id, key) {
      const from = outcomeRow(id, key, '');
      const rows = await kvTables.outcomes.page({ from, to: `${from.slice(0, -1)}\v` }, PAGE);
      return Object.fromEntries(
        rows.map(([row, text]) => [row.slice(from.length), readEntry(text).value as Done]),
      );
    },
    async deliveredAt(destination, keys) {
      const rows = await readRows('delivered', deliveredRow(destination, ''), keys);
      return new Map([...rows].map(([key, entry]) => [key, claimsIn(entry)]));
    },
    backlogs,
    async *allBacklogs() {
      for await (const page of pagesOf(kvTables.lookups, under('owes'), BACKLOGS))
        yield* await backlogs(page.map(([row]) => lastOf(row)));
    },
    waitingAt: (destination) => idsIn(kvTables.lookups, under('waits', destination)),
    parked: () => idsIn(kvTables.lookups, under('parked')),
    async matches(id) {
      const { stored } = await ledgerRow(id);
      if (!stored?.matches) return undefined;
      const { since, hours: last } = stored.matches;
      const days = await all(pastDays, under('matches', id));
      const hours = summed([...days.flatMap(([, counts]) => counts), ...last]);
      const first = Math.max(since - HOUR, (hours.at(-1)?.[0] ?? 0) - MATCHES_MS);
      return { ...stored.matches, hours: hours.filter(([hour]) => hour > first) };
    },
    async *matchedTimes() {
      for await (const [id, text] of rowsOf(kvTables.ledgers, {})) {
        const { matchedAt } = readEntry(text).value as StoredLedger;
        if (matchedAt !== undefined) yield [id, matchedAt];
      }
    },
    async trim(id, most) {
      // Read first: if another process changes the ledger from now on, the commit finds another version.
      const { stored, version } = await ledgerRow(id);
      if (!stored) return;
      const seen = await allSeen(id);
      const outbox = [...stored.outbox, ...(await owedRows(id, stored)).keys()];
      const shown = [...Object.values(stored.recent).flat(), ...outbox.map(({ posting }) => posting.key)];
      const kept = bounded(seen, new Set(shown), most);
      const gone = Object.keys(seen).filter((key) => !(key in kept));
      const isGone = new Set(gone);
      const writes: Write[] = gone.map((key) => ({ table: 'seen', key: rowOf(id, key), entry: null }));
      for await (const [name, value] of namedRows('seen', id)) {
        if (isKey(name) || !(value as string[]).some((key) => isGone.has(key))) continue;
        const left = (value as string[]).filter((key) => !isGone.has(key));
        const entry = left.length > 0 ? { value: left } : null;
        writes.push({ table: 'seen', key: rowOf(id, name), entry });
      }
      for await (const [pair] of namedRows('outcomes', id))
        if (isGone.has(pair.slice(0, pair.indexOf('\n'))))
          writes.push({ table: 'outcomes', key: prefixOf(id) + pair, entry: null });
      const value: StoredLedger = { ...stored, seenCount: Object.keys(kept).length };
      // If the ledger changed since its version was read, nothing is written and the next trim tries again.
      await commit({
        writes: [{ table: 'ledgers', key: id, version, entry: { value } }, ...writes],
        fence: lease.fence(),
      });
    },
    async remove(id) {
      await withdrawClaims(id);
      await removeRows('seen', id);
      await removeRows('outcomes', id);
      await pastDays.deleteUnder(under('matches', id).from);
      for (let isDone = false; !isDone; ) {
        const { stored, version } = await ledgerRow(id);
        const owed = stored ? await owedRows(id, stored) : new Map<Owed, string>();
        isDone =
          !stored ||
          (await commit({
            writes: [
              { table: 'ledgers', key: id, version, entry: null },
              ...[...owed.values()].map((key) => owedWrite(key, null)),
              ...backlogWrites(id, stored, EMPTY_LEDGER),
            ],
          }));
      }
    },
  };
}

function keepSeen(entries: Map<string, Seen>, key: string, rows: ReadonlyMap<string, Entry>): void {
  const entry = rows.get(key);
  if (entry) entries.set(key, entry.value as Seen);
}
const byTime = ([, a]: readonly [string, Seen], [, b]: readonly [string, Seen]) => a.at - b.at;

/** Returns the writes that put claims into the index. An undefined claim is removed. */
async function claimWrites(
  { delivered }: Pick<Backend['kvTables'], 'delivered'>,
  clock: Clock,
  id: string,
  claims: ReadonlyMap<string, Claim | undefined>,
): Promise<Write[]> {
  const rows = await delivered.readMany([...claims.keys()]);
  return [...claims].map(([row, claim]): Write => {
    const { entry, version } = rows.get(row) ?? { version: 0 };
    const others = claimsIn(entry).filter(({ subscription }) => subscription !== id);
    const value = claim ? [...others, claim] : others;
    const expires = Math.trunc(clock.now() + DELIVERED_MS);
    return { table: 'delivered', key: row, version, entry: value.length > 0 ? { expires, value } : null };
  });
}

function owedWrite(key: string, owed: Owed | null): Write {
  return { table: 'owed', key, entry: owed && { value: owed } };
}

/** Returns how the outbox of a ledger that has none yet is stored, and the writes for its rows. */
export function newOutbox(id: string, outbox: readonly Owed[]): ReturnType<typeof outboxWrites> {
  return outboxWrites({ id, stored: NOTHING, before: EMPTY_LEDGER, rows: new Map() }, { outbox });
}

/** Returns how the outbox of a ledger is stored from now on, and the writes for its rows. */
function outboxWrites(
  { id, stored, before, rows }: Pick<Opened, 'id' | 'stored' | 'before' | 'rows'>,
  next: Pick<Ledger, 'outbox' | 'unread'>,
): { readonly owing: Required<Pick<StoredLedger, 'outbox' | 'unread'>>; readonly writes: readonly Write[] } {
  const { outbox } = next;
  if (outbox === before.outbox)
    return { owing: { outbox: stored.outbox, unread: stored.unread }, writes: [] };
  if (!stored.unread && outbox.length <= MOST_INLINE)
    return { owing: { outbox, unread: undefined }, writes: [] };
  const kept = new Set(outbox);
  const gone = new Set<string>();
  /** The rows of postings that changed, by posting key. */
  const changed = new Map<string, string>();
  for (const [owed, row] of rows) {
    if (kept.has(owed)) continue;
    gone.add(row);
    changed.set(owed.posting.key, row);
  }
  const writes: Write[] = [];
  let added = stored.unread?.next ?? 0;
  for (const owed of outbox) {
    if (rows.has(owed)) continue;
    const { key } = owed.posting;
    const row = changed.get(key) ?? rowOf(id, String(added++).padStart(NUMBER_LENGTH, '0'));
    changed.delete(key);
    gone.delete(row);
    writes.push(owedWrite(row, owed));
  }
  for (const row of gone) writes.push(owedWrite(row, null));
  const waiting = waitingIn(next);
  if (!waiting) return { owing: { outbox: [], unread: undefined }, writes };
  const { postings, oldest, places } = waiting;
  return { owing: { outbox: [], unread: { postings, oldest, places, next: added } }, writes };
}

/**
 * Returns all rows of a ledger that was stored as one record, for migrating an older store. `version`: the record's
 * version. Writing the rows twice does no harm.
 */
export async function wholeLedger(
  kvTables: Pick<Backend['kvTables'], 'delivered'>,
  clock: Clock,
  id: string,
  version: number,
  ledger: Ledger,
): Promise<Write[]> {
  const { seen, done, ...rest } = ledger;
  const names = new Map<string, string[]>();
  for (const [key, entry] of Object.entries(seen))
    for (const name of namesOf(key, entry)) names.set(name, [...(names.get(name) ?? []), key]);
  const claims = claimsOf(id, EMPTY_LEDGER, ledger);
  for (const [key, outcomes] of Object.entries(done))
    for (const [destination, outcome] of Object.entries(outcomes))
      if (outcome?.how === 'sent' || outcome?.how === 'more')
        claims.set(deliveredRow(destination, key), {
          subscription: id,
          how: outcome.how,
          link: outcome.link ?? '',
        });
  const value: StoredLedger = { ...rest, unread: undefined, seenCount: Object.keys(seen).length };
  return [
    { table: 'ledgers', key: id, version, entry: { value } },
    ...Object.entries(seen).map(
      ([key, value]): Write => ({ table: 'seen', key: rowOf(id, key), entry: { value } }),
    ),
    ...[...names].map(
      ([name, keys]): Write => ({
        table: 'seen',
        key: rowOf(id, name),
        entry: { value: keys.slice(-MOST_UNDER_NAME) },
      }),
    ),
    ...outcomeWrites(id, EMPTY_LEDGER, ledger),
    ...(await claimWrites(kvTables, clock, id, claims)),
    ...backlogWrites(id, EMPTY_LEDGER, ledger),
  ];
}

/** The key in `lookups` of a ledger that owes something. */
export function owesKey(id: string): string {
  return keyOf('owes', id);
}

/** Returns the index writes for a ledger's backlog: whether it owes something, and which destinations wait. */
function backlogWrites(id: string, before: Owing, next: Owing): Write[] {
  if (before.outbox === next.outbox && before.editions === next.editions && before.parked === next.parked)
    return [];
  const [known, rows] = [backlogRows(id, before), backlogRows(id, next)];
  const writes: Write[] = [];
  for (const key of rows)
    if (!known.includes(key)) writes.push({ table: 'lookups', key, entry: { value: id } });
  for (const key of known) if (!rows.includes(key)) writes.push({ table: 'lookups', key, entry: null });
  return writes;
}

/** The keys of the index rows of a ledger's backlog; none without one. */
function backlogRows(id: string, owing: Owing): readonly string[] {
  const keys: string[] = [];
  for (const destination of placesOf(owing)) keys.push(keyOf('waits', destination, id));
  if (keys.length > 0) keys.push(owesKey(id));
  if (Object.keys(owing.parked).length > 0) keys.push(keyOf('parked', id));
  return keys;
}

/** Names begin with a symbol, posting keys with a letter. */
function isKey(name: string): boolean {
  return /^[a-z]/u.test(name);
}

/** Groups outcomes by posting key, from rows named by key and destination. */
function gathered(rows: readonly (readonly [string, Done])[]): Ledger['done'] {
  const done: Record<string, Record<string, Done>> = {};
  for (const [pair, outcome] of rows) {
    const at = pair.indexOf('\n');
    const key = pair.slice(0, at);
    done[key] = { ...done[key], [pair.slice(at + 1)]: outcome };
  }
  return done;
}

function outcomeWrites(id: string, before: Ledger, next: Ledger): Write[] {
  if (next.done === before.done) return [];
  return Object.entries(next.done).flatMap(([key, outcomes]) =>
    Object.entries(outcomes)
      // A removed outcome is deleted even if it was not read, because its row may exist.
      .filter(([destination, outcome]) => !outcome || before.done[key]?.[destination] !== outcome)
      .map(
        ([destination, outcome]): Write => ({
          table: 'outcomes',
          key: outcomeRow(id, key, destination),
          entry: outcome ? { value: outcome } : null,
        }),
      ),
  );
}

/** Returns the postings of a ledger's unfinished editions, by index row. */
function underway({ editions }: Pick<Ledger, 'editions'>): Map<string, { key: string; destination: string }> {
  const found = new Map<string, { key: string; destination: string }>();
  const left = (edition: Edition) => [...edition.parts.slice(edition.sent).flat(), ...edition.rest];
  for (const edition of editions)
    for (const key of left(edition)) {
      const { destination } = edition;
      found.set(deliveredRow(destination, key), { key, destination });
    }
  return found;
}

/** Returns the index rows that a change touches, each with the subscription's claim from now on. */
function claimsOf(id: string, before: Ledger, next: Ledger): Map<string, Claim | undefined> {
  const claims = new Map<string, Claim | undefined>();
  if (before.editions === next.editions && before.done === next.done) return claims;
  const linkOf = ({ outbox }: Ledger, key: string) =>
    linkMark(outbox.find(({ posting }) => posting.key === key)?.posting.applyUrl);
  const [was, is] = [underway(before), underway(next)];
  for (const [row, { key }] of is)
    if (!was.has(row)) claims.set(row, { subscription: id, how: 'underway', link: linkOf(next, key) });
  for (const [row, { key, destination }] of was) {
    if (is.has(row)) continue;
    const done = next.done[key]?.[destination];
    const isThere = done?.how === 'sent' || done?.how === 'more';
    claims.set(
      row,
      isThere ? { subscription: id, how: done.how, link: done.link ?? linkOf(before, key) } : undefined,
    );
  }
  return claims;
}

function claimsIn(entry: Versioned['entry']): readonly Claim[] {
  return (entry?.value as readonly Claim[] | undefined) ?? [];
}
