import { parkedNow, unpark } from '../domain/parking.js';
import { linkMark } from '../domain/seen.js';
import { isPaused } from '../domain/subscription.js';
import { deliveryJob, deliveryPlans } from './enqueue-deliveries.js';
/** The other subscriptions that share the destination with this one. */
export async function subscriptionsSharing(p, { id, account }, destination) {
    const isShared = isSharedPlace(p, destination);
    const there = await p.stores.subscriptions.byDestination(destination.id);
    return there.filter((other) => other.id !== id && (isShared || other.account === account));
}
function isSharedPlace(p, { sink, target }) {
    return p.sinks.get(sink)?.isShared?.(target) ?? false;
}
/**
 * What the others did at the destination. Deliveries to one destination are one group, so none of the others cuts an
 * edition in the meantime.
 */
export async function siblingView(p, subscription, destination, owed) {
    const delivered = new Set();
    const underway = new Set();
    const differing = new Set();
    const isShared = isSharedPlace(p, destination);
    const mine = new Map(owed.map(({ posting }) => [posting.key, linkMark(posting.applyUrl)]));
    const here = await p.stores.ledgers.deliveredAt(destination.id, [...mine.keys()]);
    const named = [...here.values()].flat().map((one) => one.subscription);
    const others = new Map((await p.stores.subscriptions.many([...new Set(named)])).map((one) => [one.id, one]));
    for (const [key, claims] of here)
        for (const { subscription: id, how, link } of claims) {
            if (id === subscription.id)
                continue;
            const other = others.get(id);
            const isOwn = other?.account === subscription.account;
            if (!isOwn && (!isShared || how === 'more'))
                continue;
            if (how === 'underway' && !(other && (await isDelivering(p, other, destination))))
                continue;
            const isSame = isOwn || mine.get(key) === link;
            if (!isSame)
                differing.add(key);
            else
                (how === 'underway' ? underway : delivered).add(key);
        }
    return { delivered, underway, differing };
}
/**
 * Whether another subscription delivers there. Waiting for one that is paused, parked or no longer delivers there
 * would never end.
 */
async function isDelivering(p, other, { id }) {
    if (isPaused(other) || !other.destinations.some((one) => one.id === id))
        return false;
    return !parkedNow(await p.ledgers.read(other.id), id, other.resumedAt);
}
/** The others that share the destination, and have something waiting there or are parked. */
async function waiting(p, { id, account }, destination) {
    const ids = (await p.stores.ledgers.waitingAt(destination.id)).filter((one) => one !== id);
    if (ids.length === 0)
        return [];
    const isShared = isSharedPlace(p, destination);
    const others = await p.stores.subscriptions.many(ids);
    return isShared ? others : others.filter((other) => other.account === account);
}
/** Enqueues the others after a change at the destination: what they held back is done, or is now theirs to deliver. */
export async function enqueueSharedDestinations(p, subscription, destination) {
    const others = await waiting(p, subscription, destination);
    await Promise.all(others.map((other) => p.engine.put(deliveryJob(other, destination))));
}
/** Frees the others that are parked at a destination that was reached, because their owner was notified only once. */
export async function freeShared(p, subscription, destination) {
    const others = await waiting(p, subscription, destination);
    const backlogs = await p.stores.ledgers.backlogs(others.map((other) => other.id));
    const isParked = ({ id }) => backlogs.get(id)?.places.some((one) => one.destination === destination.id && one.parked);
    for (const other of others.filter(isParked))
        await p.ledgers.update(other.id, (ledger) => ({
            ledger: destination.id in ledger.parked ? unpark(ledger, destination.id, p.clock.now()) : ledger,
            result: undefined,
            plans: deliveryPlans(p, other, [destination]),
        }));
}
//# sourceMappingURL=shared-destinations.js.map