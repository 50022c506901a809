const DAY_MS = 86_400_000;
const SHOWN = 30;
const KEPT_MS = 60 * DAY_MS;
const NONE = { postings: 0, delivered: 0, failed: 0 };
const keyOf = (day) => `tally:${day}`;
const dayOf = (at) => new Date(at).toISOString().slice(0, 10);
function sum(a, b) {
    return {
        postings: a.postings + b.postings,
        delivered: a.delivered + b.delivered,
        failed: a.failed + b.failed,
    };
}
/** Returns the daily counts. `metrics`: receives everything that is counted. */
export function createDailyStats(metrics, clock) {
    /** Counts that are not written yet, by day. */
    const pending = new Map();
    function add(counts) {
        const day = dayOf(clock.now());
        pending.set(day, sum(pending.get(day) ?? NONE, { ...NONE, ...counts }));
    }
    return {
        metrics: {
            count(name, labels, by = 1) {
                metrics.count(name, labels, by);
                if (by === 0)
                    return;
                if (name === 'postings_matched_total')
                    add({ postings: by });
                if (name === 'postings_delivered_total')
                    add({ delivered: by });
                if (name === 'deliveries_total' && labels?.outcome === 'failed')
                    add({ failed: by });
            },
            observe: (name, seconds, labels) => metrics.observe(name, seconds, labels),
        },
        async flush(table) {
            for (const [day, counts] of [...pending]) {
                pending.delete(day);
                try {
                    await table.update(keyOf(day), (before = NONE) => sum(before, counts), KEPT_MS);
                }
                catch (error) {
                    pending.set(day, sum(pending.get(day) ?? NONE, counts));
                    throw error;
                }
            }
        },
        days: (table) => Promise.all(Array.from({ length: SHOWN }, async (_, index) => {
            const day = dayOf(clock.now() - (SHOWN - 1 - index) * DAY_MS);
            const stored = (await table.get(keyOf(day)).catch(() => undefined));
            return { day, ...sum(stored ?? NONE, pending.get(day) ?? NONE) };
        })),
    };
}
//# sourceMappingURL=daily-stats.js.map