// Subscriptions as they are at this moment. A process that has the store for itself knows them by heart; one that shares it
// asks the store each time, because any other process may have changed them since.
import type { Debt } from '../domain/debt.js';
import type { Subscription } from '../domain/subscription.js';
import type { Stores } from '../ports/stores.js';
import type { Catalogue } from './catalogue.js';
import type { Ledgers } from './ledgers.js';
import { removedOf } from './removed.js';

export interface Lookup {
  get(id: string): Promise<Subscription | undefined>;
  /** Subscriptions with that destination, of any account. */
  sharing(destination: string): Promise<readonly Subscription[]>;
  /** What those of the given subscriptions owe that owe anything. */
  debts(ids: readonly string[]): Promise<ReadonlyMap<string, Debt>>;
}

export function lookupInMemory(catalogue: Catalogue, ledgers: Pick<Ledgers, 'debts'>): Lookup {
  return {
    get: async (id) => catalogue.get(id),
    sharing: async (destination) => catalogue.sharing(destination),
    debts: async () => ledgers.debts(),
  };
}

export function lookupInStore({ subscriptions, ledgers }: Stores): Lookup {
  return {
    get: (id) => subscriptions.get(id),
    sharing: (destination) => subscriptions.byDestination(destination),
    debts: (ids) => ledgers.owedBy(ids),
  };
}

/** Whether something may be written of a subscription: it is there, or was removed and can be put back. */
export async function isKnown(stores: Stores, id: string): Promise<boolean> {
  return (await stores.subscriptions.get(id)) !== undefined || (await removedOf(stores, id)) !== undefined;
}
