// The metrics table compared with everything that uses it: the source that counts, the output for a scraper, and the
// dashboard and alerts of the project.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { FeedFault } from '../../src/domain/errors.js';
import type { PollResult } from '../../src/pipeline/poll-result.js';
import { createMetricsBook, exposedName, METRICS } from '../../src/web/metrics.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Every metric that the source names, by how it is recorded: `count` and `observe` of the port, `gauge` of the book. */
function used(): { readonly file: string; readonly how: string; readonly name: string }[] {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...read(join('src', file)).matchAll(/\.(count|observe|gauge)\(\s*'([a-z_]+)'/gu)].map((match) => ({
        file,
        how: match[1] as string,
        name: match[2] as string,
      })),
    );
}

const KINDS: Record<string, string> = { count: 'counter', observe: 'histogram', gauge: 'gauge' };

describe('the table', () => {
  test('has every metric that the source records, with its kind', () => {
    expect(used().length).toBeGreaterThan(20);
    for (const { file, how, name } of used())
      expect([file, name, METRICS[name]?.kind]).toEqual([file, name, KINDS[how]]);
  });

  test('has no metric that the source does not record', () => {
    const names = new Set(used().map((one) => one.name));
    expect(Object.keys(METRICS).filter((name) => !names.has(name))).toEqual([]);
  });

  test('has no label that could name a person or a place', () => {
    const labels = new Set(Object.values(METRICS).flatMap((entry) => entry.labels));
    expect([...labels].sort()).toEqual([
      'format',
      'how',
      'kind',
      'name',
      'outcome',
      'queue',
      'role',
      'sink',
      'state',
      'status',
      'version',
    ]);
  });
});

describe('the metrics book', () => {
  test('returns what was counted and measured, with prefix and help', async () => {
    const { metrics, read } = createMetricsBook({ defaults: false });
    metrics.count('polls_total', { outcome: 'recorded' });
    metrics.count('polls_total', { outcome: 'recorded' }, 2);
    metrics.count('feed_requests', { outcome: 'fresh' });
    metrics.count('gaps_suspected_total');
    metrics.observe('poll_duration_seconds', 0.2);
    metrics.observe('poll_duration_seconds', -5);
    const { text, contentType } = await read();
    expect(contentType).toMatch(/^text\/plain/u);
    expect(text).toContain('# HELP jobcrier_polls_total Polls by outcome.');
    expect(text).toContain('jobcrier_polls_total{outcome="recorded"} 3');
    expect(text).toContain('jobcrier_feed_requests_total{outcome="fresh"} 1');
    expect(text).toContain('jobcrier_gaps_suspected_total 1');
    expect(text).toContain('jobcrier_poll_duration_seconds_bucket{le="0.25"} 2');
    expect(text).toContain('jobcrier_postings_new_total 0');
  });

  test('starts every labelled counter at zero, for all known values', async () => {
    const polls: Record<PollResult['outcome'], 0> = {
      unchanged: 0,
      recorded: 0,
      baseline: 0,
      partial: 0,
      paused: 0,
      'no-token': 0,
      rejected: 0,
      failed: 0,
      throttled: 0,
      gone: 0,
      stopped: 0,
    };
    const feed: Record<FeedFault | 'ok' | 'unchanged' | 'cached', 0> = {
      ok: 0,
      unchanged: 0,
      cached: 0,
      rejected: 0,
      throttled: 0,
      unavailable: 0,
      refused: 0,
      malformed: 0,
      aborted: 0,
    };
    const { know, metrics, read } = createMetricsBook({ defaults: false });
    metrics.count('deliveries_total', { sink: 'webhook', outcome: 'failed' }, 3);
    know('sink', ['console', 'webhook']);
    know('name', ['jobs list']);
    const { text } = await read();
    const has = (series: string, value = 0) => expect(text).toContain(`jobcrier_${series} ${value}\n`);
    for (const outcome of Object.keys(polls)) has(`polls_total{outcome="${outcome}"}`);
    for (const outcome of Object.keys(feed)) has(`feed_requests_total{outcome="${outcome}"}`);
    for (const how of ['expired', 'posting']) has(`postings_lost_total{how="${how}"}`);
    has('postings_delivered_total{sink="console"}');
    has('deliveries_total{sink="console",outcome="failed"}');
    has('deliveries_total{sink="webhook",outcome="sent"}');
    has('deliveries_total{sink="webhook",outcome="failed"}', 3);
    has('interactions_total{name="jobs list",outcome="refused"}');
    has('discord_requests_total{status="429"}');
    for (const [name, { kind, labels }] of Object.entries(METRICS))
      if (kind === 'counter' && labels.length > 0)
        expect([name, text.includes(`\n${exposedName(name)}{`)]).toEqual([name, true]);
  });

  test('leaves out and logs what the table does not have', async () => {
    const misuse: string[] = [];
    const { metrics, gauge, read } = createMetricsBook({
      defaults: false,
      onMisuse: (what) => misuse.push(what),
    });
    metrics.count('nonsense');
    metrics.count('polls_total', { account: 'discord:1' });
    metrics.count('polls_total', { outcome: 'recorded' }, -1);
    metrics.observe('polls_total', 1);
    gauge('polls_total', () => 1);
    expect(misuse).toEqual(['nonsense', 'polls_total', 'polls_total', 'polls_total', 'polls_total']);
    expect((await read()).text).not.toMatch(/nonsense|discord:/u);
  });

  test('reads gauges at each scrape, and leaves out one that fails or has no value', async () => {
    const { gauge, read } = createMetricsBook({ defaults: false });
    let size = 1;
    gauge('outbox_size', () => size);
    gauge('store_up', () => {
      throw new Error('store is away');
    });
    gauge('backup_age_seconds', () => undefined);
    let states = [{ labels: { state: 'active' }, value: 2 }];
    gauge('subscriptions', async () => states);
    expect((await read()).text).toContain('jobcrier_outbox_size 1');
    size = 7;
    states = [{ labels: { state: 'paused' }, value: 1 }];
    const { text } = await read();
    expect(text).toContain('jobcrier_outbox_size 7');
    expect(text).toContain('jobcrier_subscriptions{state="paused"} 1');
    expect(text).not.toContain('state="active"');
    expect(text).not.toMatch(/^jobcrier_(?:store_up|backup_age_seconds) /mu);
  });

  test('has the metrics of the process', async () => {
    const { text } = await createMetricsBook().read();
    expect(text).toMatch(/^jobcrier_process_resident_memory_bytes \d+/mu);
  });
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}
interface Panel {
  readonly id: number;
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const rules = (parse(read('deploy/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as { panels: Panel[] };

describe('the files for Prometheus and Grafana', () => {
  const expressions = [
    ...rules.map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [`panel ${title}`, expr] as const)),
  ];

  test('name only metrics that exist', async () => {
    const { text } = await createMetricsBook().read();
    const exposed = new Set([...text.matchAll(/^# TYPE (\S+) \S+$/gmu)].map((match) => match[1]));
    for (const name of Object.keys(METRICS)) exposed.add(exposedName(name));
    for (const [name, { kind }] of Object.entries(METRICS))
      if (kind === 'histogram') exposed.add(`${exposedName(name)}_bucket`);
    expect(expressions.length).toBeGreaterThan(30);
    for (const [where, expr] of expressions) {
      const names = expr.match(/jobcrier_[a-z0-9_]+/gu) ?? [];
      expect([where, names.length > 0]).toEqual([where, true]);
      for (const name of names) expect([where, name, exposed.has(name)]).toEqual([where, name, true]);
    }
  });

  test('use only labels that these metrics have', () => {
    const labelsOf = (exposed: string) => {
      const plain = exposed.replace(/_bucket$/u, '');
      const entry = Object.entries(METRICS).find(([name]) => exposedName(name) === plain)?.[1];
      return ['le', ...(entry?.labels ?? [])];
    };
    for (const [where, expr] of expressions)
      for (const [, by = '', name = '', matchers = ''] of expr.matchAll(
        /(?:by \(([^)]*)\) \(?[a-z_(]*)?(jobcrier_[a-z0-9_]+)(?:\{([^}]*)\})?/gu,
      )) {
        const asked = [
          ...by.split(/,\s*/u),
          ...[...matchers.matchAll(/(\w+)=/gu)].map((match) => match[1] ?? ''),
        ];
        const unknown = asked.filter((label) => label !== '' && !labelsOf(name).includes(label));
        expect([where, name, unknown]).toEqual([where, name, []]);
      }
  });

  test('give every alert a unique name, a severity and what to do', () => {
    expect(new Set(rules.map((rule) => rule.alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect([alert, annotations.description.length > 40]).toEqual([alert, true]);
    }
  });

  test('have no overlapping panels', () => {
    const all = panels as unknown as {
      id: number;
      gridPos: { x: number; y: number; w: number; h: number };
    }[];
    const taken = new Set<string>();
    for (const { id, gridPos } of all)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect([id, taken.has(`${x},${y}`), x < 24]).toEqual([id, false, true]);
          taken.add(`${x},${y}`);
        }
  });
});
