// The stages of an application: what a change keeps, what an undo brings back, and when a person applied.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { appliedAt, changesOf, MARKS, type Marked, moved, undone } from '../../src/domain/stages.js';

const path = (...marks: readonly Marked['mark'][]) =>
  marks.reduce<Marked | undefined>((former, mark, index) => moved(former, mark, index), undefined) as Marked;

test('an undo brings back exactly what was there before the last change', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...MARKS), { minLength: 1, maxLength: 15 }), (marks) => {
      const distinct = marks.filter((mark, index) => mark !== marks[index - 1]);
      const all = path(...distinct);
      expect(changesOf(all)).toEqual(distinct.map((mark, at) => ({ mark, at })));
      expect(undone(all)).toEqual(distinct.length > 1 ? path(...distinct.slice(0, -1)) : undefined);
    }),
  );
});

test('the last twenty changes are kept, and a mark that is set again keeps its time', () => {
  const many = path(...Array.from({ length: 50 }, (_, index) => (index % 2 ? 'saved' : 'applied')));
  expect(changesOf(many)).toHaveLength(21);
  expect(moved(many, many.mark, 99)).toEqual(many);
});

describe('a person applied', () => {
  test.each([
    [path('applied'), 0],
    [path('saved', 'applied', 'interview', 'closed'), 1],
    [path('saved', 'interview'), 1],
    [path('interview', 'offer', 'closed'), 1],
    [path('saved', 'closed'), undefined],
    [path('saved'), undefined],
    [path('applied', 'saved'), undefined],
    [path('applied', 'dismissed'), undefined],
  ])('by %j at %j', (marked, at) => {
    expect(appliedAt(marked)).toBe(at);
  });
});
