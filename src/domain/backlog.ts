// What a ledger owes, in figures: small enough to keep one per subscription in memory, so that metrics and the
// operator's page need not open ledgers to know how much waits, since when, and what is stuck.
import type { Ledger } from './ledger.js';

/** What one destination is owed. Times in milliseconds since the epoch. */
export interface Place {
  readonly destination: string;
  readonly postings: number;
  /** When the oldest of them became owed. */
  readonly oldest?: number;
  /** When the oldest edition that is not through was cut. */
  readonly cutAt?: number;
  /** When the edition that failed last is tried again. */
  readonly retryAt?: number;
  /** Gets nothing; the subscription's last resume at that time. */
  readonly parked?: { readonly resumedAt?: number };
}

/** What a ledger owes. `postings`: each counted once, however many destinations wait for it. */
export interface Backlog {
  readonly postings: number;
  readonly oldest?: number;
  readonly places: readonly Place[];
}

function earlier(one: number | undefined, other: number): number {
  return one === undefined ? other : Math.min(one, other);
}

/** Undefined when nothing is owed and nothing is parked. */
export function backlogOf({ outbox, editions, parked }: Ledger): Backlog | undefined {
  const places = new Map<string, Place>();
  const at = (destination: string) => places.get(destination) ?? { destination, postings: 0 };
  let oldest: number | undefined;
  for (const owed of outbox) {
    oldest = earlier(oldest, owed.at);
    for (const id of owed.to) {
      const place = at(id);
      places.set(id, {
        ...place,
        postings: place.postings + 1,
        oldest: earlier(place.oldest, owed.at),
      });
    }
  }
  for (const { destination, cutAt, lastFault, nextAt } of editions) {
    const place = at(destination);
    places.set(destination, {
      ...place,
      cutAt: earlier(place.cutAt, cutAt),
      // The first one is the next to be sent.
      ...(lastFault && place.cutAt === undefined ? { retryAt: nextAt } : {}),
    });
  }
  for (const [destination, { resumedAt }] of Object.entries(parked))
    places.set(destination, {
      ...at(destination),
      parked: resumedAt === undefined ? {} : { resumedAt },
    });
  if (places.size === 0) return undefined;
  return {
    postings: outbox.length,
    places: [...places.values()],
    ...(oldest === undefined ? {} : { oldest }),
  };
}
