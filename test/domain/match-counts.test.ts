// Counts of matches by the hour.
import { expect, test } from 'vitest';
import { countMatches, summed } from '../../src/domain/match-counts.js';

const HOUR = 3_600_000;
const NOW = 100 * HOUR + 5;

test('begin with the first poll, which is not counted', () => {
  const former = { since: 1, whole: false, hours: [[0, 2] as const] };
  for (const counts of [undefined, former])
    expect(countMatches(counts, { now: NOW, count: 40, isFirst: true })).toEqual({
      since: NOW,
      whole: true,
      hours: [],
    });
});

test('begin later for a subscription that was not counted before', () => {
  const later = { now: NOW, isFirst: false };
  expect(countMatches(undefined, { ...later, count: 0 })).toEqual({ since: NOW, whole: false, hours: [] });
  expect(countMatches(undefined, { ...later, count: 2 })).toEqual({
    since: NOW,
    whole: false,
    hours: [[100 * HOUR, 2]],
  });
});

test('are added by the start of the hour', () => {
  const before = { since: 1, whole: true, hours: [[99 * HOUR, 1] as const, [100 * HOUR, 2] as const] };
  const add = (now: number, count: number) => countMatches(before, { now, count, isFirst: false });
  expect(add(NOW, 0)).toBe(before);
  expect(add(101 * HOUR - 1, 3)).toEqual({ ...before, hours: [before.hours[0], [100 * HOUR, 5]] });
  expect(add(101 * HOUR, 3).hours).toEqual([...before.hours, [101 * HOUR, 3]]);
  expect(add(98 * HOUR, 3).hours).toEqual([[98 * HOUR, 3], ...before.hours]);
});

test('of the same hour are summed, the oldest first', () => {
  expect(
    summed([
      [2, 1],
      [1, 5],
      [2, 3],
    ]),
  ).toEqual([
    [1, 5],
    [2, 4],
  ]);
});
