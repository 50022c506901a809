/** How long a removed subscription can be put back, milliseconds. */
const KEPT_MS = 7 * 86_400_000;
const PREFIX = 'removed:';
/**
 * Removes a record from the store, and notes that its other records are kept. The note goes first: without it the
 * ledger would be deleted. It has no effect while the record is stored. It stays until the other records are deleted.
 */
export async function retire({ misc, subscriptions }, subscription, now) {
    await misc.set(`${PREFIX}${subscription.id}`, { subscription, at: now });
    await subscriptions.remove(subscription.id);
}
/** True when the subscription can't be put back any more. */
export function isOver({ at }, now) {
    return now - at >= KEPT_MS;
}
/** What is kept under an id; undefined when nothing was removed or its time is over. */
export async function removedOf({ misc }, id, now) {
    const removed = (await misc.get(`${PREFIX}${id}`));
    return removed && !isOver(removed, now) ? removed : undefined;
}
/** Whether the subscription is there, or was removed and can be put back. */
export async function isKnown(stores, id, now) {
    return ((await stores.subscriptions.get(id)) !== undefined || (await removedOf(stores, id, now)) !== undefined);
}
/** Ends the time in which a subscription can be put back. The note stays until its other records are deleted. */
export async function endRemoved({ misc }, id) {
    const removed = (await misc.get(`${PREFIX}${id}`));
    if (removed)
        await misc.set(`${PREFIX}${id}`, { ...removed, at: 0 });
}
/** Deletes the note, because the subscription is back or all its records are deleted. */
export function dropRemoved({ misc }, id) {
    return misc.delete(`${PREFIX}${id}`);
}
/** All removed subscriptions whose records are not deleted yet, even those whose time is over. */
export async function removedRows({ misc }) {
    const found = [];
    for await (const [, value] of misc.entries(PREFIX))
        found.push(value);
    return found;
}
//# sourceMappingURL=removed.js.map