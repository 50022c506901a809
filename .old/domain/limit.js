// A limit on how often something may happen, computed from the times at which it happened. Keep the times in one
// record and change them with its `update`, so that a burst, another process or a restart can't exceed the limit.
/**
 * Returns the times that still count, in their order. A time in the future (the clock was set back) counts as now.
 */
export function recentOf(times = [], now, { withinMs }) {
    return times.map((at) => Math.min(at, now)).filter((at) => now - at < withinMs);
}
/** Returns the milliseconds until it may happen again; 0 if it may happen now. */
export function waitOf(times, now, limit) {
    const freed = recentOf(times, now, limit).at(-limit.most);
    return freed === undefined ? 0 : limit.withinMs - (now - freed);
}
//# sourceMappingURL=limit.js.map