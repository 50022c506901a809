// A wrong filter must be refused with every fault named, because the API answers nonsense with an empty list; and
// matches must be what a person would expect from the words.
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../src/domain/errors.js';
import {
  answersOf,
  brokenRules as brokenAt,
  covers,
  FILTER,
  type Filter,
  isAskedFor,
  isSameFilter,
  judge as judgeAt,
  limitOf,
  parseFilter,
  positiveTerms,
  queriesOf,
  queryKey,
  subjectOf,
  tagOf,
  wouldMatch as wouldMatchAt,
} from '../../src/domain/filter.js';
import type { Posting } from '../../src/domain/posting.js';
import { printTerm } from '../../src/domain/rules/index.js';

const NOW = Date.parse('2026-11-18T10:00:00Z');
const judge = (filter: Filter, one: Posting, tags: readonly string[]) => judgeAt(filter, one, tags, NOW);
const brokenRules = (filter: Filter, one: Posting) => brokenAt(filter, one, NOW);
const wouldMatch = (filter: Filter, one: Posting) => wouldMatchAt(filter, one, NOW);

function faultsOf(value: unknown): string[] {
  try {
    parseFilter(value);
  } catch (error) {
    if (error instanceof UserError) return error.message.split('\n');
    throw error;
  }
  return [];
}

function posting(fields: Partial<Posting> = {}): Posting {
  return { key: 'id:1', title: 'Engineer', ...fields };
}

const matches = (filter: object, fields: Partial<Posting>) =>
  judge(parseFilter(filter), posting(fields), []).ok;

describe('reading a filter', () => {
  test('reports every fault together, each with its field and a fix', () => {
    const faults = faultsOf({
      tags: ['rust', 'solidty', 'Front End'],
      country: 'Germny',
      remote: 'yes',
      include: { a: 1 },
      minSalary: '80k',
      payUnknown: 'maybe',
      limit: 101,
      colour: 'blue',
    });
    expect(faults).toHaveLength(9);
    for (const part of [
      /^filter: "colour" is not a field; wanted one of tags,/u,
      /^tags: "solidty" .*did you mean solidity/u,
      /^tags: "front end" .*did you mean front-end/u,
      /^country: "Germny" .*did you mean germany/u,
      /^remote: .*got "yes"/u,
      /^include: wanted a list of words/u,
      /^minSalary: wanted a whole number from 1 to 10000000, got "80k"/u,
      /^limit: wanted a whole number from 1 to 100, got 101/u,
      /^payUnknown: wanted keep or drop/u,
    ])
      expect(faults.filter((fault) => part.test(fault))).toHaveLength(1);
  });

  test.each([
    ['USA', 'united-states'],
    ['Deutschland', 'germany'],
    ['uk', 'united-kingdom'],
    ['germany', 'germany'],
  ])('%s becomes the slug the API knows', (country, slug) => {
    expect(parseFilter({ country }).country).toBe(slug);
  });

  test.each([undefined, null, {}, { tags: null, country: '', remote: false, minSalary: '', include: [] }])(
    'accepts an empty filter: %j',
    (value) => {
      expect(parseFilter(value)).toEqual({
        tags: [],
        include: [],
        exclude: [],
        payUnknown: 'keep',
        limit: 100,
      });
    },
  );

  test.each(['rust', 3, true, [], ['rust']])('%j is no filter', (value) => {
    expect(faultsOf(value)).toEqual(['filter: wanted fields such as tags and country.']);
  });

  test('its result can be read again unchanged', () => {
    const filter = parseFilter({
      tags: 'Rust, solidity,rust',
      country: 'USA',
      remote: true,
      include: ['zero  knowledge', 'zk', 'zk'],
      exclude: 'intern',
      minSalary: '80000',
      payUnknown: 'drop',
      limit: 20,
    });
    expect(filter).toEqual({
      tags: ['rust', 'solidity'],
      country: 'united-states',
      remote: true,
      include: ['zero knowledge', 'zk'],
      exclude: ['intern'],
      minSalary: 80_000,
      payUnknown: 'drop',
      limit: 20,
    });
    expect(parseFilter(filter)).toEqual(filter);
  });

  test('has limits: ten tags, twenty words of sixty characters', () => {
    const tags = 'ai,analyst,backend,bitcoin,blockchain,crypto,cto,dao,defi,design'.split(',');
    expect(parseFilter({ tags }).tags).toHaveLength(10);
    expect(faultsOf({ tags: [...tags, 'rust'] })).toEqual([expect.stringContaining('at most 10')]);
    expect(faultsOf({ include: ['x'.repeat(61)] })).toHaveLength(1);
    expect(faultsOf({ exclude: Array.from({ length: 21 }, (_, n) => `word${n}`) })).toHaveLength(1);
    expect(parseFilter({ include: ['x'.repeat(60)] }).include).toHaveLength(1);
    expect(faultsOf({ limit: 0 })).toHaveLength(1);
    expect(faultsOf({ limit: 1.5 })).toHaveLength(1);
  });

  test('does not count empty and repeated items', () => {
    const tags = 'ai,analyst,backend,bitcoin,blockchain,crypto,cto,dao,defi,design'.split(',');
    expect(parseFilter({ tags: ['', ...tags, 'AI'] }).tags).toEqual(tags);
    const words = Array.from({ length: 20 }, (_, n) => `word${n}`);
    expect(parseFilter({ include: [...words, ' ', 'word1', ''] }).include).toEqual(words);
  });

  test('names no other value if none is near', () => {
    expect(faultsOf({ tags: ['qqqqqq'], country: 'qqqqqq' })).toEqual([
      'tags: "qqqqqq" is not a tag of the jobs API; wanted one that "jobcrier subscriptions add --help" lists.',
      'country: "qqqqqq" is not known; wanted a country such as germany or united-states.',
    ]);
    expect(faultsOf({ country: 5 })).toEqual([
      'country: 5 is not known; wanted a country such as germany or united-states.',
    ]);
    expect(faultsOf({ country: 'united' })).toEqual([
      expect.stringMatching(/did you mean tanzania, united-arab-emirates, united-kingdom\?$/u),
    ]);
  });

  test.each<[object, object]>([
    [
      { want: 'rust, remote', remote: false, tags: null },
      { tags: ['rust'], remote: true },
    ],
    [{ want: 'rust', tags: [] }, { tags: ['rust'] }],
    [{ want: null, tags: ['rust'] }, { tags: ['rust'] }],
    [{ want: [], tags: ['rust'] }, { tags: ['rust'] }],
    [{ want: `rust${' '.repeat(996)}` }, { tags: ['rust'] }],
    [
      { want: 'rust, senior', terms: ['remote'] },
      { tags: ['rust'], terms: ['remote', 'level: senior'] },
    ],
  ])('%j is %j', (sentence, fields) => {
    expect(parseFilter(sentence)).toEqual(parseFilter(fields));
  });

  test('names the place of a sentence that is refused, and the fields that are given twice', () => {
    const issueOf = (value: unknown) =>
      v.safeParse(FILTER, value).issues?.map(({ message, path, received }) => ({
        message,
        at: path?.map(({ key }) => key),
        received,
      }));
    expect(issueOf({ want: 3 })).toEqual([
      { message: 'want: wanted a sentence.', at: ['want'], received: '' },
    ]);
    expect(issueOf({ want: 'rust, remote', tags: ['zk'], remote: true })).toMatchObject([
      { at: ['want'], received: 'tags, remote' },
    ]);
  });

  test('names the field that a misspelt one probably means', () => {
    expect(faultsOf({ tagz: ['rust'], mnSalary: 1 })).toEqual([
      'filter: "tagz" is not a field; did you mean tags?',
      'filter: "mnSalary" is not a field; did you mean minSalary?',
    ]);
  });

  test('quotes only the start of a long value', () => {
    for (const fault of faultsOf({ tags: ['x'.repeat(5000)], country: 'y'.repeat(5000) }))
      expect(fault.length).toBeLessThan(250);
  });
});

describe('requests', () => {
  test('are one per tag, with the other fields in each', () => {
    const filter = parseFilter({ tags: ['rust', 'defi'], country: 'germany', remote: true, limit: 50 });
    expect(queriesOf(filter)).toEqual([
      { tag: 'rust', country: 'germany', remote: true, limit: 50 },
      { tag: 'defi', country: 'germany', remote: true, limit: 50 },
    ]);
    expect(queriesOf(parseFilter({}))).toEqual([{ limit: 100 }]);
    expect(queriesOf(filter, 100).map((query) => query.limit)).toEqual([100, 100]);
  });

  test('have a key with every field, so that no two of them share an answer', () => {
    const keys = [
      { limit: 20 },
      { limit: 100 },
      { tag: 'rust' as const, limit: 20 },
      { country: 'rust', limit: 20 },
      { remote: true as const, limit: 20 },
      { tag: 'rust' as const, remote: true as const, limit: 20 },
    ].map(queryKey);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('can be read from their key', () => {
    const key = queryKey({ tag: 'rust', country: 'germany', remote: true, limit: 20 });
    expect([key, subjectOf(key), tagOf(key), limitOf(key)]).toEqual([
      'rust|germany|remote|20',
      'rust|germany|remote',
      'rust',
      20,
    ]);
    expect([queryKey({ limit: 100 }), tagOf('|||100')]).toEqual(['|||100', undefined]);
  });

  test.each([
    ['rust|||100', 'rust|||20', true],
    ['rust|||20', 'rust|||20', true],
    ['rust|||20', 'rust|||21', false],
    ['|||100', 'rust|||20', false],
    ['rust||remote|100', 'rust|||100', false],
  ])('%s includes %s: %s', (former, question, is) => {
    expect(covers(former, question)).toBe(is);
  });
});

test.each<[object, object, boolean]>([
  [{ tags: ['rust', 'defi'] }, { tags: ['defi', 'rust'], limit: 20 }, true],
  [{ tags: ['rust'] }, { tags: ['defi'] }, false],
  [{ include: ['Caf\u00e9', 'a'] }, { include: ['a', 'cafe\u0301'] }, true],
  [{ include: ['a'] }, { include: ['b'] }, false],
  [{ include: ['a'] }, { exclude: ['a'] }, false],
  [{ country: 'germany' }, { country: 'france' }, false],
  [{ remote: true }, {}, false],
  [{ minSalary: 1 }, { minSalary: 2 }, false],
  [{ minSalary: 1 }, { minSalary: 1, payUnknown: 'drop' }, false],
  [{}, { payUnknown: 'drop' }, true],
  [{ terms: ['level: senior, staff'] }, { terms: ['level: staff, senior'] }, true],
  [{ terms: ['level: senior'] }, { terms: ['not level: senior'] }, false],
])('%j asks for the same as %j: %s', (one, other, isSame) => {
  expect(isSameFilter(parseFilter(one), parseFilter(other))).toBe(isSame);
});

describe('words', () => {
  test.each<[string, string, boolean]>([
    ['zk', 'ZK engineer', true],
    ['zk', 'zkSync engineer', false],
    ['intern', 'International sales', false],
    ['intern', 'Intern (m/f)', true],
    ['intern', 'intern2', false],
    ['c++', 'C++ developer', true],
    ['c++', 'C developer', false],
    ['node.js', 'Node.js', true],
    ['node.js', 'nodexjs', false],
    ['.net', 'senior .NET', true],
    ['(remote)', 'Engineer (Remote)', true],
    ['zero knowledge', 'Zero   Knowledge proofs', true],
    ['zero knowledge', 'Zero\u00a0Knowledge', true],
    ['zero knowledge', 'zero-day knowledge', false],
    ['разработчик', 'Старший Разработчик', true],
    ['работ', 'Разработчик', false],
    ['工程师', '工程师', true],
    ['über', 'ÜBER alles', true],
    ['caf\u00e9', 'Cafe\u0301 lead', true],
    ['cafe\u0301', 'Caf\u00e9 lead', true],
    ['cafe', 'Cafe\u0301 lead', false],
    ['a|b', 'a', false],
  ])('%j in %j: %s', (word, title, found) => {
    expect(matches({ include: [word] }, { title })).toBe(found);
    expect(matches({ exclude: [word] }, { title })).toBe(!found);
  });

  test.each<[string, Partial<Posting>]>([
    ['title', { title: 'ZK lead' }],
    ['company', { company: 'ZK Labs' }],
    ['tags', { tags: ['crypto', 'zk'] }],
    ['description', { description: '<p>We do <b>ZK</b>.</p>' }],
  ])('are searched in the %s', (_field, fields) => {
    expect(matches({ include: ['zk'] }, fields)).toBe(true);
  });

  test('are not found in markup, nor in the line that asks applicants for a word', () => {
    expect(matches({ include: ['strong'] }, { description: '<strong>Hi</strong>' })).toBe(false);
    const bait = 'Good job.<br>When applying, mention the word SOLIDARITY to show you read the job post.';
    expect(matches({ include: ['solidarity'] }, { description: bait })).toBe(false);
    expect(matches({ include: ['good'] }, { description: bait })).toBe(true);
  });

  test('of a phrase must be in one field', () => {
    expect(matches({ include: ['rust engineer'] }, { title: 'Senior Rust', company: 'Engineer GmbH' })).toBe(
      false,
    );
    expect(matches({ include: ['rust engineer'] }, { description: '<p>Rust<br>engineer</p>' })).toBe(true);
  });

  test('match if one wanted word is there and no unwanted one; the rule and the reasons are returned', () => {
    const filter = parseFilter({ include: ['zk', 'protocol'], exclude: ['intern', 'junior'] });
    expect(judge(filter, posting({ title: 'Protocol engineer' }), ['rust'])).toEqual({
      ok: true,
      matched: ['rust', 'protocol'],
    });
    expect(judge(filter, posting({ title: 'Junior protocol engineer' }), [])).toEqual({
      ok: false,
      rule: 'exclude: junior',
    });
    expect(judge(filter, posting(), [])).toEqual({ ok: false, rule: 'include: zk, protocol' });
  });
});

describe('pay', () => {
  const filter = parseFilter({ minSalary: 80_000 });
  const strict = parseFilter({ minSalary: 80_000, payUnknown: 'drop' });

  test.each<[string, Posting['pay'], boolean, boolean]>([
    ['the upper end counts', { min: 60_000, max: 90_000, currency: 'USD', unit: 'year' }, true, true],
    ['exactly enough', { max: 80_000, currency: 'USD', unit: 'year' }, true, true],
    ['too little', { min: 50_000, max: 79_999, currency: 'USD', unit: 'year' }, false, false],
    ['by the hour', { max: 50, currency: 'USD', unit: 'hour' }, true, true],
    ['by the month', { max: 5000, currency: 'EUR', unit: 'month' }, false, false],
    ['won, which are no dollars', { max: 9_000, currency: 'KRW', unit: 'year' }, true, false],
    ['a lot of an unknown currency', { max: 9_000_000, unit: 'year' }, true, false],
    ['little of an unknown currency', { max: 50_000, unit: 'year' }, true, false],
    ['not comparable', { max: 9_000_000, currency: 'INR', unit: 'year' }, true, false],
    ['unknown', undefined, true, false],
  ])('%s', (_case, pay, kept, keptStrictly) => {
    const one = posting(pay ? { pay } : {});
    expect(judge(filter, one, []).ok).toBe(kept);
    expect(judge(strict, one, []).ok).toBe(keptStrictly);
  });

  test("the board's estimate is not the employer's pay", () => {
    const guessed = posting({ estimatedPay: { max: 500_000, currency: 'USD', unit: 'year' } });
    expect(judge(strict, guessed, [])).toEqual({ ok: false, rule: 'minSalary: pay unknown' });
  });
});

test('all rules that remove a posting are named, each excluded word for itself', () => {
  const filter = parseFilter({ exclude: ['intern', 'unpaid'], include: ['zk'], minSalary: 100_000 });
  const pay = { min: 20_000, max: 40_000, currency: 'USD', unit: 'year' } as const;
  expect(brokenRules(filter, posting({ title: 'Unpaid Intern', pay }))).toEqual([
    'exclude: intern',
    'exclude: unpaid',
    'include: zk',
    'minSalary: 100000',
  ]);
  expect(brokenRules(filter, posting({ title: 'ZK Intern' }))).toEqual(['exclude: intern']);
  expect(brokenRules(filter, posting({ title: 'ZK' }))).toEqual([]);
  expect(brokenRules({ ...filter, payUnknown: 'drop' }, posting({ title: 'ZK' }))).toEqual([
    'minSalary: pay unknown',
  ]);
});

describe('a posting that another filter found', () => {
  const filter = parseFilter({ tags: ['rust', 'defi'], country: 'Germany', remote: true, include: ['zk'] });
  const fits = { title: 'ZK', tags: ['defi', 'rust'], country: 'germany', remote: true };

  test('matches by its own fields, with the reasons', () => {
    expect(wouldMatch(filter, posting(fits))).toEqual({ ok: true, matched: ['rust', 'defi', 'zk'] });
    const { country: _none, ...rest } = fits;
    expect(wouldMatch(filter, posting({ ...rest, location: 'Berlin, Germany' })).ok).toBe(true);
  });

  test.each<[Partial<Posting>, string]>([
    [{ tags: ['golang'] }, 'tags: rust, defi'],
    [{ remote: false }, 'remote'],
    [{ country: 'france' }, 'country: germany'],
    [{ title: 'Other' }, 'include: zk'],
  ])('%j is removed by %s', (fields, rule) => {
    expect(wouldMatch(filter, posting({ ...fits, ...fields }))).toEqual({ ok: false, rule });
  });

  test.each<[Partial<Posting>, boolean, number]>([
    [fits, true, 0],
    [{ ...fits, title: 'Other' }, true, 1],
    [{ ...fits, tags: ['golang'] }, false, 1],
    [{ ...fits, country: 'france' }, false, 1],
    [{ title: 'ZK' }, false, 3],
  ])('%j is asked for: %s, and breaks %s rules', (fields, isAsked, broken) => {
    expect(isAskedFor(filter, posting(fields), NOW)).toBe(isAsked);
    expect(brokenAt(filter, posting(fields), NOW, false)).toHaveLength(broken);
  });

  test('does not match without the field that decides', () => {
    const bare = posting({ title: 'ZK' });
    expect(wouldMatch(filter, bare).ok).toBe(false);
    expect(wouldMatch(parseFilter({ remote: true }), bare).ok).toBe(false);
    expect(wouldMatch(parseFilter({ country: 'germany' }), bare).ok).toBe(false);
    expect(wouldMatch(parseFilter({}), bare)).toEqual({ ok: true, matched: [] });
  });
});

describe('terms', () => {
  const filter = parseFilter({
    tags: ['rust'],
    terms: ['level: senior, staff', 'not company: Acme', 'rather region: EU', 'rather contract: full-time'],
  });

  test('do not change the requests', () => {
    expect(queriesOf(filter)).toEqual(queriesOf(parseFilter({ tags: ['rust'] })));
  });

  test('that are required or excluded decide, and are named', () => {
    expect(judge(filter, posting({ title: 'Junior Engineer' }), [])).toEqual({
      ok: false,
      rule: 'level: senior, staff',
    });
    expect(judge(filter, posting({ title: 'Senior Engineer', company: 'Acme Labs' }), [])).toEqual({
      ok: false,
      rule: 'not company: Acme',
    });
    expect(brokenRules(filter, posting({ title: 'Junior Engineer', company: 'Acme' }))).toEqual([
      'level: senior, staff',
      'not company: Acme',
    ]);
  });

  test('keep a posting that does not say', () => {
    expect(judge(filter, posting(), ['rust'])).toEqual({ ok: true, matched: ['rust'] });
  });

  test('keep a posting that also offers something that is not excluded', () => {
    const one = parseFilter({ terms: ['not level: junior'] });
    expect(judge(one, posting({ title: 'Junior/Mid Developer' }), []).ok).toBe(true);
    expect(judge(one, posting({ title: 'Junior Developer' }), []).ok).toBe(false);
  });

  test('that are wanted remove nothing, and are reasons when they are met', () => {
    expect(judge(filter, posting({ title: 'Staff Engineer', location: 'New York' }), [])).toEqual({
      ok: true,
      matched: [],
    });
    expect(
      judge(filter, posting({ title: 'Staff Engineer (full-time)', location: 'Berlin' }), ['rust']),
    ).toEqual({ ok: true, matched: ['rust', 'rather region: eu', 'rather contract: full-time'] });
    const far = parseFilter({ minSalary: 80_000, terms: ['rather remote', 'not level: junior'] });
    const pay = { max: 90_000, currency: 'USD', unit: 'year' } as const;
    const one = posting({ title: 'Senior Engineer', remote: true, pay });
    expect(judge(far, one, [])).toEqual({ ok: true, matched: ['rather remote'] });
  });

  test('that are required or wanted are wishes, except for tags and words, which are reasons anyway', () => {
    const all = parseFilter({
      tags: ['rust'],
      country: 'germany',
      remote: true,
      include: ['zk'],
      exclude: ['php'],
      minSalary: 80_000,
      terms: [...(filter.terms ?? []), 'rather words: go', 'words: ai'],
    });
    expect(positiveTerms(all).map(printTerm)).toEqual([
      'remote',
      'country: germany',
      'pay: 80000 USD/year',
      'level: senior, staff',
      'rather region: eu',
      'rather contract: full-time',
      'rather words: go',
    ]);
    expect(positiveTerms(parseFilter({ remote: true }))).toEqual([
      { term: 'remote', values: [], mode: 'require' },
    ]);
  });

  test('are part of what makes a filter the same', () => {
    expect(isSameFilter(filter, parseFilter({ ...filter, terms: filter.terms?.toReversed() }))).toBe(true);
    expect(isSameFilter(filter, parseFilter({ tags: ['rust'] }))).toBe(false);
  });

  test('answer one by one, with what the posting says', () => {
    const answers = answersOf(
      parseFilter({ tags: ['rust'], remote: true, exclude: ['php'], terms: filter.terms }),
      posting({ title: 'Junior Engineer', location: 'Oslo', remote: false }),
      NOW,
    );
    expect(answers.map(({ rule, isMet, removes, saw }) => [rule, isMet, removes, saw])).toEqual([
      ['tags: rust', true, false, []],
      ['remote', false, false, []],
      ['exclude: php', true, false, []],
      ['level: senior, staff', false, true, ['junior']],
      ['not company: Acme', undefined, false, []],
      ['rather region: eu', false, false, ['Oslo']],
      ['rather contract: full-time', undefined, false, []],
    ]);
  });
});
