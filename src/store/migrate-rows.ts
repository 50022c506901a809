// Migrations that convert stored rows. In version 3, the large records of version 2 become rows: a ledger held its whole
// seen set with the outcomes, and a row of the archive held a whole day. Each record is converted in one commit, and its
// form shows whether it was converted, so an interrupted migration resumes. From version 3 on, the store also keeps what
// is due: see planAll.
import { defined } from '../domain/defined.js';
import { deliveryPlan } from '../domain/delivery.js';
import { partsOf } from '../domain/edition.js';
import { GAP_WATCH_MS, type Ledger, type Owed } from '../domain/ledger.js';
import type { MatchCounts } from '../domain/match-counts.js';
import type { Posting } from '../domain/posting.js';
import { requestsOf, requestUnit } from '../domain/request.js';
import type { Done, Seen } from '../domain/seen.js';
import type { Subscription } from '../domain/subscription.js';
import type { Plan, StateChange } from '../ports/lanes.js';
import type { ArchivedPosting, RequestState } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Backend, Entry, TableName, Write } from './backend.js';
import { storeError } from './faults.js';
import { key } from './keys.js';
import { newOutbox, owesKey, rowOf, type StoredLedger, wholeLedger } from './ledgers.js';
import { pagesOf } from './pages.js';
import { readEntry } from './sql-table.js';
import { indexOf } from './subscriptions.js';

/** A ledger of version 1 or 2, with outcomes inside the seen entries. */
type FormerLedger = Omit<Ledger, 'seen' | 'done'> & {
  readonly seen: Readonly<Record<string, Seen & { readonly done?: Readonly<Record<string, Done>> }>>;
};

/** What was known about the polls of a subscription, in a row of `polls`. `watch`: the gaps that were told. */
interface FormerState extends Pick<Ledger, 'heard' | 'matchedAt'> {
  readonly watch?: Readonly<Record<string, number>>;
}

/** A poll state of version 1 or 2: polls were kept by subscription, and a gap was watched in all requests of one. */
interface OldState extends FormerState {
  readonly polledAt?: number;
  readonly watchUntil?: number;
}

/** Records read together. Former ledgers and days of the archive can be a megabyte each. */
const FEW = 20;
const SOME = 100;
const MANY = 500;

/** Tables that version 1 did not have. A store restored from a copy may still have rows of a later version in them. */
const NEW: readonly TableName[] = ['lookups', 'owed', 'seen', 'outcomes', 'delivered'];

export async function withoutNewRows(
  { kvTables, commit, lanes }: Backend,
  alive: () => Promise<void>,
): Promise<void> {
  for (const table of NEW)
    await eachPage(kvTables[table], MANY, alive, async (rows) => {
      await commit({ writes: rows.map(([key]) => ({ table, key, entry: null })) });
    });
  await lanes.clear();
}

/** Converts ledgers. `alive` is called from time to time and throws when another process has taken over. */
export async function ledgersToRows(
  { kvTables, commit }: Backend,
  clock: Clock,
  alive: () => Promise<void>,
): Promise<void> {
  async function convert(id: string): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const { entry, version } = await kvTables.ledgers.read(id);
      const former = entry?.value as FormerLedger | undefined;
      if (!former?.seen) return;
      const seen: Record<string, Seen> = {};
      const done: Record<string, Record<string, Done>> = {};
      for (const [key, { done: outcomes, ...rest }] of Object.entries(former.seen)) {
        seen[key] = rest;
        if (outcomes) done[key] = outcomes;
      }
      const state = (await kvTables.polls.get(id))?.value as OldState | undefined;
      const watch = watchOf(former, state, clock.now());
      const gaps = Object.fromEntries(
        Object.entries(watch).map(([one, until]) => [one, until - GAP_WATCH_MS]),
      );
      // On a conflict, another ledger of this page wrote to the same row of `delivered`.
      const writes = await wholeLedger(kvTables, clock, id, version, { ...former, gaps, seen, done });
      isDone = await commit({
        writes: [...writes, { table: 'polls', key: id, entry: { value: { ...state, watch } } }],
      });
    }
  }
  await eachPage(kvTables.ledgers, FEW, alive, async (rows) => {
    await Promise.all(rows.map(([id]) => convert(id)));
  });
}

/** Returns until when each request is watched, by subject. */
function watchOf(
  { recent, gaps }: FormerLedger,
  { watchUntil = 0, watch }: OldState = {},
  now: number,
): Readonly<Record<string, number>> {
  if (gaps) return watch ?? {};
  return watchUntil > now ? Object.fromEntries(Object.keys(recent).map((one) => [one, watchUntil])) : {};
}

/**
 * Plans the work that earlier versions found at each start: every request is due now, and every delivery with postings to
 * send is checked. Nothing is known of earlier answers, so answers are read in full and compared with the seen set.
 */
export async function planAll(
  { kvTables, commit, lanes }: Backend,
  clock: Clock,
  alive: () => Promise<void>,
): Promise<void> {
  await eachPage(kvTables.subscriptions, SOME, alive, async (rows) => {
    const now = clock.now();
    const subscriptions = rows.map(([, text]) => readEntry(text).value as Subscription);
    const former = await kvTables.polls.readMany(subscriptions.map(({ id }) => id));
    const owing = await kvTables.lookups.readMany(subscriptions.map(({ id }) => owesKey(id)));
    const units = subscriptions.flatMap((one) => requestsOf(one).map(requestUnit));
    // An earlier page may have had subscriptions that need the same requests.
    const known = new Map(
      (await lanes.states(units)).map(({ state }, index) => [
        JSON.stringify(units[index]),
        (state ?? {}) as RequestState,
      ]),
    );
    const plans: Plan[] = [];
    const writes: Write[] = [];
    for (const subscription of subscriptions) {
      const { id, destinations } = subscription;
      const state = former.get(id)?.entry?.value as OldState | undefined;
      for (const request of requestsOf(subscription)) {
        const unit = requestUnit(request);
        plans.push({ ...unit, at: now });
        const key = JSON.stringify(unit);
        known.set(key, sooner(known.get(key), state, request.subject));
      }
      if (owing.has(owesKey(id)))
        plans.push(...destinations.map((one) => deliveryPlan(subscription, one, now)));
      if (!state) continue;
      const { watch, matchedAt } = state;
      writes.push({
        table: 'polls',
        key: id,
        entry: { value: defined({ watch, matchedAt }) satisfies FormerState },
      });
    }
    const states = [...known].map(([unit, state]): StateChange => ({ ...JSON.parse(unit), state }));
    await commit({ writes, plans, states });
  });
}

/** A shared request takes the oldest answer time of its subscriptions and the latest end of their watches. */
function sooner(
  { answeredAt, watchUntil }: RequestState = {},
  { polledAt, watch = {} }: OldState = {},
  subject: string,
): RequestState {
  const answers = [answeredAt, polledAt].filter((at) => at !== undefined);
  const watches = [watchUntil, watch[subject]].filter((at) => at !== undefined);
  return {
    ...defined({
      answeredAt: answers.length > 0 ? Math.min(...answers) : undefined,
      watchUntil: watches.length > 0 ? Math.max(...watches) : undefined,
    }),
  };
}

/** Writes the index that finds subscriptions by account, server and destination. */
export async function indexSubscriptions(
  { kvTables, commit }: Backend,
  alive: () => Promise<void>,
): Promise<void> {
  await eachPage(kvTables.subscriptions, MANY, alive, async (rows) => {
    const writes = rows.flatMap(([id, text]) =>
      indexOf(readEntry(text).value as Subscription).map(
        (key): Write => ({ table: 'lookups', key, entry: { value: id } }),
      ),
    );
    await commit({ writes });
  });
}

/**
 * Removes the expiry of subscriptions that were removed and can be restored. The program now deletes them with all their
 * data.
 */
export async function keepRemoved({ kvTables, commit }: Backend, alive: () => Promise<void>): Promise<void> {
  await eachPage(kvTables.misc, MANY, alive, async (rows) => {
    const writes = rows
      .filter(([key]) => key.startsWith('removed:'))
      .map(([key, text]): Write => ({ table: 'misc', key, entry: { value: readEntry(text).value } }));
    if (writes.length > 0) await commit({ writes });
  });
}

export async function archiveToRows(
  { kvTables, commit }: Backend,
  alive: () => Promise<void>,
): Promise<void> {
  await eachPage(kvTables.history, FEW, alive, async (rows) => {
    for (const [row, text] of rows) {
      if (!row.startsWith('days:')) continue;
      const { expires, value } = readEntry(text);
      if (!Array.isArray(value)) continue;
      // In reverse, so that the first of two postings with the same key is kept.
      const postings = new Map(
        (value as readonly ArchivedPosting[])
          .toReversed()
          .map((one) => [
            `${row}:${encodeURIComponent(one.posting.key)}`,
            { ...defined({ expires }), value: one },
          ]),
      );
      const writes = [...postings].map(([key, entry]): Write => ({ table: 'history', key, entry }));
      for (const part of partsOf(writes, MANY)) await commit({ writes: part });
      await commit({ writes: [{ table: 'history', key: row, entry: null }] });
    }
  });
}

/**
 * Renames the field `mend` to `fix`, in ledgers and events. Up to version 3, `mend` named what ends the parking of a
 * destination.
 */
export async function renameFixes({ kvTables, commit }: Backend, alive: () => Promise<void>): Promise<void> {
  for (const table of ['ledgers', 'history'] as const)
    await eachPage(kvTables[table], SOME, alive, async (rows) => {
      const writes = rows
        .filter(
          ([key, text]) => text.includes('"mend":') && (table === 'ledgers' || key.startsWith('events:')),
        )
        .map(([key, text]): Write => ({ table, key, entry: withFix(readEntry(text)) as Entry }));
      if (writes.length > 0) await commit({ writes });
    });
}

function withFix(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFix);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name === 'mend' ? 'fix' : name, withFix(one)]),
  );
}

/** A ledger of version 5: it lists all that waits. `row`: the key of the posting, if the posting is a row of `owed`. */
type ListedLedger = Omit<StoredLedger, 'outbox'> & {
  readonly outbox: readonly (Owed | (Omit<Owed, 'posting'> & { readonly row: string }))[];
};

/**
 * Puts into ledgers what was kept beside them: what was known about polls, and since when matches are counted. What waits in
 * a long outbox becomes rows with everything about each posting.
 */
export async function completeLedgers(
  { kvTables, commit }: Backend,
  alive: () => Promise<void>,
): Promise<void> {
  async function complete(id: string): Promise<boolean> {
    const { entry, version } = await kvTables.ledgers.read(id);
    if (!entry) return true;
    const former = entry.value as ListedLedger;
    const began = key('matches', id);
    const polls = (await kvTables.polls.get(id))?.value as FormerState | undefined;
    const matches = (await kvTables.history.get(began))?.value as MatchCounts | undefined;
    const formerRows = former.outbox.flatMap((one) => ('row' in one ? rowOf(id, one.row) : []));
    const postings = await kvTables.owed.readMany(formerRows);
    const outbox = former.outbox.map((one): Owed => {
      if (!('row' in one)) return one;
      const { row, ...rest } = one;
      const stored = postings.get(rowOf(id, row))?.entry;
      if (!stored) throw storeError('corrupt', 'a posting that waits is missing');
      return { ...rest, posting: stored.value as Posting };
    });
    // An outbox that is rows already is not listed.
    const { owing, writes } = outbox.length > 0 ? newOutbox(id, outbox) : { owing: { outbox }, writes: [] };
    // A ledger that was written since has it, and the row is older.
    const state = polls &&
      !former.heard && { heard: polls.heard ?? {}, matchedAt: polls.matchedAt, toldGaps: polls.watch };
    const value: StoredLedger = { ...former, ...defined({ ...state, matches }), ...owing };
    const gone = formerRows.map((row): Write => ({ table: 'owed', key: row, entry: null }));
    return commit({
      writes: [
        { table: 'ledgers', key: id, version, entry: { value } },
        ...writes,
        ...gone,
        { table: 'polls', key: id, entry: null },
        { table: 'history', key: began, entry: null },
      ],
    });
  }
  await eachPage(kvTables.ledgers, FEW, alive, async (rows) => {
    await Promise.all(
      rows.map(async ([id]) => {
        while (!(await complete(id)));
      }),
    );
  });
}

async function eachPage(
  table: Backend['kvTables'][TableName],
  size: number,
  alive: () => Promise<void>,
  work: (rows: readonly (readonly [string, string])[]) => Promise<void>,
): Promise<void> {
  for await (const rows of pagesOf(table, {}, size)) {
    await alive();
    await work(rows);
  }
}
