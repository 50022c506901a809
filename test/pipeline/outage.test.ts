// Recipients that are down or slow: their messages wait in order, and nothing else waits for them.
import { afterEach, describe, expect, test } from 'vitest';
import { DeliveryError, StoreError } from '../../src/domain/errors.js';
import { resumedFrom, type Subscription } from '../../src/domain/subscription.js';
import { createCaptureSink, outage } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, type LabOptions, MINUTE, openLab } from '../helpers/lab.js';
import { put } from '../helpers/put.js';
import { until } from '../helpers/until.js';

let lab: Lab;
const owner = { account: 'operator' };
afterEach(() => lab.close());

/** A lab whose subscription has had its baseline. */
async function begin(options: LabOptions = {}, entry: Record<string, unknown> = {}): Promise<void> {
  lab = await openLab(options);
  await lab.add(entry);
  await lab.poll();
}

const kinds = () => lab.notices.map(({ kind }) => kind);
const how = async (id: string) => (await lab.why(id)).destinations[0]?.state;

describe('a recipient that is down', () => {
  test('is tried after 5 s, 15 s, 30 s, 1 min, 2 min, 3 min; no attempt is counted, and the order is kept', async () => {
    await begin();
    lab.sink.script('one', ...Array.from({ length: 7 }, () => outage()));
    await lab.post(job(2));
    await lab.poll();
    for (const seconds of [5, 15, 30, 60, 120, 180]) {
      const before = lab.sink.calls.length;
      await lab.advance(seconds * 1000 - 1);
      expect(lab.sink.calls).toHaveLength(before);
      await lab.advance(1);
      expect(lab.sink.calls).toHaveLength(before + 1);
    }
    await lab.post(job(3));
    await lab.poll();
    await lab.advance(HOUR);
    expect(lab.sink.got()).toEqual(['2', '3']);
    expect(lab.sink.calls.map(({ attempt }) => attempt).slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(kinds()).toEqual([]);
  });

  test('is tried with one message only, also a refused one, until it is back; then all are sent together', async () => {
    await begin({ size: 1 });
    lab.sink.poison.add('Job 2');
    await lab.post(job(2), job(3));
    lab.sink.script('one', new DeliveryError('content', 'bad'), outage());
    await lab.poll();
    const tried = lab.sink.calls.length;
    lab.sink.script('one', outage(), outage(), outage(), outage());
    await lab.post(job(4), job(5));
    await lab.poll();
    await lab.poll();
    await lab.advance(MINUTE);
    await lab.advance(2 * MINUTE);
    const since = lab.sink.calls.slice(tried);
    expect(new Set(since.map(({ postings }) => postings[0]?.id)).size).toBe(1);
    lab.sink.poison.clear();
    await lab.advance(3 * MINUTE);
    expect(lab.sink.got()).toEqual(['3', '4', '5', '2']);
  });

  test('is tried immediately after a resume, also one made while the service was down', async () => {
    await begin();
    lab.sink.script('one', outage(6 * HOUR), outage(6 * HOUR));
    await lab.post(job(2));
    await lab.poll();
    await lab.services.resume(owner, 's');
    await lab.settled();
    expect(lab.sink.calls).toHaveLength(2);
    await lab.advance(MINUTE);
    expect(lab.sink.calls).toHaveLength(2);
    const stored = (await lab.stores.subscriptions.get('s')) as Subscription;
    await put(lab.stores.subscriptions, resumedFrom(stored, lab.clock.now()));
    await lab.restart();
    expect(lab.sink.got()).toEqual(['2']);
  });

  test('can name the time to wait', async () => {
    await begin();
    lab.sink.script('one', outage(20 * MINUTE));
    await lab.post(job(2));
    await lab.poll();
    await lab.advance(19 * MINUTE);
    expect(lab.sink.calls).toHaveLength(1);
    await lab.advance(MINUTE);
    expect(lab.sink.got()).toEqual(['2']);
  });

  test('for three days: what waited expires, the owner is notified, and later postings are sent', async () => {
    await begin();
    lab.sink.script('one', ...Array.from({ length: 13 }, () => outage(6 * HOUR)));
    await lab.post(job(2));
    await lab.poll();
    for (let n = 0; n < 14; n++) await lab.advance(6 * HOUR);
    expect(await how('2')).toBe('expired');
    const destination = (await lab.stores.subscriptions.get('s'))?.destinations[0]?.id;
    expect(lab.notices).toEqual([
      {
        kind: 'expired',
        subject: `operator:${destination}`,
        account: 'operator',
        subscription: 's',
        destination,
        text: 'The capture destination could not be reached for three days (the recipient does not answer), so 1 posting(s) were not sent.',
        data: { count: 1, sink: 'capture', about: 'about s' },
      },
    ]);
    expect(lab.figures).toContainEqual(['postings_lost_total', { how: 'expired' }, 1]);
    expect((await lab.p.history.events('s'))[0]).toMatchObject({
      kind: 'expired',
      count: 1,
      why: 'the recipient does not answer',
    });
    await lab.post(job(3));
    await lab.poll();
    expect(await how('3')).toBe('sent');
  });

  test('does not count a night in which the service was off', async () => {
    await begin();
    lab.sink.script('one', outage(), outage());
    await lab.post(job(2));
    await lab.poll();
    lab.clock.advance(10 * DAY);
    await lab.restart();
    expect(lab.sink.got()).toEqual([]);
    await lab.advance(MINUTE);
    expect(lab.sink.got()).toEqual(['2']);
  });

  test('keeps trying a posting after a timeout, or when the sink could not read the store', async () => {
    await begin({ settings: { deliveryTimeoutMs: 20 } });
    const release = lab.sink.hold('one');
    await lab.post(job(2));
    await lab.poll();
    release();
    lab.sink.script('one', new StoreError('locked', 'busy'));
    expect(await lab.why('2')).toMatchObject({
      destinations: [{ state: 'underway', why: 'no answer in time' }],
    });
    await lab.advance(MINUTE);
    expect(await lab.why('2')).toMatchObject({ destinations: [{ state: 'underway', why: 'busy' }] });
    await lab.advance(MINUTE);
    expect(await how('2')).toBe('sent');
  });
});

test('a recipient that is down delays no other destination of the subscription', async () => {
  await begin({}, { destinations: ['one', 'two'].map((target) => ({ sink: 'capture', target })) });
  lab.sink.script('one', outage(HOUR));
  await lab.post(job(2));
  await lab.poll();
  await lab.post(job(3));
  await lab.poll();
  expect([lab.sink.got('one'), lab.sink.got('two')]).toEqual([[], ['2', '3']]);
  await lab.advance(HOUR);
  expect(lab.sink.got('one')).toEqual(['2', '3']);
});

describe('a slow recipient', () => {
  test('delays neither polls nor other places, sinks and subscriptions', async () => {
    const other = createCaptureSink('other');
    const destinations = [
      { sink: 'capture', target: 'slow' },
      { sink: 'capture', target: 'fast' },
      { sink: 'other', target: 'x' },
    ];
    await begin({ sinks: [other] }, { destinations });
    await lab.add({ id: 't', destinations: [{ sink: 'capture', target: 'third' }] });
    lab.clock.advance(MINUTE);
    await lab.scheduler.pollNow('t');
    const release = lab.sink.hold('slow');
    for (const id of [2, 3]) {
      await lab.post(job(id));
      lab.clock.advance(MINUTE);
      await lab.scheduler.pollNow('s');
      await lab.scheduler.pollNow('t');
      const places = () => [other.got(), lab.sink.got('fast'), lab.sink.got('third')];
      await until(() => places().every(({ length }) => length === id - 1));
    }
    expect([lab.sink.got('slow'), lab.sink.got('fast'), other.got()]).toEqual([[], ['2', '3'], ['2', '3']]);
    release();
    await lab.settled();
    expect(lab.sink.got('slow')).toEqual(['2', '3']);
  });

  test('does not count an attempt that a stop interrupted', async () => {
    await begin();
    const release = lab.sink.hold('one');
    await lab.post(job(2));
    lab.clock.advance(MINUTE);
    await lab.scheduler.pollNow('s');
    await until(() => lab.sink.calls.length === 1);
    expect(await lab.p.engine.drain(0)).toBe(false);
    await until(async () => (await lab.stores.ledgers.read('s'))?.editions[0]?.attempts === 0);
    release();
    await lab.restart();
    expect(lab.sink.calls.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(lab.sink.got()).toEqual(['2']);
  });
});
