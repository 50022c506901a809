// Deliveries by reference: one for each destination of a subscription. A lane is a place, so that it gets one message at a time.
import type { Destination, Subscription } from './subscription.js';

/** What a sink delivers stands in one queue. */
export const deliveryQueue = (sink: string) => `deliver:${sink}`;

/** `at`: from when something may be due, milliseconds since the epoch. */
export function deliveryPlan({ id }: Pick<Subscription, 'id'>, destination: Destination, at: number) {
  return {
    queue: deliveryQueue(destination.sink),
    lane: destination.id,
    unit: `${id}\n${destination.id}`,
    at,
  };
}
