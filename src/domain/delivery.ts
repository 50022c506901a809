// Deliveries by reference: one for each destination of a subscription. A lane is a destination, so that it gets one
// message at a time.
import type { Destination, Subscription } from './subscription.js';

/** Returns the queue of everything a sink delivers. */
export const deliveryQueue = (sink: string) => `deliver:${sink}`;

/** Returns the plan of a delivery. `at`: the earliest time something may be due, in milliseconds since the epoch. */
export function deliveryPlan({ id }: Pick<Subscription, 'id'>, destination: Destination, at: number) {
  return {
    queue: deliveryQueue(destination.sink),
    lane: destination.id,
    unit: `${id}\n${destination.id}`,
    at,
  };
}
