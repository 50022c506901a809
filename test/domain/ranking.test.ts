// The postings that a digest shows in full: those that fit best, of several companies, and the same each time.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EditionPosting } from '../../src/domain/edition.js';
import { best, picksOf, ranked } from '../../src/domain/ranking.js';

const NOW = Date.UTC(2026, 10, 23, 8);
const day = (days: number) => new Date(NOW - days * 86_400_000).toISOString().slice(0, 10);

function posting(n: number, fields: Partial<EditionPosting> = {}): EditionPosting {
  return {
    key: `id:${n}`,
    title: `Posting ${n}`,
    matched: ['rust'],
    applyUrl: `https://b.example/${n}`,
    ...fields,
  };
}

const many = (count: number) => Array.from({ length: count }, (_, n) => posting(n, { company: `Firm ${n}` }));
const keys = (list: readonly EditionPosting[]) => picksOf(ranked(list, NOW)).map(({ key }) => key);

test.each([
  [0, 0],
  [1, 1],
  [2, 2],
  [3, 3],
  [4, 3],
  [7, 3],
  [30, 3],
  [31, 4],
  [50, 5],
  [500, 5],
])('of %i postings, %i are picks', (count, picks) => {
  expect(picksOf(ranked(many(count), NOW))).toHaveLength(picks);
});

test('picks the best first: more of the rule, pay named, company known, newest', () => {
  const list = [
    ...many(4).map((one) => ({ ...one, postedAt: day(9) })),
    posting(10, { postedAt: day(1), salary: '$100k', matched: ['rust', 'solidity'] }),
    posting(11, { postedAt: day(1), salary: '$100k', company: 'Cobalt' }),
    posting(12, { postedAt: day(1), salary: '$100k' }),
  ];
  expect(keys(list)).toEqual(['id:10', 'id:11', 'id:12']);
  expect(keys(list.toReversed())).toEqual(['id:10', 'id:11', 'id:12']);
});

test('postings of an edition come in the order of the fit that they were cut with', () => {
  const fitted = [60, 90, 75].map((score, n) => posting(n, { fit: { score, reasons: [] } }));
  expect(ranked(fitted, NOW).map(({ key }) => key)).toEqual(['id:1', 'id:2', 'id:0']);
});

test('equals keep their order', () => {
  expect(ranked(many(9), NOW)).toEqual(many(9));
});

test('picks one of each company first, and others only when there are too few companies', () => {
  const cobalt = [1, 2, 3].map((n) =>
    posting(n, { company: n === 2 ? 'COBALT' : 'Cobalt', salary: '$100k' }),
  );
  const [basalt, other] = [posting(4, { company: 'Basalt' }), posting(5, { company: 'Other' })];
  expect(keys([...cobalt, basalt, other])).toEqual(['id:1', 'id:4', 'id:5']);
  expect(keys([...cobalt, basalt])).toEqual(['id:1', 'id:4', 'id:2']);
});

test('does not pick one without a link or a title while there are others', () => {
  const { applyUrl: _link, ...unlinked } = posting(1, { salary: '$100k', postedAt: day(0) });
  const { title: _title, ...untitled } = posting(2, { salary: '$100k', postedAt: day(0) });
  expect(keys([unlinked, untitled, ...[3, 4, 5].map((n) => posting(n))])).toEqual(['id:3', 'id:4', 'id:5']);
  expect(keys([unlinked, untitled])).toEqual(['id:1', 'id:2']);
});

describe('for any input', () => {
  const one = fc.record({
    company: fc.option(fc.constantFrom('Acme', 'acme', 'Basalt'), { nil: undefined }),
    title: fc.option(fc.string(), { nil: undefined }),
    postedAt: fc.option(fc.constantFrom('2026-11-20', '2030-01-01', 'never'), { nil: undefined }),
  });

  test('picks are some of the postings, each once, and the same every time', () => {
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), (fields) => {
        const list = fields.map((given, n) => posting(n, given as Partial<EditionPosting>));
        const picks = picksOf(ranked(list, NOW));
        expect(new Set(picks).size).toBe(picks.length);
        for (const pick of picks) expect(list).toContain(pick);
        expect(picks.length).toBeGreaterThanOrEqual(Math.min(3, list.length));
        expect(picks.length).toBeLessThanOrEqual(5);
        expect(picksOf(ranked(list, NOW))).toEqual(picks);
      }),
    );
  });
});

describe('the best of a list', () => {
  const scoreOf = (name: string) => Number(name.slice(1));

  test('are those with the highest scores, in the order of the list', () => {
    expect(best(['a1', 'b3', 'c2', 'd5'], 2, scoreOf)).toEqual(['b3', 'd5']);
    expect(best(['d5', 'c2', 'b3', 'a1'], 3, scoreOf)).toEqual(['d5', 'c2', 'b3']);
  });

  test('are the newer ones of equals, which are last', () => {
    expect(best(['a1', 'b1', 'c1', 'd9'], 2, scoreOf)).toEqual(['c1', 'd9']);
    expect(best(['a1', 'b1', 'c1'], 0, scoreOf)).toEqual([]);
  });

  test('are all of a list that is not longer, which is returned as it is', () => {
    const list = ['a2', 'b1'];
    expect(best(list, 2, scoreOf)).toBe(list);
    expect(best(list, 3, scoreOf)).toBe(list);
  });
});
