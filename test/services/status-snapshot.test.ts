// The states of subscriptions and accounts, for figures and the operator's page.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeliveryError } from '../../src/domain/errors.js';
import { secret } from '../../src/domain/secret.js';
import type { Sink } from '../../src/ports/sink.js';
import { accountReports, takeSnapshot } from '../../src/services/status-snapshot.js';
import { createCaptureSink } from '../helpers/capture-sink.js';
import { HOUR, job, type Lab, openLab } from '../helpers/lab.js';
import { TOKENS } from '../helpers/lab-life.js';
import { put } from '../helpers/put.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
});
afterEach(() => lab.close());

const report = async (account: string) => (await accountReports(lab.p)).get(account);

describe('an account', () => {
  test('is listed with its token, its subscriptions and when it came', async () => {
    const createdAt = lab.clock.now();
    await lab.add({ account: 'alice' });
    await lab.add({ id: 't', account: 'alice', filter: { tags: ['defi'] } });
    await put(lab.stores.accounts, { id: 'carol', createdAt });
    expect(await report('alice')).toEqual({
      account: 'alice',
      token: 'ok',
      subscriptions: 2,
      email: 'none',
      createdAt,
    });
    expect(await report('carol')).toEqual({
      account: 'carol',
      token: 'missing',
      subscriptions: 0,
      email: 'none',
      createdAt,
    });
    expect(await report('none')).toBeUndefined();
  });

  test('is listed if it has only subscriptions; the token of the operator is a setting', async () => {
    await lab.add({});
    await lab.add({ id: 't', account: 'eve' });
    expect(await report('operator')).toEqual({
      account: 'operator',
      token: 'ok',
      subscriptions: 1,
      email: 'none',
    });
    expect(await report('eve')).toEqual({
      account: 'eve',
      token: 'missing',
      subscriptions: 1,
      email: 'none',
    });
  });

  test('has an address that is confirmed or not', async () => {
    const email = { address: 'carol@example.org' };
    await put(lab.stores.accounts, { id: 'carol', createdAt: 1, email });
    expect(await report('carol')).toMatchObject({ email: 'unconfirmed' });
    await put(lab.stores.accounts, { id: 'dave', createdAt: 1, email: { ...email, confirmedAt: 2 } });
    expect(await report('dave')).toMatchObject({ email: 'confirmed' });
  });

  test('has the reason and the time of a rejection of its present token', async () => {
    const at = lab.clock.now();
    await lab.p.tokens.reject('alice', secret(TOKENS.alice), '403');
    await lab.p.tokens.reject('bob', secret('a former token'), '403');
    await lab.p.tokens.reject('none', secret('a token'), '403');
    expect(await report('alice')).toMatchObject({ token: 'rejected', why: '403', at });
    expect(await report('bob')).toEqual({
      account: 'bob',
      token: 'ok',
      subscriptions: 0,
      email: 'none',
      createdAt: at,
    });
    expect(await report('none')).toBeUndefined();
  });
});

describe('a subscription', () => {
  const state = async () => [...(await takeSnapshot(lab.p)).states];

  test('is active, paused, without a token or with a rejected one', async () => {
    await lab.add({ account: 'alice' });
    expect(await state()).toEqual([['active', 1]]);
    await lab.p.tokens.reject('alice', secret(TOKENS.alice), '403');
    expect(await state()).toEqual([['token-rejected', 1]]);
    await lab.stores.accounts.remove('alice');
    expect(await state()).toEqual([['no-token', 1]]);
    await lab.services.pause({ account: 'alice' }, 's');
    expect(await state()).toEqual([['paused', 1]]);
  });

  test('waits as long as one of its places is tried again later, and is parked if one is given up', async () => {
    const places = ['one', 'two'].map((target) => ({ sink: 'capture', target }));
    await lab.add({ account: 'alice', destinations: places });
    await lab.poll();
    lab.sink.script('one', new DeliveryError('outage', 'away', { retryAfterMs: HOUR }));
    await lab.post(job(2));
    await lab.poll();
    expect(await state()).toEqual([['waiting', 1]]);
    lab.sink.script('one', new DeliveryError('target', 'no access'));
    await lab.advance(2 * HOUR);
    expect(await state()).toEqual([['parked', 1]]);
    await lab.services.resume({ account: 'alice' }, 's');
    await lab.settled();
    expect(await state()).toEqual([['active', 1]]);
  });

  test('is parked if the sink of one of its places is off', async () => {
    await lab.add({
      account: 'alice',
      destinations: ['one', 'two'].map((target) => ({ sink: 'capture', target })),
    });
    await lab.change('s', (before) => ({
      ...before,
      destinations: before.destinations.map((one, n) => (n === 0 ? { ...one, sink: 'gone' } : one)),
    }));
    expect(await state()).toEqual([['parked', 1]]);
  });

  test.each<[string, NonNullable<Sink['obstacle']>, string]>([
    ['nothing', async () => undefined, 'active'],
    ['something without an end', async () => ({ why: 'mail is off', fix: 'mailOff' }), 'parked'],
    ['something that ends', async () => ({ why: 'mail is paused', fix: 'mailPaused', until: 5 }), 'waiting'],
    ['nothing it can name', async () => Promise.reject(new Error('away')), 'active'],
  ])('with a sink that is kept from sending by %s', async (_what, obstacle, expected) => {
    lab.sinks.set('capture', { ...createCaptureSink(), obstacle });
    await lab.add({ account: 'alice' });
    expect(await state()).toEqual([[expected, 1]]);
  });
});
