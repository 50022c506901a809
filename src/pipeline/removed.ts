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
 * Takes a record out of the store and notes that what belongs to it is kept. The note goes first: without it the ledger
 * would be deleted. While the record is still there the note means nothing. It stays until what is left is deleted.
 */
export async function retire(
  { misc, subscriptions }: Stores,
  subscription: Subscription,
  now: number,
): Promise<void> {
  await misc.set(`${PREFIX}${subscription.id}`, { subscription, at: now } satisfies Removed);
  await subscriptions.remove(subscription.id);
}

/** It can't be put back any more. */
export function isOver({ at }: Removed, now: number): boolean {
  return now - at >= KEPT_MS;
}

/** What is kept under an id; undefined when nothing was removed or its time is over. */
export async function removedOf({ misc }: Stores, id: string, now: number): Promise<Removed | undefined> {
  const removed = (await misc.get(`${PREFIX}${id}`)) as Removed | undefined;
  return removed && !isOver(removed, now) ? removed : undefined;
}

/** Whether the subscription is there, or was removed and can be put back. */
export async function isKnown(stores: Stores, id: string, now: number): Promise<boolean> {
  return (
    (await stores.subscriptions.get(id)) !== undefined || (await removedOf(stores, id, now)) !== undefined
  );
}

/** From now on it can't be put back; the note stays until what is left is deleted. */
export async function endRemoved({ misc }: Stores, id: string): Promise<void> {
  const removed = (await misc.get(`${PREFIX}${id}`)) as Removed | undefined;
  if (removed) await misc.set(`${PREFIX}${id}`, { ...removed, at: 0 } satisfies Removed);
}

/** The subscription is back, or is to be forgotten for good. */
export function dropRemoved({ misc }: Stores, id: string): Promise<void> {
  return misc.delete(`${PREFIX}${id}`);
}

/** All that were removed and not forgotten yet, also those whose time is over. */
export async function removedRows({ misc }: Stores): Promise<readonly Removed[]> {
  const found: Removed[] = [];
  for await (const [, value] of misc.entries(PREFIX)) found.push(value as Removed);
  return found;
}
