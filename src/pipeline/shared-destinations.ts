// Several subscriptions may have the same destination. A posting they share is delivered there once: what one of them
// delivered, the others take off their list. Subscriptions of one account always share. Those of different accounts
// share a destination that many people read, such as a channel, and there only postings whose links are the same byte
// for byte: no account's link may replace another's.
import type { Owed } from '../domain/ledger.js';
import { parkedNow, unpark } from '../domain/parking.js';
import { linkMark } from '../domain/seen.js';
import { type Destination, isPaused, type Subscription } from '../domain/subscription.js';
import type { Pipeline } from './context.js';
import { deliveryJob, deliveryPlans } from './enqueue-deliveries.js';

/**
 * What the other subscriptions do with a subscription's own postings at a shared destination. All sets hold posting
 * keys.
 */
export interface SharedView {
  readonly delivered: ReadonlySet<string>;
  /** About to be delivered. */
  readonly underway: ReadonlySet<string>;
  /** Delivered or about to be delivered by another account, with another link. */
  readonly differing: ReadonlySet<string>;
}

/** The other subscriptions that share the destination with this one. */
export async function subscriptionsSharing(
  p: Pipeline,
  { id, account }: Subscription,
  destination: Destination,
): Promise<readonly Subscription[]> {
  const isShared = isSharedPlace(p, destination);
  const others = await p.stores.subscriptions.byDestination(destination.id, id);
  return isShared ? others : others.filter((other) => other.account === account);
}

function isSharedPlace(p: Pipeline, { sink, target }: Destination): boolean {
  return p.sinks.get(sink)?.isShared?.(target) ?? false;
}

/**
 * What the others did at the destination. Deliveries to one destination are one group, so none of the others cuts an
 * edition in the meantime.
 */
export async function siblingView(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
  owed: readonly Owed[],
): Promise<SharedView> {
  const delivered = new Set<string>();
  const underway = new Set<string>();
  const differing = new Set<string>();
  const isShared = isSharedPlace(p, destination);
  const mine = new Map(owed.map(({ posting }) => [posting.key, linkMark(posting.applyUrl)]));
  const here = await p.stores.ledgers.deliveredAt(destination.id, [...mine.keys()]);
  const named = [...here.values()].flat().map((one) => one.subscription);
  const others = new Map(
    (await p.stores.subscriptions.many([...new Set(named)])).map((one) => [one.id, one] as const),
  );
  for (const [key, claims] of here)
    for (const { subscription: id, how, link } of claims) {
      if (id === subscription.id) continue;
      const other = others.get(id);
      const isOwn = other?.account === subscription.account;
      if (!isOwn && (!isShared || how === 'more')) continue;
      if (how === 'underway' && !(other && (await isDelivering(p, other, destination)))) continue;
      const isSame = isOwn || mine.get(key) === link;
      if (!isSame) differing.add(key);
      else (how === 'underway' ? underway : delivered).add(key);
    }
  return { delivered, underway, differing };
}

/**
 * Whether another subscription delivers there. Waiting for one that is paused, parked or no longer delivers there
 * would never end.
 */
async function isDelivering(p: Pipeline, other: Subscription, { id }: Destination): Promise<boolean> {
  if (isPaused(other) || !other.destinations.some((one) => one.id === id)) return false;
  return !parkedNow(await p.ledgers.read(other.id), id, other.resumedAt);
}

/** The others that share the destination, and have something waiting there or are parked. */
async function waiting(
  p: Pipeline,
  { id, account }: Subscription,
  destination: Destination,
): Promise<readonly Subscription[]> {
  const ids = (await p.stores.ledgers.waitingAt(destination.id)).filter((one) => one !== id);
  if (ids.length === 0) return [];
  const isShared = isSharedPlace(p, destination);
  const others = await p.stores.subscriptions.many(ids);
  return isShared ? others : others.filter((other) => other.account === account);
}

/** Enqueues the others after a change at the destination: what they held back is done, or is now theirs to deliver. */
export async function enqueueSharedDestinations(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
): Promise<void> {
  const others = await waiting(p, subscription, destination);
  await Promise.all(others.map((other) => p.engine.put(deliveryJob(other, destination))));
}

/** Frees the others that are parked at a destination that was reached, because their owner was notified only once. */
export async function freeShared(
  p: Pipeline,
  subscription: Subscription,
  destination: Destination,
): Promise<void> {
  const others = await waiting(p, subscription, destination);
  const backlogs = await p.stores.ledgers.backlogs(others.map((other) => other.id));
  const isParked = ({ id }: Subscription) =>
    backlogs.get(id)?.places.some((one) => one.destination === destination.id && one.parked);
  for (const other of others.filter(isParked))
    await p.ledgers.update(other.id, (ledger) => ({
      ledger: destination.id in ledger.parked ? unpark(ledger, destination.id, p.clock.now()) : ledger,
      result: undefined,
      plans: deliveryPlans(p, other, [destination]),
    }));
}
