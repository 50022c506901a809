// Which token an account may be asked with.
import { expect, test } from 'vitest';
import type { Account } from '../../src/domain/account.js';
import { fingerprint, secret } from '../../src/domain/secret.js';
import { OPERATOR } from '../../src/domain/subscription.js';
import { createTokens } from '../../src/pipeline/tokens.js';
import { memoryTable, testClock } from '../helpers/memory-table.js';

const OWN = secret('operator-token-1');
const STORED = secret('stored-token-0001');
const ALICE = secret('alice-token-0001');

function open(operatorToken?: typeof OWN) {
  const clock = testClock();
  const accounts = new Map<string, Account>([
    ['alice', { id: 'alice', createdAt: 0, token: ALICE }],
    ['bob', { id: 'bob', createdAt: 0 }],
    [OPERATOR, { id: OPERATOR, createdAt: 0, token: STORED }],
  ]);
  const rejections = memoryTable(clock);
  const tokens = createTokens({
    accounts: { get: async (id: string) => accounts.get(id) } as never,
    rejections: rejections as never,
    clock,
    ...(operatorToken ? { operatorToken } : {}),
  });
  return { tokens, accounts, clock, rejections };
}

test('the token of the setting is used for the operator alone, before a stored one', async () => {
  const { tokens } = open(OWN);
  expect(await tokens.of(OPERATOR)).toEqual({ state: 'ok', token: OWN });
  expect(await tokens.of('alice')).toEqual({ state: 'ok', token: ALICE });
  expect(await tokens.of('bob')).toEqual({ state: 'missing' });
  expect(await tokens.of('nemo')).toEqual({ state: 'missing' });
});

test('without the setting, the operator has the stored token', async () => {
  const { tokens } = open();
  expect(await tokens.of(OPERATOR)).toEqual({ state: 'ok', token: STORED });
});

test('a rejection is of one token of one account, until it is tried again or changed', async () => {
  const { tokens, accounts, clock, rejections } = open(OWN);
  await tokens.reject('alice', ALICE, 'answer 401');
  expect(await rejections.get('alice')).toEqual({
    fingerprint: fingerprint(ALICE),
    at: clock.now(),
    why: 'answer 401',
  });
  const rejected = { state: 'rejected', token: ALICE, why: 'answer 401', at: clock.now() };
  expect(await tokens.of('alice')).toEqual(rejected);
  expect(await tokens.of(OPERATOR)).toMatchObject({ state: 'ok' });
  const next = secret('alice-token-0002');
  accounts.set('alice', { id: 'alice', createdAt: 0, token: next });
  expect(await tokens.of('alice')).toEqual({ state: 'ok', token: next });
  accounts.set('alice', { id: 'alice', createdAt: 0, token: ALICE });
  expect(await tokens.of('alice')).toEqual(rejected);
  await tokens.retry('alice');
  expect(await tokens.of('alice')).toEqual({ state: 'ok', token: ALICE });
  await tokens.reject(OPERATOR, OWN, 'answer 403');
  expect(await tokens.of(OPERATOR)).toMatchObject({ state: 'rejected', token: OWN, why: 'answer 403' });
});
