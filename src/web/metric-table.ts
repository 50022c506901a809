// Every figure the program gives out, declared in one place: its kind, its labels and what it means. What is counted
// without standing here would be a figure nobody can look up, so a test holds the source and this table together.

interface CounterEntry {
  readonly kind: 'counter';
  readonly help: string;
  readonly labels: readonly string[];
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

function counter(help: string, ...labels: readonly string[]): CounterEntry {
  return { kind: 'counter', help, labels };
}

function histogram(help: string, buckets: readonly number[], ...labels: readonly string[]): HistogramEntry {
  return { kind: 'histogram', help, labels, buckets };
}

function gauge(help: string, ...labels: readonly string[]): GaugeEntry {
  return { kind: 'gauge', help, labels };
}

/** By the name the parts of the program use: without the prefix, and for some counters without the `_total` at the end. */
export const METRICS: Readonly<Record<string, MetricEntry>> = {
  polls_total: counter('Polls by outcome.', 'outcome'),
  poll_duration_seconds: histogram('How long a poll took, waiting in line for the API included.', SLOW),
  postings_new_total: counter('Postings seen for the first time, those of a first poll included.'),
  postings_matched_total: counter('Postings that became owed to someone.'),
  postings_filtered_total: counter("New postings removed by the subscription's own rules."),
  postings_delivered_total: counter('Postings a sink has taken.', 'sink'),
  postings_lost_total: counter('Postings given up, by how: expired, or set aside for their content.', 'how'),
  deliveries_total: counter('Attempts to deliver a message, by sink and outcome.', 'sink', 'outcome'),
  delivery_duration_seconds: histogram('How long a delivery that succeeded took.', SLOW, 'sink'),
  gaps_suspected_total: counter('Polls that shared no posting with the one before.'),
  feed_requests: counter('Requests to the jobs API by outcome.', 'outcome'),
  feed_parsed: counter('Responses of the jobs API that were parsed, by format.', 'format'),
  discord_requests_total: counter(
    "Requests to Discord's REST API by status; none where no answer came.",
    'status',
  ),
  interactions: counter('Discord interactions by name and outcome.', 'name', 'outcome'),
  interaction_seconds: histogram('How long an interaction took to be answered.', QUICK, 'name'),
  outbox_size: gauge('Postings still owed to someone.'),
  oldest_undelivered_seconds: gauge(
    'Age of the oldest posting still owed; a weekly digest lets one wait for a week.',
  ),
  oldest_edition_seconds: gauge(
    'Age of the oldest edition that is due and not through, parked ones left out.',
  ),
  destinations_parked: gauge('Destinations that get nothing until someone acts.'),
  subscriptions: gauge('Subscriptions by state.', 'state'),
  queue_jobs: gauge('Jobs waiting or running, by queue.', 'queue'),
  scheduler_lag_seconds: gauge(
    'For how long the oldest poll has been due that is not done, in line or running.',
  ),
  store_up: gauge('1 when the store took a write and gave it back.'),
  discord_up: gauge('1 when the bot is connected; absent without one.'),
  backup_age_seconds: gauge('Age of the newest daily backup; absent without one.'),
  info: gauge('Always 1; the version is the label.', 'version'),
};

const PREFIX = 'jobcrier_';

/** The name a scraper sees. */
export function exposedName(name: string): string {
  const counted = METRICS[name]?.kind === 'counter' && !name.endsWith('_total');
  return `${PREFIX}${name}${counted ? '_total' : ''}`;
}
