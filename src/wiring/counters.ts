// The figures of one process: the metrics that Prometheus reads, and the daily counts of the operator's page.
import { createDailyStats, type DailyStats } from '../pipeline/daily-stats.js';
import type { Clock, Log } from '../ports/system.js';
import { createMetricsBook, type MetricsBook } from '../web/metrics.js';

export interface Figures {
  readonly book: MetricsBook;
  readonly dailyStats: DailyStats;
}

export function createFigures(log: Log, clock: Clock): Figures {
  const book = createMetricsBook({
    onMisuse: (metric) => log.warn({ metric }, 'figure without an entry in the table'),
  });
  return { book, dailyStats: createDailyStats(book.metrics, clock) };
}
