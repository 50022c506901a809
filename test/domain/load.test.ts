// Whether a token can make all requests of its account in time.
import { describe, expect, test } from 'vitest';
import { intervalWords, plannedLoads } from '../../src/domain/load.js';
import { parseSubscription, type Subscription } from '../../src/domain/subscription.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const SPACED = { spacingMs: 500, now: NOW };

function subscription(id: string, tags: readonly string[], schedule = '*/15 * * * *'): Subscription {
  const entry = { id, filter: { tags }, schedule, destinations: [{ sink: 'console' }] };
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
  test('of 200 subscriptions with ten tags each is more than 15 minutes hold', async () => {
    const tags = (n: number) => Array.from({ length: 10 }, (_, tag) => `tag-${n}-${tag}`);
    const load = await loadOf(Array.from({ length: 200 }, (_, n) => subscription(`s${n}`, tags(n))));
    expect(load).toMatchObject({ requests: 2000, fittingMinutes: 30 });
    expect(load?.share).toBeCloseTo((2000 * 0.7) / 900, 3);
  });

  test('counts a request that several subscriptions need once, as often as the most frequent wants it', async () => {
    const load = await loadOf([
      subscription('a', ['rust', 'go'], '0 * * * *'),
      subscription('b', ['rust'], '*/15 * * * *'),
    ]);
    expect(load?.requests).toBe(2);
    expect(load?.share).toBeCloseTo(0.7 / 900 + 0.7 / 3600, 6);
  });

  test('leaves paused subscriptions out', async () => {
    const paused = { ...subscription('a', ['rust']), pausedAt: NOW };
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
