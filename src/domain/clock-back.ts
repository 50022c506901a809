// Times in a ledger that lie ahead were written by a clock that has been set back since. Waiting for them to come round
// again would keep what is owed from its reader for as long as that clock was wrong. A pure function of the ledger.
import { nextEditionAt } from './cadence.js';
import type { Edition } from './edition.js';
import type { Ledger } from './ledger.js';
import { LONGEST_DELIVERY_WAIT } from './retry.js';
import type { Destination } from './subscription.js';

/**
 * Brings what a destination is owed back to `now` (milliseconds since the epoch); the same ledger when nothing lies
 * ahead. The last edition may lie ahead by less than a slot: that slot comes a second time, and had its edition.
 */
export function clampToNow(ledger: Ledger, { id, cadence }: Destination, now: number): Ledger {
  const last = ledger.lastEdition[id] ?? 0;
  const isAhead = last > now && last > nextEditionAt(cadence, now);
  const isLate = (edition: Edition) =>
    edition.destination === id && edition.nextAt > now + LONGEST_DELIVERY_WAIT;
  const owedAhead = ledger.outbox.some((owed) => owed.at > now && owed.to.includes(id));
  if (!isAhead && !owedAhead && !ledger.editions.some(isLate)) return ledger;
  return {
    ...ledger,
    outbox: ledger.outbox.map((owed) =>
      owed.at > now && owed.to.includes(id) ? { ...owed, at: now } : owed,
    ),
    editions: ledger.editions.map((edition) => (isLate(edition) ? { ...edition, nextAt: now } : edition)),
    lastEdition: isAhead ? { ...ledger.lastEdition, [id]: now } : ledger.lastEdition,
  };
}
