// What a posting suggests to leave out or to put first: the change does what it says, and can be undone.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Filter, isSameFilter, judge, parseFilter } from '../../src/domain/filter.js';
import type { Posting } from '../../src/domain/posting.js';
import {
  changedBy,
  effectOf,
  exclusions,
  isMade,
  wishes,
  withoutChange,
} from '../../src/domain/rule-change.js';
import { printTerm } from '../../src/domain/rules/index.js';
import { runs } from '../helpers/runs.js';

const NOW = Date.parse('2026-11-18T10:00:00Z');

const ACME: Posting = {
  key: 'id:1',
  title: 'Senior Rust Engineer',
  company: 'Acme, Inc.',
  location: 'Berlin, Germany',
  remote: false,
  tags: ['rust', 'defi', 'backend'],
  pay: { min: 70_000, max: 90_000, currency: 'USD', unit: 'year' },
};

const filterOf = (given: object = {}) => parseFilter({ tags: ['rust'], ...given });
const saysOf = (filter: Filter, posting = ACME) =>
  exclusions(filter, posting, NOW).map(({ id, says }) => `${id}: ${printTerm(says)}`);
function choice(id: string, filter: Filter, posting = ACME) {
  const all = [...exclusions(filter, posting, NOW), ...wishes(filter, posting, NOW)];
  const found = all.find((one) => one.id === id);
  if (!found) throw new Error(`no ${id} in ${all.map((one) => one.id).join(', ')}`);
  return found;
}

describe('what a posting suggests to leave out', () => {
  test('is its company, level, pay, place and topics, but no tag that the filter asks for', () => {
    expect(saysOf(filterOf())).toEqual([
      'not-company: not company: "Acme, Inc."',
      'not-level: not level: senior',
      'not-pay: pay: 91000 USD/year',
      'not-country: not country: germany',
      'not-remote: remote',
      'not-tag-1: not tag: defi',
      'not-tag-2: not tag: backend',
      'not-role: not role: engineering',
    ]);
  });

  test('has a reason for each', () => {
    const all = [...exclusions(filterOf(), ACME, NOW), ...wishes(filterOf(), { ...ACME, remote: true }, NOW)];
    expect(all.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
      'not-company: company',
      'not-level: level',
      'not-pay: pay',
      'not-country: place',
      'not-remote: place',
      'not-tag-1: topic',
      'not-tag-2: topic',
      'not-role: topic',
      'rather-company: company',
      'rather-level: level',
      'rather-country: place',
      'rather-tag-1: topic',
      'rather-tag-2: topic',
      'rather-role: topic',
      'rather-remote: place',
    ]);
  });

  test('is at most five topics, and none that the filter asks for', () => {
    const topics = (filter: Filter) =>
      exclusions(
        filter,
        { key: 'id:1', title: 'Ninja', tags: ['a', 'b', 'rust', 'defi', 'c', 'd', 'e', 'f'] },
        NOW,
      )
        .filter(({ says }) => says.term === 'tag')
        .map(({ says }) => says.values.join());
    expect(topics(filterOf({ tags: ['rust', 'defi'] }))).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test.each<[Posting['pay'], readonly string[]]>([
    [{ max: 50_000, currency: 'GBP' }, ['not-pay: pay: 51000 GBP/year']],
    [{ min: 50_000, currency: 'GBP', unit: 'month' }, ['not-pay: pay: 51000 GBP/month']],
    [{ max: 50_000, unit: 'year' }, []],
    [{ currency: 'USD', unit: 'year' }, []],
    [{}, []],
  ])('of the pay %j is %j', (pay, says) => {
    expect(saysOf(filterOf(), { key: 'id:1', title: 'Ninja', ...(pay && { pay }) })).toEqual(says);
  });

  test('is nothing that the posting does not say', () => {
    expect(saysOf(filterOf(), { key: 'id:1', title: 'Ninja', tags: ['rust'] })).toEqual([]);
    expect(saysOf(filterOf(), { key: 'id:1', title: 'Ninja', location: 'Europe' })).toEqual([
      'not-region: not region: europe',
    ]);
  });

  test('is nothing without which nothing could match', () => {
    const narrow = filterOf({ country: 'germany', terms: ['company: Acme', 'level: senior', 'tag: defi'] });
    expect(saysOf(narrow).map((line) => line.split(':')[0])).toEqual([
      'not-pay',
      'not-remote',
      'not-tag-2',
      'not-role',
    ]);
  });

  test('is no company whose name is a web address, and none that is too long for a rule', () => {
    for (const company of ['https://evil.example/r/1', 'A'.repeat(101)])
      expect(saysOf(filterOf(), { key: 'id:1', title: 'Ninja', company })).toEqual([]);
  });
});

describe('a change', () => {
  test('joins the values of the same term', () => {
    const filter = filterOf({ terms: ['not company: Other', 'rather level: staff'] });
    const next = changedBy(filter, choice('not-company', filter).change);
    expect(next.terms?.map(printTerm)).toEqual(['not company: Other, "Acme, Inc."', 'rather level: staff']);
    const liked = changedBy(next, choice('rather-level', next).change);
    expect(liked.terms?.map(printTerm)).toContain('rather level: staff, senior');
  });

  test('of something the filter does not ask for leaves what it asks for', () => {
    const filter = filterOf({ terms: ['company: Acme, Other', 'remote'] });
    const next = changedBy(filter, choice('not-level', filter).change);
    expect(next.terms?.map(printTerm)).toEqual(['company: Acme, Other', 'remote', 'not level: senior']);
  });

  test('that puts remote jobs first is suggested by a remote one, if the filter does not ask for them', () => {
    const remote = { ...ACME, remote: true };
    const ids = (filter: Filter, posting: Posting) => wishes(filter, posting, NOW).map(({ id }) => id);
    expect(ids(filterOf(), remote)).toContain('rather-remote');
    expect(ids(filterOf(), ACME)).not.toContain('rather-remote');
    expect(ids(filterOf({ remote: true }), remote)).not.toContain('rather-remote');
    expect(printTerm(choice('rather-remote', filterOf(), remote).says)).toBe('rather remote');
  });

  test('takes a value out of what the filter asks for', () => {
    const filter = filterOf({ terms: ['level: senior, staff', 'company: Acme, Other'] });
    const level = changedBy(filter, choice('not-level', filter).change);
    expect(level.terms?.map(printTerm)).toEqual(['level: staff', 'company: Acme, Other']);
    const company = changedBy(filter, choice('not-company', filter).change);
    expect(company.terms?.map(printTerm)).toEqual(['level: senior, staff', 'company: Other']);
  });

  test.each([
    [{ minSalary: 80_000 }, { currency: 'USD', max: 90_000, unit: 'year' }, 'from 91000'],
    [{ minSalary: 80_000 }, { currency: 'USD', max: 60, unit: 'hour' }, 'from 126880'],
    [{ minSalary: 80_000 }, { currency: 'INR', max: 3_000_000, unit: 'year' }, 'pay: 3100000 INR/year'],
    [
      { terms: ['pay: 60000 INR/year'] },
      { currency: 'INR', max: 99_500, unit: 'year' },
      'pay: 100000 INR/year',
    ],
    [{}, { currency: 'USD', max: 140_000, unit: 'year' }, 'pay: 150000 USD/year'],
  ] as const)('of the pay of %j raises it above %j', (more, pay, wanted) => {
    const filter = filterOf(more);
    const { change } = choice('not-pay', filter, { ...ACME, pay });
    const next = changedBy(filter, change);
    const floors = [`from ${next.minSalary}`, ...(next.terms ?? []).map(printTerm)];
    expect(floors).toContain(wanted);
    expect(floors.filter((line) => line.startsWith('pay: '))).toHaveLength(wanted.startsWith('pay') ? 1 : 0);
    expect(isSameFilter(withoutChange(next, change), filter)).toBe(true);
  });

  test('is undone after other changes, once, and leaves what another change made', () => {
    const filter = filterOf({ terms: ['level: senior, staff'] });
    const company = choice('not-company', filter).change;
    const level = choice('not-level', filter).change;
    const both = changedBy(changedBy(filter, company), level);
    const back = withoutChange(both, company);
    expect(isSameFilter(back, changedBy(filter, level))).toBe(true);
    expect(withoutChange(back, company)).toBe(back);
    expect(isSameFilter(withoutChange(back, level), filter)).toBe(true);
    // The person has removed the term since. To add a level to it would ask for that level only.
    const without = filterOf();
    expect(withoutChange(without, level)).toBe(without);
  });
});

test('the effect counts what was let through before and would not be now, and what would come first', () => {
  const found = (own: boolean, fields: Partial<Posting>) => ({
    posting: { ...ACME, ...fields },
    at: NOW,
    own,
  });
  const former = [
    found(true, {}),
    found(true, { company: 'Other' }),
    found(true, { company: 'Acme', title: 'Staff Engineer' }),
    // Its own request returned it, although it does not have the tag.
    found(true, { tags: ['solidity'] }),
    found(false, { tags: ['solidity'] }),
  ];
  const filter = filterOf();
  expect(effectOf(filter, choice('not-company', filter).change, former)).toEqual({ of: 4, count: 3 });
  expect(effectOf(filter, choice('rather-level', filter).change, former)).toEqual({ of: 4, count: 3 });
  expect(effectOf(filter, choice('rather-level', filter).change, [])).toEqual({ of: 0, count: 0 });
});

test('of any posting and filter, every change does what it says, is made once, and can be undone', () => {
  const one = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const posting = fc.record(
    {
      key: fc.constant('id:1'),
      title: one('Senior Engineer', 'Junior Sales Manager', 'Senior/Staff Designer', 'Ninja'),
      company: one('Acme', 'Acme, Inc.', 'O"Neil; Sons', 'Ünïted'),
      location: one('Berlin, Germany', 'Remote, US', 'EMEA', 'Worldwide'),
      remote: one(true, false),
      tags: one(['rust'], ['defi', 'web 3', 'rust'], ['nft']),
      pay: one(
        { max: 90_000, currency: 'USD', unit: 'year' as const },
        { min: 5_000, max: 6_000, currency: 'EUR', unit: 'month' as const },
        { max: 50, currency: 'GBP' },
        { max: 50 },
      ),
    },
    { requiredKeys: ['key'] },
  );
  const term = fc.constantFrom(
    ...['level: senior, staff', 'not level: junior', 'company: Acme, Other', 'not company: Other'],
    ...['rather role: design', 'remote', 'pay: 60000 USD/year', 'tag: rust, defi', 'region: emea'],
  );
  const filter = fc.record(
    {
      tags: fc.constantFrom([], ['rust'], ['rust', 'defi']),
      minSalary: fc.constantFrom(1, 80_000),
      country: fc.constant('germany'),
      terms: fc.uniqueArray(term, { maxLength: 4 }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(filter, posting, (given, fields) => {
      const before = parseFilter(given);
      const about = JSON.parse(JSON.stringify(fields)) as Posting;
      const not = exclusions(before, about, NOW);
      const rather = wishes(before, about, NOW);
      expect(new Set([...not, ...rather].map(({ id }) => id)).size).toBe(not.length + rather.length);
      for (const { change } of [...not, ...rather]) {
        const next = changedBy(before, change);
        expect(isMade(next, change)).toBe(true);
        expect(parseFilter(next)).toEqual(next);
        expect(isSameFilter(changedBy(next, change), next)).toBe(true);
        expect(isSameFilter(withoutChange(next, change), before)).toBe(true);
      }
      for (const { change } of not) expect(judge(changedBy(before, change), about, [], NOW).ok).toBe(false);
      for (const { change } of rather) {
        const was = judge(before, about, [], NOW);
        const is = judge(changedBy(before, change), about, [], NOW);
        expect(is.ok).toBe(was.ok);
        if (is.ok && was.ok) expect(is.matched.length).toBeGreaterThan(was.matched.length);
      }
    }),
    { numRuns: runs(300) },
  );
});
