// How deliveries are put in: by reference, one job per destination of a subscription.
import { deliveryPlan } from '../domain/delivery.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { JobRef } from '../ports/engine.js';
import type { Pipeline } from './context.js';

/** The job that delivers to one destination of one subscription. */
export function deliveryJob(subscription: Subscription, destination: Destination): JobRef {
  const { queue, lane, unit } = deliveryPlan(subscription, destination, 0);
  return { queue, id: unit, group: lane };
}

/** Puts in a delivery for each destination; the job itself finds out whether and when something is due. */
export async function wakeDestinations(p: Pipeline, subscription: Subscription): Promise<void> {
  for (const destination of subscription.destinations)
    await p.engine.put(deliveryJob(subscription, destination));
}
