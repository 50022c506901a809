// Ids of accounts, and an account without its token.
import { expect, test } from 'vitest';
import { ACCOUNT, accountHash, withoutToken } from '../../src/domain/account.js';
import { read } from '../../src/domain/input.js';
import { secret } from '../../src/domain/secret.js';

test.each(['operator', 'discord:1234567890123456789', 'a', 'ada.l-o_v@example:1', 'x'.repeat(64)])(
  'takes the id %s',
  (id) => {
    expect(read(ACCOUNT, id, 'account')).toBe(id);
  },
);

test.each(['', 'x'.repeat(65), 'two words', 'a/b', 'ü', 'x\ny', 7])(
  'refuses the id %j and says what fits',
  (id) => {
    expect(() => read(ACCOUNT, id, 'account')).toThrow(/^account: /u);
  },
);

test('the fault of a long id does not repeat it, because it may be a token', () => {
  const token = 'jobs-token/0123456789';
  expect(() => read(ACCOUNT, token, 'account')).toThrow(
    'account: wanted 1 to 64 letters, digits, dots, colons, dashes, underscores or at signs.',
  );
});

test('its hash has 24 digits and depends on the id', () => {
  expect(accountHash('operator')).toMatch(/^[0-9a-f]{24}$/u);
  expect(accountHash('operator')).toBe('06e55b633481f7bb072957ea');
  expect(accountHash('operator2')).not.toBe(accountHash('operator'));
});

test('without its token it keeps everything else, and what can not be read', () => {
  const account = { id: 'a', createdAt: 5, timezone: 'UTC' };
  expect(withoutToken({ ...account, token: secret('token-of-a-0001') })).toEqual(account);
  expect(withoutToken(account)).toBeUndefined();
  expect(withoutToken({ ...account, unreadable: ['email'] })).toBeUndefined();
  expect(withoutToken({ ...account, unreadable: ['token'] })).toEqual(account);
  expect(withoutToken({ ...account, unreadable: ['token', 'email'] })).toEqual({
    ...account,
    unreadable: ['email'],
  });
});
