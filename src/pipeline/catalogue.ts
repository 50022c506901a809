// Every subscription in memory, with an index for each question that is asked often. Keyv can only look up a key, so
// one pass over the table at start answers "all at start", and maps answer "by account", "by server" and "by
// destination" from then on: at 100,000 subscriptions a lookup touches the few records asked for, and the pass reads
// each row once. A record is about a kilobyte; ledgers stay on disk.
import type { Subscription } from '../domain/subscription.js';
import type { SubscriptionStore } from '../ports/stores.js';

export interface Catalogue {
  get(id: string): Subscription | undefined;
  /** Adds or replaces; undefined removes. */
  set(id: string, subscription: Subscription | undefined): void;
  all(): IterableIterator<Subscription>;
  byAccount(account: string): readonly Subscription[];
  byGuild(guild: string): readonly Subscription[];
  /** Subscriptions with that destination, whoever they belong to. */
  sharing(destination: string): readonly Subscription[];
  readonly size: number;
}

type Index = Map<string, Set<string>>;

function keysOf(subscription: Subscription): string[] {
  return [
    `a\n${subscription.account}`,
    ...(subscription.guild ? [`g\n${subscription.guild}`] : []),
    ...subscription.destinations.map((one) => `d\n${one.id}`),
  ];
}

/** Creates an empty catalogue; {@link fillCatalogue} reads the table. */
export function createCatalogue(): Catalogue {
  const records = new Map<string, Subscription>();
  const index: Index = new Map();

  function unlink(subscription: Subscription): void {
    for (const key of keysOf(subscription)) {
      const ids = index.get(key);
      ids?.delete(subscription.id);
      if (ids?.size === 0) index.delete(key);
    }
  }

  function look(key: string): readonly Subscription[] {
    return [...(index.get(key) ?? [])].map((id) => records.get(id) as Subscription);
  }

  return {
    get: (id) => records.get(id),
    set(id, subscription) {
      const former = records.get(id);
      if (former) unlink(former);
      if (!subscription) {
        records.delete(id);
        return;
      }
      records.set(id, subscription);
      for (const key of keysOf(subscription)) {
        const ids = index.get(key);
        if (ids) ids.add(id);
        else index.set(key, new Set([id]));
      }
    },
    all: () => records.values(),
    byAccount: (account) => look(`a\n${account}`),
    byGuild: (guild) => look(`g\n${guild}`),
    sharing: (destination) => look(`d\n${destination}`),
    get size() {
      return records.size;
    },
  };
}

/** The one pass at start. */
export async function fillCatalogue(catalogue: Catalogue, store: SubscriptionStore): Promise<void> {
  for await (const subscription of store.list()) catalogue.set(subscription.id, subscription);
}
