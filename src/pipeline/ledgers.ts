// The only writer of ledgers. Changes to one ledger happen one after the other; before each write the lease is
// looked at, because a process that was suspended may wake up after another has taken over.
import { StoreError } from '../domain/errors.js';
import { createKeyedMutex } from '../domain/keyed-mutex.js';
import { EMPTY_LEDGER, type Ledger } from '../domain/ledger.js';
import type { Plan } from '../ports/lanes.js';
import type { Lease, LedgerStore, PollState, PollStateStore, Wanted } from '../ports/stores.js';

export interface Ledgers {
  /** What is owed, without anything seen. */
  read(id: string): Promise<Ledger>;
  /** What is owed, with what is `wanted` of what was seen. */
  look(id: string, wanted: (ledger: Ledger) => Wanted): Promise<Ledger>;
  /** All of it, which may be large. */
  readAll(id: string): Promise<Ledger>;
  /**
   * Applies `change` to the current ledger and makes the result durable before it resolves. It may run again, when
   * another process changed the ledger meanwhile. `wanted`: what it has to know of what was seen.
   */
  update<T>(
    id: string,
    change: (ledger: Ledger) => Promise<Changed<T>> | Changed<T>,
    wanted?: (ledger: Ledger) => Wanted | Promise<Wanted>,
  ): Promise<T>;
  /** Forgets the oldest postings seen over `most`. */
  trim(id: string, most: number): Promise<void>;
  saveState(id: string, change: PollState): Promise<void>;
  /** Removes ledger and state, and whatever `along` removes; the state goes last. */
  forget(id: string, along?: () => Promise<unknown>): Promise<void>;
}

/** The next ledger (the same object: nothing to write) and what the caller wants to know. */
interface Changed<T> {
  readonly ledger: Ledger;
  readonly result: T;
  /** Deliveries that are due because of it. */
  readonly plans?: readonly Plan[];
}

/**
 * `exists`: whether the subscription is still there, or was removed and can be put back. Work that outlives it must not write
 * its records anew.
 */
export function createLedgers(deps: {
  ledgers: LedgerStore;
  states: PollStateStore;
  lease: Lease;
  exists: (id: string) => Promise<boolean>;
}): Ledgers {
  const { ledgers, states, lease, exists } = deps;
  const serially = createKeyedMutex();

  async function mustHold(): Promise<void> {
    if (!(await lease.held()))
      throw new StoreError('lost', 'Another process holds the store, so this one stops.');
  }

  // A line of its own: a ledger change saves states too, and would otherwise wait for itself.
  const stateLine = (id: string) => `state\n${id}`;

  function saveState(id: string, change: PollState): Promise<void> {
    return serially(stateLine(id), async () => {
      const before = await states.read(id);
      if (!(await exists(id))) return;
      await mustHold();
      await states.write(id, { ...before, ...change });
      // Removed at this moment: the removal found no row to delete.
      if (!before && !(await exists(id))) await states.remove(id);
    });
  }

  return {
    read: async (id) => (await ledgers.owed(id)) ?? EMPTY_LEDGER,
    look: async (id, wanted) => (await ledgers.open(id, wanted)).ledger,
    readAll: async (id) => (await ledgers.read(id)) ?? EMPTY_LEDGER,
    update: (id, change, wanted) =>
      serially(id, async () => {
        for (;;) {
          const opened = await ledgers.open(id, wanted);
          const { ledger, result, plans } = await change(opened.ledger);
          // Asked after the ledger was opened: once it is removed, a commit finds another version than this one.
          if (ledger === opened.ledger || !(await exists(id))) return result;
          await mustHold();
          if (!(await opened.commit(ledger, plans))) continue;
          if (opened.isNew && !(await exists(id))) await ledgers.remove(id);
          return result;
        }
      }),
    trim: (id, most) => serially(id, () => ledgers.trim(id, most)),
    saveState,
    forget: (id, along) =>
      serially(id, async () => {
        await mustHold();
        await ledgers.remove(id);
        await along?.();
        // After whatever is still being saved, or the row would be back.
        await serially(stateLine(id), async () => {
          await states.remove(id);
        });
      }),
  };
}
