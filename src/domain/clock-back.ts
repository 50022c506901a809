// Times in a ledger that are in the future were written before the clock was set back. Waiting for them would delay
// deliveries by as much as the clock was wrong. A pure function of the ledger.
import { nextEditionAt } from './cadence.js';
import type { Edition } from './edition.js';
import type { Ledger } from './ledger.js';
import { LONGEST_DELIVERY_WAIT } from './retry.js';
import type { Destination } from './subscription.js';

/**
 * Moves future times of a destination back to `now` (milliseconds since the epoch). Returns the same ledger if there
 * are none. The last edition may be ahead by less than a slot: that slot comes a second time, and already had its
 * edition.
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
