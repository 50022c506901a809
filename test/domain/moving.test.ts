// What becomes of waiting postings when the destinations of a subscription change.
import { describe, expect, test } from 'vitest';
import type { Edition } from '../../src/domain/edition.js';
import { EMPTY_LEDGER, type Ledger, type Owed } from '../../src/domain/ledger.js';
import { arrivedBeforeMove, movedHere, wantedToMove, withDestinations } from '../../src/domain/moving.js';

const NOW = Date.UTC(2026, 10, 21, 12);

/** A ledger in which each posting waits for the named destinations. */
function waiting(postings: Readonly<Record<string, string>>, more: Partial<Ledger> = {}): Ledger {
  const outbox = Object.entries(postings).map(([key, to]) => ({
    posting: { key, applyUrl: `https://a.example/${key}` },
    matched: [],
    at: NOW - 1000,
    to: to.split(' '),
  }));
  return { ...EMPTY_LEDGER, outbox, ...more };
}

/** What waits for which destinations. */
const waits = ({ outbox }: Ledger) =>
  Object.fromEntries(outbox.map(({ posting, to }) => [posting.key, to.join(' ')]));

const edition = (destination: string, parts: string[][], more: Partial<Edition> = {}): Edition => ({
  id: `edition-${destination}`,
  destination,
  every: 'daily',
  from: NOW,
  slot: NOW,
  parts,
  sent: 0,
  rest: [],
  cutAt: NOW,
  attempts: 0,
  outages: 0,
  waited: 0,
  nextAt: NOW,
  ...more,
});

describe('what waits for a removed destination', () => {
  const ledger = waiting({ one: 'a b', two: 'b', three: 'c' }, { places: ['a', 'b', 'c'] });

  test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['moves to the new one at its position', ['a', 'x', 'c', 'y'], { one: 'a x', two: 'x', three: 'c' }],
    [
      'moves to that one, not to the first new one',
      ['x', 'y', 'a', 'c'],
      { one: 'a y', two: 'y', three: 'c' },
    ],
    ['moves to the new one elsewhere', ['x', 'a', 'c'], { one: 'a x', two: 'x', three: 'c' }],
    ['is dropped if there is no new one', ['c', 'a'], { one: 'a', three: 'c' }],
    ['moves each to another one, if as many are new', ['x', 'c', 'y'], { one: 'x y', two: 'y', three: 'c' }],
    ['moves to the only new one, once', ['c', 'x'], { one: 'x', two: 'x', three: 'c' }],
    ['moves also if all are replaced by fewer', ['x', 'y'], { one: 'x y', two: 'y', three: 'y' }],
    ['stays in place if only the order changes', ['c', 'b', 'a'], { one: 'a b', two: 'b', three: 'c' }],
    ['is not sent to an added one', ['a', 'b', 'c', 'x'], { one: 'a b', two: 'b', three: 'c' }],
  ])('%s', (_what, destinations, expected) => {
    const next = withDestinations(ledger, destinations, NOW);
    expect(waits(next)).toEqual(expected);
    expect(next.places).toEqual(destinations);
    expect(withDestinations(next, destinations, NOW + 1)).toBe(next);
  });

  test('has an outcome there that says where it went, or why it was dropped', () => {
    const moved = withDestinations(ledger, ['a', 'x', 'c'], NOW).done;
    expect(moved).toEqual({
      one: { b: { at: NOW, how: 'moved', to: 'x' } },
      two: { b: { at: NOW, how: 'moved', to: 'x' } },
    });
    const dropped = { at: NOW, how: 'dropped', why: 'destination removed' };
    expect(withDestinations(ledger, ['a', 'c'], NOW).done).toEqual({
      one: { b: dropped },
      two: { b: dropped },
    });
  });

  test.each<[string, boolean]>([
    ['sent', true],
    ['more', true],
    ['elsewhere', true],
    ['expired', false],
    ['dropped', false],
    ['parked', false],
  ])('and had the outcome "%s" at the new one before: is done there: %s', (how, isDone) => {
    const former = { at: NOW - 500, how: how as 'sent' };
    const done = { two: { x: former }, one: { a: former } };
    const next = withDestinations({ ...ledger, done }, ['a', 'x', 'c'], NOW);
    expect(waits(next)).toEqual(isDone ? { one: 'a x', three: 'c' } : { one: 'a x', two: 'x', three: 'c' });
    expect(next.done.two?.x).toEqual(isDone ? former : undefined);
    expect(next.done.one?.a).toEqual(former);
  });

  test('is found also in a ledger of an earlier version, which has no list of destinations', () => {
    const { places: _none, ...earlier } = ledger;
    expect(waits(withDestinations(earlier, ['a', 'x', 'c'], NOW))).toMatchObject({ two: 'x' });
    expect(withDestinations(earlier, ['a', 'b', 'c'], NOW)).toEqual(ledger);
  });

  test('needs the outcomes at the present destinations', () => {
    expect(wantedToMove(ledger, ['a', 'x', 'c'])).toEqual({
      outcomes: { keys: 'owed', destinations: ['a', 'x', 'c'] },
    });
    const unread = { postings: 1, oldest: NOW, places: [{ destination: 'b', postings: 1, oldest: NOW }] };
    expect(wantedToMove({ ...waiting({}), unread }, ['x'])).toEqual({
      outcomes: { keys: 'owed', destinations: ['x'] },
    });
    expect(wantedToMove({ ...waiting({}), unread }, ['b', 'x'])).toEqual({});
    expect(wantedToMove(ledger, ['c', 'b', 'a', 'x'])).toEqual({});
    expect(wantedToMove(waiting({}, { places: ['a'] }), ['x'])).toEqual({});
  });
});

describe('what is known about a removed destination', () => {
  const ledger = waiting(
    { one: 'b' },
    {
      places: ['a', 'b'],
      editions: [edition('a', [['zero']]), edition('b', [['one']])],
      parked: { a: { at: NOW, why: 'x' }, b: { at: NOW, why: 'x' } },
      lastEdition: { a: NOW - 10, b: NOW - 20 },
      today: { a: { day: '2026-11-21', count: 1 }, b: { day: '2026-11-21', count: 2 } },
    },
  );

  test('is forgotten, except for when it had its last edition, which counts for the new one', () => {
    const next = withDestinations(ledger, ['a', 'x'], NOW);
    expect(next.editions).toEqual([ledger.editions[0]]);
    expect(Object.keys(next.parked)).toEqual(['a']);
    expect(next.lastEdition).toEqual({ a: NOW - 10, x: NOW - 20 });
    expect(next.today).toEqual({ a: { day: '2026-11-21', count: 1 } });
    expect(withDestinations(ledger, ['a'], NOW).lastEdition).toEqual({ a: NOW - 10 });
  });

  test('is all that the ledger has, whatever it is', () => {
    const only = (part: Partial<Ledger>) =>
      withDestinations({ ...EMPTY_LEDGER, places: ['a'], ...part }, ['a'], NOW);
    expect(only({ lastEdition: { b: 1 } }).lastEdition).toEqual({});
    expect(only({ parked: { b: { at: 1, why: 'x' } } }).parked).toEqual({});
    expect(only({ editions: [edition('b', [['one']])] }).editions).toEqual([]);
    expect(waits(only(waiting({ one: 'b' }, { places: ['a'] })))).toEqual({});
    expect(only({})).not.toHaveProperty('today');
  });

  test('leaves the last edition of the new one as it is, if two move to it', () => {
    const two = waiting({ one: 'a', two: 'b' }, { places: ['a', 'b'], lastEdition: { a: 10, b: 20 } });
    expect(withDestinations(two, ['x'], NOW).lastEdition).toEqual({ x: 10 });
    const none = waiting({ one: 'a' }, { places: ['a'] });
    expect(withDestinations(none, ['x'], NOW).lastEdition).toEqual({});
  });
});

describe('a message that arrived at a destination that was removed meanwhile', () => {
  const before = waiting({ one: 'a', two: 'a' }, { places: ['a'] });
  const moved = withDestinations(before, ['x'], NOW);

  test('is not sent to the new one as well', () => {
    const next = arrivedBeforeMove(moved, 'a', ['one'], NOW + 1);
    expect(waits(next)).toEqual({ two: 'x' });
    expect(next.done.one).toMatchObject({
      a: { at: NOW + 1, how: 'sent' },
      x: { at: NOW + 1, how: 'elsewhere' },
    });
    expect(next.done.two).toEqual(moved.done.two);
  });

  test('is taken out of an edition for the new one, unless sending that was tried', () => {
    const cut = { ...moved, editions: [edition('x', [['one'], ['two']]), edition('y', [['one']])] };
    const next = arrivedBeforeMove(cut, 'a', ['one'], NOW + 1);
    expect(next.editions.map(({ parts }) => parts)).toEqual([[['two']], [['one']]]);
    expect(next.done.one).toMatchObject({ a: { how: 'sent' }, x: { how: 'elsewhere' } });
    const [first, second] = moved.outbox as [Owed, Owed];
    const third = { ...second, posting: { key: 'three' } };
    const tried = {
      ...moved,
      outbox: [first, second, third],
      editions: [edition('x', [['one'], ['two']], { attempts: 1 })],
    };
    const after = arrivedBeforeMove(tried, 'a', ['one'], NOW + 1);
    expect(after.editions).toEqual(tried.editions);
    expect(waits(after)).toEqual(waits(tried));
    expect(after.done.one).toMatchObject({ a: { how: 'sent' } });
    expect(after.done.one).not.toHaveProperty('x.how');
  });

  test('changes nothing for a posting that was not moved', () => {
    expect(arrivedBeforeMove(before, 'a', ['one'], NOW)).toBe(before);
    expect(arrivedBeforeMove(moved, 'b', ['one', 'three'], NOW)).toBe(moved);
  });

  test('a posting says when it was moved to a destination', () => {
    expect(movedHere(moved.done.one, 'x')).toMatchObject({ at: NOW });
    expect(movedHere(moved.done.one, 'a')).toBeUndefined();
    expect(movedHere({ a: { at: 1, how: 'sent', to: 'x' }, b: undefined }, 'x')).toBeUndefined();
    expect(movedHere(undefined, 'x')).toBeUndefined();
  });
});
