// When mails stop because servers no longer trust us, for how long, and how much of that is remembered.
import { describe, expect, test } from 'vitest';
import { deriveKeys } from '../../src/domain/link-token.js';
import { secret } from '../../src/domain/secret.js';
import type { SinkPause } from '../../src/ports/sink.js';
import { createStoredPauses, createStreamHealth } from '../../src/sinks/email/health.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';

const HOUR = 3_600_000;

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

describe('refusals of a domain that are our fault', () => {
  const start = () => {
    const clock = testClock();
    const begun: SinkPause[] = [];
    const health = createStreamHealth(clock, (pause) => void begun.push(pause));
    const refuse = (reader: string) => health.refused('d.example', reader, '550 5.7.1');
    return { clock, begun, health, refuse };
  };

  test('pause it for an hour once three readers were refused, however often each was', () => {
    const { clock, begun, health, refuse } = start();
    expect(['one', 'one', 'two', 'one', 'two'].map(refuse)).toEqual(Array(5).fill(false));
    expect(health.pauses()).toEqual([]);
    expect(refuse('three')).toBe(true);
    const pause = { place: 'd.example', until: clock.now() + HOUR, why: '550 5.7.1' };
    expect(begun).toEqual([pause]);
    expect(health.pausedFor('d.example')).toEqual(pause);
    expect(health.pausedFor('e.example')).toBeUndefined();
    clock.advance(HOUR - 1);
    expect(health.pausedFor('d.example')).toEqual(pause);
    clock.advance(1);
    expect(health.pausedFor('d.example')).toBeUndefined();
    expect(health.pauses()).toEqual([]);
    // Still refused by three readers within two hours.
    expect(refuse('three')).toBe(true);
  });

  test('count for two hours', () => {
    const { clock, refuse } = start();
    refuse('one');
    clock.advance(2 * HOUR - 1);
    refuse('two');
    clock.advance(1);
    expect(refuse('three')).toBe(false);
    expect(refuse('four')).toBe(true);
  });

  test('do not count from a time that is still to come, after the clock was set back', () => {
    const { clock, health, refuse } = start();
    clock.advance(HOUR);
    for (const reader of ['one', 'two', 'three']) refuse(reader);
    clock.advance(-HOUR);
    // The pause would last two hours.
    expect(health.pausedFor('d.example')).toBeUndefined();
    expect(['four', 'five', 'six'].map(refuse)).toEqual([false, false, true]);
  });
});

describe('the mails of a run', () => {
  const start = () => {
    const clock = testClock();
    const health = createStreamHealth(clock);
    const results = (count: number, hard: boolean) =>
      Array.from({ length: count }, () => health.result(hard)).filter(Boolean).length;
    return { clock, health, results };
  };

  test('stop for an hour when more than 5 % of at least 20 are refused for good', () => {
    const { clock, health, results } = start();
    expect(results(17, false) + results(2, true)).toBe(0);
    expect(health.pausedFor('any.example')).toBeUndefined();
    expect(results(1, false)).toBe(1);
    const why = 'over 5 % of the mails were refused for good';
    expect(health.pausedFor('any.example')).toEqual({ place: '', until: clock.now() + HOUR, why });
    // The next run starts from nothing.
    expect(results(2, true)).toBe(0);
  });

  test('continue with exactly 5 %', () => {
    const { results } = start();
    expect(results(1, true) + results(19, false)).toBe(0);
    expect(results(1, true)).toBe(1);
  });

  test('belong to another run after more than an hour', () => {
    const { clock, results } = start();
    results(2, true);
    clock.advance(HOUR);
    expect(results(17, false)).toBe(0);
    clock.advance(HOUR + 1);
    // Without the gap, this would be the twentieth mail with two refused.
    expect(results(1, false)).toBe(0);
    clock.advance(HOUR);
    expect(results(17, false) + results(1, true)).toBe(0);
    expect(results(1, true)).toBe(1);
  });
});

test('a pause of all mails is one of each domain, and says how long it is', () => {
  const clock = testClock();
  const health = createStreamHealth(clock);
  expect(health.pause('the relay refuses')).toBe(HOUR);
  const pause = { place: '', until: clock.now() + HOUR, why: 'the relay refuses' };
  expect(health.pausedFor('d.example')).toEqual(pause);
  expect(health.pauses()).toEqual([pause]);
});

describe('stored pauses', () => {
  const keyOf = (n: number) => deriveKeys([secret(Buffer.alloc(32, n).toString('base64'))], 'mail');
  const start = () => {
    const clock = testClock();
    const table = memoryTable(clock);
    const open = (keys = keyOf(1)) => createStoredPauses({ table, keys, clock });
    return { clock, table, open, until: clock.now() + HOUR };
  };

  test('are found by their domain, which they do not show, until they end', async () => {
    const { clock, table, open, until } = start();
    const pause = { place: 'd.example', until, why: '550' };
    await open().keep(pause);
    expect(table.dump()).not.toContain('example');
    expect(await open().find('d.example')).toEqual(pause);
    expect(await open().find('e.example')).toBeUndefined();
    expect(await open([...keyOf(2), ...keyOf(1)]).find('d.example')).toEqual(pause);
    clock.advance(HOUR);
    expect(await open().find('d.example')).toBeUndefined();
  });

  test('of all mails hold back each domain, and come first', async () => {
    const { open, until } = start();
    await open().keep({ place: 'd.example', until, why: 'domain' });
    await open().keep({ place: '', until, why: 'all' });
    expect(await open().find('d.example')).toEqual({ place: '', until, why: 'all' });
    expect(await open().find('e.example')).toMatchObject({ why: 'all' });
  });

  test('are not longer than an hour, after the clock was set back', async () => {
    const { open, until } = start();
    await open().keep({ place: 'd.example', until: until + 1, why: '550' });
    expect(await open().find('d.example')).toBeUndefined();
  });

  test('are deleted together, and nothing else is', async () => {
    const { table, open, until } = start();
    await table.set('mail:soft:x', 1);
    await open().keep({ place: 'd.example', until, why: '550' });
    await open().keep({ place: '', until, why: 'all' });
    await open().clear();
    expect(await open().find('d.example')).toBeUndefined();
    expect(table.dump()).toBe('[["mail:soft:x","1"]]');
  });
});
