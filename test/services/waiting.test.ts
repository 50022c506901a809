// What waits for each destination and why, as the operator sees it, and how deliveries are freed.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeliveryError } from '../../src/domain/errors.js';
import { pausedFrom, resumedFrom, type Subscription } from '../../src/domain/subscription.js';
import type { ParkedPlace } from '../../src/ports/services.js';
import {
  backlogTotals,
  placeReports,
  reportWaiting,
  retryParked,
  retryPlace,
  waiters,
} from '../../src/services/waiting.js';
import { createCaptureSink, outage } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab({ sinks: [createCaptureSink('other')] });
});
afterEach(() => lab.close());

const refused = new DeliveryError('target', 'the channel is gone', { fix: 'discordTarget' });
const to = (target: string, more: object = {}) => ({ sink: 'capture', target, ...more });
/** Polled only when a test asks. */
const RARELY = { account: 'alice', schedule: '0 0 1 1 *' };
const WEEKLY = { cadence: { weekly: 'monday', at: '09:00' } };

/** A subscription that has found job 2 and tried to send it. */
async function found(id: string, ...destinations: object[]): Promise<Subscription> {
  const one = await lab.add({ id, ...RARELY, destinations });
  await lab.poll(id);
  await lab.post(job(`${id}2`));
  await lab.poll(id);
  return one;
}
const reports = async (id: string) =>
  placeReports(lab.p, (await lab.stores.subscriptions.get(id)) as Subscription);

describe('waiting destinations', () => {
  test('come with their state, the parked ones first and then those that wait longest', async () => {
    lab.sink.script('refused', refused);
    const first = await found('first', to('weekly', WEEKLY));
    const parked = await found('parked', to('refused'));
    const paused = await found('paused', to('held', WEEKLY));
    await lab.change('paused', (before) => pausedFrom(before, lab.clock.now()));
    const off = await found('off', { sink: 'other', target: 'x', ...WEEKLY });
    lab.sinks.delete('other');
    const rows = await waiters(lab.p);
    expect(
      rows.map(({ subscription, state, parked: isParked, sink }) => [subscription, state, isParked, sink]),
    ).toEqual([
      ['parked', 'parked', true, 'capture'],
      ['first', 'waiting', false, 'capture'],
      ['paused', 'paused', false, 'capture'],
      ['off', 'off', false, 'other'],
    ]);
    expect(rows.map(({ destination }) => destination)).toEqual(
      [parked, first, paused, off].map(({ destinations }) => destinations[0]?.id),
    );
    expect(rows.every(({ account }) => account === 'alice')).toBe(true);
    const [since] = (await lab.stores.ledgers.owed('first'))?.outbox.map(({ at }) => at) ?? [];
    expect(rows[1]?.since).toBe(since);
  });

  test('are those whose outbox is not empty, and no others', async () => {
    await found('sent', to('well'));
    expect(await waiters(lab.p)).toEqual([]);
    expect(await backlogTotals(lab.p)).toEqual({ outbox: 0, parked: 0 });
  });

  test('are reported one by one, and no longer when nothing waits', async () => {
    await found('s', to('weekly', WEEKLY));
    const [waiter] = await waiters(lab.p);
    if (!waiter) throw new Error('nothing waits');
    expect(await reportWaiting(lab.p, waiter)).toEqual((await reports('s'))[0]);
    expect(await reportWaiting(lab.p, { ...waiter, destination: 'other' })).toBeUndefined();
    expect(await reportWaiting(lab.p, { ...waiter, subscription: 'other' })).toBeUndefined();
    await lab.advance(8 * DAY);
    expect(await reportWaiting(lab.p, waiter)).toBeUndefined();
  });
});

describe('the report of a destination', () => {
  test('that waits for its slot says when it comes and since when postings wait', async () => {
    const { destinations } = await found('s', to('weekly', WEEKLY), to('well'));
    const [weekly, well] = await reports('s');
    const owed = (await lab.stores.ledgers.owed('s'))?.outbox[0];
    expect(weekly).toEqual({
      subscription: 's',
      account: 'alice',
      destination: destinations[0]?.id,
      sink: 'capture',
      cadence: destinations[0]?.cadence,
      state: 'waiting',
      postings: 1,
      attempts: 0,
      oldest: owed?.at,
      nextAt: Date.UTC(2026, 10, 23, 9),
    });
    // Nothing is planned for a destination that gets each posting at once and has all.
    expect(well).toMatchObject({ state: 'active', postings: 0, attempts: 0 });
    expect(well).not.toHaveProperty('nextAt');
  });

  test('without postings says when its next digest comes', async () => {
    await lab.add({ destinations: [to('weekly', WEEKLY)] });
    expect(await reports('s')).toMatchObject([
      { state: 'active', postings: 0, nextAt: Date.UTC(2026, 10, 23, 9) },
    ]);
  });

  test('whose attempts fail counts them, and says why and when the next one comes', async () => {
    lab.sink.script('one', outage(HOUR), outage(HOUR));
    await found('s', to('one'));
    const [first] = await reports('s');
    expect(first).toMatchObject({
      state: 'retrying',
      why: 'the recipient does not answer',
      attempts: 1,
      postings: 1,
    });
    expect(first?.nextAt).toBe(lab.clock.now() + HOUR);
    lab.clock.advance(HOUR);
    // Due, but not tried yet.
    expect((await reports('s'))[0]).toMatchObject({
      state: 'retrying',
      why: 'the recipient does not answer',
    });
    await lab.advance(0);
    expect((await reports('s'))[0]).toMatchObject({ state: 'retrying', attempts: 2 });
  });

  test('that is parked names the reason and the fix, and has no next time', async () => {
    lab.sink.script('one', refused);
    await found('s', to('one'));
    const [one] = await reports('s');
    expect(one).toMatchObject({ state: 'parked', why: 'the channel is gone', fix: 'discordTarget' });
    expect(one?.since).toBeLessThanOrEqual(lab.clock.now());
    expect(one).not.toHaveProperty('nextAt');
  });

  test('of a paused subscription is paused, whatever else it is', async () => {
    lab.sink.script('one', refused);
    await found('s', to('one'), to('weekly', WEEKLY));
    await lab.change('s', (before) => pausedFrom(before, lab.clock.now()));
    const all = await reports('s');
    expect(all.map(({ state }) => state)).toEqual(['paused', 'paused']);
    expect(all[1]).not.toHaveProperty('nextAt');
  });
});

describe('a parked destination', () => {
  test('is freed, and gets at once what waits', async () => {
    lab.sink.script('one', refused);
    const { destinations } = await found('s', to('one'));
    expect(await retryPlace(lab.p, 's', 'other', 'operator')).toBe(false);
    expect(await retryPlace(lab.p, 'none', destinations[0]?.id ?? '', 'operator')).toBe(false);
    expect(lab.logs.filter(({ message }) => message === 'destination freed')).toEqual([]);
    expect(await retryPlace(lab.p, 's', destinations[0]?.id ?? '', 'operator')).toBe(true);
    await lab.settled();
    expect(lab.sink.got('one')).toEqual(['s2']);
    expect(lab.logs.filter(({ message }) => message === 'destination freed')).toEqual([
      {
        level: 'info',
        fields: { subscription: 's', destination: destinations[0]?.id, by: 'operator' },
        message: 'destination freed',
      },
    ]);
  });

  test('is one of those that the caller picks, by sink, target, server and fix', async () => {
    for (const target of ['one', 'two', 'three']) lab.sink.script(target, refused, refused);
    await lab.add({ id: 'a', ...RARELY, destinations: [to('one'), to('well')] });
    const guild = '123456789012345678';
    await lab.change('a', (before) => ({ ...before, guild }));
    await lab.add({ id: 'b', ...RARELY, destinations: [to('two')] });
    await lab.add({ id: 'c', ...RARELY, destinations: [to('three')] });
    for (const id of ['a', 'b', 'c']) await lab.poll(id);
    await lab.post(job(2));
    for (const id of ['a', 'b', 'c']) await lab.poll(id);
    await lab.change('c', (before) => pausedFrom(before, lab.clock.now()));
    const offered: ParkedPlace[] = [];
    await retryParked(lab.p, (place) => {
      offered.push(place);
      return place.target === 'two';
    });
    await lab.settled();
    expect(offered.toSorted((x, y) => x.target.localeCompare(y.target))).toEqual([
      { sink: 'capture', target: 'one', fix: 'discordTarget', guild },
      { sink: 'capture', target: 'two', fix: 'discordTarget' },
    ]);
    expect(lab.sink.calls.filter(({ destination }) => destination.target === 'one')).toHaveLength(1);
    expect(lab.sink.calls.filter(({ destination }) => destination.target === 'two')).toHaveLength(2);
  });

  test('that a resume has freed is not offered', async () => {
    lab.sink.script('one', refused, outage(DAY));
    await found('s', to('one'));
    await lab.change('s', (before) =>
      resumedFrom(pausedFrom(before, lab.clock.now()), lab.clock.now() + MINUTE),
    );
    const offered: ParkedPlace[] = [];
    await retryParked(lab.p, (place) => offered.push(place) > 0);
    expect(offered).toEqual([]);
  });
});

test('the totals count postings, parked destinations, and the oldest of what waits', async () => {
  lab.sink.script('one', refused);
  lab.sink.script('two', outage(HOUR));
  await found('parked', to('one'));
  const at = (await lab.stores.ledgers.owed('parked'))?.outbox[0]?.at;
  await found('waits', to('two'), to('weekly', WEEKLY));
  const cutAt = (await lab.stores.ledgers.owed('waits'))?.editions[0]?.cutAt;
  expect(cutAt).toBeDefined();
  // Both make the same request, so its second posting came to both.
  expect(await backlogTotals(lab.p)).toEqual({ outbox: 3, parked: 1, oldest: at, edition: cutAt });
  await lab.change('waits', (before) => pausedFrom(before, lab.clock.now()));
  expect(await backlogTotals(lab.p)).toEqual({ outbox: 3, parked: 1, oldest: at });
});
