// Comparing records.
/** Whether two records are equal. Their order of fields is ignored, because the store may change it. */
export function same(a, b) {
    return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}
function sorted(value) {
    if (typeof value !== 'object' || value === null)
        return value;
    if (Array.isArray(value))
        return value.map(sorted);
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]));
}
//# sourceMappingURL=same.js.map