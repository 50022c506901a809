// Whether a subscription has been polled.
import { pollStatus } from '../../src/pipeline/poll-result.js';
import type { Stores } from '../../src/ports/stores.js';

/** When it was polled last, milliseconds since the epoch; undefined before the first time. */
export async function polledAt(stores: Stores, id: string): Promise<number | undefined> {
  const subscription = await stores.subscriptions.get(id);
  return subscription && (await pollStatus(stores, subscription)).polledAt;
}

/** True once the first answer is on record. */
export async function isPolled(stores: Stores, id: string): Promise<boolean> {
  return (await stores.polls.read(id))?.heard !== undefined;
}
