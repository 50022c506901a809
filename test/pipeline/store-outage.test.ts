// What the scheduler does while the store fails, and what it does once a second and twice a day.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountHash } from '../../src/domain/account.js';
import { StoreError } from '../../src/domain/errors.js';
import { POLL_QUEUE } from '../../src/domain/request.js';
import { requestJob } from '../../src/pipeline/requests.js';
import { DAY, HOUR, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { putLedger } from '../helpers/put.js';

const FULL = new StoreError('full', 'no room left');
const PAUSES = 'store failed, polling pauses and nothing is marked as seen';
const RESUMES = 'store works again, polling resumes';
const CLOCK_BACK = 'the clock went back, schedules start over';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
});
afterEach(() => lab.close());

const logged = (text: string) =>
  lab.logs.filter(({ message }) => message === text).map(({ fields }) => fields);
const fault = async () => (await lab.scheduler.health()).storeFault;
/** Moves the clock without looking for due work. */
const tickAfter = (ms: number) => {
  lab.clock.advance(ms);
  return lab.scheduler.tick();
};

describe('a store that fails', () => {
  beforeEach(async () => {
    await lab.add({});
    await lab.advance(0);
    lab.scheduler.storeFailed(FULL);
  });

  test('pauses polls, and is tried every five seconds until it works', async () => {
    lab.broken.set('probe', new StoreError('locked', 'busy'));
    expect(logged(PAUSES)).toEqual([{ reason: 'no room left' }]);
    await tickAfter(4999);
    expect(await fault()).toBe('no room left');
    await expect(lab.scheduler.pollNow('s')).rejects.toMatchObject({
      fault: 'unavailable',
      message: 'no room left',
    });
    lab.clock.advance(1);
    await expect(lab.scheduler.pollNow('s')).rejects.toMatchObject({ fault: 'unavailable' });
    expect(await fault()).toBe('busy');
    lab.broken.clear();
    await tickAfter(4999);
    expect(logged(RESUMES)).toEqual([]);
    await tickAfter(1);
    expect(logged(RESUMES)).toEqual([{ fault: 'busy' }]);
    expect(await fault()).toBeUndefined();
    expect(lab.front.asked).toHaveLength(1);
    expect(await lab.scheduler.pollNow('s')).toEqual({ outcome: 'unchanged' });
  });

  test('is tried five seconds after its first error, which alone is logged', async () => {
    lab.clock.advance(3000);
    lab.scheduler.storeFailed(new StoreError('locked', 'busy'));
    expect(logged(PAUSES)).toHaveLength(1);
    expect(await fault()).toBe('busy');
    await tickAfter(2000);
    expect(logged(RESUMES)).toEqual([{ fault: 'busy' }]);
    await tickAfter(MINUTE);
    expect(logged(RESUMES)).toHaveLength(1);
  });

  test('lets the engine look for due polls once, when it works again', async () => {
    const looked: string[] = [];
    lab.p.engine.look = (queue) => void looked.push(queue);
    await tickAfter(4999);
    expect(looked).toEqual([]);
    await tickAfter(1);
    await tickAfter(1000);
    expect(looked).toEqual([POLL_QUEUE]);
  });
});

describe('an error', () => {
  const unit = requestJob({ lane: accountHash('operator'), subject: '||' });
  const { signal } = new AbortController();
  const poll = () => lab.scheduler.poll(unit, { attempt: 1, signal, holding: signal, state: null });

  test.each([
    ['a fault of the store', FULL, { again: 5000, deferred: true }, 'no room left', PAUSES],
    [
      'a bug',
      new TypeError('a bug'),
      { again: MINUTE, deferred: true },
      undefined,
      'poll failed because of a bug',
    ],
  ])('of a poll delays it and is logged: %s', async (_what, error, outcome, storeFault, message) => {
    await lab.add({});
    lab.broken.set('subscriptions.needing', error);
    expect(await poll()).toEqual(outcome);
    expect(await fault()).toBe(storeFault);
    expect(logged(message)).toEqual([error === FULL ? { reason: 'no room left' } : { err: error }]);
  });

  test.each([
    ['another process works on a lane', new StoreError('taken', 'taken over'), false],
    ['the lease is lost', new StoreError('lost', 'another process writes'), true],
    ['the engine has a bug', new TypeError('a bug'), false],
  ])('pauses nothing when %s', async (_what, error, lost) => {
    lab.scheduler.storeFailed(error);
    expect([await fault(), lab.lost]).toEqual([undefined, lost]);
    expect(lab.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('the time', () => {
  const noted = () => lab.stores.misc.get('clock');

  test('is noted once a minute', async () => {
    const start = lab.clock.now();
    await tickAfter(0);
    await tickAfter(MINUTE - 1);
    expect(await noted()).toBe(start);
    await tickAfter(1);
    expect(await noted()).toBe(start + MINUTE);
  });

  test.each([
    ['a minute is an adjustment', MINUTE, []],
    ['more than a minute starts schedules over', MINUTE + 1, [{}]],
  ])('back by %s', async (_what, ms, warnings) => {
    await tickAfter(0);
    await tickAfter(MINUTE - 1);
    await tickAfter(-ms);
    expect(logged(CLOCK_BACK)).toEqual(warnings);
  });
});

test('silent subscriptions are looked for after twelve hours', async () => {
  await lab.add({});
  await lab.advance(0);
  await putLedger(lab.stores.ledgers, 's', { matchedAt: lab.clock.now() - 15 * DAY });
  await tickAfter(12 * HOUR - 1);
  expect(lab.notices).toEqual([]);
  await tickAfter(1);
  expect(lab.notices).toMatchObject([{ kind: 'silence', subscription: 's' }]);
});
