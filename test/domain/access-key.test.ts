// Keys of programs and cookies of sessions: they find the row of their account, and what is stored reveals neither.
import { describe, expect, test } from 'vitest';
import { accessKeyHash, accessKeyOf, accessKeyOwner } from '../../src/domain/access-key.js';
import { accountHash } from '../../src/domain/account.js';
import { type Secret, secret } from '../../src/domain/secret.js';
import { sessionCookie, sessionCsrf, sessionHash, sessionOwner } from '../../src/domain/session.js';

const RANDOM = `${'aZ09_-'.repeat(7)}x`;

describe.each<
  [
    string,
    (account: string, random: string) => Secret,
    (one: Secret) => string | undefined,
    (one: Secret) => string,
    string,
  ]
>([
  ['an access key', accessKeyOf, accessKeyOwner, accessKeyHash, `jobcrier_${accountHash('ana')}_${RANDOM}`],
  ['a session cookie', sessionCookie, sessionOwner, sessionHash, `${accountHash('ana')}.${RANDOM}`],
])('%s', (_what, make, ownerOf, hashOf, text) => {
  test('names its account by a hash, and ends with what is random', () => {
    expect(make('ana', RANDOM).reveal()).toBe(text);
    expect(ownerOf(make('ana', RANDOM))).toBe(accountHash('ana'));
    expect(ownerOf(make('discord:1', RANDOM))).toBe(accountHash('discord:1'));
  });

  test.each([
    ['text before it', `x${text}`],
    ['text after it', `${text}x`],
    ['a line after it', `${text}\n`],
    ['less that is random', text.slice(0, -1)],
    ['another sign in what is random', `${text.slice(0, -1)}+`],
    ['an account that is no hash', text.replace(accountHash('ana'), 'z'.repeat(24))],
    ['a shorter hash', text.replace(accountHash('ana'), 'a'.repeat(23))],
    ['nothing', ''],
  ])('is none with %s', (_how, changed) => {
    expect(ownerOf(secret(changed))).toBeUndefined();
  });

  test('is stored as a hash that is always the same, and another one for each', () => {
    const [one, again, other] = [make('ana', RANDOM), make('ana', RANDOM), make('ben', RANDOM)];
    expect(hashOf(one)).toMatch(/^[0-9a-f]{64}$/u);
    expect(hashOf(one)).toBe(hashOf(again));
    expect(hashOf(one)).not.toBe(hashOf(other));
  });
});

test('what the forms of a session contain belongs to that session, and is not what is stored of it', () => {
  const [ana, ben] = [sessionCookie('ana', RANDOM), sessionCookie('ben', RANDOM)];
  expect(sessionCsrf(ana)).toMatch(/^[0-9a-f]{64}$/u);
  expect(sessionCsrf(ana)).not.toBe(sessionCsrf(ben));
  expect(sessionCsrf(ana)).not.toBe(sessionHash(ana));
});
