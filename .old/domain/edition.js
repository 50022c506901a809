// Postings delivered together. An edition is stored before its first attempt and never put together again, so a
// second attempt has the same content and the same id.
import { createHash } from 'node:crypto';
/**
 * Returns 20 characters that are always the same for the same subscription, destination, slot and postings, so that
 * the id stays the same after a crash before the write.
 */
export function editionId(subscription, destination, slot, keys) {
    const text = [subscription, destination, slot, ...keys].join('\n');
    return createHash('sha256').update(text).digest('base64url').replace(/[-_]/gu, 'x').slice(0, 20);
}
// Processes long lists in parts.
/** Splits a list into parts of at most `size`, in order. */
export function partsOf(list, size = 200) {
    return Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));
}
/** Groups items into pages of at most `size`, in order. */
export async function* pagesOf(items, size) {
    let page = [];
    for await (const item of items) {
        page.push(item);
        if (page.length < size)
            continue;
        yield page;
        page = [];
    }
    if (page.length > 0)
        yield page;
}
//# sourceMappingURL=edition.js.map