// Several subscriptions may name the same place. A posting they share goes there once: what one of them delivered, the
// others take off their list. Those of one account always share; those of different accounts share a place that many
// people read, such as a channel, and there only postings whose links are the same byte for byte: no account's link
// may stand in for another's.
import type { Owed } from '../domain/ledger.js';
import { parkedNow, unpark } from '../domain/parking.js';
import { linkMark } from '../domain/seen.js';
import { type Destination, isPaused, type Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { deliveryJob } from './wake.js';

/** What the other subscriptions do with a subscription's own postings at a place they share; all sets hold keys. */
export interface SiblingView {
  readonly delivered: ReadonlySet<string>;
  /** About to be delivered. */
  readonly underway: ReadonlySet<string>;
  /** Delivered or about to be by another account, with another link. */
  readonly differing: ReadonlySet<string>;
}

/** The other subscriptions that share the place with this one. */
export function siblings(
  p: Pipeline,
  { id, account }: Subscription,
  destination: Destination,
): readonly Subscription[] {
  const isShared = p.sinks.get(destination.sink)?.isShared?.(destination.target) ?? false;
  return p.catalogue
    .sharing(destination.id)
    .filter((other) => other.id !== id && (isShared || other.account === account));
}

/** Looks into the ledgers of the others; deliveries to one place are one group, so none of them cuts meanwhile. */
export async function siblingView(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
  owed: readonly Owed[],
): Promise<SiblingView> {
  const mine = new Map(owed.map(({ posting }) => [posting.key, linkMark(posting.applyUrl)]));
  const delivered = new Set<string>();
  const underway = new Set<string>();
  const differing = new Set<string>();
  for (const other of siblings(p, subscription, destination)) {
    const ledger = await p.ledgers.read(other.id);
    const isOwn = other.account === subscription.account;
    const put = (into: Set<string>, key: string, theirs: string | undefined) =>
      (isOwn || mine.get(key) === theirs ? into : differing).add(key);
    for (const key of mine.keys()) {
      const done = ledger.seen[key]?.done?.[destination.id];
      if (done?.how === 'sent' || (isOwn && done?.how === 'more')) put(delivered, key, done.link);
    }
    // One that is paused or parked delivers nothing: waiting for it would be waiting for ever.
    if (isPaused(other) || parkedNow(ledger, destination.id, other.resumedAt)) continue;
    const links = new Map(ledger.outbox.map(({ posting }) => [posting.key, linkMark(posting.applyUrl)]));
    for (const edition of ledger.editions)
      if (edition.destination === destination.id)
        for (const key of [...edition.parts.slice(edition.sent).flat(), ...edition.rest])
          if (mine.has(key)) put(underway, key, links.get(key));
  }
  return { delivered, underway, differing };
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
