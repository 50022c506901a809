// The program's metrics for Prometheus. Other parts only use names; the table defines them. A name that is not in the
// table is left out and reported to `onMisuse`: a metric must never stop a delivery.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../ports/system.js';

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
  // The event loop is sampled every 50 ms. The default of 10 ms costs four times as much, also while nothing happens.
  if (defaults) collectDefaultMetrics({ register, prefix: 'jobcrier_', eventLoopMonitoringPrecision: 50 });
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

  return {
    metrics: {
      count(name, labels = {}, by = 1) {
        const counter = counters.get(name);
        if (!counter) return onMisuse(name);
        try {
          counter.inc(labels, by);
        } catch {
          // prom-client throws for an unknown label.
          onMisuse(name);
        }
      },
      observe(name, seconds, labels = {}) {
        const histogram = histograms.get(name);
        if (!histogram) return onMisuse(name);
        try {
          // A clock that was set back in between would make a duration negative.
          histogram.observe(labels, Math.max(0, seconds));
        } catch {
          onMisuse(name);
        }
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

// All metrics of the program, declared in one place: their kind, labels and meaning. A metric that is missing here
// could not be looked up, so a test compares this table with the source.

/** Values by label. A label without values gets them at the start, or its values are not known in advance. */
type Known = Readonly<Record<string, readonly string[]>>;

interface CounterEntry {
  readonly kind: 'counter';
  readonly help: string;
  readonly labels: readonly string[];
  /** Known values of each label. Their counters begin at zero, so that an alert sees the first count as an increase. */
  readonly known: Known;
}

interface HistogramEntry {
  readonly kind: 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds, seconds. */
  readonly buckets: readonly number[];
}

interface GaugeEntry {
  readonly kind: 'gauge';
  readonly help: string;
  readonly labels: readonly string[];
}

export type MetricEntry = CounterEntry | HistogramEntry | GaugeEntry;

const QUICK = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10];
const SLOW = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

function counter(help: string, known: Known = {}): CounterEntry {
  return { kind: 'counter', help, labels: Object.keys(known), known };
}

function histogram(help: string, buckets: readonly number[], ...labels: readonly string[]): HistogramEntry {
  return { kind: 'histogram', help, labels, buckets };
}

function gauge(help: string, ...labels: readonly string[]): GaugeEntry {
  return { kind: 'gauge', help, labels };
}

/** By the name used in the program: without the prefix and, for some counters, without `_total` at the end. */
export const METRICS: Readonly<Record<string, MetricEntry>> = {
  polls_total: counter('Polls by outcome.', {
    outcome: [
      'unchanged',
      'recorded',
      'baseline',
      'partial',
      'paused',
      'no-token',
      'rejected',
      'failed',
      'throttled',
      'gone',
      'stopped',
    ],
  }),
  turns_total: counter('Turns taken by this process, by kind of lane.', { kind: ['poll', 'deliver'] }),
  poll_duration_seconds: histogram('How long a poll took, including the wait for the API.', SLOW),
  postings_new_total: counter('Postings seen for the first time, including those of a first poll.'),
  postings_matched_total: counter('Postings added to an outbox.'),
  postings_filtered_total: counter("New postings removed by the subscription's own rules."),
  postings_delivered_total: counter('Postings delivered, by sink.', { sink: [] }),
  postings_lost_total: counter(
    'Postings given up, by reason: expired, or set aside because of their content.',
    {
      how: ['expired', 'posting'],
    },
  ),
  deliveries_total: counter('Attempts to deliver a message, by sink and outcome.', {
    sink: [],
    outcome: ['sent', 'failed'],
  }),
  delivery_duration_seconds: histogram('How long a delivery that succeeded took.', SLOW, 'sink'),
  gaps_suspected_total: counter(
    'Full answers that ended with a new posting, so that older ones may have been missed.',
  ),
  feed_requests: counter('Requests to the jobs API by outcome.', {
    outcome: [
      'ok',
      'unchanged',
      'cached',
      'rejected',
      'throttled',
      'unavailable',
      'refused',
      'malformed',
      'aborted',
    ],
  }),
  feed_parsed: counter('Responses of the jobs API that were parsed, by format.', { format: ['rss', 'json'] }),
  discord_requests_total: counter("Requests to Discord's REST API by status; none when no answer came.", {
    status: ['200', '204', '400', '401', '403', '404', '429', '500', '502', '503', 'none'],
  }),
  interactions: counter('Discord interactions by name and outcome.', {
    name: [],
    outcome: ['done', 'refused', 'failed', 'late'],
  }),
  interaction_seconds: histogram('How long an interaction took to be answered.', QUICK, 'name'),
  outbox_size: gauge('Postings waiting to be sent.'),
  oldest_undelivered_seconds: gauge(
    'Age of the oldest posting waiting to be sent; with a weekly digest it can be a week.',
  ),
  oldest_edition_seconds: gauge(
    'Age of the oldest edition that is due and not delivered, without parked ones.',
  ),
  destinations_parked: gauge('Destinations that are parked until their owner acts.'),
  subscriptions: gauge('Subscriptions by state.', 'state'),
  queue_jobs: gauge('Jobs waiting or running, by queue.', 'queue'),
  lanes_waiting: gauge('Lanes that are due and wait for a process, by kind.', 'kind'),
  oldest_due_lane_seconds: gauge('Longest time that a due lane has waited for a process, by kind.', 'kind'),
  processes: gauge('Processes that share the work, by role.', 'role'),
  scheduler_lag_seconds: gauge('How long the oldest unfinished poll has been due, waiting or running.'),
  store_up: gauge('1 when a test write to the store could be read back.'),
  queue_up: gauge('1 when Redis answers; absent without QUEUE_URL.'),
  discord_up: gauge('1 when the bot is connected; absent without one.'),
  backup_ok: gauge(
    '0 when the last backup failed, or the newest one is missing or late; 1 also when none are made.',
  ),
  backup_age_seconds: gauge(
    'Age of the newest daily backup, or time since the start without one; absent when none are made.',
  ),
  config_reload_success: gauge(
    '1 when the subscriptions file was applied at its last read, 0 when it was refused.',
  ),
  config_reload_success_timestamp_seconds: gauge('When the subscriptions file was last applied.'),
  info: gauge('Always 1; version and role are the labels.', 'version', 'role'),
};

const PREFIX = 'jobcrier_';

/** The name that Prometheus sees. */
export function exposedName(name: string): string {
  const counted = METRICS[name]?.kind === 'counter' && !name.endsWith('_total');
  return `${PREFIX}${name}${counted ? '_total' : ''}`;
}
