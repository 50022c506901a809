// How people write a target of Telegram.
import { expect, test } from 'vitest';
import { isShared, parseTelegramTarget, placeOf } from '../../src/sinks/telegram/target.js';

test.each<[unknown, string]>([
  ['-1001234567890', '-1001234567890'],
  [-1001234567890, '-1001234567890'],
  ['4711', '4711'],
  [' 4711 ', '4711'],
  [1234, '1234'],
  ['1234567890123456789', '1234567890123456789'],
  ['@rustjobs', '@rustjobs'],
  ['@RustJobs_2', '@rustjobs_2'],
  ['@abcde', '@abcde'],
  [`@a${'b'.repeat(31)}`, `@a${'b'.repeat(31)}`],
  [`start:${'a'.repeat(12)}`, `start:${'a'.repeat(12)}`],
  [`start:${'A-_9'.repeat(16)}`, `start:${'A-_9'.repeat(16)}`],
])('%o is %s', (given, target) => {
  expect(parseTelegramTarget(given)).toBe(target);
});

test.each([
  undefined,
  null,
  '',
  '-',
  '123',
  '0123',
  '-0123',
  '--1234',
  'x1234',
  '1234x',
  '12345678901234567890',
  123,
  1234.5,
  2 ** 53,
  'rustjobs',
  '@abcd',
  '@1abcd',
  'x@abcde',
  '@abcde!',
  `@a${'b'.repeat(32)}`,
  ['@rustjobs'],
  'start:',
  `start:${'a'.repeat(11)}`,
  `start:${'a'.repeat(65)}`,
  `restart:${'a'.repeat(12)}`,
  'start:rust jobs 7f3a',
])('%o is refused with what is expected', (given) => {
  expect(() => parseTelegramTarget(given)).toThrow(
    /^telegram target: wanted the id of a chat such as -1001234567890, a public channel such as @rustjobs, or start: and at least 12 letters and digits of your choice\. Got .+\.$/u,
  );
});

test('says what was given', () => {
  expect(() => parseTelegramTarget('@abcd')).toThrow(/Got "@abcd"\.$/u);
});

test('knows the place of a target, and whether many read it', () => {
  expect(placeOf('start:rust-jobs-7f3a9c')).toEqual({ kind: 'start', word: 'rust-jobs-7f3a9c' });
  expect(placeOf('@rustjobs')).toEqual({ kind: 'chat', chat: '@rustjobs' });
  expect(placeOf('4711')).toEqual({ kind: 'chat', chat: '4711' });
  expect(['-1001234567890', '@rustjobs', '4711', 'start:rust-jobs-7f3a9c'].map(isShared)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
