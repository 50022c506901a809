// How many postings and deliveries each day had, for the operator's charts: the counters of the metrics begin anew
// with every start, these do not. Days are those of UTC.
import type { Table } from '../ports/stores.js';
import type { Clock, Metrics } from '../ports/system.js';

/** What happened in one day. */
interface Day {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** Postings that became owed. */
  readonly postings: number;
  /** Postings a sink has taken. */
  readonly delivered: number;
  /** Attempts to deliver that failed. */
  readonly failed: number;
}

export interface Tally {
  /** Passes everything on and keeps count of what the charts show. */
  readonly metrics: Metrics;
  /** Reads what earlier runs counted; until then only this run's figures are there. */
  load(table: Table<unknown>): Promise<void>;
  /** Writes down what changed since the last time. */
  flush(): Promise<void>;
  /** Oldest first, today last; days without anything are there with zeros. */
  days(): readonly Day[];
}

const DAY_MS = 86_400_000;
const SHOWN = 30;
const KEPT_MS = 60 * DAY_MS;
const NAMES = ['postings', 'delivered', 'failed'] as const;

type Counts = Record<(typeof NAMES)[number], number>;

const keyOf = (day: string) => `tally:${day}`;

/** `metrics`: who else is told. */
export function createTally(metrics: Metrics, clock: Clock): Tally {
  const counts = new Map<string, Counts>();
  const changed = new Set<string>();
  let table: Table<unknown> | undefined;

  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  const shownDays = () =>
    Array.from({ length: SHOWN }, (_, index) => dayOf(clock.now() - (SHOWN - 1 - index) * DAY_MS));

  function add(what: keyof Counts, by: number): void {
    if (by === 0) return;
    const day = dayOf(clock.now());
    const before = counts.get(day) ?? { postings: 0, delivered: 0, failed: 0 };
    counts.set(day, { ...before, [what]: before[what] + by });
    changed.add(day);
  }

  async function flush(): Promise<void> {
    if (!table) return;
    for (const day of [...changed]) {
      changed.delete(day);
      try {
        await table.set(keyOf(day), counts.get(day), KEPT_MS);
      } catch (error) {
        changed.add(day);
        throw error;
      }
    }
    const shown = new Set(shownDays());
    for (const day of counts.keys()) if (!shown.has(day)) counts.delete(day);
  }

  return {
    metrics: {
      count(name, labels, by = 1) {
        metrics.count(name, labels, by);
        if (name === 'postings_matched_total') add('postings', by);
        if (name === 'postings_delivered_total') add('delivered', by);
        if (name === 'deliveries_total' && labels?.outcome === 'failed') add('failed', by);
      },
      observe: (name, seconds, labels) => metrics.observe(name, seconds, labels),
    },
    async load(from) {
      for (const day of shownDays()) {
        const stored = (await from.get(keyOf(day))) as Partial<Counts> | undefined;
        if (!stored) continue;
        const here = counts.get(day);
        const sum = (name: keyof Counts) => (stored[name] ?? 0) + (here?.[name] ?? 0);
        counts.set(day, { postings: sum('postings'), delivered: sum('delivered'), failed: sum('failed') });
      }
      table = from;
    },
    flush,
    days: () =>
      shownDays().map((day) => ({ day, ...(counts.get(day) ?? { postings: 0, delivered: 0, failed: 0 }) })),
  };
}
