// The rules of lanes as they are stored: states of units, plans during a turn, rests, holds of processes that died, and
// the form of tables of earlier versions.
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { LaneStore, Turn, Unit } from '../../src/ports/lanes.js';
import { addUnitColumns, dropUnitColumns, HOLD_MS, laneTables } from '../../src/store/lanes.js';
import { withFile } from '../../src/store/sqlite/files.js';
import { openTestStores, type TestClock, type TestStores, tempDir } from './fixtures.js';

let file: string;
let stores: TestStores;
let lanes: LaneStore;
let clock: TestClock;

beforeEach(async () => {
  file = join(await tempDir(), 'store.sqlite');
  stores = await openTestStores(`sqlite://${file}`, { gathers: false });
  ({ lanes, clock } = stores);
});

const unit = (id: string, lane = id): Unit => ({ queue: 'work', lane, unit: id });
const [a, b] = [unit('a', 'l'), unit('b', 'l')];
const plan = (one: Unit, inMs = 0) => lanes.plan([{ ...one, at: clock.at + inMs }]);
const claimed = async (most = 10) => (await lanes.claim('work', most)).map(({ unit: id }) => id);

/** Plans a unit and takes its turn. */
async function begun(one: Unit = a): Promise<Turn> {
  await plan(one);
  const [turn] = await lanes.claim('work', 1);
  if (turn?.unit !== one.unit) throw new Error('not due');
  return turn;
}

const stateOf = async (one: Unit) => (await lanes.states([one]))[0];
/** When a unit is due, in milliseconds from now. */
async function dueIn(one: Unit): Promise<number | undefined> {
  const at = await lanes.dueAt(one);
  return at === undefined ? undefined : at - clock.at;
}

describe('the state of a unit', () => {
  test('is changed between turns, and counts its changes', async () => {
    await plan(a);
    expect(await stateOf(a)).toEqual({ state: null, version: 0 });
    await lanes.keep([{ ...a, state: { kept: 1 } }]);
    expect(await stateOf(a)).toEqual({ state: { kept: 1 }, version: 1 });
    await lanes.keep([{ ...a, state: { kept: 2 }, version: 0 }]);
    expect(await stateOf(a)).toEqual({ state: { kept: 1 }, version: 1 });
    await lanes.keep([{ ...a, state: { kept: 3 }, version: 1 }]);
    expect(await stateOf(a)).toEqual({ state: { kept: 3 }, version: 2 });
    await lanes.keep([{ ...a, state: null }]);
    expect(await stateOf(a)).toEqual({ state: null, version: 3 });
  });

  test('is read for several units in the order that was asked for; one that is not planned has none', async () => {
    await plan(a);
    await plan(b);
    await lanes.keep([
      { ...a, state: 'of a' },
      { ...b, state: 'of b' },
      { ...unit('c'), state: 'of c' },
    ]);
    const found = await lanes.states([b, unit('c'), a]);
    expect(found.map(({ state, version }) => [state, version])).toEqual([
      ['of b', 1],
      [null, 0],
      ['of a', 1],
    ]);
    expect(await lanes.states([])).toEqual([]);
    expect(await lanes.units('work')).toEqual([a, b]);
  });

  test('that is changed several times at once is the last one, but none if one change says so', async () => {
    await plan(a);
    await lanes.keep([1, 2].map((state) => ({ ...a, state })));
    expect((await stateOf(a))?.state).toBe(2);
    for (const states of [
      [3, null],
      [null, 4],
    ]) {
      await lanes.keep(states.map((state) => ({ ...a, state })));
      expect((await stateOf(a))?.state).toBeNull();
    }
  });

  test('is given to the turn and left by it, or stays', async () => {
    await lanes.end(await begun(), { next: clock.at, attempts: 0, state: { seen: 1 } });
    const [next] = await lanes.claim('work', 1);
    expect(next).toMatchObject({ state: { seen: 1 }, version: 1 });
    await lanes.end(next as Turn, { next: clock.at, attempts: 0 });
    expect(await stateOf(a)).toEqual({ state: { seen: 1 }, version: 2 });
    const [last] = await lanes.claim('work', 1);
    await lanes.end(last as Turn, { next: clock.at, attempts: 0, state: null });
    expect(await stateOf(a)).toEqual({ state: null, version: 3 });
  });

  test('that changed during a turn is not overwritten by it', async () => {
    const turn = await begun();
    await lanes.keep([{ ...a, state: 'changed' }]);
    await lanes.end(turn, { next: clock.at + 1000, attempts: 0, state: 'of the turn' });
    expect(await stateOf(a)).toEqual({ state: 'changed', version: 2 });
    expect(await dueIn(a)).toBe(1000);
  });
});

describe('a unit that waits until it is planned', () => {
  const wait = async () => lanes.end(await begun(), { next: Number.POSITIVE_INFINITY, attempts: 0 });

  test('is not due', async () => {
    expect(await wait()).toEqual({ kept: true });
    expect([await lanes.dueAt(a), await lanes.nextAt('work'), await claimed()]).toEqual([
      undefined,
      undefined,
      [],
    ]);
    expect(await lanes.units('work')).toEqual([a]);
    expect(await lanes.offer('work', 10)).toEqual({ lanes: [] });
  });

  test('wakes when it is planned, or loses its state', async () => {
    await wait();
    await lanes.keep([{ ...a, state: 'kept' }]);
    expect(await claimed()).toEqual([]);
    await lanes.keep([{ ...a, state: null }]);
    expect(await claimed()).toEqual(['a']);
    await lanes.freeAll();
    await lanes.drop([a]);
    await wait();
    await plan(a, 500);
    expect(await dueIn(a)).toBe(500);
  });

  test('does not begin to wait when its state changed during the turn', async () => {
    const turn = await begun();
    await lanes.keep([{ ...a, state: null }]);
    await lanes.end(turn, { next: Number.POSITIVE_INFINITY, attempts: 0 });
    expect(await claimed()).toEqual(['a']);
  });
});

describe('a plan', () => {
  test('never delays an earlier one, also in one call', async () => {
    await plan(a, 1000);
    await plan(a, 2000);
    expect(await dueIn(a)).toBe(1000);
    await plan(a, 500);
    expect(await dueIn(a)).toBe(500);
    for (const times of [
      [300, 400],
      [200, 100],
    ]) {
      await lanes.plan(times.map((inMs) => ({ ...a, at: clock.at + inMs })));
      expect(await dueIn(a)).toBe(Math.min(...times));
    }
  });

  test('and a drop that arrive together count in their order', async () => {
    await Promise.all([plan(a), lanes.drop([a]), plan(b)]);
    expect(await lanes.units('work')).toEqual([b]);
    await Promise.all([lanes.drop([b]), plan(b, 700)]);
    expect(await dueIn(b)).toBe(700);
    await Promise.all([plan(a), lanes.drop([a]), plan(a, 900)]);
    expect(await dueIn(a)).toBe(900);
  });

  test.each<[string, number | undefined, number]>([
    ['later than the end asks for', 1000, 1000],
    ['earlier than the end asks for', 10_000, 5000],
    ['without a time at the end', undefined, 5000],
  ])('made during a turn is kept: %s', async (_when, nextMs, dueMs) => {
    const turn = await begun();
    await plan(a, 6000);
    await plan(a, 5000);
    await plan(a, 7000);
    // While the turn runs, the unit has the time at which it became due.
    expect(await dueIn(a)).toBe(0);
    const next = nextMs === undefined ? undefined : clock.at + nextMs;
    await lanes.end(turn, { next, attempts: 2 });
    expect(await dueIn(a)).toBe(dueMs);
    clock.at += dueMs;
    expect(await lanes.claim('work', 1)).toMatchObject([{ ...a, attempt: 3, dueAt: clock.at }]);
  });

  test('of another unit of the lane does not change the one whose turn runs', async () => {
    const turn = await begun();
    await plan(b, 300);
    await lanes.end(turn, { next: undefined, attempts: 0 });
    expect(await lanes.units('work')).toEqual([b]);
    expect(await lanes.nextAt('work')).toBe(clock.at + 300);
  });
});

describe('a unit that is dropped during its turn', () => {
  test('is gone at the end of the turn, whatever the end asks for', async () => {
    const turn = await begun();
    await lanes.drop([a]);
    expect(await lanes.end(turn, { next: clock.at, attempts: 0 })).toEqual({ kept: true });
    expect([await lanes.units('work'), await lanes.nextAt('work')]).toEqual([[], undefined]);
  });

  test('and planned again stays as it was planned', async () => {
    const turn = await begun();
    await lanes.drop([a]);
    await plan(a, 800);
    await lanes.end(turn, { next: clock.at, attempts: 5, state: 'of the turn' });
    expect(await dueIn(a)).toBe(800);
    expect((await stateOf(a))?.state).toBeNull();
  });

  test('leaves its lane to the others when the process dies', async () => {
    await begun();
    await lanes.drop([a]);
    await plan(b, HOLD_MS + 5000);
    clock.at += HOLD_MS;
    expect(await claimed()).toEqual([]);
    expect(await lanes.nextAt('work')).toBe(clock.at + 5000);
    clock.at += 5000;
    expect(await claimed()).toEqual(['b']);
  });
});

describe('a claim', () => {
  test('takes as many lanes as it is asked for, the longest due first, one unit of each', async () => {
    await plan(unit('late'), -1000);
    await plan(unit('later'), -2000);
    await plan(unit('latest'), -3000);
    await plan(unit('other', 'latest'), -2500);
    await plan(unit('not yet'), 1);
    for (const none of [0, -1]) expect(await claimed(none)).toEqual([]);
    expect(await claimed(2)).toEqual(['latest', 'later']);
    expect(await claimed()).toEqual(['late']);
    expect(await claimed()).toEqual([]);
  });

  test('gives the unit of a process that died first, and its turn a new epoch', async () => {
    const turn = await begun();
    await plan(b, -5000);
    clock.at += HOLD_MS - 1;
    expect(await claimed()).toEqual([]);
    clock.at += 1;
    const [next] = await lanes.claim('work', 1);
    expect(next).toMatchObject({ ...a, attempt: 1, epoch: turn.epoch + 1 });
    expect(await lanes.end(turn, { next: undefined, attempts: 0 })).toEqual({ kept: false });
    expect(await lanes.end(next as Turn, { next: undefined, attempts: 0 })).toEqual({
      kept: true,
      soonMs: 0,
    });
    expect(await lanes.end(next as Turn, { next: undefined, attempts: 0 })).toEqual({ kept: false });
    expect(await claimed()).toEqual(['b']);
  });

  test('of one lane says when it will be due, if that is soon', async () => {
    expect(await lanes.claimLane('work', 'l')).toBeUndefined();
    await plan(a, 5001);
    expect(await lanes.claimLane('work', 'l')).toBeUndefined();
    clock.at += 1;
    expect(await lanes.claimLane('work', 'l')).toEqual({ soonMs: 5000 });
    clock.at += 4999;
    expect(await lanes.claimLane('work', 'l')).toEqual({ soonMs: 1 });
    clock.at += 1;
    expect(await lanes.claimLane('work', 'l')).toMatchObject({ ...a, attempt: 1, dueAt: clock.at });
    // The end of the hold is further away.
    expect(await lanes.claimLane('work', 'l')).toBeUndefined();
  });
});

describe('a turn that is taken', () => {
  test('needs no plan', async () => {
    const turn = await lanes.take(a);
    expect(turn).toMatchObject({ ...a, attempt: 1, dueAt: clock.at, state: null, version: 0 });
    await lanes.end(turn as Turn, { next: clock.at + 3000, attempts: 0, state: 'left' });
    expect([await dueIn(a), (await stateOf(a))?.state]).toEqual([3000, 'left']);
  });

  test('has the attempts, the state and the time of its unit, if that is past', async () => {
    await lanes.end(await begun(), { next: clock.at + 1000, attempts: 4, state: 'left' });
    const turn = await lanes.take(a);
    expect(turn).toMatchObject({ attempt: 5, state: 'left', version: 1, dueAt: clock.at });
    await lanes.end(turn as Turn, { next: clock.at - 700, attempts: 0 });
    expect(await lanes.take(a)).toMatchObject({ attempt: 1, dueAt: clock.at - 700 });
  });

  test('waits for a lane that is held', async () => {
    await begun();
    expect(await lanes.take(b)).toEqual({ at: clock.at + 20 });
    clock.at += HOLD_MS - 1;
    expect(await lanes.take(b)).toEqual({ at: clock.at + 20 });
    clock.at += 1;
    expect(await lanes.take(b)).toMatchObject(b);
    // The unit of the process that died is due.
    expect(await dueIn(a)).toBe(-HOLD_MS);
  });

  test('makes a unit due whose process died before its time', async () => {
    await plan(a, 60_000);
    await lanes.take(a);
    clock.at += HOLD_MS;
    await lanes.take(b);
    expect(await dueIn(a)).toBe(0);
  });

  test('keeps the time of its unit after a death', async () => {
    await plan(a, 60_000);
    await lanes.take(a);
    clock.at += HOLD_MS;
    await lanes.take(a);
    expect(await dueIn(a)).toBe(60_000 - HOLD_MS);
  });

  test('waits for a lane that rests, and then goes before the other units of the lane', async () => {
    await plan(b, -1000);
    const turn = (await lanes.take(a)) as Turn;
    await lanes.end(turn, { next: undefined, rest: clock.at + 5000, attempts: 0 });
    expect(await lanes.take(a)).toEqual({ at: clock.at + 5000 });
    clock.at += 5999;
    expect(await claimed()).toEqual([]);
    clock.at += 1;
    expect(await claimed()).toEqual(['b']);
  });

  test('frees the lane for other units once it was successful', async () => {
    await plan(b, -1000);
    const turn = (await lanes.take(a)) as Turn;
    await lanes.end(turn, { next: undefined, rest: clock.at + 1000, attempts: 0 });
    await lanes.take(a);
    clock.at += 1000;
    await lanes.end((await lanes.take(a)) as Turn, { next: undefined, attempts: 0 });
    expect(await claimed()).toEqual(['b']);
  });

  test('waits for the later of hold and rest', async () => {
    await lanes.take(a);
    await lanes.rest([{ queue: 'work', lane: 'l', until: clock.at + 9000 }]);
    expect(await lanes.take(b)).toEqual({ at: clock.at + 9000 });
  });
});

describe('the end of a turn', () => {
  test.each<[number, number | undefined]>([
    [0, 0],
    [5000, 5000],
    [5001, undefined],
  ])('with the next one in %i ms says that it is due soon: %s', async (inMs, soonMs) => {
    const ended = await lanes.end(await begun(), { next: clock.at + inMs, attempts: 0 });
    expect(ended).toEqual(soonMs === undefined ? { kept: true } : { kept: true, soonMs });
  });

  test('puts its lane behind those that wait', async () => {
    await plan(unit('c'), -10);
    const turn = (await lanes.take(a)) as Turn;
    await lanes.end(turn, { next: clock.at - 5000, attempts: 0 });
    expect(await claimed()).toEqual(['c', 'a']);
  });

  test('with a rest lets the lane rest, also without a unit, until that time', async () => {
    const until = clock.at + 3000;
    const ended = await lanes.end(await begun(), { next: undefined, rest: until, attempts: 0 });
    expect(ended).toEqual({ kept: true });
    expect(await lanes.rests()).toEqual([{ queue: 'work', lane: 'l', until }]);
    await plan(b);
    expect(await lanes.nextAt('work')).toBe(until);
    await lanes.drop([b]);
    await lanes.purge();
    expect(await lanes.rests()).toHaveLength(1);
    clock.at = until;
    await lanes.purge();
    expect(await lanes.rests()).toEqual([]);
    await plan(b);
    expect(await claimed()).toEqual(['b']);
  });

  test('does not shorten a rest', async () => {
    const turn = await begun();
    await lanes.rest([{ queue: 'work', lane: 'l', until: clock.at + 4000 }]);
    expect(await lanes.end(turn, { next: clock.at, rest: clock.at + 1000, attempts: 0 })).toEqual({
      kept: true,
      soonMs: 4000,
    });
  });
});

describe('rests', () => {
  const rest = (lane: string, inMs: number) => lanes.rest([{ queue: 'work', lane, until: clock.at + inMs }]);
  const resting = async () => (await lanes.rests()).map(({ lane, until }) => [lane, until - clock.at]);

  test('from another store are taken over unless the lane already rests longer', async () => {
    await plan(a);
    await rest('l', 2000);
    await rest('l', 1000);
    expect(await resting()).toEqual([['l', 2000]]);
    expect(await lanes.nextAt('work')).toBe(clock.at + 2000);
    await rest('l', 3000);
    await rest('k', 500);
    expect((await resting()).toSorted()).toEqual([
      ['k', 500],
      ['l', 3000],
    ]);
    expect(await claimed()).toEqual([]);
  });

  test('end for one lane or for all', async () => {
    for (const lane of ['k', 'l', 'm']) {
      await plan(unit('a', lane));
      await rest(lane, 60_000);
    }
    await lanes.forgetRests({ queue: 'other', lane: 'k' });
    expect(await resting()).toHaveLength(3);
    await lanes.forgetRests({ queue: 'work', lane: 'l' });
    expect((await lanes.claim('work', 10)).map(({ lane }) => lane)).toEqual(['l']);
    await lanes.forgetRests();
    expect(await resting()).toEqual([]);
    expect((await lanes.claim('work', 10)).map(({ lane }) => lane).toSorted()).toEqual(['k', 'm']);
  });

  test('that end do not free a lane that is held', async () => {
    await begun();
    await rest('l', 60_000);
    await lanes.forgetRests();
    expect(await claimed()).toEqual([]);
  });
});

describe('a hold', () => {
  test('lasts as long again when it is renewed; a lane that was taken over is named', async () => {
    const turns = [await begun(unit('x')), await begun(unit('y')), await begun(unit('z'))];
    expect(await lanes.renew([])).toEqual([]);
    clock.at += HOLD_MS - 1000;
    expect(await lanes.renew(turns.slice(0, 2).reverse())).toEqual([]);
    clock.at += 1000;
    expect(await claimed()).toEqual(['z']);
    expect(await lanes.renew(turns)).toEqual([turns[2]]);
    clock.at += HOLD_MS - 1;
    expect(await claimed()).toEqual([]);
  });

  test('is not renewed after its turn', async () => {
    const turn = await begun();
    await lanes.end(turn, { next: clock.at + 1000, attempts: 0 });
    expect(await lanes.renew([turn])).toEqual([turn]);
    expect(await dueIn(a)).toBe(1000);
  });

  test('of every lane ends at once, and its units are due', async () => {
    await begun(unit('x'));
    await plan(unit('y'), 60_000);
    await lanes.take(unit('y'));
    await plan(unit('z'), 60_000);
    await lanes.freeAll();
    expect((await claimed()).toSorted()).toEqual(['x', 'y']);
    expect(await dueIn(unit('z'))).toBe(60_000);
  });
});

describe('an offer', () => {
  test('names the lanes that are due, the longest due first, once in five seconds', async () => {
    await plan(unit('one'), -100);
    await plan(unit('two'), -300);
    await plan(unit('three'), -200);
    expect(await lanes.offer('work', 2)).toEqual({ lanes: ['two', 'three'] });
    expect(await lanes.offer('work', 2)).toEqual({ lanes: ['one'] });
    clock.at += 4999;
    expect(await lanes.offer('work', 3)).toEqual({ lanes: [] });
    clock.at += 1;
    expect(await lanes.offer('work', 3)).toEqual({ lanes: ['two', 'three', 'one'] });
  });

  test('says when the next lane is due', async () => {
    await plan(unit('one'), 1500);
    await plan(unit('two'), 2500);
    expect(await lanes.offer('work', 3)).toEqual({ lanes: [], nextMs: 1500 });
    clock.at += 2000;
    expect(await lanes.offer('work', 3)).toEqual({ lanes: ['one'], nextMs: 500 });
    expect(await lanes.offer('other', 3)).toEqual({ lanes: [] });
  });

  test('leaves a lane that is due soon after a turn to the process of that turn, for a second', async () => {
    await lanes.end(await begun(), { next: clock.at + 3000, attempts: 0 });
    clock.at += 3999;
    expect((await lanes.offer('work', 3)).lanes).toEqual([]);
    clock.at += 1;
    expect((await lanes.offer('work', 3)).lanes).toEqual(['l']);
  });

  test('does not wait for the process of a turn when the next one is far away', async () => {
    await lanes.end(await begun(), { next: clock.at + 5001, attempts: 0 });
    clock.at += 5001;
    expect((await lanes.offer('work', 3)).lanes).toEqual(['l']);
  });
});

test('what waits is counted: units that are due and not resting, and lanes that no process has', async () => {
  expect([await lanes.load('work'), await lanes.waiting('work')]).toEqual([{ due: 0 }, { lanes: 0 }]);
  await plan(unit('one'), -300);
  await plan(unit('two', 'one'), -200);
  await plan(unit('three'), -100);
  await plan(unit('four'), 100);
  expect(await lanes.load('work')).toEqual({ due: 3, since: clock.at - 300 });
  expect(await lanes.waiting('work')).toEqual({ lanes: 2, since: clock.at - 300 });
  await lanes.claim('work', 1);
  expect(await lanes.load('work')).toEqual({ due: 3, since: clock.at - 300 });
  expect(await lanes.waiting('work')).toEqual({ lanes: 1, since: clock.at - 100 });
  await lanes.rest([{ queue: 'work', lane: 'three', until: clock.at + 60_000 }]);
  expect(await lanes.load('work')).toEqual({ due: 2, since: clock.at - 300 });
  await lanes.clear();
  expect([await lanes.units('work'), await lanes.load('work')]).toEqual([[], { due: 0 }]);
});

test('a lane without work is deleted once it has rested; one that a process holds, or that has work, stays', async () => {
  await lanes.end(await begun(unit('idle')), { attempts: 0 });
  await lanes.end(await begun(unit('resting')), { attempts: 0, rest: clock.at + 60_000 });
  const held = await begun(unit('held'));
  await plan(unit('later'), 60_000);
  const kept = () =>
    withFile(file, async (run) => (await run('SELECT id FROM lane ORDER BY id')).map(({ id }) => id));
  expect(await kept()).toEqual(['held', 'later', 'resting']);
  await stores.purge();
  expect(await kept()).toEqual(['held', 'later', 'resting']);
  clock.at += 60_000;
  await stores.purge();
  expect(await kept()).toEqual(['held', 'later']);
  expect(await lanes.end(held, { attempts: 0 })).toMatchObject({ kept: true });
});

test('all units are read page by page, by queue, lane and name', async () => {
  const all: Unit[] = ['B', 'a'].flatMap((queue) =>
    ['1', '2'].flatMap((lane) => ['x', 'y'].map((id) => ({ queue, lane, unit: id }))),
  );
  await lanes.plan(all.map((one) => ({ ...one, at: clock.at })));
  const found: Unit[] = [];
  for (let last: Unit | undefined; ; last = found.at(-1)) {
    const page = await lanes.page(last, 3);
    found.push(...page.map(({ queue, lane, unit: id }) => ({ queue, lane, unit: id })));
    if (page.length < 3) break;
  }
  expect(found).toEqual(all);
});

describe('the units of a store of version 3', () => {
  const NEVER = 8_640_000_000_000_000;

  test('keep their times when a unit was running, and get the columns of later versions', async () => {
    const old = join(await tempDir(), 'old.sqlite');
    await withFile(old, async (run) => {
      await run(
        'CREATE TABLE units (queue TEXT, lane TEXT, id TEXT, due_at BIGINT NOT NULL, attempts INTEGER, since BIGINT)',
      );
      await run(
        `INSERT INTO units VALUES ('work', 'l', 'running', ${NEVER}, 1, 5), ('work', 'l', 'due', 7, 0, 3)`,
      );
      const had = new Set(['queue', 'lane', 'id', 'due_at', 'attempts', 'since']);
      await addUnitColumns(run, 'units', had);
      await dropUnitColumns(run, 'units', had);
      const empty = { queue: 'work', lane: 'l', again_at: null, state: null, version: 0 };
      expect(await run('SELECT * FROM units ORDER BY id')).toEqual([
        { ...empty, id: 'due', due_at: 7, attempts: 0 },
        { ...empty, id: 'running', due_at: 5, attempts: 1 },
      ]);
    });
  });

  test('stay as they are in a store that is newer', async () => {
    const made = join(await tempDir(), 'made.sqlite');
    await withFile(made, async (run) => {
      for (const sql of laneTables({ lanes: 'lanes', units: 'units' })) await run(sql);
      const names = async () =>
        (await run(`SELECT name FROM pragma_table_info('units')`)).map(({ name }) => String(name));
      const had = await names();
      await addUnitColumns(run, 'units', new Set(had));
      await dropUnitColumns(run, 'units', new Set(had));
      expect(await names()).toEqual(had);
    });
  });
});
