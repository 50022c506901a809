// Whether a token can make all requests of its account in time.
import { describe, expect, test } from 'vitest';
import { COUNTRY_SLUGS } from '../../src/domain/countries.js';
import { intervalWords, plannedLoads } from '../../src/domain/load.js';
import { parseSubscription, type Subscription } from '../../src/domain/subscription.js';
import { TAGS } from '../../src/domain/tags.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const SPACED = { spacingMs: 500, now: NOW };

function subscription(id: string, filter: unknown, schedule = '*/15 * * * *'): Subscription {
  const entry = { id, filter, schedule, destinations: [{ sink: 'console' }] };
  return parseSubscription(entry, {
    origin: 'file',
    now: NOW,
    liveSchedule: '*/15 * * * *',
    defaultTimezone: 'UTC',
    parseTarget: String,
  });
}

async function loadOf(subscriptions: readonly Subscription[]) {
  return (await plannedLoads(subscriptions, SPACED)).get('operator');
}

describe('the planned load of an account', () => {
  test('of 200 subscriptions with ten tags each is more than 15 minutes can hold', async () => {
    const tags = TAGS.slice(0, 10);
    const all = COUNTRY_SLUGS.slice(0, 200).map((country) => subscription(country, { tags, country }));
    const load = await loadOf(all);
    expect(load).toMatchObject({ requests: 2000, fittingMinutes: 30 });
    expect(load?.share).toBeCloseTo((2000 * 0.7) / 900, 3);
  });

  test('counts a request that several subscriptions share once, at the shortest interval', async () => {
    const load = await loadOf([
      subscription('a', { tags: ['rust', 'defi'] }, '0 * * * *'),
      subscription('b', { tags: ['rust'] }, '*/15 * * * *'),
    ]);
    expect(load?.requests).toBe(2);
    expect(load?.share).toBeCloseTo(0.7 / 900 + 0.7 / 3600, 6);
  });

  test.each([
    [14, 1, 15],
    [15, 1, 15],
    [16, 1, 20],
    [24, 60, 1440],
    [25, 60, 2880],
  ])('of %i requests that take %i minutes each fits into %i minutes', async (requests, each, minutes) => {
    const all = TAGS.slice(0, requests).map((tag) => subscription(tag, { tags: [tag] }));
    const loads = await plannedLoads(all, { spacingMs: each * 60_000 - 200, now: NOW });
    expect(loads.get('operator')).toMatchObject({ requests, fittingMinutes: minutes });
  });

  test('leaves out paused subscriptions', async () => {
    const paused = { ...subscription('a', { tags: ['rust'] }), pausedAt: NOW };
    expect(await loadOf([paused])).toMatchObject({ requests: 0, share: 0 });
  });

  test.each([
    [15, '15 minutes'],
    [60, '1 hour'],
    [240, '4 hours'],
    [1440, '24 hours'],
  ])('%i minutes as words', (minutes, words) => {
    expect(intervalWords(minutes)).toBe(words);
  });
});
