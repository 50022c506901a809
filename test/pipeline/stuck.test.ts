// Which destinations get nothing at present and why, and the state of a posting at each destination.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Edition } from '../../src/domain/edition.js';
import { EMPTY_LEDGER, type Ledger } from '../../src/domain/ledger.js';
import type { Subscription } from '../../src/domain/subscription.js';
import { stuckPlaces, stuckState } from '../../src/pipeline/stuck.js';
import type { Sink } from '../../src/ports/sink.js';
import { createCaptureSink, outage } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, openLab } from '../helpers/lab.js';

const NOW = Date.UTC(2026, 10, 23, 8);

let lab: Lab;
let subscription: Subscription;
beforeEach(async () => {
  lab = await openLab();
  subscription = await lab.add({
    destinations: ['one', 'two'].map((target) => ({ sink: 'capture', target })),
  });
});
afterEach(() => lab.close());

const ids = () => subscription.destinations.map(({ id }) => id) as [string, string];
const found = async (ledger: Ledger | undefined, sink?: Partial<Sink>) =>
  (
    await stuckPlaces(
      new Map(sink ? [['capture', { ...createCaptureSink(), ...sink }]] : []),
      subscription,
      ledger,
      NOW,
    )
  ).map(({ destination, ...rest }) => ({ target: destination.target, ...rest }));

describe('a destination gets nothing', () => {
  test('while its sink is off', async () => {
    const off = { state: 'off', why: 'capture is off', fix: 'sinkOff' };
    expect(await found(undefined)).toEqual([
      { target: 'one', ...off },
      { target: 'two', ...off },
    ]);
  });

  test('while it is parked, whatever the sink knows', async () => {
    const [one, two] = ids();
    const parked = {
      [one]: { at: 5, why: 'gone', fix: 'channelGone' as const },
      [two]: { at: 6, why: 'no' },
    };
    const obstacle = async () => ({ why: 'not confirmed', fix: 'mailUnconfirmed' as const });
    expect(await found({ ...EMPTY_LEDGER, parked }, { obstacle })).toEqual([
      { target: 'one', state: 'parked', at: 5, why: 'gone', fix: 'channelGone' },
      { target: 'two', state: 'parked', at: 6, why: 'no' },
    ]);
  });

  test('while the sink has an obstacle, with its end if it ends by itself', async () => {
    const asked: unknown[] = [];
    const obstacle: Sink['obstacle'] = async (of) => {
      asked.push([of.account, of.subscription, of.destination.target]);
      const fix = 'mailUnconfirmed' as const;
      return of.destination.target === 'one' ? { why: 'a', fix } : { why: 'b', fix, until: NOW + 9 };
    };
    expect(await found(EMPTY_LEDGER, { obstacle })).toEqual([
      { target: 'one', state: 'blocked', why: 'a', fix: 'mailUnconfirmed' },
      { target: 'two', state: 'waiting', why: 'b', fix: 'mailUnconfirmed', nextAt: NOW + 9 },
    ]);
    expect(asked).toEqual([
      ['operator', 's', 'one'],
      ['operator', 's', 'two'],
    ]);
    expect(await found(EMPTY_LEDGER, { obstacle: async () => undefined })).toEqual([]);
  });

  test('while a failed edition waits', async () => {
    const [one, two] = ids();
    const edition = (destination: string, nextAt: number, more: Partial<Edition> = {}): Edition => ({
      id: destination,
      destination,
      every: 'immediate',
      from: 0,
      slot: 0,
      parts: [['id:1']],
      sent: 0,
      rest: [],
      cutAt: 0,
      attempts: 0,
      outages: 1,
      waited: 0,
      nextAt,
      ...more,
    });
    const of = (...editions: Edition[]) => found({ ...EMPTY_LEDGER, editions }, {});
    expect(await of(edition(one, NOW + 1, { lastFault: 'away' }), edition(two, NOW + 1))).toEqual([
      { target: 'one', state: 'waiting', why: 'away', nextAt: NOW + 1 },
    ]);
    expect(await of(edition(one, NOW, { lastFault: 'away' }))).toEqual([]);
    expect(await found(undefined, {})).toEqual([]);
  });

  test('makes the subscription wait if all such destinations wait, and parked otherwise', () => {
    const [destination] = subscription.destinations;
    const place = (state: 'waiting' | 'parked' | 'off') => ({ destination: destination!, state, why: '' });
    expect(stuckState([])).toBe('active');
    expect(stuckState([place('waiting'), place('waiting')])).toBe('waiting');
    expect(stuckState([place('waiting'), place('off')])).toBe('parked');
  });
});

describe('the state of a posting at a destination', () => {
  const state = async (id: string) => (await lab.why(id)).destinations[0];

  beforeEach(async () => {
    await lab.poll();
    await lab.add({ schedule: '0 0 1 1 *', destinations: [{ sink: 'capture', target: 'one' }] });
    await lab.poll();
  });

  test('is unseen for text that means no posting', async () => {
    expect(await lab.why('  any text  ')).toEqual({ key: 'any text', fate: 'unseen', destinations: [] });
  });

  test('is found by its id, its key and its link, with white space around it', async () => {
    await lab.post(job(2));
    await lab.poll();
    const link = 'https://board.example/r/j2__p';
    for (const text of ['2', ' id:2 ', link])
      expect(await lab.why(text)).toMatchObject({ key: 'id:2', fate: 'matched', at: lab.clock.now() });
    expect(await state('2')).toEqual({ sink: 'capture', target: 'one', state: 'sent', at: lab.clock.now() });
  });

  test('names the answer of each rule as the posting was on the day it was seen', async () => {
    await lab.change('s', (before) => ({ ...before, filter: { ...before.filter, include: ['zk'] } }));
    await lab.post(job(2), job(3, { title: 'zk' }));
    await lab.poll();
    const rules = async (id: string) => (await lab.why(id)).rules;
    const [two, three] = [await rules('2'), await rules('3')];
    expect(two).toBeDefined();
    expect(three).not.toEqual(two);
    lab.clock.advance(40 * DAY);
    expect([await rules('2'), await rules('3')]).toEqual([two, three]);
    await lab.change('s', (before) => ({ ...before, filter: { ...before.filter, include: [] } }));
    expect(await lab.why('2')).not.toHaveProperty('rules');
  });

  test('says when it moved with its destination', async () => {
    lab.sink.script('one', outage(HOUR));
    await lab.post(job(2));
    await lab.poll();
    expect(await state('2')).not.toHaveProperty('movedAt');
    lab.clock.advance(1000);
    const at = lab.clock.now();
    await lab.change('s', (before) => ({
      ...before,
      destinations: [{ ...before.destinations[0]!, id: 'capture-new', target: 'new' }],
    }));
    expect(await state('2')).toMatchObject({ target: 'new', movedAt: at });
  });

  test('is none for a destination that was added later', async () => {
    await lab.post(job(2));
    await lab.poll();
    await lab.change('s', (before) => ({
      ...before,
      destinations: [
        ...before.destinations,
        { ...before.destinations[0]!, id: 'capture-new', target: 'new' },
      ],
    }));
    expect((await lab.why('2')).destinations).toMatchObject([
      { target: 'one', state: 'sent' },
      { target: 'new', state: 'none' },
    ]);
  });

  test('is that of the posting and the destination asked for, also beside others', async () => {
    const two = { sink: 'capture', target: 'two', perDay: 1 };
    await lab.add({ destinations: [{ sink: 'capture', target: 'one' }, two], schedule: '0 0 1 1 *' });
    lab.sink.script('one', outage(HOUR));
    await lab.post(job(2));
    await lab.poll();
    await lab.post(job(3));
    await lab.poll();
    const states = async (id: string) => (await lab.why(id)).destinations.map((one) => one.state);
    expect(await states('2')).toEqual(['underway', 'sent']);
    expect(await states('3')).toEqual(['owed', 'owed']);
    const [, limited] = (await lab.why('3')).destinations;
    // The limit per day begins again the next day.
    expect(limited?.nextAt).toBe(Date.UTC(2026, 10, 24));
  });

  test('is sent for the messages of an edition that arrived, and underway for the others', async () => {
    await lab.close();
    lab = await openLab({ size: 1 });
    await lab.add({ schedule: '0 0 1 1 *' });
    await lab.poll();
    lab.sink.script('one', 'well', outage(HOUR));
    await lab.post(job(2), job(3));
    await lab.poll();
    const [sent] = lab.sink.got();
    const states = await Promise.all(['2', '3'].map(async (id) => (await state(id))?.state));
    expect(states).toEqual(sent === '2' ? ['sent', 'underway'] : ['underway', 'sent']);
  });

  test('is underway after a failure, with its reason and next time', async () => {
    lab.sink.script('one', outage(HOUR));
    await lab.post(job(2));
    await lab.poll();
    const at = lab.clock.now();
    expect(await state('2')).toEqual({
      sink: 'capture',
      target: 'one',
      state: 'underway',
      at,
      attempts: 0,
      why: 'the recipient does not answer',
      nextAt: at + HOUR,
    });
  });

  test('is owed until the next digest, or behind an edition that waits', async () => {
    lab.sink.script('one', outage(HOUR));
    await lab.post(job(2));
    await lab.poll();
    await lab.post(job(3));
    await lab.poll();
    expect(await state('3')).toEqual({ sink: 'capture', target: 'one', state: 'owed' });
    const cadence = { weekly: 'monday', at: '09:00' };
    await lab.add({ id: 'w', destinations: [{ sink: 'capture', target: 'two', cadence }] });
    await lab.poll('w');
    await lab.post(job(4));
    await lab.poll('w');
    expect((await lab.why('4', 'w')).destinations).toEqual([
      { sink: 'capture', target: 'two', state: 'owed', nextAt: Date.UTC(2026, 10, 23, 9) },
    ]);
  });
});
