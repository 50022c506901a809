// Subscriptions that were removed a short time ago. The record is gone from the list of subscriptions at once, so
// nothing is polled or delivered; its ledger, poll state and history stay for KEPT_MS. Whoever puts a record back under
// the same id within that time (Undo, or the entry in the file) goes on where it stood: what was owed is still owed, and
// what was seen is not announced again.
import type { Subscription } from '../domain/subscription.js';
import type { Stores } from '../ports/stores.js';

/** A removed subscription as it was; `at` in milliseconds since the epoch. */
export interface Removed {
  readonly subscription: Subscription;
  readonly at: number;
}

/** How long a removed subscription can be put back, milliseconds. */
const KEPT_MS = 7 * 86_400_000;

const PREFIX = 'removed:';

/**
 * Takes a record out of the store and notes that what belongs to it is kept. The note goes first: without it the next
 * start would delete the ledger. While the record is still there the note means nothing.
 */
export async function retire(
  { misc, subscriptions }: Stores,
  subscription: Subscription,
  now: number,
): Promise<void> {
  await misc.set(`${PREFIX}${subscription.id}`, { subscription, at: now } satisfies Removed, KEPT_MS);
  await subscriptions.remove(subscription.id);
}

/** What is kept under an id; undefined when nothing was removed or its time is over. */
export async function removedOf({ misc }: Stores, id: string): Promise<Removed | undefined> {
  return (await misc.get(`${PREFIX}${id}`)) as Removed | undefined;
}

/** The subscription is back, or is to be forgotten for good. */
export function dropRemoved({ misc }: Stores, id: string): Promise<void> {
  return misc.delete(`${PREFIX}${id}`);
}

/** All that an account removed and could still have back. */
export async function removedBy({ misc }: Stores, account: string): Promise<readonly Removed[]> {
  const found: Removed[] = [];
  for await (const [, value] of misc.entries(PREFIX)) {
    const removed = value as Removed;
    if (removed.subscription.account === account) found.push(removed);
  }
  return found;
}
