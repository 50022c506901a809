// A removed subscription stops immediately. For a time it can be restored as it was, with what waited to be sent.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseSubscription, type Subscription } from '../../src/domain/subscription.js';
import {
  dropRemoved,
  endRemoved,
  isKnown,
  isOver,
  removedOf,
  removedRows,
  retire,
} from '../../src/pipeline/removed.js';
import { followSubscription, forgetGone } from '../../src/pipeline/subscription-sync.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { put } from '../helpers/put.js';
import { until } from '../helpers/until.js';

const alice = { account: 'alice' };
let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
});
afterEach(() => lab.close());

/** A weekly subscription with a baseline and with 2 and 3 in its outbox. */
async function begin(cadence: unknown = { weekly: 'monday' }): Promise<void> {
  await lab.add({ account: 'alice', destinations: [{ sink: 'capture', target: 'one', cadence }] });
  await lab.poll();
  await lab.post(job(2), job(3));
  await lab.poll();
}

/** Rows that say anything about the subscription. */
const rows = async () =>
  (await lab.rows()).filter((row) => /\bs\b|alice/u.test(row.split(' ').slice(0, 2).join(' ')));

test('delivers after a restore what waited and what appeared meanwhile, and nothing twice', async () => {
  await begin();
  await lab.services.remove(alice, 's');
  expect(await lab.services.subscriptions(alice)).toEqual([]);
  await lab.post(job(4));
  await lab.advance(DAY);
  await lab.restart();
  await lab.advance(4 * DAY);
  expect(lab.sink.calls).toEqual([]);
  const back = await lab.services.restore(alice, 's');
  expect(back).toMatchObject({ state: 'active', owed: 2, subscription: { id: 's', account: 'alice' } });
  await lab.advance(MINUTE);
  await lab.advance(7 * DAY);
  expect(lab.sink.got().toSorted()).toEqual(['2', '3', '4']);
  expect(await lab.services.restore(alice, 's').catch((error: Error) => error.message)).toMatch(/no such/u);
});

test('delivers nothing while it is removed, not even what was due', async () => {
  lab.sink.script('one', new Error('any'));
  await begin('immediate');
  await lab.services.remove(alice, 's');
  const calls = lab.sink.calls.length;
  await lab.advance(HOUR);
  expect(lab.sink.calls).toHaveLength(calls);
  await lab.services.restore(alice, 's');
  await lab.advance(HOUR);
  expect(lab.sink.got().toSorted()).toEqual(['2', '3']);
});

test('counts a message as delivered that was being sent during the removal, and does not repeat it', async () => {
  const release = lab.sink.hold('one');
  await lab.add({ account: 'alice' });
  await lab.poll();
  await lab.post(job(2));
  lab.clock.advance(MINUTE);
  await lab.scheduler.pollNow('s');
  await until(() => lab.sink.calls.length === 1);
  await lab.services.remove(alice, 's');
  release();
  await lab.settled();
  await lab.services.restore(alice, 's');
  await lab.advance(HOUR);
  expect(lab.sink.calls).toHaveLength(1);
  expect((await lab.why('2')).destinations[0]?.state).toBe('sent');
});

test("can't be restored by another person", async () => {
  await begin();
  await lab.services.remove(alice, 's');
  await expect(lab.services.restore({ account: 'bob' }, 's')).rejects.toThrow('no such subscription');
  await expect(lab.services.restore(alice, 'other')).rejects.toThrow('no such subscription');
});

test('is not restored over the limit', async () => {
  await begin();
  await lab.services.remove(alice, 's');
  for (const id of ['x', 'y', 'z']) await lab.add({ id, account: 'alice' });
  await expect(lab.services.restore(alice, 's')).rejects.toThrow('the most allowed');
});

test('leaves nothing after seven days', async () => {
  await begin('immediate');
  await lab.services.remove(alice, 's');
  await lab.advance(6 * DAY);
  await forgetGone(lab.p);
  expect(await lab.stores.ledgers.read('s')).toBeDefined();
  await lab.advance(2 * DAY);
  await forgetGone(lab.p);
  await lab.stores.purge();
  expect((await rows()).filter((row) => !row.startsWith('accounts '))).toEqual([]);
  await expect(lab.services.restore(alice, 's')).rejects.toThrow('no such subscription');
});

test('is exported and erased with its account', async () => {
  await begin('immediate');
  await lab.services.remove(alice, 's');
  expect(await lab.services.exportAccount('alice')).toMatchObject({
    removed: [{ subscription: { id: 's' } }],
  });
  await lab.services.eraseAccount('alice');
  expect(await rows()).toEqual([]);
});

test('continues where it stopped when its entry is put back into the file', async () => {
  const entry = (): Subscription =>
    parseSubscription(
      { id: 'f', destinations: [{ sink: 'capture', target: 'one', cadence: { weekly: 'monday' } }] },
      {
        origin: 'file',
        now: lab.clock.now(),
        liveSchedule: '*/15 * * * *',
        defaultTimezone: 'UTC',
        parseTarget: (_sink, target) => String(target),
      },
    );
  const take = () => followSubscription(lab.p, 'f');
  await put(lab.stores.subscriptions, entry());
  await take();
  await lab.poll('f');
  await lab.post(job(2));
  await lab.poll('f');
  await retire(lab.stores, (await lab.stores.subscriptions.get('f')) as Subscription, lab.clock.now());
  await take();
  await lab.restart();
  await lab.advance(DAY);
  await put(lab.stores.subscriptions, entry());
  await take();
  await lab.advance(8 * DAY);
  expect(lab.sink.got()).toEqual(['2']);
});

test('a removed subscription can be put back for seven days, and its note stays until it is dropped', async () => {
  const subscription = await lab.add({});
  const { stores, clock } = lab;
  const at = clock.now();
  expect(await removedOf(stores, 's', at)).toBeUndefined();
  await retire(stores, subscription, at);
  const removed = await removedOf(stores, 's', at + 7 * DAY - 1);
  expect(removed).toMatchObject({ at, subscription: { id: 's' } });
  expect(isOver({ subscription, at }, at + 7 * DAY - 1)).toBe(false);
  expect(isOver({ subscription, at }, at + 7 * DAY)).toBe(true);
  expect(await removedOf(stores, 's', at + 7 * DAY)).toBeUndefined();
  expect(await removedRows(stores)).toMatchObject([{ at }]);
  expect(await isKnown(stores, 's', at)).toBe(true);
  expect(await isKnown(stores, 's', at + 7 * DAY)).toBe(false);
  await endRemoved(stores, 's');
  await endRemoved(stores, 'never');
  expect(await removedOf(stores, 's', at)).toBeUndefined();
  expect(await removedRows(stores)).toMatchObject([{ at: 0, subscription: { id: 's' } }]);
  await dropRemoved(stores, 's');
  expect(await removedRows(stores)).toEqual([]);
  await put(stores.subscriptions, subscription);
  expect(await isKnown(stores, 's', at)).toBe(true);
});
