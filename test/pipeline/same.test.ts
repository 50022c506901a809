// Whether two records are equal.
import { expect, test } from 'vitest';
import { same } from '../../src/pipeline/same.js';

test.each<[unknown, unknown, boolean]>([
  [1, 1, true],
  [1, 2, false],
  ['a', 'b', false],
  [null, null, true],
  [null, {}, false],
  [[1, 2], [2, 1], false],
  [['a'], { 0: 'a' }, false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: { c: [{ x: 1, y: 2 }], d: 3 } }, { a: { d: 3, c: [{ y: 2, x: 1 }] } }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 'x' }, { a: 'y' }, false],
])('%j and %j: %s', (one, other, areSame) => {
  expect(same(one, other)).toBe(areSame);
});
