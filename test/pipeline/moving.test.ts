// Destinations that change: what waits to be sent moves along, in whichever way the change was made, and is sent
// once.
import { afterEach, describe, expect, test } from 'vitest';
import { DeliveryError } from '../../src/domain/errors.js';
import { type Destination, destinationId, type Subscription } from '../../src/domain/subscription.js';
import { createCaptureSink, outage } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, type LabOptions, MINUTE, openLab } from '../helpers/lab.js';
import { put } from '../helpers/put.js';
import { until } from '../helpers/until.js';

const owner = { account: 'operator' };
const weekly = { weekly: 'monday', at: '09:00' };
const gone = new DeliveryError('target', 'unknown channel', { fix: 'channelGone' });
let lab: Lab;
afterEach(() => lab.close());

async function begin(entry: Record<string, unknown> = {}, options: LabOptions = {}): Promise<void> {
  lab = await openLab(options);
  await lab.add(entry);
  await lab.poll();
}

async function announce(...ids: number[]): Promise<void> {
  await lab.post(...ids.map((id) => job(id)));
  await lab.poll();
}

const edit = (destination: unknown) => lab.services.edit(owner, 's', { destination });
const at =
  (target: string, more: Partial<Destination> = {}) =>
  (before: Subscription): Subscription => ({
    ...before,
    destinations: before.destinations.map((one) => ({
      ...one,
      target,
      id: destinationId(more.sink ?? one.sink, target),
      ...more,
    })),
  });

describe('what waits to be sent moves with its destination', () => {
  test('from a channel that was deleted', async () => {
    await begin();
    lab.sink.script('one', gone);
    await announce(2, 3);
    await announce(4);
    expect(await lab.services.subscription(owner, 's')).toMatchObject({ state: 'parked', owed: 3 });
    const report = await edit({ sink: 'capture', target: 'two', cadence: 'immediate' });
    expect(report.state).toBe('active');
    await lab.settled();
    expect([
      lab.sink.got('two'),
      lab.sink.messages.filter((one) => one.destination.target === 'one'),
    ]).toEqual([['2', '3', '4'], []]);
    // The closed place is settled now, so the next time is reported again.
    lab.sink.script('two', 'well');
    await edit({ sink: 'capture', target: 'one', cadence: 'immediate' });
    lab.sink.script('one', gone);
    await announce(5);
    expect(lab.notices.filter(({ kind }) => kind === 'destination')).toHaveLength(2);
  });

  test('in the middle of the week, and the digest keeps its week', async () => {
    await begin({ destinations: [{ sink: 'capture', target: 'one', cadence: weekly }] });
    await lab.advance(7 * DAY);
    await announce(2, 3, 4);
    await edit({ sink: 'capture', target: 'two', cadence: weekly });
    await announce(5);
    const why = (await lab.why('3')).destinations;
    expect(why).toMatchObject([{ target: 'two', state: 'owed', movedAt: lab.clock.now() - MINUTE }]);
    expect(new Date(why[0]?.nextAt ?? 0).toISOString()).toMatch(/T09:00:00/u);
    expect(lab.sink.calls).toEqual([]);
    await lab.advance(7 * DAY);
    expect(lab.sink.got('two')).toEqual(['2', '3', '4', '5']);
  });

  test('to another sink and another cadence, split as that sink splits', async () => {
    const other = createCaptureSink('other', 2);
    await begin({ destinations: [{ sink: 'capture', target: 'one', cadence: weekly }] }, { sinks: [other] });
    await announce(2, 3, 4);
    await edit({ sink: 'other', target: 'mail', cadence: 'immediate' });
    await lab.settled();
    expect(other.messages.map((one) => one.postings.length)).toEqual([2, 1]);
    expect(other.got()).toEqual(['2', '3', '4']);
  });

  test('from immediate to weekly and back, at the same place', async () => {
    await begin();
    lab.sink.script('one', outage(HOUR));
    await announce(2);
    await announce(3);
    await edit({ sink: 'capture', target: 'one', cadence: { weekly: 'friday', at: '09:00' } });
    await announce(4);
    await lab.advance(HOUR);
    // What was being sent is sent; the rest waits for the digest.
    expect(lab.sink.got()).toEqual(['2']);
    await edit({ sink: 'capture', target: 'one', cadence: 'immediate' });
    await lab.settled();
    expect(lab.sink.got()).toEqual(['2', '3', '4']);
  });

  test('when the record was changed while the service was down', async () => {
    await begin();
    lab.sink.script('one', gone);
    await announce(2);
    await put(lab.stores.subscriptions, at('two')((await lab.stores.subscriptions.get('s')) as Subscription));
    await lab.restart();
    expect(lab.sink.got('two')).toEqual(['2']);
  });

  test('for one of two places, while the other keeps its own and gets nothing twice', async () => {
    await begin({ destinations: ['one', 'two'].map((target) => ({ sink: 'capture', target })) });
    lab.sink.script('two', gone);
    await announce(2);
    await lab.change('s', (before) => ({
      ...before,
      destinations: before.destinations.map((one) =>
        one.target === 'two' ? { ...one, target: 'three', id: destinationId('capture', 'three') } : one,
      ),
    }));
    await announce(3);
    expect([lab.sink.got('one'), lab.sink.got('two'), lab.sink.got('three')]).toEqual([
      ['2', '3'],
      [],
      ['2', '3'],
    ]);
  });

  test('there and back again, and is sent once', async () => {
    await begin({ destinations: [{ sink: 'capture', target: 'one', cadence: weekly }] });
    await announce(2);
    await lab.change('s', at('two'));
    await lab.change('s', at('one'));
    expect((await lab.why('2')).destinations[0]).toMatchObject({ target: 'one', state: 'owed' });
    await lab.advance(7 * DAY);
    expect(lab.sink.got()).toEqual(['2']);
  });
});

describe('a move in the middle of an attempt', () => {
  test('whose answer was lost: sends the posting to the new place, and never again to the old one', async () => {
    await begin({}, { size: 1 });
    lab.sink.script('one', 'well', 'lost');
    await announce(2, 3, 4);
    expect(lab.sink.got('one')).toEqual(['2', '3']);
    await lab.change('s', at('two'));
    await lab.advance(DAY);
    expect(lab.sink.calls.filter((one) => one.destination.target === 'one')).toHaveLength(2);
    expect(lab.sink.got('two')).toEqual(['3', '4']);
  });

  test('that succeeds: does not send the posting to the new place as well', async () => {
    await begin({ destinations: [{ sink: 'capture', target: 'one' }] }, { size: 1 });
    const release = lab.sink.hold('one');
    await lab.post(job(2), job(3));
    lab.clock.advance(MINUTE);
    await lab.scheduler.pollNow('s');
    await until(() => lab.sink.calls.length === 1);
    const moved = lab.change(
      's',
      at('two', { cadence: { every: 'weekly', day: 'monday', at: '09:00', timezone: 'UTC' } }),
    );
    await until(async () => {
      const [two] = (await lab.stores.subscriptions.get('s'))?.destinations ?? [];
      const { places = [] } = (await lab.stores.ledgers.read('s')) ?? {};
      return two?.target === 'two' && places.includes(two.id);
    });
    release();
    await moved;
    await lab.advance(7 * DAY);
    expect([lab.sink.got('one'), lab.sink.got('two')]).toEqual([['2'], ['3']]);
    expect((await lab.why('2')).destinations[0]).toMatchObject({ state: 'elsewhere' });
  });

  test('that fails: does not try the old place again, and notifies no one', async () => {
    await begin();
    const release = lab.sink.hold('one');
    lab.sink.script('one', gone);
    await lab.post(job(2));
    lab.clock.advance(MINUTE);
    await lab.scheduler.pollNow('s');
    await until(() => lab.sink.calls.length === 1);
    const moved = lab.change('s', at('two'));
    await until(() => lab.sink.got('two').length === 1);
    release();
    await moved;
    await lab.advance(DAY);
    expect(lab.notices).toEqual([]);
    expect((await lab.stores.ledgers.read('s'))?.parked).toEqual({});
    expect(lab.sink.calls).toHaveLength(2);
  });
});

test('drops what waits for a destination that is removed without a replacement', async () => {
  await begin({
    destinations: ['one', 'two'].map((target) => ({ sink: 'capture', target, cadence: weekly })),
  });
  await announce(2);
  await lab.change('s', (before) => ({ ...before, destinations: before.destinations.slice(1) }));
  const { done } = (await lab.stores.ledgers.read('s')) ?? {};
  expect(Object.values(done?.['id:2'] ?? {})).toMatchObject([{ how: 'dropped', why: 'destination removed' }]);
  await lab.advance(7 * DAY);
  expect([lab.sink.got('one'), lab.sink.got('two')]).toEqual([[], ['2']]);
});
