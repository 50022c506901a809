// Stores ledgers as rows, so that the cost of a change depends on its size. The outbox is in one small record; the postings
// of a long outbox, the seen set and the outcome of each delivery are separate rows, read by key. An index shows what was
// delivered at a destination without opening other subscriptions' ledgers. Each change is one commit.
//
// A separate index shows how much each ledger owes, so counting does not open ledgers.
//
// Keys: ledgers `<subscription>`; owed `<subscription>:<posting key>`; seen the same, and `<subscription>:<name>` for the keys
// found under a name; outcomes `<subscription>:<posting key>\n<destination>`; delivered `<destination>:<posting key>`; lookups
// `owes:<subscription>`, `parked:<subscription>`, `waits:<destination>:<subscription>`; polls `<subscription>`, see
// {@link FormerState}.
import { type Backlog, backlogOf, type Owing } from '../domain/backlog.js';
import { defined } from '../domain/defined.js';
import { type Edition, partsOf } from '../domain/edition.js';
import { EMPTY_LEDGER, type Ledger, type Owed } from '../domain/ledger.js';
import type { Posting } from '../domain/posting.js';
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
import type { Backend, Entry, Versioned, Write } from './backend.js';
import { storeError } from './faults.js';
import { key as keyOf, lastOf, under } from './keys.js';
import type { FencedLease } from './lease.js';
import { idsIn, pagesOf, rowsOf } from './pages.js';
import { readEntry } from './sql-table.js';

/** What waits to be sent, as stored. `row`: the key of the posting, if the posting is a row of `owed`. */
type StoredOwed = Owed | (Omit<Owed, 'posting'> & { readonly row: string });

/** The part of a ledger that is stored in `ledgers`. */
type Small = Omit<Ledger, 'seen' | 'done' | 'outbox'> & { readonly outbox: readonly StoredOwed[] };

/**
 * The most postings in the row of a ledger: one that is sent at once needs no row. If more wait, they become rows of `owed`,
 * so that each poll does not write all of them again.
 */
const MOST_INLINE = 1;

/** A ledger as it was read. `names`: the keys found under each name that was looked for. */
interface Opened {
  readonly id: string;
  readonly stored: Small;
  readonly version: number;
  readonly before: Ledger;
  readonly names: ReadonlyMap<string, readonly string[]> | undefined;
}

/** How long the index keeps what was delivered at a destination. */
const DELIVERED_MS = 90 * 86_400_000;
const PAGE = 1000;

/** What one subscription did with a posting at a destination. */
interface Claim {
  readonly subscription: string;
  readonly how: DeliveredHere['how'];
  readonly link: string;
}

const prefixOf = (subscription: string) => `${encodeURIComponent(subscription)}:`;
/** The key of a row of `seen` or `owed`. */
const rowOf = (subscription: string, name: string) => prefixOf(subscription) + name;
const outcomeRow = (subscription: string, key: string, destination: string) =>
  `${prefixOf(subscription)}${key}\n${destination}`;
const deliveredRow = (destination: string, key: string) => `${destination}:${key}`;

export function createLedgerStore(
  { kvTables, commit }: Pick<Backend, 'kvTables' | 'commit'>,
  clock: Clock,
  lease: Pick<FencedLease, 'fence'>,
): LedgerStore {
  async function small(id: string): Promise<{ stored: Small | undefined; version: number }> {
    const { entry, version } = await kvTables.ledgers.read(id);
    const stored = entry?.value as Small | undefined;
    if (!stored || stored.heard) return { stored, version };
    const [complete] = await withFormerStates([[id, stored]]);
    return { stored: complete?.[1], version };
  }

  /** Adds to ledgers of earlier versions what those kept about their polls. */
  async function withFormerStates(
    ledgers: readonly (readonly [id: string, stored: Small])[],
  ): Promise<typeof ledgers> {
    const rows = await kvTables.polls.readMany(ledgers.flatMap(([id, { heard }]) => (heard ? [] : id)));
    return ledgers.map(([id, stored]) => {
      const state = rows.get(id)?.entry?.value as FormerState | undefined;
      if (!state) return [id, stored];
      const { heard = {}, matchedAt, watch } = state;
      return [id, { ...stored, heard, ...defined({ matchedAt, toldGaps: watch }) }];
    });
  }

  /** Returns a ledger without the seen set and outcomes. */
  async function whole(id: string): Promise<Ledger | undefined> {
    const { stored, version } = await small(id);
    if (!stored) return undefined;
    const outbox = await outboxOf(id, stored, version);
    return outbox ? { ...stored, outbox, seen: {}, done: {} } : whole(id);
  }

  /**
   * Returns the outbox with its postings; undefined if the ledger was changed in the meantime, so a posting of it may be
   * gone.
   */
  async function outboxOf(
    id: string,
    { outbox }: Small,
    version: number,
  ): Promise<readonly Owed[] | undefined> {
    const keys = rowsIn(outbox);
    const rows = await readRows('owed', [...keys], (key) => rowOf(id, key));
    if (rows.size === keys.size) return outbox.map((one) => withPosting(one, rows));
    if ((await small(id)).version === version) throw storeError('corrupt', 'a posting that waits is missing');
    return undefined;
  }

  /** Returns entries under any of the keys and names, oldest first, and the keys found under each name. */
  async function seenUnder(
    id: string,
    { keys = [], entries: exact = [], likes = [] }: Wanted,
  ): Promise<{ seen: Record<string, Seen>; names: Map<string, readonly string[]> }> {
    const wantedNames = namesFor(keys, likes);
    const first = await readRows('seen', [...keys, ...exact, ...wantedNames], (name) => rowOf(id, name));
    const names = new Map<string, readonly string[]>();
    for (const name of wantedNames) names.set(name, (first.get(name)?.value as string[] | undefined) ?? []);
    const entries = new Map<string, Seen>();
    for (const key of [...keys, ...exact]) keepSeen(entries, key, first);
    const more = new Set<string>();
    for (const under of names.values()) for (const key of under) if (!entries.has(key)) more.add(key);
    const others = await readRows('seen', [...more], (key) => rowOf(id, key));
    for (const key of more) keepSeen(entries, key, others);
    return { seen: Object.fromEntries([...entries].sort(byTime)), names };
  }

  async function readRows(
    table: 'owed' | 'seen' | 'outcomes' | 'delivered',
    names: readonly string[],
    rowNamed: (name: string) => string,
  ): Promise<Map<string, Entry>> {
    const found = new Map<string, Entry>();
    const distinct = [...new Set(names)];
    if (distinct.length === 0) return found;
    const rows = await kvTables[table].readMany(distinct.map(rowNamed));
    for (const name of distinct) {
      const entry = rows.get(rowNamed(name))?.entry;
      if (entry) found.set(name, entry);
    }
    return found;
  }

  async function doneOf(id: string, { keys, destinations }: NonNullable<Wanted['outcomes']>) {
    const pairs = keys.flatMap((key) => destinations.map((destination) => `${key}\n${destination}`));
    const rows = await readRows('outcomes', pairs, (pair) => prefixOf(id) + pair);
    return gathered([...rows].map(([pair, entry]) => [pair, entry.value as Done]));
  }

  async function* namedRows(
    table: 'seen' | 'outcomes',
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
    const { stored = EMPTY_LEDGER, version } = await small(id);
    const unread = { ...stored, outbox: stored.outbox.map(unreadOwed) };
    const want = (await wanted?.({ ...unread, seen: {}, done: {} })) ?? {};
    const outbox = want.owed === 'keys' ? unread.outbox : await outboxOf(id, stored, version);
    if (!outbox) return open(id, wanted);
    // A ledger without a record has no other rows either.
    const isNew = version === 0;
    const { seen, names } = isNew
      ? { seen: {}, names: undefined }
      : want.all
        ? { seen: await allSeen(id), names: undefined }
        : await seenUnder(id, want);
    const done = want.outcomes ? await doneOf(id, want.outcomes) : {};
    const before: Ledger = { ...stored, outbox, seen, done };
    const opened: Opened = { id, stored, version, before, names };
    return {
      ledger: before,
      isNew,
      commit: (next, also) => commitChange(opened, next, also),
    };
  }

  async function commitChange(
    opened: Opened,
    next: Ledger,
    { plans = [], subscriptionVersion }: LedgerCommit = {},
  ): Promise<boolean> {
    const { id, stored, version, before } = opened;
    const { seen: _seen, done: _done, outbox: owed, ...rest } = next;
    const { outbox, writes: owedWrites } = outboxWrites(id, stored.outbox, before.outbox, owed);
    const writes: Write[] = [
      { table: 'ledgers', key: id, version, entry: { value: { ...rest, outbox } satisfies Small } },
      ...owedWrites,
      ...(await seenWrites(opened, next)),
      ...outcomeWrites(id, before, next),
      ...(await claimWrites(kvTables, clock, id, claimsOf(id, before, next))),
      ...backlogWrites(id, before, next),
    ];
    if (subscriptionVersion !== undefined)
      writes.push({ table: 'subscriptions', key: id, version: subscriptionVersion });
    return commit({ writes, plans, fence: lease.fence() });
  }

  /** Returns writes for the entries that changed, and for the names they are found under from now on. */
  async function seenWrites({ id, version, before, names: known }: Opened, next: Ledger): Promise<Write[]> {
    if (next.seen === before.seen) return [];
    const writes: Write[] = [];
    const added = new Map<string, string[]>();
    for (const [key, entry] of Object.entries(next.seen)) {
      const former = before.seen[key];
      if (former === entry) continue;
      writes.push({ table: 'seen', key: rowOf(id, key), entry: { value: entry } });
      const had = new Set(former ? namesOf(key, former) : []);
      for (const name of namesOf(key, entry))
        if (!had.has(name)) added.set(name, [...(added.get(name) ?? []), key]);
    }
    const unread: string[] = [];
    for (const name of added.keys()) if (!known?.has(name)) unread.push(name);
    const rows = version === 0 ? undefined : await readRows('seen', unread, (name) => rowOf(id, name));
    for (const [name, keys] of added) {
      const listed = known?.get(name) ?? (rows?.get(name)?.value as string[] | undefined) ?? [];
      const value = [...new Set([...listed, ...keys])].slice(-MOST_UNDER_NAME);
      writes.push({ table: 'seen', key: rowOf(id, name), entry: { value } });
    }
    return writes;
  }

  /** Removes a subscription's claims from the index of every destination. */
  async function withdrawClaims(id: string): Promise<void> {
    const { stored } = await small(id);
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
      const rows = await readRows('delivered', keys, (key) => deliveredRow(destination, key));
      return new Map([...rows].map(([key, entry]) => [key, claimsIn(entry)]));
    },
    async backlogs(ids) {
      const rows = await kvTables.lookups.readMany(ids.map((id) => keyOf('owes', id)));
      return new Map(
        ids.flatMap((id) => {
          const entry = rows.get(keyOf('owes', id))?.entry;
          return entry ? [[id, entry.value as Backlog] as const] : [];
        }),
      );
    },
    async *allBacklogs() {
      for await (const [row, text] of rowsOf(kvTables.lookups, under('owes')))
        yield [lastOf(row), readEntry(text).value as Backlog] as const;
    },
    waitingAt: (destination) => idsIn(kvTables.lookups, under('waits', destination)),
    parked: () => idsIn(kvTables.lookups, under('parked')),
    async *matchedTimes() {
      for await (const page of pagesOf(kvTables.ledgers, {}, PAGE)) {
        const all = page.map(([id, text]) => [id, readEntry(text).value as Small] as const);
        for (const [id, { matchedAt }] of await withFormerStates(all))
          if (matchedAt !== undefined) yield [id, matchedAt];
      }
    },
    async trim(id, most) {
      // Read first: if another process changes the ledger from now on, the commit finds another version.
      const { stored, version } = await small(id);
      if (!stored) return;
      const seen = await allSeen(id);
      const shown = [...Object.values(stored.recent).flat(), ...stored.outbox.map(keyOfOwed)];
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
      const value: Small = { ...stored, seenCount: Object.keys(kept).length };
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
      for (let isDone = false; !isDone; ) {
        const { stored, version } = await small(id);
        isDone =
          !stored ||
          (await commit({
            writes: [
              { table: 'ledgers', key: id, version, entry: null },
              ...[...rowsIn(stored.outbox)].map((key) => owedWrite(id, key, null)),
              ...backlogWrites(id, stored, EMPTY_LEDGER),
              { table: 'polls', key: id, entry: null },
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

/** What earlier versions kept about the polls of a subscription, in a row of `polls`. `watch`: the gaps that were told. */
export interface FormerState extends Pick<Ledger, 'heard' | 'matchedAt'> {
  readonly watch?: Readonly<Record<string, number>>;
}

const keyOfOwed = (one: StoredOwed) => ('row' in one ? one.row : one.posting.key);

/** The keys of the postings that are rows of `owed`. */
function rowsIn(outbox: readonly StoredOwed[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const one of outbox) if ('row' in one) keys.add(one.row);
  return keys;
}

function owedWrite(id: string, key: string, posting: Posting | null): Write {
  return { table: 'owed', key: rowOf(id, key), entry: posting && { value: posting } };
}

function withPosting(one: StoredOwed, rows: ReadonlyMap<string, Entry>): Owed {
  if (!('row' in one)) return one;
  const { row, ...rest } = one;
  return { ...rest, posting: rows.get(row)?.value as Posting };
}

/** A posting of which only the key was read. Any other use of it is a bug and throws, so it is never written or sent. */
function unreadPosting(key: string): Posting {
  return new Proxy({ key } as Posting, { get: keyOnly, ownKeys: refuse });
}
const keyOnly = (posting: Posting, name: string | symbol) => (name === 'key' ? posting.key : refuse(posting));
function refuse({ key }: Posting): never {
  throw new Error(`the posting ${key} was not read from the store`);
}

/** An entry whose posting was not read. It keeps its `row`, because V8 takes far longer to copy an object without it. */
type UnreadOwed = Owed & { readonly row?: string };

function unreadOwed(one: StoredOwed): UnreadOwed {
  // On Node 20, to add a property after the copied ones takes far longer too.
  return 'row' in one ? { posting: unreadPosting(one.row), ...one } : one;
}

/**
 * Returns the outbox as it is stored, and the writes for its postings. `stored` and `before`: the outbox that was read, as
 * stored and with its postings.
 */
function outboxWrites(
  id: string,
  stored: readonly StoredOwed[],
  before: readonly Owed[],
  next: readonly Owed[],
): { readonly outbox: readonly StoredOwed[]; readonly writes: readonly Write[] } {
  // A poll adds entries at the end and leaves those before them as they are.
  let kept = 0;
  while (kept < next.length && next[kept] === before[kept] && 'row' in (stored[kept] as StoredOwed)) kept++;
  /** The postings that are rows now, without those that stay. */
  const rows = new Map<string, Posting>();
  for (let at = kept; at < before.length; at++) {
    const { posting } = before[at] as Owed;
    if ('row' in (stored[at] as StoredOwed)) rows.set(posting.key, posting);
  }
  const others = next.slice(kept);
  let inline = 0;
  for (const { posting } of others) if (rows.get(posting.key) !== posting) inline++;
  const isLong = inline > MOST_INLINE;
  const outbox = stored.slice(0, kept);
  const writes: Write[] = [];
  for (const { posting, row: _row, ...rest } of others as readonly UnreadOwed[]) {
    const { key } = posting;
    const isRow = rows.get(key) === posting;
    outbox.push(isLong || isRow ? { ...rest, row: key } : { ...rest, posting });
    if (isLong && !isRow) writes.push(owedWrite(id, key, posting));
  }
  if (rows.size === 0) return { outbox, writes };
  const left = rowsIn(outbox);
  for (const key of rows.keys()) if (!left.has(key)) writes.push(owedWrite(id, key, null));
  return { outbox, writes };
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
  const small: Small = { ...rest, seenCount: Object.keys(seen).length };
  return [
    { table: 'ledgers', key: id, version, entry: { value: small } },
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

/** The key in `lookups` of a ledger's backlog. */
export function owesKey(id: string): string {
  return keyOf('owes', id);
}

/** Returns the index writes for a ledger's backlog: what it owes, and which destinations wait. */
function backlogWrites(id: string, before: Owing, next: Owing): Write[] {
  if (before.outbox === next.outbox && before.editions === next.editions && before.parked === next.parked)
    return [];
  const [was, is] = [backlogOf(before), backlogOf(next)];
  const [known, rows] = [waitRows(id, was), waitRows(id, is)];
  const writes: Write[] = [];
  if (JSON.stringify(was) !== JSON.stringify(is))
    writes.push({ table: 'lookups', key: owesKey(id), entry: is ? { value: is } : null });
  for (const key of rows)
    if (!known.includes(key)) writes.push({ table: 'lookups', key, entry: { value: id } });
  for (const key of known) if (!rows.includes(key)) writes.push({ table: 'lookups', key, entry: null });
  return writes;
}

/** The keys of the index rows that show where a ledger's postings wait. */
function waitRows(id: string, backlog: Backlog | undefined): readonly string[] {
  const keys: string[] = [];
  let isParked = false;
  for (const { destination, parked } of backlog?.places ?? []) {
    keys.push(keyOf('waits', destination, id));
    isParked ||= parked !== undefined;
  }
  if (isParked) keys.push(keyOf('parked', id));
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
