// The figures of one process: what Prometheus reads, and the daily counts of the operator's page.
import { createTally, type Tally } from '../pipeline/tally.js';
import type { Clock, Log } from '../ports/system.js';
import { createMetricsBook, type MetricsBook } from '../web/metrics.js';

export interface Figures {
  readonly book: MetricsBook;
  readonly tally: Tally;
}

export function createFigures(log: Log, clock: Clock): Figures {
  const book = createMetricsBook({
    onMisuse: (metric) => log.warn({ metric }, 'figure without an entry in the table'),
  });
  return { book, tally: createTally(book.metrics, clock) };
}
