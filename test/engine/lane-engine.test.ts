// The engine of one process, with lanes in the store: the contract of all engines on each database, and what needs a
// clock of the test or a second process.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { StoreError } from '../../src/domain/errors.js';
import { createLaneEngine } from '../../src/engine/lane-engine.js';
import type { Engine } from '../../src/ports/engine.js';
import { testClock } from '../helpers/memory-table.js';
import { until } from '../helpers/until.js';
import { DATABASES, daily, type RunningDatabase } from '../store/databases.js';
import { openTestStores } from '../store/fixtures.js';
import { engineContract } from './contract.js';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const real = { now: () => Date.now() };

for (const database of DATABASES) {
  const name = database.missing ? `${database.name} (skipped: ${database.missing})` : database.name;
  describe.skipIf(database.missing !== undefined)(name, daily(database), () => {
    let running: RunningDatabase;
    beforeAll(async () => {
      running = await database.start();
    });
    afterAll(() => running?.stop());

    engineContract(`lanes on ${database.name}`, async () => {
      const engines: Engine[] = [];
      const { lanes } = await openTestStores(await running.freshUrl(), { clock: real });
      return {
        async create() {
          // Like a start: the former process is dead.
          await lanes.freeAll();
          const engine = createLaneEngine({ lanes, clock: real, log });
          engines.push(engine);
          return engine;
        },
        kill: async (engine) => void (await engine.drain(0)),
        close: async () => void (await Promise.all(engines.map((engine) => engine.drain(0)))),
      };
    });

    async function open(clock: { now(): number } = real) {
      const stores = await openTestStores(await running.freshUrl(), { clock });
      const { lanes } = stores;
      return { lanes, engine: createLaneEngine({ lanes, clock, log }), close: () => stores.close() };
    }
    const unit = (id: string, lane = id) => ({ queue: 'work', lane, unit: id });

    test("reports to the worker when a queue can't be read", { tags: 'long' }, async () => {
      const { engine, close } = await open();
      const told: unknown[] = [];
      engine.work(
        'work',
        1,
        async () => undefined,
        (error) => void told.push(error),
      );
      await close();
      engine.look('work');
      await until(() => told.length > 0, { what: 'the failure' });
      expect(told[0]).toBeInstanceOf(StoreError);
      await engine.drain(0);
    });

    test('work planned for soon while the engine reads when work is due is not missed', async () => {
      const { lanes } = await open();
      let isHeld = false;
      let release: (() => void) | undefined;
      /** The answer of a read that began before the second plan comes after it. */
      const slow = {
        ...lanes,
        async nextAt(queue: string) {
          const at = await lanes.nextAt(queue);
          if (isHeld)
            await new Promise<void>((resolve) => {
              release = resolve;
            });
          return at;
        },
      };
      const engine = createLaneEngine({ lanes: slow, clock: real, log, lookMs: 2 ** 31 - 1 });
      const done: string[] = [];
      engine.work('work', 1, async ({ id }) => void done.push(id));
      isHeld = true;
      const later = { queue: 'work', at: real.now() + 3_600_000 };
      await engine.put({ ...later, id: 'later', group: 'later' });
      await until(() => release !== undefined, { what: 'the read' });
      await engine.put({ queue: 'work', id: 'soon', group: 'soon', at: real.now() + 1 });
      isHeld = false;
      release?.();
      await until(() => done.includes('soon'), { what: 'the work that is due soon' });
      await engine.drain(0);
    });

    test('one of two processes takes a lane, and the other its next turn', async () => {
      const { lanes } = await open();
      await lanes.plan([
        { ...unit('a', 'one'), at: 1 },
        { ...unit('b', 'one'), at: 2 },
        { ...unit('c', 'two'), at: 3 },
      ]);
      const claims = await Promise.all([lanes.claim('work', 5), lanes.claim('work', 5)]);
      expect(
        claims
          .flat()
          .map((turn) => turn.unit)
          .sort(),
      ).toEqual(['a', 'c']);
      const [turn] = claims.flat().filter(({ lane }) => lane === 'one');
      if (!turn) throw new Error('nobody has lane one');
      expect(await lanes.end(turn, { attempts: 0 })).toMatchObject({ kept: true });
      const [next] = await lanes.claim('work', 5);
      expect(next).toMatchObject({ unit: 'b', lane: 'one', epoch: turn.epoch + 1 });
    });

    test('an engine that lost a lane it works on takes it again, and does not repeat the work', async () => {
      const { lanes, engine } = await open();
      const began: string[] = [];
      let finish = () => {};
      const opened = new Promise<void>((resolve) => {
        finish = resolve;
      });
      engine.work('work', 5, async ({ id }) => {
        began.push(id);
        await opened;
        return undefined;
      });
      await engine.put({ queue: 'work', id: 'a', group: 'one' });
      await until(() => began.length === 1, { what: 'the work to begin' });
      // As if the process had been suspended until its hold expired.
      await lanes.freeAll();
      engine.look('work');
      await until(async () => Number(await lanes.nextAt('work')) > Date.now(), {
        what: 'the lane to be taken',
      });
      finish();
      await until(async () => (await engine.load('work')).due === 0, { what: 'the end of the work' });
      expect(began).toEqual(['a']);
      await engine.drain(1000);
    });

    test('a lane that was taken over refuses the end of the former turn', async () => {
      const clock = testClock(Date.now());
      const { lanes } = await open(clock);
      await lanes.plan([{ ...unit('a'), at: 1 }]);
      const [former] = await lanes.claim('work', 1);
      if (!former) throw new Error('not due');
      expect(await lanes.claim('work', 1)).toEqual([]);
      await lanes.freeAll();
      const [next] = await lanes.claim('work', 1);
      expect(next?.epoch).toBeGreaterThan(former.epoch);
      expect(await lanes.end(former, { attempts: 0 })).toEqual({ kept: false });
      expect(await lanes.renew([former])).toEqual([former]);
      expect(next && (await lanes.end(next, { attempts: 0 }))).toEqual({ kept: true });
      expect(await lanes.units('work')).toEqual([]);
    });

    test('a unit that was taken before its time is due immediately if the process dies', async () => {
      const { lanes } = await open();
      await lanes.plan([{ ...unit('a'), at: Date.now() + 3_600_000 }]);
      await lanes.take(unit('a'));
      await lanes.freeAll();
      expect(await lanes.claim('work', 1)).toMatchObject([{ unit: 'a' }]);
    });

    // PostgreSQL's clock can't be set forward.
    test.skipIf(name === 'postgres')(
      'the unit of a process that died is due again, also when another unit is taken first',
      async () => {
        const clock = testClock(Date.now());
        const { lanes } = await open(clock);
        await lanes.plan([{ ...unit('a'), at: clock.now() + 3_600_000 }]);
        await lanes.take(unit('a'));
        clock.advance(13_000);
        const other = await lanes.take({ ...unit('a'), unit: 'other' });
        if (!('epoch' in other)) throw new Error('not free');
        await lanes.end(other, { attempts: 0 });
        expect(await lanes.claim('work', 1)).toMatchObject([{ unit: 'a' }]);
      },
    );

    test('a lane rests until its time, also for units planned meanwhile', async () => {
      const { lanes } = await open();
      await lanes.plan([{ ...unit('a'), at: 1 }]);
      const [turn] = await lanes.claim('work', 1);
      if (!turn) throw new Error('not due');
      const rest = Date.now() + 60_000;
      await lanes.end(turn, { attempts: 0, rest });
      await lanes.plan([{ ...unit('b', 'a'), at: 1 }]);
      expect(await lanes.claim('work', 1)).toEqual([]);
      expect(await lanes.nextAt('work')).toBe(rest);
      await lanes.forgetRests();
      expect(await lanes.claim('work', 1)).toMatchObject([{ unit: 'b' }]);
    });

    test('a unit planned by another process at the end of a turn is not missed', {
      tags: 'long',
    }, async () => {
      const url = await running.freshUrl();
      const [{ lanes }, other] = [
        await openTestStores(url, { clock: real }),
        await openTestStores(url, { clock: real }),
      ];
      for (let round = 0; round < 100; round++) {
        await lanes.plan([{ ...unit('a'), at: 1 }]);
        const [turn] = await lanes.claim('work', 1);
        if (!turn) throw new Error(`not due in round ${round}`);
        await Promise.all([lanes.end(turn, { attempts: 0 }), other.lanes.plan([{ ...unit('a'), at: 1 }])]);
        const [next] = await lanes.claim('work', 1);
        if (!next) throw new Error(`overlooked in round ${round}`);
        await lanes.end(next, { attempts: 0 });
      }
      expect(await lanes.units('work')).toEqual([]);
    });

    test('a hold that is renewed at the end of its turn does not keep the lane', async () => {
      const { lanes } = await open();
      await lanes.plan([{ ...unit('a'), at: 1 }]);
      const [turn] = await lanes.claim('work', 1);
      if (!turn) throw new Error('not due');
      await lanes.end(turn, { next: 1, attempts: 0 });
      expect(await lanes.renew([turn])).toEqual([turn]);
      expect(await lanes.claim('work', 1)).toMatchObject([{ unit: 'a' }]);
    });

    test('a lane is offered to one process at a time, again after a while, and not while it is not due or held', async () => {
      const clock = testClock(Date.now());
      const { lanes } = await open(clock);
      await lanes.plan(['a', 'b', 'c'].map((id, at) => ({ ...unit(id), at: at + 1 })));
      await lanes.plan([{ ...unit('far'), at: clock.now() + 60_000 }]);
      const offers = await Promise.all([lanes.offer('work', 2), lanes.offer('work', 2)]);
      expect(offers.flatMap((one) => one.lanes).toSorted()).toEqual(['a', 'b', 'c']);
      expect(offers[0].nextMs).toBeGreaterThan(50_000);
      expect((await lanes.offer('work', 9)).lanes).toEqual([]);
      expect(await lanes.waiting('work')).toEqual({ lanes: 3, since: 1 });
      expect(await lanes.claimLane('work', 'far')).toBeUndefined();
      const turn = await lanes.claimLane('work', 'a');
      if (!turn || 'soonMs' in turn) throw new Error('not due');
      expect(await lanes.claimLane('work', 'a')).toBeUndefined();
      const ended = await lanes.end(turn, { next: 1, rest: clock.now() + 3_000, attempts: 0 });
      expect(ended.soonMs).toBeGreaterThan(0);
      expect(await lanes.claimLane('work', 'a')).toEqual({ soonMs: expect.any(Number) });
    });

    test('everything planned can be read page by page, and deleted; a running turn counts with its time', async () => {
      const { lanes } = await open();
      await lanes.plan(['c', 'a', 'b'].map((one, index) => ({ ...unit(one), at: index + 1 })));
      await lanes.plan([{ ...unit('a'), queue: 'other', at: 9 }]);
      await lanes.claim('work', 1);
      const first = await lanes.page(undefined, 3);
      const second = await lanes.page(first.at(-1), 3);
      expect([first.length, second.length]).toEqual([3, 1]);
      expect([...first, ...second].map(({ queue, lane, unit: name, at }) => [queue, lane, name, at])).toEqual(
        [
          { ...unit('a'), queue: 'other', at: 9 },
          { ...unit('a'), at: 2 },
          { ...unit('b'), at: 3 },
          { ...unit('c'), at: 1 },
        ].map(({ queue, lane, unit: name, at }) => [queue, lane, name, at]),
      );
      await lanes.clear();
      expect(await lanes.page(undefined, 3)).toEqual([]);
      expect(await lanes.claim('work', 5)).toEqual([]);
    });

    test('a unit planned during its turn is due at that time, and a dropped one is not', async () => {
      const { lanes } = await open();
      await lanes.plan([
        { ...unit('a'), at: 1 },
        { ...unit('b'), at: 1 },
      ]);
      const turns = await lanes.claim('work', 2);
      await lanes.plan([{ ...unit('a'), at: 5 }]);
      await lanes.drop([unit('b')]);
      for (const turn of turns) await lanes.end(turn, { next: Date.now() + 60_000, attempts: 0 });
      expect(await lanes.dueAt(unit('a'))).toBe(5);
      expect(await lanes.dueAt(unit('b'))).toBeUndefined();
      expect(await lanes.units('work')).toEqual([unit('a')]);
    });
  });
}

describe('with a clock of the test', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  async function open() {
    const clock = testClock();
    const sqlite = DATABASES[0];
    const running = await sqlite?.start();
    const { lanes } = await openTestStores((await running?.freshUrl()) ?? '', { clock });
    return { clock, lanes, engine: createLaneEngine({ lanes, clock, log }) };
  }

  test('thirty jobs in parallel that listen for the abort cause no warning about a leak', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => void warnings.push(name);
    process.on('warning', note);
    const { engine, clock } = await open();
    let running = 0;
    engine.work('work', 30, async (_job, { signal }) => {
      running++;
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return undefined;
    });
    for (let id = 0; id < 30; id++)
      await engine.put({ queue: 'work', id: String(id), group: String(id), at: clock.now() });
    await until(() => running === 30);
    await engine.drain(0);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  test('notices within seconds that the clock was set forward, whatever its timers', async () => {
    const { engine, clock } = await open();
    const ran: string[] = [];
    engine.work('work', 1, async ({ id }) => {
      ran.push(id);
      return undefined;
    });
    await engine.put({ queue: 'work', id: 'in six days', group: 'a', at: clock.now() + 6 * 86_400_000 });
    expect(ran).toEqual([]);
    clock.advance(6 * 86_400_000);
    await until(() => ran.length === 1);
    await engine.drain(0);
  });
});
