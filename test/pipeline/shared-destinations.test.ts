// Two subscriptions of one account with the same place: what both found arrives there once, with both reasons.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeliveryError } from '../../src/domain/errors.js';
import { pausedFrom, readerOf } from '../../src/domain/subscription.js';
import { outage } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, openLab } from '../helpers/lab.js';

let lab: Lab;
const WEEKLY = { weekly: 'monday', at: '09:00' };
const MONDAY = Date.UTC(2026, 10, 23, 9);
const both = (id: number) => job(id, { tags: ['rust', 'defi'] });
beforeEach(async () => {
  lab = await openLab();
});
afterEach(() => lab.close());

/** `a` wants rust, `b` wants defi, both at one place. */
async function begin(
  a: unknown = 'immediate',
  b: unknown = 'immediate',
  accounts = ['alice', 'alice'],
  target = 'one',
): Promise<void> {
  const place = (cadence: unknown) => ({
    schedule: '0 0 1 1 *',
    destinations: [{ sink: 'capture', target, cadence }],
  });
  await lab.add({ id: 'a', account: accounts[0], filter: { tags: ['rust'] }, ...place(a) });
  await lab.add({ id: 'b', account: accounts[1], filter: { tags: ['defi'] }, ...place(b) });
  await pollBoth();
}

async function pollBoth(): Promise<void> {
  await lab.poll('a');
  await lab.poll('b');
}

const reasons = () =>
  Object.fromEntries(
    lab.sink.messages.flatMap(({ postings }) => postings.map(({ key, matched }) => [key, matched])),
  );
const state = async (id: string, posting: string) => (await lab.why(posting, id)).destinations[0]?.state;

describe('a posting that both found', () => {
  test.each([
    ['immediate and immediate', 'immediate', 'immediate'],
    ['immediate and weekly', 'immediate', WEEKLY],
    ['weekly and immediate', WEEKLY, 'immediate'],
    ['weekly and weekly', WEEKLY, WEEKLY],
  ])('%s: arrives once, with both reasons, and the other postings as usual', async (_cadences, a, b) => {
    await begin(a, b);
    await lab.post(job(2), job(3, { tags: ['defi'] }), both(4));
    await pollBoth();
    await lab.advance(MONDAY - lab.clock.now());
    expect(lab.sink.got().toSorted()).toEqual(['2', '3', '4']);
    expect(reasons()).toEqual({ 'id:2': ['rust'], 'id:3': ['defi'], 'id:4': expect.anything() });
    expect(reasons()['id:4']?.toSorted()).toEqual(['defi', 'rust']);
    expect([await state('a', '4'), await state('b', '4')].toSorted()).toEqual(['elsewhere', 'sent']);
    for (const id of ['a', 'b']) expect((await lab.stores.ledgers.read(id))?.outbox).toEqual([]);
  });

  test('arrives from each of two accounts at a place that is not shared', async () => {
    await begin('immediate', 'immediate', ['alice', 'bob']);
    await lab.post(both(4));
    await pollBoth();
    expect(lab.sink.messages.map(({ account, postings }) => [account, postings[0]?.matched])).toEqual([
      ['alice', ['rust']],
      ['bob', ['defi']],
    ]);
  });

  test('arrives at both of two places', async () => {
    await begin();
    await lab.add({
      id: 'b',
      account: 'alice',
      filter: { tags: ['defi'] },
      destinations: [{ sink: 'capture', target: 'two' }],
    });
    await lab.post(both(4));
    await pollBoth();
    expect([lab.sink.got('one'), lab.sink.got('two')]).toEqual([['4'], ['4']]);
  });

  test('waits for the message of the first if the second finds it meanwhile', async () => {
    await begin();
    lab.sink.script('one', outage(HOUR));
    await lab.post(both(4), job(5, { tags: ['defi'] }));
    await pollBoth();
    expect(lab.sink.got()).toEqual(['5']);
    expect(await state('b', '4')).toBe('owed');
    await lab.advance(HOUR);
    expect(lab.sink.got()).toEqual(['5', '4']);
    expect(await state('b', '4')).toBe('elsewhere');
  });

  test('is sent by the second when the first has given it up', async () => {
    await begin();
    lab.sink.script('one', ...Array.from({ length: 13 }, () => outage(6 * HOUR)));
    await lab.post(both(4));
    await pollBoth();
    for (let n = 0; n < 13; n++) await lab.advance(6 * HOUR);
    expect([await state('a', '4'), await state('b', '4')]).toEqual(['expired', 'sent']);
    expect(lab.sink.got()).toEqual(['4']);
  });

  test.each(['paused', 'parked', 'removed'])('does not wait for one that is %s', async (how) => {
    await begin();
    const away = outage(DAY);
    lab.sink.script('one', how === 'parked' ? new DeliveryError('target', 'no access') : away);
    await lab.post(both(4));
    await lab.poll('a');
    if (how === 'paused') await lab.change('a', (before) => pausedFrom(before, lab.clock.now()));
    if (how === 'removed') await lab.change('a', () => undefined);
    await lab.poll('b');
    expect(lab.sink.got()).toEqual(['4']);
  });
});

describe('a posting that two members want in one channel', () => {
  const SHARED = 'channel:1';
  const members = (a: unknown = 'immediate', b: unknown = 'immediate') =>
    begin(a, b, ['alice', 'bob'], SHARED);
  /** A posting whose link names the account that asked for it. */
  const personal = (id: number) => ({ ...both(id), apply_url: `https://board.example/r/j${id}__{partner}` });
  const shown = () =>
    lab.sink.messages.flatMap(({ account, postings }) =>
      postings.map(({ applyUrl, matched, twice = false }) => ({
        account,
        applyUrl,
        matched: matched.toSorted(),
        twice,
      })),
    );

  test('arrives once, with both reasons, when the links are the same byte for byte', async () => {
    await members();
    await lab.post(both(4), job(5, { tags: ['defi'] }));
    await pollBoth();
    expect(shown()).toEqual([
      {
        account: 'alice',
        applyUrl: 'https://board.example/r/j4__p',
        matched: ['defi', 'rust'],
        twice: false,
      },
      { account: 'bob', applyUrl: 'https://board.example/r/j5__p', matched: ['defi'], twice: false },
    ]);
    expect([await state('a', '4'), await state('b', '4')]).toEqual(['sent', 'elsewhere']);
  });

  test('arrives once when both are polled at the same moment', async () => {
    await members();
    await lab.post(...Array.from({ length: 20 }, (_, n) => both(10 + n)));
    lab.clock.advance(60_000);
    await Promise.all([lab.scheduler.pollNow('a'), lab.scheduler.pollNow('b')]);
    await lab.settled();
    expect(lab.sink.got().toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => String(10 + n)));
  });

  test('arrives once with a digest of the one and cards of the other', async () => {
    await members(WEEKLY, 'immediate');
    await lab.post(both(4));
    await pollBoth();
    await lab.advance(MONDAY - lab.clock.now());
    expect(shown().map(({ account }) => account)).toEqual(['bob']);
  });

  test('arrives from each with its own link and reasons when the links differ, and the second says so', async () => {
    await members();
    await lab.post(personal(4));
    await pollBoth();
    const [first, second, ...more] = shown();
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      account: 'alice',
      applyUrl: 'https://board.example/r/j4__alice',
      twice: false,
    });
    expect(second).toEqual({
      account: 'bob',
      applyUrl: 'https://board.example/r/j4__bob',
      matched: ['defi'],
      twice: true,
    });
    expect([await state('a', '4'), await state('b', '4')]).toEqual(['sent', 'sent']);
  });

  test('does not wait for a message of the other with another link', async () => {
    await members();
    lab.sink.script(SHARED, outage(HOUR));
    await lab.post(personal(4));
    await pollBoth();
    expect(shown().map(({ account, twice }) => [account, twice])).toEqual([['bob', true]]);
    await lab.advance(HOUR);
    expect(shown().map(({ account, twice }) => [account, twice])).toEqual([
      ['bob', true],
      ['alice', false],
    ]);
  });

  test('waits for a message of the other with the same link, and is sent when that one is dropped', async () => {
    await members();
    lab.sink.script(SHARED, outage(HOUR));
    await lab.post(both(4));
    await pollBoth();
    expect(lab.sink.got()).toEqual([]);
    await lab.change('a', () => undefined);
    await lab.advance(HOUR);
    expect(shown().map(({ account }) => account)).toEqual(['bob']);
  });
});

test('reports a place that is gone once, and frees it for all when one of them reaches it', async () => {
  await begin();
  lab.sink.script('one', new DeliveryError('target', 'no access'), new DeliveryError('target', 'no access'));
  await lab.post(job(2), job(3, { tags: ['defi'] }));
  await pollBoth();
  expect(lab.notices.map(({ kind }) => kind)).toEqual(['destination']);
  expect([await state('a', '2'), await state('b', '3')]).toEqual(['parked', 'parked']);
  await lab.services.resume({ account: 'alice' }, 'a');
  await lab.settled();
  expect(lab.sink.got().toSorted()).toEqual(['2', '3']);
});

test('leaves what its reader dismissed out of personal places, and out of no others', async () => {
  const { alice } = { alice: { account: 'alice' } };
  await lab.add({
    id: 's',
    account: 'alice',
    destinations: ['dm:1', 'channel:1'].map((target) => ({ sink: 'capture', target })),
  });
  await lab.poll();
  await lab.post(job(2, { company: 'Acme' }));
  await lab.poll();
  const edition = lab.sink.messages[0]?.edition ?? '';
  await lab.services.mark('alice', edition, 0, 'dismissed');
  await lab.services.hide('alice', { company: 'Acme' });
  await lab.services.hide('alice', { tag: 'defi' });
  await lab.post(job(3, { company: 'ACME' }), job(4, { tags: ['defi'] }), job(5));
  await lab.poll();
  expect([lab.sink.got('dm:1'), lab.sink.got('channel:1')]).toEqual([
    ['2', '5'],
    ['2', '3', '4', '5'],
  ]);
  const [dm] = (await lab.services.why(alice, 's', '3')).destinations;
  expect(dm).toMatchObject({ state: 'dropped', why: 'dismissed' });
});

test('what a reader of the operator’s file dismissed stays out of that reader’s places alone', async () => {
  const account = 'operator';
  const destinations = ['dm:1', 'dm:2'].map((target) => ({ sink: 'capture', target }));
  await lab.add({ id: 's', account, destinations });
  await lab.poll();
  const [first] = (await lab.services.subscription({ account }, 's')).subscription.destinations;
  await lab.services.hide(readerOf(account, first!.id), { company: 'Acme' });
  await lab.post(job(2, { company: 'Acme' }), job(3));
  await lab.poll();
  expect([lab.sink.got('dm:1'), lab.sink.got('dm:2')]).toEqual([['3'], ['2', '3']]);
});

test('postings like those that a reader saved come first in that reader’s places, and in no others', async () => {
  const weekly = { weekly: 'monday', at: '09:00' };
  const destinations = ['dm:1', 'channel:1'].map((target) => ({ sink: 'capture', target, cadence: weekly }));
  await lab.add({ id: 's', account: 'alice', schedule: '0 0 1 1 *', destinations });
  await lab.poll();
  await lab.post(job(2, { company: 'Acme' }));
  await lab.poll();
  await lab.advance(MONDAY - lab.clock.now());
  await lab.services.mark('alice', lab.sink.messages[0]?.edition ?? '', 0, 'applied');
  await lab.post(job(3), job(4), job(5, { company: 'ACME' }), job(6));
  await lab.poll();
  await lab.advance(7 * DAY);
  const [own, others] = ['dm:1', 'channel:1'].map((target) => lab.sink.got(target).slice(1));
  expect(own?.[0]).toBe('5');
  expect(others?.[0]).not.toBe('5');
  expect(own?.toSorted()).toEqual(others?.toSorted());
  const told = lab.sink.messages.filter(({ postings }) => JSON.stringify(postings).includes('"saved"'));
  expect(told.map(({ destination }) => destination.target)).toEqual(['dm:1']);
});
