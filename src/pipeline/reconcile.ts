// Makes the stored subscriptions match the subscriptions file. Called by a start, SIGHUP and the command.
import { defined } from '../domain/defined.js';
import { throwFaults } from '../domain/errors.js';
import { isPaused, pausedFrom, resumedFrom, type Subscription } from '../domain/subscription.js';
import type { Stores } from '../ports/stores.js';
import { isOver, removedRows, retire } from './removed.js';
import { same } from './same.js';

/** Ids of the file's subscriptions by what became of them. */
export interface Reconciled {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Those that stay as they were, including {@link heldBack}. */
  readonly kept: readonly string[];
  /** No longer in the file, but kept: so many at once look like a mistake. */
  readonly heldBack: readonly string[];
}

export interface ReconcileOptions {
  readonly now: number;
  /** Removes any number of subscriptions that are no longer in the file. */
  readonly allowRemoval?: boolean;
}

/** More missing entries than this, and more than a third of all, look like a wrong file. */
const MOST_AT_ONCE = 5;

/** True when so many of the file's subscriptions are missing at once that it may be a mistake. */
export function isMassRemoval(gone: number, all: number): boolean {
  return gone > MOST_AT_ONCE && gone * 3 > all;
}

/**
 * Adds new entries, replaces changed ones (a pause made by command is kept), and removes missing ones so that they
 * can be put back (see removed.ts). Throws a UserError (exit 2) and writes nothing if an entry has an id that a
 * command made.
 */
export async function reconcile(
  stores: Stores,
  entries: readonly Subscription[],
  { now, allowRemoval = false }: ReconcileOptions,
): Promise<Reconciled> {
  const { subscriptions } = stores;
  const wanted = new Map(entries.map((entry) => [entry.id, entry]));
  const known = await subscriptions.idsFromFile();
  const found = await subscriptions.many([...new Set([...wanted.keys(), ...known])]);
  const stored = new Map(found.map((one) => [one.id, one] as const));
  throwFaults(
    entries
      .filter(({ id }) => (stored.get(id)?.origin ?? 'file') !== 'file')
      .map(
        ({ id }) =>
          `subscription ${id}: this id is already used by a subscription made by command; choose another id in the file.`,
      ),
  );
  const former = [...stored.values()].filter((one) => one.origin === 'file');
  const gone = former.filter(({ id }) => !wanted.has(id));
  const heldBack = !allowRemoval && isMassRemoval(gone.length, former.length) ? gone : [];
  const isUnchanged = (entry: Subscription) => {
    const before = stored.get(entry.id);
    return before !== undefined && same(carriedOver(entry, before), before);
  };
  const written = entries.filter((entry) => !isUnchanged(entry));
  const back = written.some(({ id }) => !stored.has(id)) ? await removedFromFile(stores, now) : new Map();
  await subscriptions.updateAll(
    written.map(({ id }) => id),
    (current, id) => {
      const entry = wanted.get(id) as Subscription;
      // A command made this subscription in the meantime. It stays as it is.
      if (current && current.origin !== 'file') return current;
      const removed = back.get(id);
      const before = current ?? (removed?.account === entry.account ? removed : undefined);
      return before ? carriedOver(entry, before) : entry;
    },
  );
  const removed = heldBack.length > 0 ? [] : gone;
  for (const subscription of removed) await retire(stores, subscription, now);
  const added = written.filter(({ id }) => !stored.has(id)).map(({ id }) => id);
  const changed = written.filter(({ id }) => stored.has(id)).map(({ id }) => id);
  const touched = new Set([...changed, ...removed.map(({ id }) => id)]);
  return {
    added,
    changed,
    removed: removed.map(({ id }) => id),
    kept: former.map(({ id }) => id).filter((id) => !touched.has(id)),
    heldBack: heldBack.map(({ id }) => id),
  };
}

/** Entries as they were before they were removed from the file, by id. */
async function removedFromFile(stores: Stores, now: number): Promise<ReadonlyMap<string, Subscription>> {
  const rows = await removedRows(stores);
  return new Map(
    rows.flatMap((one) =>
      one.subscription.origin === 'file' && !isOver(one, now)
        ? [[one.subscription.id, one.subscription] as const]
        : [],
    ),
  );
}

/** The file's entry with what only the store knows: when it was made, and a pause or a resume made by command. */
function carriedOver(entry: Subscription, stored: Subscription): Subscription {
  const { pausedAt: _wanted, ...rest } = entry;
  const { pausedAt, pausedUntil, resumedAt } = stored;
  const next: Subscription = {
    ...rest,
    createdAt: stored.createdAt,
    ...defined({ pausedAt, pausedUntil, resumedAt }),
  };
  const now = entry.createdAt;
  // A change in the file counts. An unchanged entry does not undo a command.
  if (entry.pausedInFile && !stored.pausedInFile) return pausedFrom(next, now);
  if (!entry.pausedInFile && stored.pausedInFile && isPaused(next)) return resumedFrom(next, now);
  return next;
}
