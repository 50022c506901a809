// Which requests subscriptions need, and what one request asks for that several of them share.
import { describe, expect, test } from 'vitest';
import { enrichUnit, planRequest, recordUnit, requestsOf, requestUnit } from '../../src/domain/request.js';
import { parseSubscription, type Subscription } from '../../src/domain/subscription.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const QUARTER = { cron: '*/15 * * * *', timezone: 'UTC' };

function subscription(id: string, filter: unknown, more: object = {}): Subscription {
  const entry = { id, filter, destinations: [{ sink: 'console' }], ...more };
  return parseSubscription(entry, {
    origin: 'file',
    now: NOW,
    liveSchedule: QUARTER.cron,
    defaultTimezone: QUARTER.timezone,
    parseTarget: String,
  });
}

describe('the requests of a subscription', () => {
  const subjects = (filter: unknown) => requestsOf(subscription('a', filter)).map(({ subject }) => subject);

  test.each<[string, unknown, unknown, boolean]>([
    ['the limit', { tags: ['rust'], limit: 10 }, { tags: ['rust'], limit: 20 }, true],
    [
      'words, which the API does not know',
      { tags: ['rust'] },
      { tags: ['rust'], include: ['backend'] },
      true,
    ],
    ['the country', { tags: ['rust'] }, { tags: ['rust'], country: 'germany' }, false],
    ['remote', { tags: ['rust'] }, { tags: ['rust'], remote: true }, false],
    ['the tag', { tags: ['rust'] }, { tags: ['defi'] }, false],
  ])('two filters that differ in %s', (_what, one, other, same) => {
    expect(subjects(one)).toHaveLength(1);
    if (same) expect(subjects(one)).toEqual(subjects(other));
    else expect(subjects(one)).not.toEqual(subjects(other));
  });

  test('are one for each tag, and none while it is paused', () => {
    const one = subscription('a', { tags: ['rust', 'defi'] });
    expect(new Set(requestsOf(one).map(({ subject }) => subject)).size).toBe(2);
    expect(requestsOf({ ...one, pausedAt: NOW })).toEqual([]);
  });

  test('are in the lane of its account, which does not name it', () => {
    const [lanes, others] = ['discord:1', 'discord:2'].map((account) =>
      requestsOf({ ...subscription('a', { tags: ['rust', 'defi'] }), account }).map(({ lane }) => lane),
    ) as [string[], string[]];
    expect(new Set(lanes).size).toBe(1);
    expect(lanes[0]).not.toBe(others[0]);
    expect(lanes[0]).not.toContain('discord');
  });
});

describe('a request that several subscriptions share', () => {
  const ten = subscription('ten', { tags: ['rust'], limit: 10 });
  const fifty = subscription('fifty', { tags: ['rust'], limit: 50 }, { schedule: '0 * * * *' });
  const both = subscription('both', { tags: ['defi', 'rust'], limit: 20 });
  const [rust] = requestsOf(ten);
  const subject = rust?.subject as string;

  test('asks for as many postings as the one that wants most, or for all', () => {
    expect(planRequest(subject, [ten, fifty, both])?.query).toEqual({ tag: 'rust', limit: 50 });
    expect(planRequest(subject, [ten])?.query).toEqual({ tag: 'rust', limit: 10 });
    expect(planRequest(subject, [ten, fifty], true)?.query).toEqual({ tag: 'rust', limit: 100 });
  });

  test('is made at the times of all of them, each schedule once', () => {
    const elsewhere = { ...ten, id: 'elsewhere', schedule: { ...QUARTER, timezone: 'Asia/Kathmandu' } };
    expect(planRequest(subject, [ten, fifty, both, elsewhere])?.schedules).toEqual([
      QUARTER,
      { cron: '0 * * * *', timezone: 'UTC' },
      { cron: QUARTER.cron, timezone: 'Asia/Kathmandu' },
    ]);
  });

  test('keeps its answer only if one of them waits for other answers', () => {
    expect(planRequest(subject, [ten, fifty])?.keep).toBe(false);
    expect(planRequest(subject, [ten, both])?.keep).toBe(true);
  });

  test('names the account and the subscriptions, unless they are more than 20', () => {
    const many = Array.from({ length: 21 }, (_, n) => ({ ...ten, id: `s${n}` }));
    expect(planRequest(subject, [ten, fifty])).toMatchObject({
      account: ten.account,
      needs: ['ten', 'fifty'],
    });
    expect(planRequest(subject, many.slice(1))?.needs).toHaveLength(20);
    expect(planRequest(subject, many)).not.toHaveProperty('needs');
  });

  test('is not made if none needs it', () => {
    expect(planRequest(subject, [])).toBeUndefined();
    expect(planRequest(subject, [subscription('other', { tags: ['defi'] })])).toBeUndefined();
  });
});

test('a request, its fields and the records of a subscription are different work, each always the same', () => {
  const request = { lane: 'lane', subject: 'rust||' };
  expect(requestUnit(request)).toEqual({ queue: 'poll', lane: 'lane', unit: 'r|rust||' });
  expect(enrichUnit(request)).toEqual({ queue: 'poll', lane: 'lane', unit: 'e|rust||' });
  expect(recordUnit('rust||')).toBe('s|rust||');
});
