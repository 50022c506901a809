// What is cut into an edition: caps, languages, the marks of its reader, and what other subscriptions did.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeliveryError } from '../../src/domain/errors.js';
import { pausedFrom } from '../../src/domain/subscription.js';
import { keptIn } from '../../src/pipeline/prepare.js';
import type { Marks } from '../../src/ports/stores.js';
import { createCaptureSink, outage } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';

const MONDAY = Date.UTC(2026, 10, 23, 9);
const WEEKLY = { weekly: 'monday', at: '09:00' };
const NO_MARKS: Marks = { postings: {}, hiddenCompanies: [], hiddenTags: [] };

let lab: Lab;
afterEach(() => lab.close());

const jobs = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => job(from + n));
const untilMonday = () => lab.advance(MONDAY - lab.clock.now());

describe('an edition', () => {
  async function begin(settings: object, entry: object): Promise<void> {
    lab = await openLab({ settings, pages: true });
    await lab.add({ schedule: '0 0 1 1 *', ...entry });
    await lab.poll();
  }

  test.each([
    ['immediate', 'immediate', 2, 3],
    ['a digest', WEEKLY, 3, 2],
  ])(
    'that is %s has the cap of its kind, unless the destination has one',
    async (_what, cadence, cap, more) => {
      const place = (target: string, own: object = {}) => ({ sink: 'capture', target, cadence, ...own });
      await begin(
        { immediateCap: 2, digestCap: 3 },
        { destinations: [place('one'), place('two', { cap: 4 })] },
      );
      await lab.post(...jobs(2, 6));
      await lab.poll();
      await untilMonday();
      const of = (target: string) => lab.sink.messages.find((one) => one.destination.target === target);
      expect([of('one')?.postings.length, of('one')?.more]).toEqual([cap, more]);
      expect([of('two')?.postings.length, of('two')?.more]).toEqual([4, 1]);
    },
  );

  test('that is a digest has no limit per day', async () => {
    await begin(
      {},
      { destinations: [{ sink: 'capture', target: 'one', cadence: WEEKLY, immediateFit: 100 }] },
    );
    await lab.change('s', (before) => ({
      ...before,
      destinations: before.destinations.map((one) => ({ ...one, perDay: 1 })),
    }));
    await lab.post(...jobs(2, 4));
    await lab.poll();
    await untilMonday();
    expect(lab.sink.got().toSorted()).toEqual(['2', '3', '4']);
  });

  test.each([
    [undefined, 'en'],
    ['de', 'de'],
  ])('of a subscription with the locale %s is in %s, and so is its page', async (locale, said) => {
    await begin({}, locale ? { locale } : {});
    await lab.post(job(2));
    await lab.poll();
    const [message] = lab.sink.messages;
    expect(message?.locale).toBe(said);
    expect(await lab.p.history.edition(message?.edition ?? '')).toMatchObject({ locale: said });
  });
});

describe('the marks of a reader', () => {
  beforeEach(async () => {
    lab = await openLab();
    await lab.add({ account: 'alice', destinations: [{ sink: 'capture', target: 'dm:1' }] });
    await lab.poll();
  });

  async function getsWith(marks: Partial<Marks>): Promise<string[]> {
    await lab.stores.marks.set('alice', { ...NO_MARKS, ...marks });
    await lab.post(
      job(2, { company: 'Acme', tags: ['rust', 'defi'] }),
      job(3, { company: undefined, tags: ['rust'] }),
      job(4, { tags: undefined }),
    );
    await lab.poll();
    return lab.sink.got().toSorted();
  }
  const marked = (mark: Marks['postings'][string]['mark'], id = 2, at = 0) => ({
    mark,
    at,
    posting: { key: `id:${id}` },
  });

  test('leave out what the reader dismissed', async () => {
    const postings = { 'id:2': marked('dismissed'), 'id:3': marked('saved', 3) };
    expect(await getsWith({ postings })).toEqual(['3', '4']);
    expect((await lab.why('2')).destinations[0]).toMatchObject({ state: 'dropped', why: 'dismissed' });
  });

  test('leave out a hidden company, however it is written, and no posting without a company', async () => {
    expect(await getsWith({ hiddenCompanies: ['ACME'] })).toEqual(['3', '4']);
  });

  test('leave out postings that have one hidden tag of several', async () => {
    expect(await getsWith({ hiddenTags: ['defi', 'gaming'] })).toEqual(['3', '4']);
  });

  test('that say nothing about a posting leave it as it is', async () => {
    expect(await getsWith({ postings: { 'id:9': marked('dismissed', 9) } })).toEqual(['2', '3', '4']);
    expect(lab.sink.messages.flatMap(({ postings }) => postings).some((one) => 'appliedOn' in one)).toBe(
      false,
    );
  });

  test('are in the order of their time, newest first, without what was dismissed', () => {
    const postings = {
      a: marked('saved', 1, 10),
      b: marked('dismissed', 2, 40),
      c: marked('applied', 3, 30),
      d: marked('saved', 4, 20),
    };
    expect(keptIn({ ...NO_MARKS, postings }).map(({ key }) => key)).toEqual(['id:3', 'id:4', 'id:1']);
    expect(keptIn(undefined)).toEqual([]);
  });

  test('count less than that another subscription delivered the posting', async () => {
    const destinations = [{ sink: 'capture', target: 'dm:1', cadence: WEEKLY }];
    await lab.add({ id: 'later', account: 'alice', destinations });
    await lab.poll('later');
    await lab.post(job(2), job(3));
    await lab.poll('later');
    await lab.poll();
    await lab.stores.marks.set('alice', { ...NO_MARKS, postings: { 'id:2': marked('dismissed') } });
    await untilMonday();
    const states = await Promise.all(
      ['2', '3'].map(async (id) => (await lab.why(id, 'later')).destinations[0]),
    );
    expect(states).toMatchObject([{ state: 'elsewhere' }, { state: 'elsewhere' }]);
  });
});

describe('another subscription with the same destination', () => {
  const tagged = (id: number) => job(id, { tags: ['rust', 'defi'] });

  async function begin(
    accounts: readonly [string, string],
    target: string,
    sink = 'capture',
    a: object = {},
  ) {
    const place = (more: object = {}) => ({ destinations: [{ sink, target, ...more }] });
    await lab.add({ id: 'a', account: accounts[0], filter: { tags: ['rust'] }, ...place(a) });
    await lab.add({ id: 'b', account: accounts[1], filter: { tags: ['defi'] }, ...place() });
    for (const id of ['a', 'b']) await lab.poll(id);
  }

  /** `a` can't deliver for a time what both have found, so `b` waits for it. */
  async function waitFor(ms: number): Promise<void> {
    lab.sink.script('one', outage(ms));
    await lab.post(tagged(2));
    await lab.poll('a');
    await lab.poll('b');
  }

  test('adds no reasons while it is paused', async () => {
    lab = await openLab();
    await begin(['alice', 'alice'], 'one');
    await lab.change('b', (before) => pausedFrom(before, lab.clock.now()));
    await lab.post(tagged(2));
    await lab.poll('a');
    expect(lab.sink.messages[0]?.postings[0]?.matched).toEqual(['rust']);
  });

  test('of another account delivers separately where a sink has no shared places, or the sink is off', async () => {
    const { isShared: _, ...plain } = createCaptureSink('plain');
    lab = await openLab({ sinks: [plain] });
    await begin(['alice', 'bob'], 'channel:1', 'plain');
    await lab.post(tagged(2));
    for (const id of ['a', 'b']) await lab.poll(id);
    expect(plain.got()).toEqual(['2', '2']);
    lab.sinks.delete('plain');
    await lab.post(tagged(3));
    for (const id of ['a', 'b']) await lab.poll(id);
    expect(lab.notices.map(({ account }) => account).toSorted()).toEqual(['alice', 'bob']);
  });

  test('of another account delivers what the first only counted in "and N more"', async () => {
    lab = await openLab({ pages: true });
    await begin(['alice', 'bob'], 'channel:1', 'capture', { cap: 1 });
    await lab.post(tagged(2), tagged(3));
    await lab.poll('a');
    expect(lab.sink.messages).toMatchObject([{ account: 'alice', more: 1 }]);
    const first = lab.sink.got()[0];
    await lab.poll('b');
    expect(lab.sink.got()).toEqual([first, first === '2' ? '3' : '2']);
  });

  test('that no longer delivers there is not waited for, although it has other destinations', async () => {
    lab = await openLab();
    await begin(['alice', 'alice'], 'one');
    await waitFor(DAY);
    expect(lab.sink.got()).toEqual([]);
    await lab.change('a', (before) => ({
      ...before,
      destinations: [{ ...before.destinations[0]!, id: 'capture-two', target: 'two' }],
    }));
    await lab.advance(MINUTE);
    expect(lab.sink.got('one')).toEqual(['2']);
    await lab.advance(DAY);
    expect(lab.sink.got('two')).toEqual(['2']);
  });

  test('is waited for while it delivers there, also if it has other destinations', async () => {
    lab = await openLab();
    await begin(['alice', 'alice'], 'one');
    await lab.add({
      id: 'a',
      account: 'alice',
      filter: { tags: ['rust'] },
      destinations: ['one', 'more'].map((target) => ({ sink: 'capture', target })),
    });
    await waitFor(HOUR);
    await lab.advance(MINUTE);
    expect([lab.sink.got('one'), lab.sink.got('more')]).toEqual([[], ['2']]);
    await lab.advance(HOUR);
    expect(lab.sink.got('one')).toEqual(['2']);
  });

  test('can be removed while its sink is off, and what the other waits for is kept', async () => {
    lab = await openLab();
    await begin(['alice', 'alice'], 'one');
    await waitFor(HOUR);
    lab.sinks.delete('capture');
    await lab.change('a', () => undefined);
    expect((await lab.why('2', 'b')).destinations[0]?.state).toBe('owed');
    lab.sinks.set('capture', lab.sink);
    await lab.restart();
    await lab.advance(HOUR);
    expect(lab.sink.got('one')).toEqual(['2']);
  });

  test('is looked at again within a minute when it holds a posting back and is paused then', async () => {
    lab = await openLab();
    await begin(['alice', 'alice'], 'one');
    await waitFor(DAY);
    expect(lab.sink.calls).toHaveLength(1);
    await lab.stores.subscriptions.update('a', (before) => before && pausedFrom(before, lab.clock.now()));
    await lab.advance(MINUTE);
    expect(lab.sink.got()).toEqual(['2']);
  });
});

test('what waits is delivered although the account has no token any more', async () => {
  const guarded = createCaptureSink('guarded');
  const deliver: typeof guarded.deliver = async (delivery, target, context) => {
    const { applyUrl = '' } = delivery.postings[0] ?? {};
    const note = 'Use these links exactly as they are.';
    context.guard({ format: 'text', body: `${note} ${applyUrl}`, note });
    await guarded.deliver(delivery, target, context);
  };
  lab = await openLab({ sinks: [{ ...guarded, deliver }] });
  await lab.add({ account: 'alice', destinations: [{ sink: 'guarded', target: 'x' }] });
  await lab.poll();
  guarded.script('x', outage(HOUR));
  await lab.post(job(2));
  await lab.poll();
  await lab.stores.accounts.update('alice', (before) => {
    if (!before) return before;
    const { token: _, ...rest } = before;
    return rest;
  });
  await lab.advance(HOUR);
  expect(guarded.got()).toEqual(['2']);
});

test.each([
  ['one', 'parked'],
  ['channel:1', 'elsewhere'],
])(
  'a parked destination of another account is freed only where many people read: %s',
  async (target, state) => {
    lab = await openLab();
    for (const [id, account] of [
      ['a', 'alice'],
      ['b', 'bob'],
    ]) {
      await lab.add({ id, account, destinations: [{ sink: 'capture', target }] });
      await lab.poll(id);
    }
    lab.sink.script(target, new DeliveryError('target', 'gone', { forOwner: 'Look.' }));
    await lab.post(job(2));
    await lab.poll('a');
    expect((await lab.why('2', 'a')).destinations[0]?.state).toBe('parked');
    await lab.poll('b');
    await lab.advance(HOUR);
    expect((await lab.why('2', 'a')).destinations[0]?.state).toBe(state);
    expect((await lab.why('2', 'b')).destinations[0]?.state).toBe('sent');
  },
);
