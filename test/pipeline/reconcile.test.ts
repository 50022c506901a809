// The subscriptions of the file and those in the store: what becomes of each, and what an entry keeps that was away.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isPaused, parseSubscription, pausedFrom, type Subscription } from '../../src/domain/subscription.js';
import { isMassRemoval, type Reconciled, reconcile } from '../../src/pipeline/reconcile.js';
import { retire } from '../../src/pipeline/removed.js';
import { DAY, type Lab, openLab } from '../helpers/lab.js';
import { put } from '../helpers/put.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
});
afterEach(() => lab.close());

function entry(id: string, more: object = {}, origin: 'file' | 'cli' = 'file'): Subscription {
  return parseSubscription(
    { id, destinations: [{ sink: 'capture', target: id }], ...more },
    {
      origin,
      now: lab.clock.now(),
      liveSchedule: '0 * * * *',
      defaultTimezone: 'UTC',
      parseTarget: (_sink, target) => String(target),
    },
  );
}

function take(entries: readonly Subscription[], allowRemoval?: boolean): Promise<Reconciled> {
  const more = allowRemoval === undefined ? {} : { allowRemoval };
  return reconcile(lab.stores, entries, { now: lab.clock.now(), ...more });
}
const stored = async (id: string) => (await lab.stores.subscriptions.get(id)) as Subscription;
const pause = async (id: string) =>
  put(lab.stores.subscriptions, pausedFrom(await stored(id), lab.clock.now()));

test('says what became of each entry, and leaves what a command made', async () => {
  await put(lab.stores.subscriptions, entry('own', {}, 'cli'));
  expect(await take([entry('a'), entry('b'), entry('c')])).toEqual({
    added: ['a', 'b', 'c'],
    changed: [],
    removed: [],
    kept: [],
    heldBack: [],
  });
  const changed = entry('b', { filter: { tags: ['rust'] } });
  expect(await take([entry('a'), changed, entry('d')])).toEqual({
    added: ['d'],
    changed: ['b'],
    removed: ['c'],
    kept: ['a'],
    heldBack: [],
  });
  expect(await stored('own')).toBeDefined();
  expect((await stored('b')).filter.tags).toEqual(['rust']);
});

test('refuses all entries if the id of one belongs to a subscription made by command', async () => {
  for (const id of ['x', 'y']) await put(lab.stores.subscriptions, entry(id, {}, 'cli'));
  await expect(take([entry('a'), entry('x'), entry('y')])).rejects.toThrow(
    /subscription x: this id is already used .*\n?.*subscription y: this id is already used/su,
  );
  expect(await stored('a')).toBeUndefined();
});

test('a mass removal is more than five and more than a third', () => {
  expect([isMassRemoval(5, 5), isMassRemoval(6, 18), isMassRemoval(6, 17)]).toEqual([false, false, true]);
});

test('removes none of many that are missing at once, unless that is allowed', async () => {
  const all = Array.from({ length: 6 }, (_, n) => entry(`s${n}`));
  await take(all);
  const ids = all.map(({ id }) => id);
  expect(await take([])).toEqual({ added: [], changed: [], removed: [], kept: ids, heldBack: ids });
  expect((await take([], true)).removed).toEqual(ids);
  expect(await stored('s0')).toBeUndefined();
});

describe('an entry that was away', () => {
  const begin = async (more: object = {}) => {
    await take([entry('a', more), entry('b')]);
    await pause('a');
    lab.clock.advance(1000);
    await take([entry('b')]);
    lab.clock.advance(1000);
  };

  test('is as it was, also if another entry changes at the same time', async () => {
    const createdAt = lab.clock.now();
    await begin();
    await take([entry('a'), entry('b', { filter: { tags: ['rust'] } })]);
    expect(await stored('a')).toMatchObject({ createdAt, pausedAt: createdAt });
  });

  test('is new if it belongs to another account now', async () => {
    await begin({ account: 'alice' });
    await take([entry('a', { account: 'bob' }), entry('b')]);
    expect(isPaused(await stored('a'))).toBe(false);
    expect((await stored('a')).createdAt).toBe(lab.clock.now());
  });

  test('is new a week later', async () => {
    await begin();
    lab.clock.advance(7 * DAY);
    await take([entry('a'), entry('b')]);
    expect(isPaused(await stored('a'))).toBe(false);
  });

  test('is new if what was removed under its id was made by command', async () => {
    const made = pausedFrom(entry('a', {}, 'cli'), lab.clock.now());
    await put(lab.stores.subscriptions, made);
    await retire(lab.stores, made, lab.clock.now());
    lab.clock.advance(1000);
    await take([entry('a')]);
    expect(await stored('a')).toMatchObject({ origin: 'file', createdAt: lab.clock.now() });
    expect(isPaused(await stored('a'))).toBe(false);
  });
});

test('leaves a subscription that a command makes at the same moment under the id of an entry', async () => {
  const { subscriptions } = lab.stores;
  const made = entry('a', { filter: { tags: ['dao'] } }, 'cli');
  const many: typeof subscriptions.many = async (ids) => {
    const found = await subscriptions.many(ids);
    await put(subscriptions, made);
    return found;
  };
  await reconcile({ ...lab.stores, subscriptions: { ...subscriptions, many } }, [entry('a')], {
    now: lab.clock.now(),
  });
  expect(await stored('a')).toEqual(made);
});
