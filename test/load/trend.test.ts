// The judge of the long run: it must find a leak in noise, and must not report noise as one.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { growth, median, sparkline } from './trend.js';

/** A figure of 50 that grows by `slope` per 1,000 polls, measured every 200 polls, with `noise` added. */
const course = (slope: number, noise: (index: number) => number) =>
  Array.from({ length: 30 }, (_, index) => ({
    at: index * 200,
    value: 50 + (slope * index * 200) / 1000 + noise(index),
  }));

test('finds the slope of an even growth', () => {
  expect(growth(course(0, () => 0))).toBe(0);
  expect(growth(course(1.5, () => 0))).toBeCloseTo(1.5);
  expect(growth(course(-2, () => 0))).toBeCloseTo(-2);
});

test('finds a leak of a kilobyte a poll in swings of a megabyte, and none in the swings alone', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -0.5, max: 0.5, noNaN: true }), { minLength: 30, maxLength: 30 }),
      (swings) => {
        const noise = (index: number) => swings[index] as number;
        expect(growth(course(1, noise))).toBeGreaterThan(0.5);
        expect(growth(course(0, noise))).toBeLessThan(0.5);
      },
    ),
  );
});

test('ignores a few samples at a bad moment', () => {
  expect(growth(course(0, (index) => (index % 6 === 5 ? 40 : 0)))).toBe(0);
  expect(growth(course(1, (index) => (index > 25 ? -30 : 0)))).toBeGreaterThan(0.5);
});

test('does not judge too few samples', () => {
  expect(growth([])).toBeNaN();
  expect(growth([{ at: 5, value: 1 }])).toBeNaN();
});

test('takes the median of the middle', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});

test('draws the course from low to high', () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7])).toBe('▁▂▃▄▅▆▇█');
  expect(sparkline([5, 5, 5])).toBe('▁▁▁');
  expect(sparkline(Array.from({ length: 600 }, (_, index) => index))).toHaveLength(60);
});
