// Enqueues deliveries: by reference, one job per destination of a subscription.
import { deliveryPlan } from '../domain/delivery.js';
/** The job that delivers to one destination of one subscription. */
export function deliveryJob(subscription, destination) {
    const { queue, lane, unit } = deliveryPlan(subscription, destination, 0);
    return { queue, id: unit, group: lane };
}
/** The units of a subscription's deliveries, due now, for the commit that adds to its outbox. */
export function deliveryPlans({ clock }, subscription, destinations = subscription.destinations) {
    return destinations.map((one) => deliveryPlan(subscription, one, clock.now()));
}
/** Enqueues a delivery for each destination. The job itself finds out whether and when something is due. */
export async function enqueueDeliveries(p, subscription) {
    for (const destination of subscription.destinations)
        await p.engine.put(deliveryJob(subscription, destination));
}
//# sourceMappingURL=enqueue-deliveries.js.map