// The figures of one process: the metrics that Prometheus reads, and the daily counts of the operator's page.
import { createDailyStats } from '../pipeline/daily-stats.js';
import { createMetricsBook } from '../web/metrics.js';
export function createFigures(log, clock) {
    const book = createMetricsBook({
        onMisuse: (metric) => log.warn({ metric }, 'figure without an entry in the table'),
    });
    return { book, dailyStats: createDailyStats(book.metrics, clock) };
}
//# sourceMappingURL=counters.js.map