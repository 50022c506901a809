// How deliveries are put in: by reference, one job per destination of a subscription.
import type { Destination, Subscription } from '../domain/subscription.js';
import type { Job } from '../ports/engine.js';
import type { Plan } from '../ports/lanes.js';
import type { Pipeline } from './context.js';

/** The job that delivers to one destination of one subscription. One group per place, so that a place gets one message at a time. */
export function deliveryJob(subscription: Subscription, destination: Destination): Job {
  return {
    queue: `deliver:${destination.sink}`,
    id: `${subscription.id}\n${destination.id}`,
    group: destination.id,
  };
}

/** The same as a plan that goes into a commit of the store. `at`: milliseconds since the epoch. */
export function deliveryPlan(subscription: Subscription, destination: Destination, at: number): Plan {
  const { queue, id, group } = deliveryJob(subscription, destination);
  return { queue, lane: group, unit: id, at };
}

/** Puts in a delivery for each destination; the job itself finds out whether and when something is due. */
export async function wakeDestinations(p: Pipeline, subscription: Subscription): Promise<void> {
  for (const destination of subscription.destinations)
    await p.engine.put(deliveryJob(subscription, destination));
}
