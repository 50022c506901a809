// Polls that were made, and polls at once.
import type { App } from '../../src/app.js';
import { pollStatus } from '../../src/pipeline/poll-result.js';
import type { Stores } from '../../src/ports/stores.js';

/** Once a year: after its first poll, a subscription is polled only when a test asks. */
export const ONLY_ON_REQUEST = '0 0 1 1 *';

/** When it was last polled, milliseconds since the epoch; undefined before the first time. */
export async function polledAt(stores: Stores, id: string): Promise<number | undefined> {
  const subscription = await stores.subscriptions.get(id);
  return subscription && (await pollStatus(stores, subscription)).polledAt;
}

/** True after the first answer was recorded. */
export async function isPolled(stores: Stores, id: string): Promise<boolean> {
  return (await stores.ledgers.owed(id))?.heard !== undefined;
}

/** Polls every subscription now. An answer younger than MIN_POLL_SECONDS serves again, so move the clock first. */
export async function pollAll({ pipeline, scheduler }: Pick<App, 'pipeline' | 'scheduler'>): Promise<void> {
  for await (const { id } of pipeline.stores.subscriptions.list()) await scheduler.pollNow(id);
}
