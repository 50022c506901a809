// Several subscriptions of one account may name the same place. A posting they share goes there once: what one of
// them delivered, the others take off their list. Never across accounts, whose links differ.
import { parkedNow, unpark } from '../domain/parking.js';
import { type Destination, isPaused, type Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { deliveryJob } from './wake.js';

/** Keys the account's other subscriptions have delivered to the place, and keys they are about to. */
export interface SiblingView {
  readonly delivered: ReadonlySet<string>;
  readonly underway: ReadonlySet<string>;
}

function siblings(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
): readonly Subscription[] {
  return p.catalogue
    .sharing(subscription.account, destination.id)
    .filter((other) => other.id !== subscription.id);
}

/** Looks into the ledgers of the others; deliveries to one place are one group, so none of them cuts meanwhile. */
export async function siblingView(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
): Promise<SiblingView> {
  const delivered = new Set<string>();
  const underway = new Set<string>();
  for (const other of siblings(p, subscription, destination)) {
    const ledger = await p.ledgers.read(other.id);
    for (const [key, seen] of Object.entries(ledger.seen)) {
      const how = seen.done?.[destination.id]?.how;
      if (how === 'sent' || how === 'more') delivered.add(key);
    }
    // One that is paused or parked delivers nothing: waiting for it would be waiting for ever.
    if (isPaused(other) || parkedNow(ledger, destination.id, other.resumedAt)) continue;
    for (const edition of ledger.editions)
      if (edition.destination === destination.id)
        for (const key of [...edition.parts.slice(edition.sent).flat(), ...edition.rest]) underway.add(key);
  }
  return { delivered, underway };
}

/** The others look again after an edition went on: what they held back for it is done, or theirs to deliver. */
export async function wakeSiblings(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
): Promise<void> {
  for (const other of siblings(p, subscription, destination))
    if (p.ledgers.state(other.id).owes) await p.engine.put(deliveryJob(other, destination));
}

/** What one of them reached, the others reach too: those parked there are freed, since their owner was told only once. */
export async function freeSiblings(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
): Promise<void> {
  for (const other of siblings(p, subscription, destination))
    if (p.ledgers.state(other.id).owes)
      await p.ledgers.update(other.id, (ledger) => ({
        ledger: destination.id in ledger.parked ? unpark(ledger, destination.id, p.clock.now()) : ledger,
        result: undefined,
      }));
}
