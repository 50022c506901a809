// Errors of the API: who waits, for how long, and who is notified. Nothing is lost.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import type { Subscription } from '../../src/domain/subscription.js';
import { pollStatus } from '../../src/pipeline/poll-result.js';
import { followAccount } from '../../src/pipeline/subscription-sync.js';
import { HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { TOKENS } from '../helpers/lab-life.js';
import { put } from '../helpers/put.js';
import { until } from '../helpers/until.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
});
afterEach(() => lab.close());

const to = (target: string) => [{ sink: 'capture', target }];
/** Gives an account another token, as the command line of another process does. */
async function setToken(account: string, token: string): Promise<void> {
  await put(lab.stores.accounts, { id: account, token: secret(token), createdAt: 0 });
  await followAccount(lab.p, lab.scheduler, account);
}

describe('a rejected token', () => {
  const { alice, ...others } = TOKENS;
  const NEW = 'alice-token-0002';

  beforeEach(async () => {
    await lab.add({ id: 'a1', account: 'alice', destinations: to('a') });
    await lab.add({ id: 'a2', account: 'alice', destinations: to('b') });
    await lab.add({ id: 'b1', account: 'bob', destinations: to('c') });
    for (const id of ['a1', 'a2', 'b1']) await lab.poll(id);
    await lab.board.setTokens(Object.values(others).map((token) => ({ token })));
  });

  test('stops only its account, and notifies the owner once and without the token', async () => {
    await lab.post(job(2));
    for (let n = 0; n < 3; n++) await lab.advance(HOUR);
    expect(lab.sink.got()).toEqual(['2']);
    expect(lab.notices).toMatchObject([{ kind: 'token', account: 'alice' }]);
    expect(JSON.stringify([lab.notices, lab.logs, await lab.p.history.events('a1')])).not.toContain(alice);
    expect(lab.front.asked.filter(({ token }) => token === alice)).toHaveLength(3);
    expect(await lab.nextPollAt('a1')).toBeUndefined();
    expect(await lab.nextPollAt('b1')).toBeDefined();
    expect((await lab.services.subscription({ account: 'alice' }, 'a1')).state).toBe('token-rejected');
  });

  test('is replaced by a new one: everything resumes, and what came meanwhile is sent', async () => {
    await lab.advance(HOUR);
    await lab.post(job(2), job(3));
    await lab.advance(5 * HOUR);
    expect(lab.sink.got('a')).toEqual([]);
    await lab.board.setTokens([...Object.values(others), NEW].map((token) => ({ token })));
    await setToken('alice', NEW);
    await lab.advance(0);
    expect([lab.sink.got('a'), lab.sink.got('b'), lab.sink.got('c')]).toEqual([
      ['2', '3'],
      ['2', '3'],
      ['2', '3'],
    ]);
  });

  test('is reported again if it is rejected after it worked', async () => {
    await lab.advance(HOUR);
    await lab.board.setTokens([...Object.values(others), NEW].map((token) => ({ token })));
    await setToken('alice', NEW);
    await lab.advance(0);
    await lab.board.setTokens(Object.values(others).map((token) => ({ token })));
    await lab.advance(HOUR);
    expect(lab.notices).toHaveLength(2);
  });

  test('is reported although the store failed to record the notice', async () => {
    lab.broken.set('notices.update', new Error('the disk is full'));
    await lab.poll('a1').catch(() => undefined);
    expect(lab.notices).toEqual([]);
    lab.broken.clear();
    await lab.advance(10 * MINUTE);
    expect(lab.notices).toHaveLength(1);
  });

  test('rejects nothing if it was replaced during the request', async () => {
    await lab.board.setTokens([...Object.values(others), NEW].map((token) => ({ token })));
    const release = lab.front.hold();
    const before = lab.front.asked.length;
    const polled = lab.scheduler.pollNow('a1');
    await until(() => lab.front.asked.length > before);
    await setToken('alice', NEW);
    release();
    expect(await polled).toMatchObject({ outcome: 'stopped' });
    await lab.settled();
    await lab.post(job(2));
    await lab.advance(HOUR);
    expect(lab.notices).toEqual([]);
    expect(lab.sink.got('a')).toEqual(['2']);
  });
});

test.each([
  ['403', { status: 403 }],
  ['a redirect to the login page', { status: 302, headers: { location: '/login?token=x' } }],
])('treats %s as a rejection', async (_what, answer) => {
  await lab.add({});
  lab.front.answer(answer);
  expect(await lab.poll()).toMatchObject({ outcome: 'rejected' });
  expect(JSON.stringify([lab.logs, lab.notices])).not.toContain('/login');
});

test('asks the API nothing without a token, and starts to poll when one is set', async () => {
  await lab.add({ account: 'carol' });
  expect(await lab.poll()).toMatchObject({ outcome: 'no-token' });
  expect(lab.front.asked).toEqual([]);
  expect((await lab.services.subscription({ account: 'carol' }, 's')).state).toBe('no-token');
  await setToken('carol', TOKENS.alice);
  await lab.advance(0);
  expect(lab.front.asked).toHaveLength(1);
});

test('starts to poll when a token is set while a poll finds none', async () => {
  await lab.add({ account: 'carol' });
  const { tokens } = lab.p;
  const { of } = tokens;
  let goes = () => {};
  const waiting = new Promise<void>((resolve) => {
    goes = resolve;
  });
  const missing = new Promise<void>((resolve) => {
    tokens.of = async (account) => {
      const state = await of(account);
      if (state.state !== 'missing') return state;
      resolve();
      await waiting;
      return state;
    };
  });
  const polled = lab.scheduler.pollNow('s');
  await missing;
  await setToken('carol', TOKENS.alice);
  goes();
  expect(await polled).toMatchObject({ outcome: 'no-token' });
  await lab.advance(0);
  expect(lab.front.asked).toHaveLength(1);
});

describe('a token that is throttled', () => {
  beforeEach(async () => {
    await lab.add({ id: 'a1', account: 'alice', destinations: to('a') });
    await lab.add({ id: 'b1', account: 'bob', destinations: to('b') });
    for (const id of ['a1', 'b1']) await lab.poll(id);
    await lab.post(job(2));
  });

  test('waits as long as the API asks, and other tokens do not', async () => {
    lab.front.answer({ status: 429, headers: { 'retry-after': '1800' } }, TOKENS.alice);
    const result = await lab.poll('a1');
    expect(result).toMatchObject({ outcome: 'throttled' });
    expect(((await lab.nextPollAt('a1')) ?? 0) - lab.clock.now()).toBeGreaterThanOrEqual(29 * MINUTE);
    await lab.poll('b1');
    expect([lab.sink.got('a'), lab.sink.got('b')]).toEqual([[], ['2']]);
    lab.front.answer(undefined, TOKENS.alice);
    await lab.advance(31 * MINUTE);
    expect(lab.sink.got('a')).toEqual(['2']);
    expect(lab.notices).toEqual([]);
  });

  test('is not used again immediately when the API asks for no wait', async () => {
    lab.front.answer({ status: 429, headers: { 'retry-after': '0' } }, TOKENS.alice);
    await lab.poll('a1');
    expect(((await lab.nextPollAt('a1')) ?? 0) - lab.clock.now()).toBeGreaterThanOrEqual(MINUTE);
  });
});

describe('an API that is down', () => {
  test.each([
    ['5xx', { status: 503 }],
    ['a broken connection', 'reset' as const],
    ['half a feed', { status: 200, body: '<rss><channel><item>' }],
  ])(
    '%s: waits 2, 4, 8 … intervals, at most an hour, then as before, and loses nothing',
    async (_what, answer) => {
      await lab.add({ schedule: '*/5 * * * *' });
      await lab.poll();
      await lab.post(job(2));
      lab.front.answer(answer);
      const waits: number[] = [];
      const failures = async () =>
        (await pollStatus(lab.stores, (await lab.stores.subscriptions.get('s')) as Subscription)).failures;
      for (let n = 0; n < 5; n++) {
        expect(await lab.poll()).toMatchObject({ outcome: 'failed' });
        waits.push((((await lab.nextPollAt('s')) ?? 0) - lab.clock.now()) / MINUTE);
      }
      expect(waits).toEqual([10, 20, 40, 60, 60]);
      expect(await failures()).toBe(5);
      lab.front.answer(undefined);
      await lab.advance(HOUR);
      expect(lab.sink.got()).toEqual(['2']);
      expect(await failures()).toBe(0);
      expect(((await lab.nextPollAt('s')) ?? 0) - lab.clock.now()).toBeLessThanOrEqual(6 * MINUTE);
      expect(lab.notices).toEqual([]);
    },
  );

  test('for one tag delays only that tag', async () => {
    await lab.add({ filter: { tags: ['rust', 'defi'] } });
    await lab.poll();
    await lab.post(job(2, { tags: ['rust'] }));
    lab.front.answer({ status: 500 }, 'defi');
    expect(await lab.poll()).toMatchObject({ outcome: 'partial' });
    expect(lab.sink.got()).toEqual(['2']);
    lab.front.answer(undefined, 'defi');
    await lab.poll();
    expect(lab.sink.got()).toEqual(['2']);
  });
});
