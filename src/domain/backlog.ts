// A ledger's backlog in numbers. Metrics and the operator's page show from it how much is waiting, since when, and what is
// stuck, without reading the postings of a long outbox.
import { defined } from './defined.js';
import type { Ledger, Owed, Waiting } from './ledger.js';

/** What is waiting for one destination. Times in milliseconds since the epoch. */
export interface Place {
  readonly destination: string;
  readonly postings: number;
  /** When the oldest of them was put in the outbox. */
  readonly oldest?: number;
  /** When the oldest unfinished edition was cut. */
  readonly cutAt?: number;
  /** When its first edition is tried again, if the last attempt at it failed. */
  readonly retryAt?: number;
  /** Set if the destination is parked, with the subscription's last resume at that time. */
  readonly parked?: { readonly resumedAt?: number };
}

/** What is waiting in a ledger. `postings`: each is counted once, however many destinations it is waiting for. */
export interface Backlog {
  readonly postings: number;
  readonly oldest?: number;
  readonly places: readonly Place[];
}

/** The part of a ledger that the backlog is counted from. */
export interface Owing extends Pick<Ledger, 'unread' | 'editions' | 'parked'> {
  readonly outbox: readonly Pick<Owed, 'at' | 'to'>[];
}

function earlier(one: number | undefined, other: number): number {
  return one === undefined ? other : Math.min(one, other);
}

/** Counts what waits in an outbox; undefined if nothing does. */
export function waitingIn({ outbox, unread }: Pick<Owing, 'outbox' | 'unread'>): Waiting | undefined {
  if (outbox.length === 0) return unread;
  const places = new Map((unread?.places ?? []).map((one) => [one.destination, { ...one }]));
  let oldest = unread?.oldest ?? Number.POSITIVE_INFINITY;
  for (const { at, to } of outbox) {
    oldest = Math.min(oldest, at);
    for (const destination of to) {
      const place = places.get(destination) ?? { destination, postings: 0, oldest: at };
      place.postings++;
      place.oldest = Math.min(place.oldest, at);
      places.set(destination, place);
    }
  }
  const postings = (unread?.postings ?? 0) + outbox.length;
  return { postings, oldest, places: [...places.values()] };
}

/** Returns the destinations in {@link backlogOf} without counting, because each new posting needs only these. */
export function placesOf({ outbox, unread, editions, parked }: Owing): ReadonlySet<string> {
  const places = new Set(Object.keys(parked));
  for (const { destination } of unread?.places ?? []) places.add(destination);
  for (const { to } of outbox) for (const destination of to) places.add(destination);
  for (const { destination } of editions) places.add(destination);
  return places;
}

/** Returns the backlog of a ledger; undefined if nothing is waiting and nothing is parked. */
export function backlogOf({ editions, parked, ...owing }: Owing): Backlog | undefined {
  const waiting = waitingIn(owing);
  const places = new Map<string, Place>((waiting?.places ?? []).map((one) => [one.destination, one]));
  const at = (destination: string): Place => places.get(destination) ?? { destination, postings: 0 };
  for (const { destination, cutAt, lastFault, nextAt } of editions) {
    const place = at(destination);
    places.set(destination, {
      ...place,
      cutAt: earlier(place.cutAt, cutAt),
      // The first edition of a destination is sent next.
      ...defined({ retryAt: lastFault && place.cutAt === undefined ? nextAt : undefined }),
    });
  }
  for (const [destination, { resumedAt }] of Object.entries(parked))
    places.set(destination, {
      ...at(destination),
      parked: resumedAt === undefined ? {} : { resumedAt },
    });
  if (places.size === 0) return undefined;
  return {
    postings: waiting?.postings ?? 0,
    places: [...places.values()],
    ...defined({ oldest: waiting?.oldest }),
  };
}
