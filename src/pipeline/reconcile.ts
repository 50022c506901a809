// Makes the stored subscriptions of the file equal to what the file says, whoever asks: a start, SIGHUP, the command.
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
  /** Those that go on as they were, {@link heldBack} among them. */
  readonly kept: readonly string[];
  /** No longer in the file, and too many at once to be believed. */
  readonly heldBack: readonly string[];
}

export interface ReconcileOptions {
  readonly now: number;
  /** Remove however many are no longer in the file. */
  readonly allowRemoval?: boolean;
}

/** More than this many, and more than a third of all: rather a wrong file than a wish. */
const MOST_AT_ONCE = 5;

/** True when so many of the file's subscriptions go at once that nobody may have meant it. */
export function isMassRemoval(gone: number, all: number): boolean {
  return gone > MOST_AT_ONCE && gone * 3 > all;
}

/**
 * Adds new entries, replaces changed ones (a pause made by command is kept), removes missing ones so that they can be put
 * back (see removed.ts). Throws a UserError (exit 2), with nothing written, for ids that commands made: no takeover.
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
      // Made by a command since it was looked at: it stays what it is.
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
  const { pausedAt, resumedAt } = stored;
  const next: Subscription = {
    ...rest,
    createdAt: stored.createdAt,
    ...(pausedAt === undefined ? {} : { pausedAt }),
    ...(resumedAt === undefined ? {} : { resumedAt }),
  };
  const now = entry.createdAt;
  // A change of what the file says counts; what it went on saying does not undo a command.
  if (entry.pausedInFile && !stored.pausedInFile) return pausedFrom(next, now);
  if (!entry.pausedInFile && stored.pausedInFile && isPaused(next)) return resumedFrom(next, now);
  return next;
}
