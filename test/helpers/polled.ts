// Whether a subscription has been polled.
import { pollStatus } from '../../src/pipeline/poll-result.js';
import type { Stores } from '../../src/ports/stores.js';

/** When it was last polled, milliseconds since the epoch; undefined before the first time. */
export async function polledAt(stores: Stores, id: string): Promise<number | undefined> {
  const subscription = await stores.subscriptions.get(id);
  return subscription && (await pollStatus(stores, subscription)).polledAt;
}

/** True after the first answer was recorded. */
export async function isPolled(stores: Stores, id: string): Promise<boolean> {
  return (await stores.polls.read(id))?.heard !== undefined;
}
