// Other documents promise these waiting times (jobs API, README), so the tests require the exact numbers.
import { describe, expect, test } from 'vitest';
import {
  outageDelay,
  parseRetryAfter,
  pollBackoff,
  refusalDelay,
  requestDelay,
} from '../../src/domain/retry.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test('a request waits 1, 2, 4 s and never over 10 s, within 20 % either way', () => {
  expect([0, 1, 2, 3, 4, 9].map((attempt) => requestDelay(attempt, 0.5))).toEqual([
    1000, 2000, 4000, 8000, 10_000, 10_000,
  ]);
  expect(requestDelay(0, 0)).toBe(800);
  expect(requestDelay(0, 0.999999)).toBeCloseTo(1200, 0);
  expect(requestDelay(9, 0.999999)).toBe(10_000);
});

test('a failing subscription waits 2, 4, 8 of its intervals, at most an hour', () => {
  const quarter = 15 * MINUTE;
  expect([1, 2, 3, 50].map((failures) => pollBackoff(failures, quarter))).toEqual([
    2 * quarter,
    4 * quarter,
    HOUR,
    HOUR,
  ]);
  expect(pollBackoff(3, MINUTE)).toBe(8 * MINUTE);
  expect(pollBackoff(1, 24 * HOUR)).toBe(HOUR);
});

test('a refused posting waits 5 s, 30 s, 2 min, then 10 min', () => {
  expect([0, 1, 2, 3, 4, 5].map(refusalDelay)).toEqual([
    5 * SECOND,
    5 * SECOND,
    30 * SECOND,
    2 * MINUTE,
    10 * MINUTE,
    10 * MINUTE,
  ]);
});

test('a place that is down is tried after 5 s, 15 s, 30 s, 1 min, 2 min, then every 3 min', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 100].map(outageDelay)).toEqual([
    5 * SECOND,
    5 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    3 * MINUTE,
    3 * MINUTE,
  ]);
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 21, 12);

  test.each([
    ['7', 7 * SECOND],
    [' 120 ', 2 * MINUTE],
    ['1.5', 1500],
    ['1.25', 1250],
    ['0', 0],
    ['999999999999', HOUR],
    [new Date(now + 90 * SECOND).toUTCString(), 90 * SECOND],
    [new Date(now + 100 * HOUR).toUTCString(), HOUR],
    ['21 Nov 2026 12:01:30 GMT', 90 * SECOND],
    ['Sat, 21 Nov 2026 12:01:30 +0000', 90 * SECOND],
  ])('%s', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms);
  });

  test.each(['-5', '-0.1', '', 'soon', '1e999', 'NaN', new Date(now - SECOND).toUTCString()])(
    '%s sets no wait',
    (header) => {
      expect(parseRetryAfter(header, now)).toBeUndefined();
    },
  );

  test('no header sets no wait', () => {
    expect(parseRetryAfter(undefined, now)).toBeUndefined();
    expect(parseRetryAfter(null, now)).toBeUndefined();
  });
});
