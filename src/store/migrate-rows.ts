// Version 3: what version 2 kept in one record each becomes rows. A ledger held all that was seen with its outcomes, and a
// row of the archive a whole day. Each record is converted in one commit and shows by its form whether it was, so the
// migration goes on where it was interrupted.
import type { Ledger } from '../domain/ledger.js';
import { partsOf } from '../domain/parts.js';
import type { Done, Seen } from '../domain/seen.js';
import type { Subscription } from '../domain/subscription.js';
import type { ArchivedPosting } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';
import type { Backend, ShelfName, Write } from './backend.js';
import { wholeLedger } from './ledgers.js';
import { readEntry } from './sql-shelf.js';
import { indexOf } from './subscriptions.js';

/** A ledger of version 1 or 2: outcomes stood with what was seen. */
type FormerLedger = Omit<Ledger, 'seen' | 'done'> & {
  readonly seen: Readonly<Record<string, Seen & { readonly done?: Readonly<Record<string, Done>> }>>;
};

/** Records read at once. Former ledgers and days of the archive may be a megabyte each. */
const FEW = 20;
const MANY = 500;

/** Tables that version 1 did not have. A store that was put back from a copy may still have rows of a later time in them. */
const NEW: readonly ShelfName[] = ['lookups', 'seen', 'outcomes', 'delivered'];

export async function withoutNewRows(
  { shelves, commit }: Backend,
  alive: () => Promise<void>,
): Promise<void> {
  for (const shelf of NEW)
    await eachPage(shelves[shelf], MANY, alive, async (rows) => {
      await commit({ writes: rows.map(([key]) => ({ shelf, key, entry: null })) });
    });
}

/** `alive` is called now and then, and throws when another process has taken over. */
export async function ledgersToRows(
  { shelves, commit }: Backend,
  clock: Clock,
  alive: () => Promise<void>,
): Promise<void> {
  async function convert(id: string): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const { entry, version } = await shelves.ledgers.read(id);
      const former = entry?.value as FormerLedger | undefined;
      if (!former?.seen) return;
      const seen: Record<string, Seen> = {};
      const done: Record<string, Record<string, Done>> = {};
      for (const [key, { done: outcomes, ...rest }] of Object.entries(former.seen)) {
        seen[key] = rest;
        if (outcomes) done[key] = outcomes;
      }
      // On a conflict another one of this page wrote to the same row of `delivered`.
      const writes = await wholeLedger(shelves, clock, id, version, { ...former, seen, done });
      isDone = await commit({ writes });
    }
  }
  await eachPage(shelves.ledgers, FEW, alive, async (rows) => {
    await Promise.all(rows.map(([id]) => convert(id)));
  });
}

/** The index that finds subscriptions by account, server and destination. */
export async function indexSubscriptions(
  { shelves, commit }: Backend,
  alive: () => Promise<void>,
): Promise<void> {
  await eachPage(shelves.subscriptions, MANY, alive, async (rows) => {
    const writes = rows.flatMap(([id, text]) =>
      indexOf(readEntry(text).value as Subscription).map(
        (key): Write => ({ shelf: 'lookups', key, entry: { value: id } }),
      ),
    );
    await commit({ writes });
  });
}

export async function archiveToRows({ shelves, commit }: Backend, alive: () => Promise<void>): Promise<void> {
  await eachPage(shelves.history, FEW, alive, async (rows) => {
    for (const [row, text] of rows) {
      if (!row.startsWith('days:')) continue;
      const { expires, value } = readEntry(text);
      if (!Array.isArray(value)) continue;
      // Backwards, so that the first of two with the same key stays.
      const postings = new Map(
        (value as readonly ArchivedPosting[])
          .toReversed()
          .map((one) => [
            `${row}:${encodeURIComponent(one.posting.key)}`,
            { ...(expires === undefined ? {} : { expires }), value: one },
          ]),
      );
      const writes = [...postings].map(([key, entry]): Write => ({ shelf: 'history', key, entry }));
      for (const part of partsOf(writes, MANY)) await commit({ writes: part });
      await commit({ writes: [{ shelf: 'history', key: row, entry: null }] });
    }
  });
}

async function eachPage(
  shelf: Backend['shelves'][ShelfName],
  size: number,
  alive: () => Promise<void>,
  work: (rows: readonly (readonly [string, string])[]) => Promise<void>,
): Promise<void> {
  for (let after: string | undefined; ; ) {
    await alive();
    const rows = await shelf.page(after === undefined ? {} : { after }, size);
    if (rows.length > 0) await work(rows);
    if (rows.length < size) return;
    after = rows.at(-1)?.[0];
  }
}
