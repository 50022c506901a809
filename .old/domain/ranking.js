const DAY = 86_400_000;
/**
 * Returns a score, higher is better: how fresh it is, whether it states pay, and how many of the wanted things it
 * has. `now` in milliseconds since the epoch.
 */
export function worth(posting, matched, now) {
    const age = posting.postedAt ? (now - Date.parse(posting.postedAt)) / DAY : 14;
    const fresh = Math.max(0, 14 - Math.max(0, age)) / 14;
    const pay = posting.pay || posting.salary ? 1 : 0;
    return fresh + pay + Math.min(matched.length, 4) * 0.75;
}
/** Returns the best `count` of a list that has the newest last, in the same order. Among equals, newer ones win. */
export function best(list, count, now) {
    if (list.length <= count)
        return list;
    const chosen = new Set(list
        .map((one, index) => ({ one, index, worth: worth(one.posting, one.matched, now) }))
        .sort((a, b) => b.worth - a.worth || b.index - a.index)
        .slice(0, count)
        .map(({ one }) => one));
    return list.filter((one) => chosen.has(one));
}
//# sourceMappingURL=ranking.js.map