// The days of the operator's charts: counted as the metrics are, kept over restarts, and deleted after a while.
import { expect, test } from 'vitest';
import { createDailyStats } from '../../src/pipeline/daily-stats.js';
import type { Metrics } from '../../src/ports/system.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';

const DAY_MS = 86_400_000;

function heard(): Metrics & { readonly names: string[] } {
  const names: string[] = [];
  return { names, count: (name) => void names.push(name), observe: (name) => void names.push(name) };
}

test('passes each count on and adds it to its day in UTC', async () => {
  const clock = testClock(Date.UTC(2026, 10, 22, 23, 59));
  const metrics = heard();
  const table = memoryTable(clock);
  const dailyStats = createDailyStats(metrics, clock);
  dailyStats.metrics.count('postings_matched_total', {}, 3);
  dailyStats.metrics.count('postings_matched_total', {}, 0);
  dailyStats.metrics.count('postings_delivered_total', { sink: 'email' }, 2);
  dailyStats.metrics.count('deliveries_total', { sink: 'email', outcome: 'sent' });
  clock.advance(60_000);
  dailyStats.metrics.count('deliveries_total', { sink: 'email', outcome: 'failed' });
  dailyStats.metrics.observe('poll_duration_seconds', 1);
  expect((await dailyStats.days(table)).slice(-3)).toEqual([
    { day: '2026-11-21', postings: 0, delivered: 0, failed: 0 },
    { day: '2026-11-22', postings: 3, delivered: 2, failed: 0 },
    { day: '2026-11-23', postings: 0, delivered: 0, failed: 1 },
  ]);
  expect(await dailyStats.days(table)).toHaveLength(30);
  expect(metrics.names).toHaveLength(6);
});

test('continues the same days after a restart and in another process', async () => {
  const clock = testClock();
  const table = memoryTable(clock);
  const [first, second] = [createDailyStats(heard(), clock), createDailyStats(heard(), clock)];
  first.metrics.count('postings_matched_total', {}, 3);
  await first.flush(table);
  second.metrics.count('postings_matched_total', {}, 4);
  expect((await second.days(table)).at(-1)).toMatchObject({ postings: 7 });
  second.metrics.count('postings_delivered_total', { sink: 'x' });
  await Promise.all([first.flush(table), second.flush(table)]);
  await second.flush(table);
  first.metrics.count('postings_matched_total', {}, 1);
  await first.flush(table);
  const third = createDailyStats(heard(), clock);
  expect((await third.days(table)).at(-1)).toMatchObject({ postings: 8, delivered: 1 });
});

test('writes what a failed write left out with the next write', async () => {
  const clock = testClock();
  const table = memoryTable(clock);
  let fails = true;
  const dailyStats = createDailyStats(heard(), clock);
  const broken: typeof table = {
    ...table,
    update: (key, change, ttl) =>
      fails ? Promise.reject(new Error('full')) : table.update(key, change, ttl),
  };
  dailyStats.metrics.count('postings_matched_total');
  await expect(dailyStats.flush(broken)).rejects.toThrow('full');
  dailyStats.metrics.count('postings_matched_total');
  fails = false;
  await dailyStats.flush(broken);
  expect(await table.get('tally:2026-11-23')).toMatchObject({ postings: 2 });
});

test('removes old days from the charts and from the store', async () => {
  const clock = testClock();
  const table = memoryTable(clock);
  const dailyStats = createDailyStats(heard(), clock);
  dailyStats.metrics.count('postings_matched_total');
  await dailyStats.flush(table);
  clock.advance(30 * DAY_MS);
  expect((await dailyStats.days(table)).every((one) => one.postings === 0)).toBe(true);
  clock.advance(31 * DAY_MS);
  expect(await table.get('tally:2026-11-23')).toBeUndefined();
});

test('shows counts that are not written yet while the store does not work', async () => {
  const clock = testClock();
  const dailyStats = createDailyStats(heard(), clock);
  dailyStats.metrics.count('postings_matched_total', {}, 2);
  const days = await dailyStats.days({ get: () => Promise.reject(new Error('gone')) });
  expect(days.at(-1)).toMatchObject({ postings: 2 });
});
