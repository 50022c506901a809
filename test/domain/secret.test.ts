// A token must not be printed by any of the accidental ways to print a value.
import { format, inspect } from 'node:util';
import { expect, test } from 'vitest';
import { fingerprint, lastFour, sameSecret, secret } from '../../src/domain/secret.js';

const CANARY = 'canary-9f1e-token';
const token = secret(CANARY);

function messageOf(run: () => unknown): string {
  try {
    run();
    return '';
  } catch (error) {
    return inspect(error, { showHidden: true });
  }
}

test.each<[string, () => string]>([
  ['String', () => String(token)],
  ['a template', () => `${token}`],
  ['a joined list', () => [token, token].join()],
  ['JSON', () => JSON.stringify({ token })],
  ['inspect', () => inspect({ token }, { showHidden: true, depth: 9, getters: true })],
  ['format', () => format('%s %o %O %j %d', token, token, token, token, token)],
  ['a spread', () => inspect({ ...token }) + JSON.stringify({ ...token }) + String({ ...token })],
  ['Object.assign', () => inspect(Object.assign({}, token), { showHidden: true })],
  ['its entries', () => inspect(Object.entries(token)) + inspect(Reflect.ownKeys(token))],
  ['an error message', () => inspect(new Error(`bad token ${token}`))],
  ['an error cause', () => inspect(new Error('bad', { cause: token }))],
  ['a clone that fails', () => messageOf(() => structuredClone(token))],
  ['an assignment that fails', () => messageOf(() => Object.assign(token, { reveal: () => 'x' }))],
  ['a symbol', () => messageOf(() => Number(token)) + Number(token)],
])('%s does not show it', (_way, print) => {
  expect(print()).not.toContain(CANARY);
});

test('a log and a debugger show the same words in its place', () => {
  const value = secret(CANARY);
  expect([String(value), inspect({ value }), JSON.stringify({ value })]).toEqual([
    '[secret]',
    '{ value: [secret] }',
    '{"value":"[secret]"}',
  ]);
});

test('only reveal returns it', () => {
  expect(token.reveal()).toBe(CANARY);
});

test('a fingerprint distinguishes secrets and contains nothing of them', () => {
  expect(fingerprint(token)).toMatch(/^[0-9a-f]{16}$/u);
  expect(fingerprint(token)).toBe(fingerprint(secret(CANARY)));
  expect(fingerprint(token)).not.toBe(fingerprint(secret(`${CANARY}.`)));
});

test('shows the last four characters, and none of a short token', () => {
  expect(lastFour(token)).toBe('oken');
  expect(lastFour(secret('elevenchars'))).toBe('····');
  expect(lastFour(secret('twelve-chars'))).toBe('hars');
});

test('comparing texts of different lengths does not throw', () => {
  expect(sameSecret('a', 'a')).toBe(true);
  expect(sameSecret('a', 'ab')).toBe(false);
});
