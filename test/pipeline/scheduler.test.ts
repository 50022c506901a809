// The schedule: which subscription is polled when, one after the other within an account, and what a clock that jumps
// does.
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseFilter } from '../../src/domain/filter.js';
import { POLL_QUEUE } from '../../src/domain/request.js';
import { nextSlot } from '../../src/domain/schedule.js';
import { TAGS } from '../../src/domain/tags.js';
import { DAY, HOUR, job, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { put, putLedger } from '../helpers/put.js';
import { until } from '../helpers/until.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
});
afterEach(() => lab.close());

const to = (target: string) => [{ sink: 'capture', target }];
const asked = () => lab.front.asked.length;

describe('a schedule', () => {
  test('is polled once per slot, the first time immediately', async () => {
    await lab.add({ schedule: '*/15 * * * *' });
    await lab.advance(0);
    expect(asked()).toBe(1);
    for (let n = 0; n < 25; n++) await lab.advance(5 * MINUTE);
    expect(asked()).toBe(9);
  });

  test('keeps its jitter over a restart', async () => {
    const { schedule } = await lab.add({ schedule: '0 * * * *' });
    await lab.advance(0);
    const planned = (await lab.nextPollAt('s')) ?? 0;
    const jitter = planned - nextSlot(schedule, lab.clock.now());
    expect(jitter).toBeGreaterThanOrEqual(0);
    expect(jitter).toBeLessThanOrEqual(5 * MINUTE);
    await lab.restart();
    expect(await lab.nextPollAt('s')).toBe(planned);
    await lab.advance(planned - lab.clock.now() - 1);
    expect(asked()).toBe(1);
    await lab.advance(1);
    expect(asked()).toBe(2);
  });

  test('has a shortest interval', async () => {
    await lab.add({ schedule: '* * * * * *' });
    await lab.advance(0);
    for (let n = 0; n < 10; n++) await lab.advance(30_000);
    expect(asked()).toBe(6);
  });

  test('makes one poll after days of downtime', async () => {
    await lab.add({});
    await lab.advance(0);
    lab.clock.advance(9 * DAY);
    await lab.restart();
    await lab.advance(0);
    await lab.advance(1000);
    expect(asked()).toBe(2);
  });

  test('ends when the subscription is removed', async () => {
    await lab.add({});
    await lab.advance(0);
    await lab.change('s', () => undefined);
    await lab.advance(DAY);
    expect(asked()).toBe(1);
    expect(await lab.nextPollAt('s')).toBeUndefined();
    expect(await lab.poll()).toMatchObject({ outcome: 'gone' });
  });
});

describe('polls', () => {
  test('of one account run one after the other, and those of several accounts in parallel', async () => {
    for (const id of ['rust', 'defi', 'dao'])
      await lab.add({ id, account: 'alice', filter: { tags: [id] }, destinations: to(id) });
    await lab.add({ id: 'b1', account: 'bob', destinations: to('b1') });
    const release = lab.front.hold();
    lab.p.engine.look(POLL_QUEUE);
    await until(() => asked() === 2);
    expect(new Set(lab.front.asked.map(({ token }) => token)).size).toBe(2);
    release();
    await lab.settled();
    expect(asked()).toBe(4);
  });

  test('of one subscription never overlap; one requested meanwhile runs afterwards', async () => {
    await lab.add({});
    const release = lab.front.hold();
    const first = lab.scheduler.pollNow('s');
    await until(() => asked() === 1);
    const second = lab.scheduler.pollNow('s');
    const third = lab.scheduler.pollNow('s');
    for (let n = 0; n < 10; n++) await turn();
    expect(asked()).toBe(1);
    release();
    // Which of them records the answer is not defined.
    const outcomes = (await Promise.all([first, second, third])).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(['baseline', 'unchanged', 'unchanged']);
    expect(asked()).toBe(3);
  });

  test('apply a change that comes during one right after it', async () => {
    await lab.add({ filter: { tags: ['rust'] } });
    const release = lab.front.hold();
    const polled = lab.scheduler.pollNow('s');
    await until(() => asked() === 1);
    const subscription = await lab.stores.subscriptions.get('s');
    if (!subscription) throw new Error('it is not stored');
    await put(lab.stores.subscriptions, { ...subscription, filter: parseFilter({ tags: ['defi'] }) });
    const changed = lab.change('s', (before) => before);
    await until(async () => (await lab.stores.subscriptions.get('s'))?.filter.tags[0] === 'defi');
    release();
    await changed;
    expect((await polled).outcome).toBe('stopped');
    await lab.advance(0);
    expect(lab.front.asked.map(({ query }) => query.tag)).toEqual(['rust', 'defi']);
    expect((await lab.stores.ledgers.read('s'))?.asked).toEqual(['defi|||100']);
  });

  describe('while an answer is recorded', () => {
    /** Runs `work` once, between reading the ledger and writing it. */
    function beforeCommit(work: () => Promise<unknown>): void {
      const { open } = lab.stores.ledgers;
      let isDone = false;
      Object.assign(lab.stores.ledgers, {
        async open(...args: Parameters<typeof open>) {
          const opened = await open(...args);
          const commit: typeof opened.commit = async (...change) => {
            if (!isDone) {
              isDone = true;
              await work();
            }
            return opened.commit(...change);
          };
          return { ...opened, commit };
        },
      });
    }

    beforeEach(async () => {
      await lab.add({ filter: { tags: ['rust'] } });
      await lab.poll();
      await lab.post(job('new'), job('other', { tags: ['defi'] }));
    });

    test('a change of the subscription is not overlooked', async () => {
      const subscription = await lab.stores.subscriptions.get('s');
      if (!subscription) throw new Error('it is not stored');
      beforeCommit(() =>
        put(lab.stores.subscriptions, { ...subscription, filter: parseFilter({ tags: ['defi'] }) }),
      );
      expect(await lab.poll()).toMatchObject({ outcome: 'stopped' });
      expect(lab.sink.got()).toEqual([]);
      expect((await lab.stores.ledgers.read('s'))?.seen).not.toHaveProperty('id:new');
    });

    test('its removal leaves nothing behind', async () => {
      beforeCommit(() => lab.stores.subscriptions.remove('s'));
      expect(await lab.poll()).toMatchObject({ outcome: 'stopped' });
      expect(lab.sink.got()).toEqual([]);
      expect((await lab.stores.ledgers.read('s'))?.outbox).toEqual([]);
    });

    test('what another process writes to its ledger is kept', async () => {
      beforeCommit(() => putLedger(lab.stores.ledgers, 's', { matchedAt: 5, today: {} }));
      expect(await lab.poll()).toMatchObject({ outcome: 'recorded' });
      expect(lab.sink.got()).toEqual(['new']);
      expect(await lab.stores.ledgers.owed('s')).toMatchObject({ today: {}, matchedAt: lab.clock.now() });
    });
  });

  test('are not repeated for a change reported twice', async () => {
    await lab.add({});
    await lab.advance(0);
    await lab.change('s', (before) => JSON.parse(JSON.stringify(before)));
    await lab.advance(0);
    expect(asked()).toBe(1);
  });
});

describe('a clock that jumps', () => {
  test('back by days delays no subscription', async () => {
    await lab.add({});
    await lab.advance(0);
    await lab.advance(-5 * DAY);
    await lab.post(job(2));
    await lab.advance(HOUR);
    expect(lab.sink.got()).toEqual(['2']);
  });

  test('back between two starts delays no subscription', async () => {
    await lab.add({});
    await lab.advance(0);
    lab.clock.advance(-5 * DAY);
    await lab.restart();
    await lab.post(job(2));
    await lab.advance(HOUR);
    expect(lab.sink.got()).toEqual(['2']);
  });

  test('back by a second is not logged, because time servers do that', async () => {
    await lab.add({});
    await lab.advance(0);
    await lab.advance(-1000);
    expect(lab.logs.filter(({ message }) => message.includes('clock'))).toEqual([]);
  });

  test('forward by years makes one poll', async () => {
    await lab.add({});
    await lab.advance(0);
    await lab.advance(1000 * DAY);
    await lab.advance(1000);
    expect(asked()).toBe(2);
  });
});

test('health shows how late the earliest poll is, and the fault of the store', async () => {
  await lab.add({});
  lab.clock.advance(MINUTE);
  expect(await lab.scheduler.health()).toMatchObject({ lagMs: MINUTE });
  await lab.advance(0);
  expect((await lab.scheduler.health()).lagMs).toBe(0);
  expect(await lab.scheduler.health()).not.toHaveProperty('storeFault');
});

test('health counts polls that are due and wait in line, and one that is running', async () => {
  for (let n = 1; n <= 20; n++)
    await lab.add({
      id: `a${n}`,
      account: 'alice',
      filter: { limit: 20, tags: [TAGS[n]] },
      destinations: to(`a${n}`),
    });
  const release = lab.front.hold();
  lab.p.engine.look(POLL_QUEUE);
  await until(() => asked() === 1);
  lab.clock.advance(94_000);
  await lab.scheduler.tick();
  expect(await lab.scheduler.health()).toMatchObject({ lagMs: 94_000, queued: 20 });
  release();
  await lab.settled();
  expect(await lab.scheduler.health()).toMatchObject({ lagMs: 0, queued: 0 });
});

test('logs a bug in a poll, and polls the subscription again', async () => {
  await lab.add({});
  lab.broken.set('history.note', new TypeError('a bug'));
  await expect(lab.poll()).rejects.toThrow('a bug');
  expect(lab.logs.map(({ message }) => message)).toContain('poll failed because of a bug');
  expect(await lab.scheduler.health()).not.toHaveProperty('storeFault');
  lab.broken.clear();
  await lab.advance(HOUR);
  expect((await lab.services.subscription({ account: 'operator' }, 's')).polledAt).toBeDefined();
});

test('leaves units that it does not know to the build that planned them', async () => {
  const { signal } = new AbortController();
  const unit = { queue: POLL_QUEUE, id: 'x|subject', group: 'lane' } as const;
  const turn = { attempt: 1, signal, holding: signal, state: null };
  await lab.add({});
  expect(await lab.scheduler.poll(unit, turn)).toEqual({ again: 10_000, deferred: true });
  expect(asked()).toBe(0);
});
