/** Ids may contain a colon (`discord:1`), so they are encoded. */
export function key(kind, ...ids) {
    return [kind, ...ids.map(encodeURIComponent)].join(':');
}
/** Returns the id at the end of a key. */
export function lastOf(row) {
    return decodeURIComponent(row.slice(row.lastIndexOf(':') + 1));
}
/** Returns the range of all keys that begin with these parts and have more. */
export function under(kind, ...ids) {
    const prefix = key(kind, ...ids);
    // The semicolon directly follows the colon in byte order.
    return { from: `${prefix}:`, to: `${prefix};` };
}
/** Reads a whole range first, for rows that change while you work through them. */
export async function all(table, range) {
    const rows = [];
    for await (const row of table.range(range))
        rows.push(row);
    return rows;
}
//# sourceMappingURL=keys.js.map