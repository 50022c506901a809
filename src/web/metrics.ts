// The program's metrics for Prometheus. Other parts only use names; the table defines them. A name that is not in the
// table is left out and reported to `onMisuse`: a metric must never stop a delivery.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../ports/system.js';
import { exposedName, type Known, METRICS } from './metric-table.js';

/** One value, one value per set of labels, or undefined for none. */
export type GaugeValues =
  | undefined
  | number
  | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];

export interface MetricsBook {
  readonly metrics: Metrics;
  /** Sets the values of a label in this process, such as the names of its sinks. Their counters begin at zero. */
  know(label: string, values: Iterable<string>): void;
  /** Looks a metric of the table up whenever metrics are read. It is left out if `read` fails. */
  gauge(name: string, read: () => Promise<GaugeValues> | GaugeValues): void;
  read(): Promise<{ readonly text: string; readonly contentType: string }>;
}

/**
 * `defaults`: adds metrics of the process (memory, CPU, event loop). `onMisuse`: called with a metric's name if the
 * table lacks the name or one of its labels.
 */
export function createMetricsBook(
  options: { readonly defaults?: boolean; readonly onMisuse?: (what: string) => void } = {},
): MetricsBook {
  const { defaults = true, onMisuse = () => undefined } = options;
  const register = new Registry();
  if (defaults) collectDefaultMetrics({ register, prefix: 'jobcrier_' });
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  for (const [name, { kind, help, labels, ...more }] of Object.entries(METRICS)) {
    const about = { name: exposedName(name), help, labelNames: [...labels], registers: [register] };
    if (kind === 'counter') counters.set(name, new Counter(about));
    if (kind === 'histogram' && 'buckets' in more)
      histograms.set(name, new Histogram({ ...about, buckets: [...more.buckets] }));
  }

  const learned: Record<string, readonly string[]> = {};

  function startAtZero(concerned: (known: Known) => boolean): void {
    for (const [name, entry] of Object.entries(METRICS))
      if (entry.kind === 'counter' && concerned(entry.known))
        for (const labels of everyCombination({ ...entry.known, ...pick(learned, entry.labels) }))
          counters.get(name)?.inc(labels, 0);
  }
  startAtZero(() => true);

  /** prom-client throws for an unknown label. */
  function safely(name: string, record: (() => void) | undefined): void {
    try {
      if (record) record();
      else onMisuse(name);
    } catch {
      onMisuse(name);
    }
  }

  return {
    metrics: {
      count(name, labels = {}, by = 1) {
        const counter = counters.get(name);
        safely(name, counter && (() => counter.inc(labels, by)));
      },
      observe(name, seconds, labels = {}) {
        const histogram = histograms.get(name);
        // A clock that was set back in between would make a duration negative.
        safely(name, histogram && (() => histogram.observe(labels, Math.max(0, seconds))));
      },
    },
    know(label, values) {
      learned[label] = [...values];
      startAtZero((known) => label in known);
    },
    gauge(name, read) {
      const entry = METRICS[name];
      if (entry?.kind !== 'gauge') return onMisuse(name);
      new Gauge({
        name: exposedName(name),
        help: entry.help,
        labelNames: [...entry.labels],
        registers: [register],
        async collect() {
          this.reset();
          // After a reset a gauge without labels shows 0 instead of nothing, so it is removed.
          if (entry.labels.length === 0) this.remove();
          const values = await lookUp(read);
          if (typeof values === 'number') this.set(values);
          else for (const { labels, value } of values ?? []) this.set(labels, value);
        },
      });
    },
    read: async () => ({ text: await register.metrics(), contentType: register.contentType }),
  };
}

function pick(from: Known, names: readonly string[]): Known {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}

/** `{ a: [1, 2], b: [3] }` gives `{ a: 1, b: 3 }` and `{ a: 2, b: 3 }`; nothing when a label has no values. */
function everyCombination(known: Known): Record<string, string>[] {
  let all: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(known))
    all = all.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  return all;
}

/** Undefined if the read fails, so that the other metrics are still shown. */
async function lookUp(read: () => Promise<GaugeValues> | GaugeValues): Promise<GaugeValues> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
