// The operator's subscriptions when the token of the settings is set, missing or refused at a start.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { OPERATOR } from '../../src/domain/subscription.js';
import { followOperator } from '../../src/pipeline/subscription-sync.js';
import { createTokens } from '../../src/pipeline/tokens.js';
import { type Lab, openLab } from '../helpers/lab.js';
import { TOKENS } from '../helpers/lab-life.js';

const WAITING = 'operator-waits';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
  await lab.add({ id: 'mine', schedule: '0 0 1 1 *' });
  await lab.add({ id: 'theirs', account: 'alice', schedule: '0 0 1 1 *' });
  for (const id of ['mine', 'theirs']) await lab.poll(id);
});
afterEach(() => lab.close());

/** A start with this token in the settings; resolves to the accounts that were polled. */
async function start(token?: string): Promise<string[]> {
  const { accounts, rejections } = lab.stores;
  const operatorToken = token === undefined ? {} : { operatorToken: secret(token) };
  const tokens = createTokens({ accounts, rejections, clock: lab.clock, ...operatorToken });
  const before = lab.front.asked.length;
  await followOperator({ ...lab.p, tokens }, lab.scheduler);
  await lab.settled();
  return lab.front.asked.slice(before).map((one) => one.token);
}
const waits = async () => (await lab.stores.meta.get(WAITING)) !== undefined;

test('with the token as before, nothing is polled', async () => {
  expect(await start(TOKENS.operator)).toEqual([]);
  expect(await waits()).toBe(false);
});

test('without a token they wait, and are polled once it is set', async () => {
  expect(await start()).toEqual([]);
  expect(await waits()).toBe(true);
  expect(await start()).toEqual([]);
  expect(await waits()).toBe(true);
  lab.clock.advance(60_000);
  expect(await start(TOKENS.operator)).toEqual([TOKENS.operator]);
  expect(await waits()).toBe(false);
  expect(await start(TOKENS.operator)).toEqual([]);
});

test('a refused token is tried again', async () => {
  await lab.p.tokens.reject(OPERATOR, secret(TOKENS.operator), 'answer 401');
  lab.clock.advance(60_000);
  expect(await start(TOKENS.operator)).toEqual([TOKENS.operator]);
  expect(await lab.stores.rejections.get(OPERATOR)).toBeUndefined();
  expect(await waits()).toBe(false);
});

test('after a refusal, a start without a token keeps them waiting', async () => {
  await lab.p.tokens.reject(OPERATOR, secret(TOKENS.operator), 'answer 401');
  expect(await start()).toEqual([]);
  expect(await lab.stores.rejections.get(OPERATOR)).toBeUndefined();
  expect(await waits()).toBe(true);
});
