// Destinations that get nothing: parked until their owner acts, waiting for the next attempt, or off for too long.
// Pure functions from a ledger to the next one.
import { defined } from './defined.js';
import type { Edition } from './edition.js';
import { finish, type Ledger, type Parked, pending } from './ledger.js';

/**
 * Stops deliveries to a destination until its owner acts. Its outbox is kept. `resumedAt`: the subscription's last
 * resume.
 */
export function park(
  ledger: Ledger,
  destination: string,
  { why, fix }: Pick<Parked, 'why' | 'fix'>,
  now: number,
  resumedAt: number | undefined,
): Ledger {
  const note: Parked = {
    at: now,
    why,
    ...defined({ fix: fix || undefined, resumedAt }),
  };
  return { ...ledger, parked: { ...ledger.parked, [destination]: note } };
}

/** Returns why a destination is parked; undefined if it is not, or if the subscription was resumed since. */
export function parkedNow(
  ledger: Ledger,
  destination: string,
  resumedAt: number | undefined,
): Parked | undefined {
  const note = ledger.parked[destination];
  return note && note.resumedAt === resumedAt ? note : undefined;
}

/** Frees a destination. Its waiting editions are due immediately. */
export function unpark(ledger: Ledger, destination: string, now: number): Ledger {
  const { [destination]: _freed, ...parked } = ledger.parked;
  const editions = ledger.editions.map((edition) =>
    edition.destination === destination ? { ...edition, nextAt: now, outages: 0, waited: 0 } : edition,
  );
  return { ...ledger, parked, editions };
}

/**
 * True while an edition waits for its next attempt. An edition with `cutAt` after `now` is due, because the clock was
 * set back since.
 */
export function isWaiting(edition: Edition, now: number): boolean {
  return edition.nextAt > now && edition.cutAt <= now;
}

/**
 * Frees a destination and makes its waiting editions due, if its subscription was resumed since they started to wait.
 */
export function freedByResume(
  ledger: Ledger,
  destination: string,
  resumedAt: number | undefined,
  now: number,
): Ledger {
  const isParked = destination in ledger.parked && !parkedNow(ledger, destination, resumedAt);
  const wasResumed = (edition: Edition) =>
    edition.destination === destination && isWaiting(edition, now) && edition.resumedAt !== resumedAt;
  return isParked || ledger.editions.some(wasResumed) ? unpark(ledger, destination, now) : ledger;
}

const OWED_FOR = 30 * 24 * 3_600_000;

/** Whether {@link expireOld} needs the postings of the outbox that were not read. */
export function mayExpire({ unread }: Ledger, now: number): boolean {
  return unread !== undefined && now - unread.oldest > OWED_FOR;
}

/**
 * Expires what has been waiting for over 30 days for a destination that gets nothing (parked, or its sink is off). It
 * is no longer news, and this keeps the ledger bounded. Other destinations keep their postings, however long no
 * process ran.
 */
export function expireOld(ledger: Ledger, destinations: readonly string[], now: number): Ledger {
  const old = new Set(
    ledger.outbox.filter((owed) => now - owed.at > OWED_FOR).map((owed) => owed.posting.key),
  );
  if (old.size === 0) return ledger;
  let next = ledger;
  for (const id of destinations) {
    const isStale = (edition: Edition) => edition.destination === id && now - edition.cutAt > OWED_FOR;
    next = { ...next, editions: next.editions.filter((edition) => !isStale(edition)) };
    const keys = pending(next, id)
      .map((owed) => owed.posting.key)
      .filter((key) => old.has(key));
    next = finish(next, id, keys, { at: now, how: 'expired', why: 'owed for over 30 days' });
  }
  return next;
}
