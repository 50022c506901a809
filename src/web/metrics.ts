// The program's figures for Prometheus. The parts that count know names only; the table says what they are. A name
// that is not in it is left out and told to whoever made this: a figure must never keep a delivery from its reader.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../ports/system.js';
import { exposedName, type Known, METRICS } from './metric-table.js';

/** One value, one per set of labels, or nothing to tell. */
export type GaugeValues =
  | undefined
  | number
  | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];

export interface MetricsBook {
  readonly metrics: Metrics;
  /** Values a label will take in this process, such as the names of its sinks: their counters begin at zero. */
  know(label: string, values: Iterable<string>): void;
  /** A figure of the table that is looked up whenever someone asks. One that can't be looked up is left out. */
  gauge(name: string, read: () => Promise<GaugeValues> | GaugeValues): void;
  read(): Promise<{ readonly text: string; readonly contentType: string }>;
}

/**
 * `defaults`: also the figures of the process (memory, CPU, event loop). `onMisuse` hears of a name or a label the
 * table does not have.
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

  /** prom-client throws for a label it was not told of. */
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
        // A clock that went back in between would make a duration negative.
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
          // Unlike one with labels, a bare gauge that was reset says 0, which is not the same as nothing.
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

/** One part that fails must not take the figures of the others with it. */
async function lookUp(read: () => Promise<GaugeValues> | GaugeValues): Promise<GaugeValues> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
