// The only writer of ledgers. Changes to one ledger are made one after the other. The lease is checked before each
// write, because a suspended process may resume after another one has taken over.
import { StoreError } from '../domain/errors.js';
import { EMPTY_LEDGER, type Ledger } from '../domain/ledger.js';
import { createKeyedMutex } from '../domain/serial.js';
import type { Lease, LedgerCommit, LedgerStore, Wanted } from '../ports/stores.js';

export interface Ledgers {
  /** The ledger without its seen set. */
  read(id: string): Promise<Ledger>;
  /** The ledger with the `wanted` part of its seen set. */
  look(id: string, wanted: (ledger: Ledger) => Wanted): Promise<Ledger>;
  /** The whole ledger, which may be large. */
  readAll(id: string): Promise<Ledger>;
  /**
   * Applies `change` to the current ledger and makes the result durable before it resolves. `change` runs again when the
   * ledger, or what it is committed with, changed in the meantime. `wanted`: the part of the seen set that `change` needs.
   */
  update<T>(
    id: string,
    change: (ledger: Ledger) => Promise<Changed<T>> | Changed<T>,
    wanted?: (ledger: Ledger) => Wanted | Promise<Wanted>,
  ): Promise<T>;
  /** Removes the oldest postings of the seen set beyond `most`. */
  trim(id: string, most: number): Promise<void>;
  /** Removes the ledger, and then whatever `along` removes. */
  forget(id: string, along?: () => Promise<unknown>): Promise<void>;
}

/** The next ledger (the same object: nothing to write), what is committed with it, and what the caller wants to know. */
interface Changed<T> extends LedgerCommit {
  readonly ledger: Ledger;
  readonly result: T;
}

/**
 * `exists`: whether the subscription is still stored, or was removed and can be put back. Work that runs longer than
 * the subscription exists must not create its records again.
 */
export function createLedgers(deps: {
  ledgers: LedgerStore;
  lease: Lease;
  exists: (id: string) => Promise<boolean>;
}): Ledgers {
  const { ledgers, lease, exists } = deps;
  const serially = createKeyedMutex();

  async function mustHold(): Promise<void> {
    if (!(await lease.held()))
      throw new StoreError('lost', 'Another process holds the store, so this one stops.');
  }

  return {
    read: async (id) => (await ledgers.owed(id)) ?? EMPTY_LEDGER,
    look: async (id, wanted) => (await ledgers.open(id, wanted)).ledger,
    readAll: async (id) => (await ledgers.read(id)) ?? EMPTY_LEDGER,
    update: (id, change, wanted) =>
      serially(id, async () => {
        for (;;) {
          const opened = await ledgers.open(id, wanted);
          const { ledger, result, ...also } = await change(opened.ledger);
          if (ledger === opened.ledger) return result;
          // A commit that compares the subscription's version can't write for one that is gone.
          const isCompared = also.subscriptionVersion !== undefined;
          // Checked after the ledger was opened: if it is removed later, the commit finds another version and fails.
          if (!isCompared && !(await exists(id))) return result;
          await mustHold();
          if (!(await opened.commit(ledger, also))) continue;
          if (!isCompared && opened.isNew && !(await exists(id))) await ledgers.remove(id);
          return result;
        }
      }),
    trim: (id, most) => serially(id, () => ledgers.trim(id, most)),
    forget: (id, along) =>
      serially(id, async () => {
        await mustHold();
        await ledgers.remove(id);
        await along?.();
      }),
  };
}
