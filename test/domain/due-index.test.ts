// The heap is checked against a list that is searched from end to end: slow, and plainly right.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDueIndex, type DueIndex } from '../../src/domain/due-index.js';

interface Row {
  id: string;
  at: number;
  order: number;
}

/** The same answers from a plain list. */
function naive(): DueIndex {
  let rows: Row[] = [];
  let order = 0;
  const sorted = () => [...rows].sort((a, b) => a.at - b.at || a.order - b.order);
  const drop = (id: string) => {
    rows = rows.filter((row) => row.id !== id);
  };
  return {
    set(id, at) {
      if (rows.some((row) => row.id === id && row.at === at)) return;
      drop(id);
      if (Number.isFinite(at)) rows.push({ id, at, order: order++ });
    },
    get: (id) => rows.find((row) => row.id === id)?.at,
    delete: drop,
    take(now, max = Number.POSITIVE_INFINITY) {
      const due = sorted()
        .filter((row) => row.at <= now)
        .slice(0, max)
        .map((row) => row.id);
      for (const id of due) drop(id);
      return due;
    },
    next: () => sorted()[0]?.at ?? Number.POSITIVE_INFINITY,
    get size() {
      return rows.length;
    },
  };
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const at = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 12 }) }, fc.constant(Infinity));
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('set' as const), id, at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), id }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      now: fc.integer({ min: 0, max: 12 }),
      max: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    }),
  },
);

test('it answers like the list, whatever is set, moved, deleted and taken', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
      const heap = createDueIndex();
      const list = naive();
      for (const one of steps) {
        if (one.do === 'set') for (const index of [heap, list]) index.set(one.id, one.at);
        else if (one.do === 'delete') for (const index of [heap, list]) index.delete(one.id);
        else expect(heap.take(one.now, one.max)).toEqual(list.take(one.now, one.max));
        expect(heap.next()).toBe(list.next());
        expect(heap.size).toBe(list.size);
        expect(heap.get('a')).toBe(list.get('a'));
      }
      expect(heap.take(Infinity)).toEqual(list.take(Infinity));
    }),
    { numRuns: 250 },
  );
});

test('ids moved a hundred thousand times come out once each, in order', () => {
  const index = createDueIndex();
  for (let round = 0; round < 1000; round++)
    for (let one = 0; one < 100; one++) index.set(`s${one}`, ((one * 7919 + round * 104_729) % 5000) + round);
  expect(index.size).toBe(100);
  const times = new Map(Array.from({ length: 100 }, (_, one) => [`s${one}`, index.get(`s${one}`) as number]));
  const taken = index.take(Infinity);
  expect(new Set(taken).size).toBe(100);
  expect(taken.map((one) => times.get(one))).toEqual([...times.values()].sort((a, b) => a - b));
});

test('an empty index is due never', () => {
  const index = createDueIndex();
  expect(index.next()).toBe(Infinity);
  expect(index.take(Infinity)).toEqual([]);
  index.set('a', 5);
  index.set('a', Number.NaN);
  expect(index.size).toBe(0);
});
