// How much is remembered of mail domains that refuse us.
import { expect, test } from 'vitest';
import { createStreamHealth } from '../../src/sinks/email/health.js';
import { testClock } from '../helpers/memory-table.js';

const MOST = 1_000;
const READERS = ['one', 'two', 'three'];
const domain = (n: number) => `d${n}.example`;

test('of many paused domains, the one paused first is forgotten; one that is paused again costs no other its pause', () => {
  const health = createStreamHealth(testClock());
  const refuseAll = (n: number) => READERS.map((reader) => health.refused(domain(n), reader, 'refused'));
  for (let n = 0; n < MOST; n++) expect(refuseAll(n)).toEqual([false, false, true]);
  expect(health.pauses()).toHaveLength(MOST);
  health.refused(domain(5), 'four', 'refused');
  expect(health.pauses()).toHaveLength(MOST);
  expect(health.pausedFor(domain(0))).toBeDefined();
  refuseAll(MOST);
  expect(health.pauses()).toHaveLength(MOST);
  expect(health.pausedFor(domain(0))).toBeUndefined();
  expect(health.pausedFor(domain(5))).toBeDefined();
  expect(health.pausedFor(domain(MOST))).toBeDefined();
});

test('of many domains that refused one reader, the one refused first starts again from nothing', () => {
  const health = createStreamHealth(testClock());
  const refuse = (n: number, reader: string) => health.refused(domain(n), reader, 'refused');
  for (let n = 0; n < MOST; n++) for (const reader of ['one', 'two']) refuse(n, reader);
  refuse(MOST, 'one');
  expect(refuse(0, 'three')).toBe(false);
  expect(refuse(MOST - 1, 'three')).toBe(true);
});

test('a pause of all mails is never forgotten', () => {
  const health = createStreamHealth(testClock());
  health.pause('the relay refuses');
  for (let n = 0; n <= MOST; n++) for (const reader of READERS) health.refused(domain(n), reader, 'refused');
  expect(health.pausedFor('elsewhere.example')).toMatchObject({ place: '' });
});
