// Discord targets as people write them.
import { expect, test } from 'vitest';
import { UserError } from '../../src/domain/errors.js';
import { isDiscord, parseDiscordTarget, placeOf } from '../../src/sinks/discord/target.js';

test.each([
  ['123456789012345678', '123456789012345678'],
  [' 12345678901234567 ', '12345678901234567'],
  ['channel:123456789012345678', '123456789012345678'],
  ['dm:1234567890123456789', 'dm:1234567890123456789'],
  // Ids will have 20 digits from 2090 on. Settings and buttons have always allowed them.
  ['12345678901234567890', '12345678901234567890'],
])('%j is kept as %j', (target, kept) => {
  expect(parseDiscordTarget(target)).toBe(kept);
  expect(parseDiscordTarget(kept)).toBe(kept);
});

test.each([
  undefined,
  null,
  '',
  '#jobs',
  '1234',
  '123456789012345678901',
  'user:123456789012345678',
  'dm:me',
  Number('123456789012345678'),
  {},
])('%j is refused with what is wanted', (target) => {
  expect(() => parseDiscordTarget(target)).toThrow(UserError);
  expect(() => parseDiscordTarget(target)).toThrow(/channel id/u);
});

test('explains why a number is not accepted', () => {
  expect(() => parseDiscordTarget(Number('123456789012345678'))).toThrow(/exactly/u);
});

test('a stored target names its place', () => {
  expect(placeOf('123456789012345678')).toEqual({ kind: 'channel', id: '123456789012345678' });
  expect(placeOf('dm:123456789012345678')).toEqual({ kind: 'dm', user: '123456789012345678' });
});

test.each([
  'x123456789012345678',
  '123456789012345678x',
  'dm:123456789012345678\n1',
  'dm:dm:123456789012345678',
])('%j is not read in part', (target) => {
  expect(() => parseDiscordTarget(target)).toThrow(UserError);
});

test('says what was given', () => {
  expect(() => parseDiscordTarget('#jobs')).toThrow(/Got "#jobs"\.$/u);
});

test('knows its own destinations', () => {
  expect([{ sink: 'discord' }, { sink: 'email' }].map(isDiscord)).toEqual([true, false]);
});
