// Findings of checks, and errors by their code.
import { expect, test } from 'vitest';
import { codeOf, fail, off, ok, warn } from '../../src/domain/finding.js';

test('a finding has its state, and a fix when something is wrong', () => {
  expect(ok('Fine.')).toEqual({ state: 'ok', says: 'Fine.' });
  expect(off('Not used.')).toEqual({ state: 'off', says: 'Not used.' });
  expect(warn('Old.', 'Renew it.')).toEqual({ state: 'warn', says: 'Old.', fix: 'Renew it.' });
  expect(fail('Gone.', 'Create it.')).toEqual({ state: 'fail', says: 'Gone.', fix: 'Create it.' });
});

test('an error is named by its code, or else by its name, and never by its message', () => {
  const error = new TypeError('https://user:password@host');
  expect(codeOf(Object.assign(error, { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
  expect(codeOf(Object.assign(error, { code: 7 }))).toBe('TypeError');
  expect(codeOf({ message: 'secret' })).toBe('unknown error');
});
