// A limit on how often something may happen: which times count, and how long the wait is.
import { describe, expect, test } from 'vitest';
import { recentOf, waitOf } from '../../src/domain/limit.js';

const THREE_A_MINUTE = { most: 3, withinMs: 60_000 };
const NOW = 1_000_000;
const ago = (...seconds: number[]) => seconds.map((one) => NOW - one * 1000);

describe('three times within a minute', () => {
  test.each<[string, readonly number[] | undefined, number]>([
    ['never happened', undefined, 0],
    ['it happened twice', ago(20, 10), 0],
    ['it happened three times: until the first is a minute old', ago(50, 20, 10), 10_000],
    ['it happened more often: until the third to last is a minute old', ago(55, 50, 20, 10), 10_000],
    ['the first is exactly a minute old', ago(60, 20, 10), 0],
    ['the first is a moment younger than a minute', ago(59.999, 20, 10), 1],
    [
      'all three in the future, after the clock was set back: a minute from now',
      ago(-500, -500, -500),
      60_000,
    ],
  ])('wait, if %s', (_what, times, wait) => {
    expect(waitOf(times, NOW, THREE_A_MINUTE)).toBe(wait);
  });

  test('only the times of the last minute are kept, in their order, and none in the future', () => {
    expect(recentOf(ago(70, 60, 59, 10, -5), NOW, THREE_A_MINUTE)).toEqual(ago(59, 10, 0));
    expect(recentOf(undefined, NOW, THREE_A_MINUTE)).toEqual([]);
  });
});
