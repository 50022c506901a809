// The library reconnects without end and without rest; these two rules give it both.
import { expect, test } from 'vitest';
import { nextIdentifyAt, pauseBefore } from '../../src/bot/runtime/client.js';

test('the first attempts come at once, the later ones ever more slowly, up to a minute', () => {
  const pauses = Array.from({ length: 12 }, (_, attempt) => pauseBefore(attempt, 0));
  expect(pauses.slice(0, 5)).toEqual([0, 0, 1000, 2000, 4000]);
  expect(pauses.at(-1)).toBe(60_000);
  expect(pauseBefore(1000, 0)).toBe(60_000);
  expect(pauseBefore(5, 1)).toBe(6000);
});

test('a day of a session that dies at once stays under the 1,000 identifies Discord allows', () => {
  const day = 86_400_000;
  const past: number[] = [];
  for (let now = 0; now < day; ) {
    now = nextIdentifyAt(past, now);
    past.push(now);
  }
  expect(past.length).toBeLessThan(800);
  expect(past.length).toBeGreaterThan(500);
  expect((past[1] as number) - (past[0] as number)).toBe(5000);
});
