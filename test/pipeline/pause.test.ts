// A pause by the owner: what appears during it is recorded and not sent. The tests cover every way to resume.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeliveryError } from '../../src/domain/errors.js';
import { endPauses } from '../../src/pipeline/pauses.js';
import { outage } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { until } from '../helpers/until.js';

let lab: Lab;
const owner = { account: 'operator' };
beforeEach(async () => {
  lab = await openLab();
  await lab.add({});
  await lab.poll();
});
afterEach(() => lab.close());

test('asks the API nothing during a pause, does not send what came meanwhile, and sends what comes later', async () => {
  await lab.services.pause(owner, 's');
  const asked = lab.front.asked.length;
  await lab.post(job(2));
  for (let n = 0; n < 5; n++) await lab.advance(DAY);
  expect(await lab.poll()).toMatchObject({ outcome: 'paused' });
  expect(lab.front.asked).toHaveLength(asked);
  await lab.services.resume(owner, 's');
  await lab.advance(0);
  expect(await lab.why('2')).toMatchObject({ fate: 'paused' });
  await lab.post(job(3));
  await lab.advance(HOUR);
  expect(lab.sink.got()).toEqual(['3']);
  expect((await lab.services.history(owner, 's')).map(({ kind }) => kind)).toEqual([
    'sent',
    'resumed',
    'baseline',
  ]);
});

describe('a pause with an end', () => {
  const end = () => lab.clock.now() + 3 * DAY;

  const resumed = () => lab.logs.filter(({ message }) => message === 'pause over, subscription resumed');

  test('ends by itself at that time, and not before', async () => {
    await lab.services.pause(owner, 's', end());
    await lab.advance(2 * DAY);
    await endPauses(lab.p);
    expect((await lab.services.subscription(owner, 's')).state).toBe('paused');
    expect(resumed()).toEqual([]);
    await lab.post(job(2));
    await lab.advance(DAY);
    await endPauses(lab.p);
    const { state, subscription } = await lab.services.subscription(owner, 's');
    expect(state).toBe('active');
    expect(subscription.pausedUntil).toBeUndefined();
    expect(resumed()).toMatchObject([{ level: 'info', fields: { subscription: 's' } }]);
    await lab.advance(HOUR);
    expect(await lab.why('2')).toMatchObject({ fate: 'paused' });
    await lab.post(job(3));
    await lab.advance(HOUR);
    expect(lab.sink.got()).toEqual(['3']);
  });

  test('has none any more after a pause without one, and can get one', async () => {
    const stored = async () => (await lab.services.subscription(owner, 's')).subscription;
    await lab.services.pause(owner, 's');
    const { pausedAt } = await stored();
    const until = end();
    await lab.services.pause(owner, 's', until);
    expect(await stored()).toMatchObject({ pausedAt, pausedUntil: until });
    await lab.services.pause(owner, 's');
    expect((await stored()).pausedUntil).toBeUndefined();
    await lab.advance(4 * DAY);
    await endPauses(lab.p);
    expect((await stored()).resumedAt).toBeUndefined();
  });

  test('that gets a later end while it is about to end does not end', async () => {
    await lab.services.pause(owner, 's', end());
    await lab.advance(3 * DAY);
    const { subscriptions } = lab.stores;
    const many: typeof subscriptions.many = async (ids) => {
      const found = await subscriptions.many(ids);
      await lab.services.pause(owner, 's', end());
      return found;
    };
    await endPauses({ ...lab.p, stores: { ...lab.p.stores, subscriptions: { ...subscriptions, many } } });
    expect((await lab.services.subscription(owner, 's')).state).toBe('paused');
  });

  test('waits for the bot’s return to the server', async () => {
    const id = 'there';
    await lab.add({ id });
    await lab.stores.subscriptions.update(id, (one) => one && { ...one, guild: 'g' });
    await lab.services.pause(owner, id, end());
    await lab.services.leftGuild('g');
    await lab.advance(4 * DAY);
    await endPauses(lab.p);
    expect((await lab.services.subscription(owner, id)).state).toBe('paused');
    await lab.services.inGuild('g');
    await endPauses(lab.p);
    expect((await lab.services.subscription(owner, id)).state).toBe('active');
  });
});

describe('the end of a pause', () => {
  test('is the moment of the press: what is posted right after it is sent, what came before is not', async () => {
    await lab.services.pause(owner, 's');
    await lab.post(job(2));
    await lab.services.resume(owner, 's');
    await lab.post(job(3));
    await lab.advance(1000);
    await lab.advance(HOUR);
    expect(lab.sink.got()).toEqual(['3']);
    expect(await lab.why('2')).toMatchObject({ fate: 'paused' });
  });

  test('does not use a cached response from before it', async () => {
    await lab.close();
    lab = await openLab({ cacheMs: 5 * MINUTE });
    await lab.add({});
    await lab.poll();
    await lab.services.pause(owner, 's');
    await lab.post(job(2));
    lab.clock.advance(MINUTE);
    await lab.services.resume(owner, 's');
    await lab.advance(0);
    expect(await lab.why('2')).toMatchObject({ fate: 'paused' });
    await lab.post(job(3));
    await lab.advance(HOUR);
    expect(lab.sink.got()).toEqual(['3']);
  });

  test('waits for an API that is down, and then compares the dates of the postings', async () => {
    await lab.services.pause(owner, 's');
    await lab.post(job(2, { postedAt: '2026-11-20' }));
    lab.front.answer({ status: 503 });
    await lab.services.resume(owner, 's');
    await lab.advance(0);
    lab.front.answer(undefined);
    await lab.post(job(3, { postedAt: '2026-11-23' }));
    await lab.advance(3 * HOUR);
    expect(lab.sink.got()).toEqual(['3']);
    expect(await lab.why('2')).toMatchObject({ fate: 'paused' });
  });

  test('is checked for each tag with its first response', async () => {
    await lab.add({
      id: 'two',
      filter: { tags: ['rust', 'defi'] },
      destinations: [{ sink: 'capture', target: 'two' }],
    });
    await lab.poll('two');
    await lab.services.pause(owner, 'two');
    await lab.post(job(2), job(3, { tags: ['defi'] }));
    lab.front.answer({ status: 404 }, 'defi');
    await lab.services.resume(owner, 'two');
    lab.front.answer(undefined, 'defi');
    await lab.post(job(4), job(5, { tags: ['defi'], postedAt: '2026-11-23' }));
    for (let n = 0; n < 4; n++) await lab.advance(HOUR);
    expect([await lab.why('2', 'two'), await lab.why('3', 'two')]).toMatchObject([
      { fate: 'paused' },
      { fate: 'paused' },
    ]);
    expect(lab.sink.got('two').toSorted()).toEqual(['4', '5']);
  });
});

test('sends later news after a pause in which nothing appeared', async () => {
  await lab.services.pause(owner, 's');
  await lab.advance(DAY);
  await lab.services.resume(owner, 's');
  await lab.advance(0);
  await lab.post(job(2));
  await lab.advance(HOUR);
  expect(lab.sink.got()).toEqual(['2']);
});

test('sends later news after a pause that ended while the clock was set back', async () => {
  await lab.services.pause(owner, 's');
  await lab.advance(-5 * DAY);
  await lab.services.resume(owner, 's');
  await lab.advance(0);
  await lab.post(job(2));
  await lab.advance(HOUR);
  expect(lab.sink.got()).toEqual(['2']);
  await lab.services.pause(owner, 's');
  await lab.post(job(3));
  await lab.advance(DAY);
  expect(lab.sink.got()).toEqual(['2']);
  expect((await lab.services.subscription(owner, 's')).state).toBe('paused');
});

test('does not end a pause when a resume only frees a parked place', async () => {
  await lab.services.pause(owner, 's');
  await lab.services.resume(owner, 's');
  await lab.advance(0);
  lab.sink.script('one', new DeliveryError('target', 'no access'));
  await lab.post(job(2));
  await lab.advance(HOUR);
  await lab.post(job(3));
  await lab.services.resume(owner, 's');
  await lab.advance(HOUR);
  expect(lab.sink.got()).toEqual(['2', '3']);
});

test('sends after the pause what waited before it', async () => {
  lab.sink.script('one', outage(HOUR));
  await lab.post(job(2));
  await lab.poll();
  await lab.services.pause(owner, 's');
  await lab.advance(5 * DAY);
  expect(lab.sink.got()).toEqual([]);
  await lab.services.resume(owner, 's');
  await lab.advance(0);
  expect(lab.sink.got()).toEqual(['2']);
});

describe('a pause during a request', () => {
  test('discards the response', async () => {
    await lab.post(job(2));
    const release = lab.front.hold();
    const before = lab.front.asked.length;
    const polled = lab.scheduler.pollNow('s');
    await until(() => lab.front.asked.length > before);
    await lab.services.pause(owner, 's');
    release();
    expect(await polled).toMatchObject({ outcome: 'stopped' });
    await lab.settled();
    expect((await lab.why('2')).fate).toBe('unseen');
    await lab.services.resume(owner, 's');
    await lab.advance(0);
    expect((await lab.why('2')).fate).toBe('paused');
    expect(lab.sink.got()).toEqual([]);
  });
});

test('keeps a pause and its end over a restart', async () => {
  await lab.services.pause(owner, 's');
  await lab.post(job(2));
  await lab.restart();
  await lab.advance(DAY);
  await lab.services.resume(owner, 's');
  await lab.restart();
  await lab.advance(0);
  await lab.restart();
  await lab.post(job(3));
  await lab.advance(HOUR);
  expect(lab.sink.got()).toEqual(['3']);
});
