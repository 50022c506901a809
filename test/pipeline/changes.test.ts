// What the running service does for each noted change of a subscription or token, and that a note stays until it is done.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../src/domain/errors.js';
import { secret } from '../../src/domain/secret.js';
import { pausedFrom, resumedFrom, type Subscription } from '../../src/domain/subscription.js';
import { endRemoved, removedOf, removedRows } from '../../src/pipeline/removed.js';
import {
  followAccount,
  followChanges,
  followSubscription,
  forgetGone,
  removeSubscription,
  retireSubscription,
} from '../../src/pipeline/subscription-sync.js';
import type { Notice } from '../../src/ports/notice.js';
import type { Sink } from '../../src/ports/sink.js';
import { type CaptureSink, createCaptureSink } from '../helpers/capture-sink.js';
import { DAY, HOUR, job, type Lab, openLab } from '../helpers/lab.js';
import { put } from '../helpers/put.js';

/** The destinations that asked their reader, as they were asked. */
let begun: Parameters<NonNullable<Sink['begin']>>[0][];
let asking: CaptureSink & Sink;
let lab: Lab;
beforeEach(async () => {
  begun = [];
  asking = Object.assign(createCaptureSink('asking'), {
    begin: (of: (typeof begun)[number]) => void begun.push(of),
  });
  lab = await openLab({ sinks: [asking] });
});
afterEach(() => lab.close());

const to = (...targets: string[]) => ({
  destinations: targets.map((target) => ({ sink: 'asking', target })),
});
const places = () => begun.map(({ destination }) => destination.target);
const weekly = (target: string) => ({
  destinations: [{ sink: 'capture', target, cadence: { weekly: 'monday' } }],
});
const isNoted = async (id: string) => (await lab.stores.subscriptions.changeOf(id)) !== undefined;
const notice = (kind: Notice['kind'], subject: string): Notice => ({
  kind,
  subject,
  account: 'alice',
  text: 'Something.',
});
const noticesOf = async () =>
  (await lab.rows()).filter((row) => row.startsWith('notices ')).map((row) => row.split(' ')[1]);

/** The units that are enqueued from now on. */
function enqueued(): string[] {
  const queued: string[] = [];
  const { put: enqueue } = lab.p.engine;
  lab.p.engine.put = async (one, ...rest) => {
    queued.push(one.id);
    return enqueue(one, ...rest);
  };
  return queued;
}

describe('readers who have to agree first', () => {
  test('are asked when a subscription starts, and each later when their destination is added', async () => {
    const one = await lab.add({
      account: 'alice',
      filter: { tags: ['rust'] },
      locale: 'de',
      ...to('a', 'b'),
    });
    expect(begun).toEqual(
      one.destinations.map((destination) => ({
        account: 'alice',
        subscription: 's',
        destination,
        tags: ['rust'],
        locale: 'de',
      })),
    );
    begun = [];
    await lab.add({ account: 'alice', filter: { tags: ['rust'] }, ...to('a', 'b', 'c') });
    expect(begun).toMatchObject([{ destination: { target: 'c' }, locale: 'en' }]);
  });

  test('are asked at the end of a pause, and not in it', async () => {
    await lab.add({ paused: true, ...to('a') });
    expect(places()).toEqual([]);
    await lab.change('s', (before) => resumedFrom(before, lab.clock.now()));
    expect(places()).toEqual(['a']);
    await lab.change('s', (before) => ({ ...before, locale: 'es' }));
    expect(places()).toEqual(['a']);
  });
});

describe('a change of a subscription', () => {
  test('is followed once, also when several callers do it at the same time', async () => {
    await lab.add(to('a'));
    const one = (await lab.stores.subscriptions.get('s')) as Subscription;
    await put(lab.stores.subscriptions, {
      ...one,
      destinations: (await lab.add({ id: 't', ...to('b') })).destinations,
    });
    begun = [];
    await Promise.all([1, 2, 3].map(() => followSubscription(lab.p, 's')));
    expect(places()).toEqual(['b']);
    expect(await isNoted('s')).toBe(false);
  });

  test('is followed again when another one comes meanwhile', async () => {
    await lab.add(to('a'));
    const next = (await lab.add({ id: 't', ...to('b', 'c') })).destinations;
    const change = async (destinations: Subscription['destinations']) =>
      put(lab.stores.subscriptions, {
        ...((await lab.stores.subscriptions.get('s')) as Subscription),
        destinations,
      });
    await change(next.slice(0, 1));
    begun = [];
    const { settle } = lab.p.stores.subscriptions;
    lab.p.stores.subscriptions.settle = async (one) => {
      lab.p.stores.subscriptions.settle = settle;
      await change(next);
      return settle(one);
    };
    await followSubscription(lab.p, 's');
    expect(places()).toEqual(['b', 'b', 'c']);
    expect(await isNoted('s')).toBe(false);
  });

  test('that changes nothing does nothing', async () => {
    await lab.add(to('a'));
    begun = [];
    const queued = enqueued();
    await lab.change('s', (before) => ({ ...before }));
    expect([places(), queued]).toEqual([[], []]);
    await lab.change('s', (before) => ({ ...before, locale: 'es' }));
    expect(queued).toHaveLength(1);
  });

  test('notes in the history when a pause ends, and at no other change', async () => {
    await lab.add({});
    await lab.change('s', (before) => pausedFrom(before, lab.clock.now()));
    expect(await lab.stores.history.events('s')).toEqual([]);
    lab.clock.advance(HOUR);
    const at = lab.clock.now();
    await lab.change('s', (before) => resumedFrom(before, at));
    const kinds = async () => (await lab.stores.history.events('s')).filter(({ kind }) => kind === 'resumed');
    expect(await kinds()).toEqual([{ at, kind: 'resumed' }]);
    await lab.change('s', (before) => ({ ...before, locale: 'de' }));
    expect(await kinds()).toHaveLength(1);
  });

  test('sends what waited for a former destination to the new one, and settles the notice about the former', async () => {
    const before = await lab.add({ account: 'alice', ...weekly('old') });
    await lab.poll();
    await lab.post(job(2));
    await lab.poll();
    const [old] = before.destinations;
    await lab.p.ledgers.update('s', (ledger) => ({
      ledger: { ...ledger, parked: { [old?.id ?? '']: { at: lab.clock.now(), why: 'gone' } } },
      result: undefined,
    }));
    await lab.p.notices.tell(notice('destination', `alice:${old?.id}`));
    await lab.p.notices.tell(notice('destination', 'alice:other'));
    const next = await lab.add({ id: 't', account: 'alice', ...weekly('new') });
    await lab.change('s', (one) => ({ ...one, destinations: next.destinations }));
    expect(await noticesOf()).toEqual(['destination:alice:other']);
    await lab.advance(8 * DAY);
    expect(lab.sink.got('new')).toContain('2');
  });

  test('wakes the other subscriptions at its destinations, which no longer wait for it', async () => {
    await lab.add({ account: 'alice', ...weekly('one') });
    await lab.add({ id: 't', account: 'alice', ...weekly('one') });
    await lab.poll('t');
    await lab.post(job(2));
    await lab.poll('t');
    const queued = enqueued();
    await lab.change('s', (before) => pausedFrom(before, lab.clock.now()));
    expect(queued.filter((id) => id.startsWith('t'))).toHaveLength(1);
    queued.length = 0;
    await lab.change('s', () => undefined);
    expect(queued.filter((id) => id.startsWith('t'))).toHaveLength(1);
  });
});

describe('all noted changes', () => {
  test('are followed, those of more than a hundred subscriptions too', async () => {
    const { destinations } = await lab.add({ paused: true, ...to('a') });
    const base = (await lab.stores.subscriptions.get('s')) as Subscription;
    const ids = Array.from({ length: 120 }, (_, n) => `n${n}`);
    await Promise.all(ids.map((id) => put(lab.stores.subscriptions, { ...base, id, destinations })));
    const noted = () => lab.stores.subscriptions.changed(1000);
    expect(await noted()).toHaveLength(120);
    await followChanges(lab.p, lab.scheduler, AbortSignal.abort());
    expect(await noted()).toHaveLength(120);
    await followChanges(lab.p, lab.scheduler);
    expect(await noted()).toEqual([]);
  });

  test('one that fails is logged and stays noted, and the others are followed', async () => {
    const base = await lab.add(to('a'));
    for (const id of ['bad', 'good']) await put(lab.stores.subscriptions, { ...base, id });
    const { get } = lab.p.stores.subscriptions;
    lab.p.stores.subscriptions.get = async (id) => {
      if (id === 'bad') throw new Error('no way');
      return get(id);
    };
    await followChanges(lab.p, lab.scheduler);
    expect(lab.logs.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        fields: { subscription: 'bad', reason: 'no way' },
        message: 'a change could not be followed',
      },
    ]);
    expect([await isNoted('bad'), await isNoted('good')]).toEqual([true, false]);
    lab.p.stores.subscriptions.get = get;
    await followChanges(lab.p, lab.scheduler);
    expect(await isNoted('bad')).toBe(false);
  });

  test('stay noted when the store fails', async () => {
    const base = await lab.add(to('a'));
    await put(lab.stores.subscriptions, { ...base, locale: 'de' });
    lab.broken.set('subscriptions.settle', new StoreError('unavailable', 'no room'));
    await expect(followChanges(lab.p, lab.scheduler)).rejects.toThrow('no room');
    lab.broken.clear();
    expect(await isNoted('s')).toBe(true);
  });

  test('a new token is tried although a former one was refused, and its notice is settled', async () => {
    await lab.add({ account: 'alice' });
    await lab.p.tokens.reject('alice', secret('alice-token-0001'), 'answer 401');
    for (const account of ['alice', 'bob'])
      await lab.p.notices.tell({ ...notice('token', account), account });
    await put(lab.stores.accounts, { id: 'alice', token: secret('alice-token-0001'), createdAt: 0 });
    expect(await lab.stores.accounts.withNewToken()).toContain('alice');
    await followAccount(lab.p, lab.scheduler, 'alice');
    expect(await lab.stores.accounts.newToken('alice')).toBeUndefined();
    expect(await lab.stores.rejections.get('alice')).toBeUndefined();
    expect(await noticesOf()).toEqual(['token:bob']);
  });
});

describe('a removal', () => {
  /** A subscription that was polled, with a notice of each kind about it, and another one with the same. */
  async function begin(): Promise<void> {
    for (const id of ['s', 'other']) {
      await lab.add({ id, account: 'alice' });
      await lab.poll(id);
      for (const kind of ['gap', 'keys', 'silence', 'load'] as const)
        await lab.p.notices.tell(notice(kind, id));
    }
  }
  const others = ['gap:other', 'keys:other', 'load:other', 'load:s', 'silence:other'];

  test('that can be undone stops the subscription and settles its notices; its records stay', async () => {
    await begin();
    await retireSubscription(lab.p, 's');
    await retireSubscription(lab.p, 'never');
    expect((await noticesOf()).toSorted()).toEqual(others);
    expect(await lab.stores.subscriptions.get('s')).toBeUndefined();
    expect(await lab.stores.ledgers.read('s')).toBeDefined();
    expect(await removedOf(lab.stores, 's', lab.clock.now())).toMatchObject({ subscription: { id: 's' } });
    expect(await removedRows(lab.stores)).toHaveLength(1);
  });

  test.for(['stored', 'retired'])('for good leaves nothing of one that is %s', async (how) => {
    await begin();
    if (how === 'retired') await retireSubscription(lab.p, 's');
    await removeSubscription(lab.p, 's');
    expect((await noticesOf()).toSorted()).toEqual(others);
    expect(await lab.stores.ledgers.read('s')).toBeUndefined();
    expect(await lab.stores.ledgers.matches('s')).toBeUndefined();
    expect(await lab.stores.history.events('s')).toEqual([]);
    expect(await removedRows(lab.stores)).toEqual([]);
    expect(await lab.stores.ledgers.read('other')).toBeDefined();
    expect(await isNoted('s')).toBe(false);
  });

  test('whose time is over is forgotten and logged with a count; one that is back is only dropped from the list', async () => {
    await begin();
    await retireSubscription(lab.p, 's');
    await retireSubscription(lab.p, 'other');
    const back = (await removedOf(lab.stores, 'other', lab.clock.now()))?.subscription as Subscription;
    const forgotten = () => lab.logs.filter(({ message }) => message.includes('forgotten'));
    await forgetGone(lab.p);
    expect([forgotten(), (await removedRows(lab.stores)).length]).toEqual([[], 2]);
    await endRemoved(lab.stores, 's');
    await endRemoved(lab.stores, 'other');
    await put(lab.stores.subscriptions, back);
    await forgetGone(lab.p);
    expect(forgotten()).toEqual([
      { level: 'info', fields: { removed: 1 }, message: 'subscriptions removed before are forgotten' },
    ]);
    expect(await removedRows(lab.stores)).toEqual([]);
    expect(await lab.stores.ledgers.read('s')).toBeUndefined();
    expect(await lab.stores.ledgers.read('other')).toBeDefined();
  });
});
