// Subscriptions that were removed a short time ago. The record leaves the list of subscriptions immediately, so
// nothing is polled or delivered. Its ledger and history stay for KEPT_MS. If a record is put back under the same id within
// that time (Undo, or the entry in the file), it resumes: its outbox is still there, and postings in its seen set are not
// announced again.
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
 * Removes a record from the store, and notes that its other records are kept. The note goes first: without it the
 * ledger would be deleted. It has no effect while the record is stored. It stays until the other records are deleted.
 */
export async function retire(
  { misc, subscriptions }: Stores,
  subscription: Subscription,
  now: number,
): Promise<void> {
  await misc.set(`${PREFIX}${subscription.id}`, { subscription, at: now } satisfies Removed);
  await subscriptions.remove(subscription.id);
}

/** True when the subscription can't be put back any more. */
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

/** Ends the time in which a subscription can be put back. The note stays until its other records are deleted. */
export async function endRemoved({ misc }: Stores, id: string): Promise<void> {
  const removed = (await misc.get(`${PREFIX}${id}`)) as Removed | undefined;
  if (removed) await misc.set(`${PREFIX}${id}`, { ...removed, at: 0 } satisfies Removed);
}

/** Deletes the note, because the subscription is back or all its records are deleted. */
export function dropRemoved({ misc }: Stores, id: string): Promise<void> {
  return misc.delete(`${PREFIX}${id}`);
}

/** All removed subscriptions whose records are not deleted yet, even those whose time is over. */
export async function removedRows({ misc }: Stores): Promise<readonly Removed[]> {
  const found: Removed[] = [];
  for await (const [, value] of misc.entries(PREFIX)) found.push(value as Removed);
  return found;
}
