// How many postings and deliveries each day had, for the operator's charts. The counters of the metrics start again
// with every start; these do not. Days are in UTC.
import type { Table } from '../ports/stores.js';
import type { Clock, Metrics } from '../ports/system.js';

/** What happened in one day. */
interface Day {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** Postings that were added to an outbox. */
  readonly postings: number;
  /** Postings that a sink has delivered. */
  readonly delivered: number;
  /** Attempts to deliver that failed. */
  readonly failed: number;
}

export interface DailyStats {
  /** Passes everything on, and counts what the charts show. */
  readonly metrics: Metrics;
  /** Adds the counts since the last call to the stored ones. Counts that could not be written are added the next time. */
  flush(table: Table<unknown>): Promise<void>;
  /**
   * Oldest first, today last. Days without counts are included, with zeros. Counts of all processes; while the store
   * does not work, only those that are not written yet.
   */
  days(table: Pick<Table<unknown>, 'get'>): Promise<readonly Day[]>;
}

const DAY_MS = 86_400_000;
const SHOWN = 30;
const KEPT_MS = 60 * DAY_MS;

type Counts = Omit<Day, 'day'>;

const NONE: Counts = { postings: 0, delivered: 0, failed: 0 };

const keyOf = (day: string) => `tally:${day}`;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

function sum(a: Counts, b: Counts): Counts {
  return {
    postings: a.postings + b.postings,
    delivered: a.delivered + b.delivered,
    failed: a.failed + b.failed,
  };
}

/** Returns the daily counts. `metrics`: receives everything that is counted. */
export function createDailyStats(metrics: Metrics, clock: Clock): DailyStats {
  /** Counts that are not written yet, by day. */
  const pending = new Map<string, Counts>();

  function add(counts: Partial<Counts>): void {
    const day = dayOf(clock.now());
    pending.set(day, sum(pending.get(day) ?? NONE, { ...NONE, ...counts }));
  }

  return {
    metrics: {
      count(name, labels, by = 1) {
        metrics.count(name, labels, by);
        if (by === 0) return;
        if (name === 'postings_matched_total') add({ postings: by });
        if (name === 'postings_delivered_total') add({ delivered: by });
        if (name === 'deliveries_total' && labels?.outcome === 'failed') add({ failed: by });
      },
      observe: (name, seconds, labels) => metrics.observe(name, seconds, labels),
    },
    async flush(table) {
      for (const [day, counts] of [...pending]) {
        pending.delete(day);
        try {
          await table.update(keyOf(day), (before = NONE) => sum(before as Counts, counts), KEPT_MS);
        } catch (error) {
          pending.set(day, sum(pending.get(day) ?? NONE, counts));
          throw error;
        }
      }
    },
    days: (table) =>
      Promise.all(
        Array.from({ length: SHOWN }, async (_, index) => {
          const day = dayOf(clock.now() - (SHOWN - 1 - index) * DAY_MS);
          const stored = (await table.get(keyOf(day)).catch(() => undefined)) as Counts | undefined;
          return { day, ...sum(stored ?? NONE, pending.get(day) ?? NONE) };
        }),
      ),
  };
}
