// How well a posting fits: agrees with people about 60 postings, and keeps its promises for any posting.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defined } from '../../src/domain/defined.js';
import { type Filter, parseFilter, wouldMatch } from '../../src/domain/filter.js';
import {
  fitOf,
  type MatchedPosting,
  NO_WISHES,
  shareable,
  type Wishes,
  wishesOf,
} from '../../src/domain/fit.js';
import { parsePay } from '../../src/domain/pay.js';
import type { Posting } from '../../src/domain/posting.js';
import { ranked } from '../../src/domain/ranking.js';
import { matchTerm, printTerm, readTerm, type Term } from '../../src/domain/rules/index.js';

const NOW = Date.UTC(2026, 10, 23, 8);
const DAY = 86_400_000;
const dayAgo = (days: number) => new Date(NOW - days * DAY).toISOString().slice(0, 10);

function posting(fields: Partial<MatchedPosting> = {}): MatchedPosting {
  return { key: 'id:1', matched: [], ...fields };
}

const audits = [
  'Smart Contract Auditor',
  'Protocol Auditor',
  'Security Auditor',
  'Senior Security Auditor',
].map(
  (title, n): Posting => ({
    key: `id:saved-${n}`,
    title,
    company: `Auditors ${n}`,
    tags: ['solidity', 'smart-contract', 'security'],
  }),
);

const READERS: Readonly<Record<string, { readonly filter: Filter; readonly kept: readonly Posting[] }>> = {
  engineer: {
    filter: parseFilter({
      terms: [
        'role: engineering, research, security',
        'rather level: senior, staff',
        'rather region: EU',
        'rather remote',
        'rather pay: 120k',
      ],
    }),
    kept: [],
  },
  marketer: {
    filter: parseFilter({
      terms: [
        'role: marketing, community, sales',
        'rather level: junior, mid',
        'rather region: Americas',
        'rather contract: full-time',
      ],
    }),
    kept: [],
  },
  auditor: {
    filter: parseFilter({ terms: ['role: engineering, research, security', 'rather remote'] }),
    kept: audits,
  },
};

/** From this score on, a posting is a strong match, and below the other one a weak match. See docs/subscriptions.md. */
const STRONG = 75;
const WEAK = 60;

const LINES = readFileSync(new URL('fit-golden.txt', import.meta.url), 'utf8').split('\n');
const GOLDEN = LINES.filter((line) => line !== '' && !line.startsWith('#')).map((line, n) => {
  const [title, company, location, remote, salary, age, tags, description, ...labels] = line
    .split('|')
    .map((cell) => cell.trim() || undefined);
  const of: Posting = {
    key: `id:${n}`,
    ...defined({
      title,
      company,
      location,
      remote: remote ? remote === 'yes' : undefined,
      salary,
      pay: salary ? parsePay(salary) : undefined,
      postedAt: age ? dayAgo(Number(age)) : undefined,
      tags: tags?.split(', '),
      description,
    }),
  };
  return { of, labels };
});

describe('the golden set', () => {
  const judged = Object.entries(READERS).flatMap(([reader, { filter, kept }], at) =>
    GOLDEN.map(({ of, labels }) => {
      const verdict = wouldMatch(filter, of, NOW);
      const { score } = fitOf(
        { ...of, matched: verdict.ok ? verdict.matched : [] },
        wishesOf(filter, kept),
        NOW,
      );
      const found = !verdict.ok ? '-' : score >= STRONG ? 'strong' : score < WEAK ? 'weak' : 'good';
      return { label: labels[at], found, score, what: `${reader}: ${of.title}, ${of.company ?? '?'}` };
    }),
  );

  test('has 60 postings', () => {
    expect(GOLDEN).toHaveLength(60);
  });

  test('is labelled like people would', () => {
    const wrong = judged.filter(({ label, found }) => label !== found);
    expect(
      wrong.map(({ what, label, found, score }) => `${what}: ${found} (${score}), not ${label}`),
    ).toEqual([]);
  });
});

describe('for any posting and any wishes', () => {
  const some = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const written = fc.constantFrom(
    ...[
      'level: senior, staff',
      'level: junior',
      'region: EU',
      'region: Americas',
      'country: germany',
      'remote',
    ],
    ...[
      'pay: 100k',
      'posted: 3 days',
      'contract: full-time',
      'role: engineering',
      'company: Acme',
      'words: zk',
    ],
    ...['tag: rust, defi'],
  );
  const wish = fc
    .tuple(fc.constantFrom('', 'rather '), written)
    .map(([mode, text]) => readTerm(`${mode}${text}`) as Term);
  const wishes = fc
    .tuple(fc.uniqueArray(wish, { selector: printTerm, maxLength: 6 }), fc.subarray(audits))
    .map(([terms, kept]): Wishes => ({ terms, kept: wishesOf(parseFilter({}), kept).kept }));
  const facts = fc
    .record({
      title: some(
        'Senior Rust Engineer',
        'Junior/Senior Developer',
        'Smart Contract Auditor',
        'Marketing Lead',
      ),
      company: some('Acme', 'Basalt', 'Auditors 1'),
      location: some('Berlin, Germany', 'Worldwide', 'Remote', 'Boston, United States'),
      country: some('germany', 'united-states'),
      remote: some(true, false),
      salary: some('$80k', '$120k - $150k', 'Competitive'),
      postedAt: some(dayAgo(0), dayAgo(2), dayAgo(9), dayAgo(40), 'never'),
      tags: some(['rust'], ['solidity', 'smart-contract'], []),
      description: some('This is a full-time role.', 'We like zk.', 'Employment type: contract'),
      matched: fc.subarray(['rust', 'zk', 'rather level: senior', 'rather region: eu', 'rather remote']),
    })
    .map((fields) => {
      const pay = fields.salary && parsePay(fields.salary);
      return posting({ ...defined({ ...fields, pay: pay || undefined }), matched: fields.matched });
    });

  test('the score is between 0 and 100, and comes with two reasons at most', () => {
    fc.assert(
      fc.property(facts, wishes, (of, wanted) => {
        const { score, reasons } = fitOf(of, wanted, NOW);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(100);
        expect(reasons.length).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('the order of two postings does not depend on the others', () => {
    fc.assert(
      fc.property(fc.array(facts, { minLength: 2, maxLength: 20 }), wishes, (list, wanted) => {
        const fitted = list.map((of, n) => ({ ...of, key: `id:${n}`, fit: fitOf(of, wanted, NOW) }));
        const pair = fitted.slice(0, 2);
        expect(ranked(fitted, NOW).filter(({ key }) => pair.some((one) => one.key === key))).toEqual(
          ranked(pair, NOW),
        );
      }),
    );
  });

  test('a wish that is met never lowers the score', () => {
    fc.assert(
      fc.property(facts, wishes, wish, (of, wanted, more) => {
        const before = fitOf(of, wanted, NOW).score;
        const told = { ...of, matched: [...of.matched, 'rather level: staff'] };
        expect(fitOf(told, wanted, NOW).score).toBeGreaterThanOrEqual(before);
        const { is } = matchTerm(more, of, NOW);
        fc.pre(is === 'yes' || is === 'partly');
        expect(fitOf(of, { ...wanted, terms: [...wanted.terms, more] }, NOW).score).toBeGreaterThanOrEqual(
          before,
        );
      }),
    );
  });

  test('a wish about which it says nothing changes nothing', () => {
    fc.assert(
      fc.property(facts, wishes, wish, (of, wanted, more) => {
        fc.pre(matchTerm(more, of, NOW).is === 'unknown' && !of.matched.includes(printTerm(more)));
        const bare = { ...of, matched: of.matched.filter((reason) => !reason.startsWith('rather ')) };
        expect(fitOf(bare, { ...wanted, terms: [...wanted.terms, more] }, NOW)).toEqual(
          fitOf(bare, wanted, NOW),
        );
      }),
    );
  });

  test('a posting that says less never beats a full one that says the same', () => {
    const left = fc.subarray([
      ...([
        'title',
        'company',
        'location',
        'country',
        'remote',
        'salary',
        'pay',
        'postedAt',
        'tags',
      ] as const),
      'description',
    ]);
    fc.assert(
      fc.property(facts, wishes, left, (full, wanted, names) => {
        const fields = Object.entries(full).filter(([name]) => !names.some((one) => one === name));
        const thin = posting(Object.fromEntries(fields));
        const saysTheSame = wanted.terms.every((term) => {
          const [less, more] = [matchTerm(term, thin, NOW).is, matchTerm(term, full, NOW).is];
          return less === more || (less === 'unknown' && more !== 'no');
        });
        fc.pre(saysTheSame);
        expect(fitOf(thin, wanted, NOW).score).toBeLessThanOrEqual(fitOf(full, wanted, NOW).score);
      }),
    );
  });
});

// Four points for a posting and four against it, before anything is known. The score is the share of those for it.
test.each<[string, readonly string[], Partial<MatchedPosting>, number]>([
  ['nothing is known', [], {}, 50],
  ['a company', [], { company: 'Acme' }, 52.94],
  ['pay', [], { pay: { min: 1 } }, 55.56],
  ['pay in words', [], { salary: 'competitive' }, 55.56],
  ['of today', [], { postedAt: dayAgo(0) }, 55.56],
  ['of tomorrow', [], { postedAt: dayAgo(-1) }, 55.56],
  ['of last week', [], { postedAt: dayAgo(7) }, 52.94],
  ['of two weeks ago', [], { postedAt: dayAgo(14) }, 50],
  ['of no day', [], { postedAt: 'never' }, 50],
  ['no more than four matches count', [], { matched: ['rust', 'defi', 'ai', 'zk', 'go'] }, 63.64],
  ['a wish is met', ['rather remote'], { remote: true }, 66.67],
  ['a wish is met in part', ['rather level: senior'], { title: 'Senior/Staff Cook' }, 66.67],
  ['a wish is not met', ['rather remote'], { remote: false }, 42.11],
  ['a required term is met', ['level: senior'], { title: 'Senior Cook' }, 54.29],
  ['a required term is not met', ['level: senior'], { title: 'Junior Cook' }, 42.11],
  ['a word that is not mentioned says nothing', ['rather words: zk'], { title: 'Cook' }, 50],
  ['nor does another company', ['rather company: Basalt'], { company: 'Acme' }, 52.94],
  ['a wish was met', ['rather level: senior'], { matched: ['rather level: senior'] }, 66.67],
  [
    'one of its values was met',
    ['rather level: staff, senior'],
    { matched: ['rather level: senior'] },
    66.67,
  ],
  ['a wish without values was met', ['rather remote'], { matched: ['rather remote'] }, 66.67],
  ['another wish was met', ['rather level: staff'], { matched: ['rather level: senior'] }, 66.67],
  ['a wish for another term was met', ['rather remote'], { matched: ['rather level: senior'] }, 66.67],
  [
    'another wish was met, and this one was not',
    ['rather level: staff'],
    { matched: ['rather level: senior'], title: 'Senior Cook' },
    59.26,
  ],
  ['a wish that is required here was met', ['level: senior'], { matched: ['rather level: senior'] }, 66.67],
  [
    'wishes of others count once for each term',
    [],
    { matched: ['rather level: senior', 'rather level: staff', 'rather remote'] },
    75,
  ],
])('%s: %j, %j has %s', (_what, terms, fields, score) => {
  expect(fitOf(posting(fields), wishesOf(parseFilter({ terms })), NOW).score).toBe(score);
});

test('what its reader saved is not shown to others', () => {
  expect(shareable({ score: 70, reasons: [{ saved: 2 }, { named: 'pay' }] })).toEqual({
    score: 70,
    reasons: [{ named: 'pay' }],
  });
});

describe('the reasons', () => {
  const wanted = wishesOf(
    parseFilter({
      tags: ['rust'],
      minSalary: 90_000,
      terms: ['rather level: senior, staff', 'rather remote'],
    }),
    audits,
  );
  const reasonsOf = (fields: Partial<MatchedPosting>, wishes = wanted) =>
    fitOf(posting(fields), wishes, NOW).reasons;

  test('are the two that count most: wishes, then what was saved, then pay and what the filter requires', () => {
    const title = 'Senior Security Auditor';
    const level = { term: 'level', values: ['senior'] };
    const full = { title, remote: true, tags: ['solidity', 'security'], salary: '$120k', matched: ['rust'] };
    expect(reasonsOf(full)).toEqual([level, { term: 'remote', values: [] }]);
    expect(reasonsOf({ ...full, remote: false })).toEqual([level, { saved: 4 }]);
    expect(reasonsOf({ ...full, remote: false, tags: [] })).toEqual([level, { named: 'pay' }]);
    expect(reasonsOf({ matched: ['rust', 'zk'], salary: '$120k' })).toEqual([
      { named: 'pay' },
      { term: 'tag', values: ['rust'] },
    ]);
    expect(reasonsOf({})).toEqual([]);
  });

  test('name the pay once', () => {
    const pay = { min: 120_000, max: 150_000, currency: 'USD', unit: 'year' } as const;
    expect(reasonsOf({ pay, matched: ['rust'] })).toEqual([
      { term: 'pay', values: ['90000 USD/year'] },
      { term: 'tag', values: ['rust'] },
    ]);
  });

  test('include a wanted word that only the whole description has, and wishes of other subscriptions', () => {
    expect(reasonsOf({ matched: ['own words'] }, NO_WISHES)).toEqual([
      { term: 'words', values: ['own words'] },
    ]);
    expect(reasonsOf({ matched: ['rather words: zk'] }, NO_WISHES)).toEqual([
      { term: 'words', values: ['zk'] },
    ]);
    const words = wishesOf(parseFilter({ terms: ['rather words: zk'] }));
    expect(reasonsOf({ matched: ['rather words: zk'], description: 'Cut.' }, words)).toEqual([
      { term: 'words', values: ['zk'] },
    ]);
  });
});

describe('what a reader saved', () => {
  const score = (fields: Partial<MatchedPosting>, kept: readonly Posting[] = audits) =>
    fitOf(posting(fields), wishesOf(parseFilter({}), kept), NOW).score;
  const audit = { title: 'Lead Security Auditor', tags: ['solidity', 'security', 'evm'] };

  test('raises postings of the same company, and of the same role with common tags', () => {
    const none = score({});
    expect(score({ company: 'AUDITORS 2' })).toBeGreaterThan(score({ company: 'Other' }));
    expect(score(audit)).toBeGreaterThan(score(audit, []));
    expect(score({ ...audit, tags: ['solidity'] })).toBe(none);
    expect(score({ ...audit, title: 'Marketing Lead' })).toBe(none);
    expect(
      score({ ...audit, title: 'Data Lead' }, [{ ...audit, key: 'x', title: 'Engineering Data Lead' }]),
    ).toBe(55.56);
    expect(score({ title: 'Cook' }, [{ key: 'x', title: 'Cook' }])).toBe(none);
    expect(score(audit, [...Array.from({ length: 50 }, (_, n) => ({ key: `id:${n}` })), ...audits])).toBe(
      none,
    );
  });

  test('counts more if it was done more often, and never lowers others', () => {
    expect(score(audit, audits.slice(0, 2))).toBeGreaterThan(score(audit, audits.slice(0, 1)));
    expect(score({ title: 'Cook' })).toBe(score({ title: 'Cook' }, []));
    // The posting itself, which came again, is not like itself.
    expect(score({ ...audit, key: 'id:9' }, [{ ...audit, key: 'id:9' }])).toBe(score(audit, []));
  });
});
