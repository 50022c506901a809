// Version 3: what version 2 kept in one record each becomes rows. A ledger held all that was seen with its outcomes, and a
// row of the archive a whole day. Each record is converted in one commit and shows by its form whether it was, so the
// migration goes on where it was interrupted.
import type { Ledger } from '../domain/ledger.js';
import type { Done, Seen } from '../domain/seen.js';
import type { Subscription } from '../domain/subscription.js';
import type { ArchivedPosting } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Backend, ShelfName } from './backend.js';
import { storeError } from './faults.js';
import { wholeLedger } from './ledgers.js';
import { readEntry } from './sql-shelf.js';
import { indexOf } from './subscriptions.js';

/** A ledger of version 1 or 2: outcomes stood with what was seen. */
type FormerLedger = Omit<Ledger, 'seen' | 'done'> & {
  readonly seen: Readonly<Record<string, Seen & { readonly done?: Readonly<Record<string, Done>> }>>;
};

const PAGE = 200;

/** `alive` is called now and then, and throws when another process has taken over. */
export async function ledgersToRows(
  { shelves, commit }: Backend,
  clock: Clock,
  alive: () => Promise<void>,
): Promise<void> {
  await eachRow(shelves.ledgers, alive, async (id) => {
    const { entry, version } = await shelves.ledgers.read(id);
    const former = entry?.value as FormerLedger | undefined;
    if (!former?.seen) return;
    const seen: Record<string, Seen> = {};
    const done: Record<string, Record<string, Done>> = {};
    for (const [key, { done: outcomes, ...rest }] of Object.entries(former.seen)) {
      seen[key] = rest;
      if (outcomes) done[key] = outcomes;
    }
    const writes = await wholeLedger(shelves, clock, id, version, { ...former, seen, done });
    if (!(await commit({ writes }))) throw storeError('locked', 'another process writes to it');
  });
}

/** The index that finds subscriptions by account, server and destination. */
export async function indexSubscriptions(
  { shelves, commit }: Backend,
  alive: () => Promise<void>,
): Promise<void> {
  await eachRow(shelves.subscriptions, alive, async (id, text) => {
    const stored = readEntry(text).value as Subscription;
    await commit({
      writes: indexOf(stored).map((key) => ({ shelf: 'lookups', key, entry: { value: id } })),
    });
  });
}

export async function archiveToRows({ shelves, commit }: Backend, alive: () => Promise<void>): Promise<void> {
  await eachRow(shelves.history, alive, async (row, text) => {
    if (!row.startsWith('days:')) return;
    const { expires, value } = readEntry(text);
    if (!Array.isArray(value)) return;
    const writes = (value as readonly ArchivedPosting[]).map((one) => ({
      shelf: 'history' as const,
      key: `${row}:${encodeURIComponent(one.posting.key)}`,
      entry: { ...(expires === undefined ? {} : { expires }), value: one },
    }));
    await commit({ writes: [...writes, { shelf: 'history', key: row, entry: null }] });
  });
}

async function eachRow(
  shelf: Backend['shelves'][ShelfName],
  alive: () => Promise<void>,
  work: (key: string, text: string) => Promise<void>,
): Promise<void> {
  for (let after: string | undefined; ; ) {
    await alive();
    const rows = await shelf.page(after === undefined ? {} : { after }, PAGE);
    for (const [key, text] of rows) await work(key, text);
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.[0];
  }
}
