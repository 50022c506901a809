// Each term: what it reads, and what it finds in a posting. A posting that does not say is not known, never refused.
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { FILTER, parseFilter } from '../../../src/domain/filter.js';
import type { Posting } from '../../../src/domain/posting.js';
import { isSameCompany } from '../../../src/domain/rules/company.js';
import {
  hasTerm,
  matchTerm,
  printTerm,
  readTerm,
  TERM_NAMES,
  type Term,
  termEntry,
  wishIn,
  withoutTerm,
  withTerm,
} from '../../../src/domain/rules/index.js';

const NOW = Date.parse('2026-11-18T10:00:00Z');

function term(line: string): Term {
  const read = readTerm(line);
  if (!read) throw new Error(`not read: ${line}`);
  return read;
}

const finding = (line: string, fields: Partial<Posting>) =>
  matchTerm(term(line), { key: 'id:1', ...fields }, NOW);
const find = (line: string, fields: Partial<Posting>): string => finding(line, fields).is;

const faultOf = (terms: unknown): string => {
  try {
    parseFilter({ terms });
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('reading', () => {
  test.each([
    ['level: Senior, staff', 'level: senior, staff'],
    ['not level: Entry Level', 'not level: junior'],
    ['rather region: European Union', 'rather region: eu'],
    ['Rather  Company: "Acme, Inc."', 'rather company: "Acme, Inc."'],
    ['not remote', 'not remote'],
    ['posted: 2 weeks', 'posted: 14'],
    ['posted: 7', 'posted: 7'],
    ['posted: within  3  days', 'posted: 3'],
    ['posted: 1 month', 'posted: 30'],
    ['posted: 365', 'posted: 365'],
    ['pay: 80', 'pay: 80000 USD/year'],
    ['pay: 80000.4 USD', 'pay: 80000 USD/year'],
    ['pay: 80k', 'pay: 80000 USD/year'],
    ['pay: €70,000 / year', 'pay: 70000 EUR/year'],
    ['pay: 60 USD/hour', 'pay: 60 USD/hour'],
    ['pay: ₹30 lakh per year', 'pay: 3000000 INR/year'],
    ['contract: Full time, freelance', 'contract: full-time, contract'],
    ['contract: FULL_TIME, Temp., b2b', 'contract: full-time, temporary, contract'],
    ['role: engineer', 'role: engineering'],
    ['level: sr, senior', 'level: senior'],
    ['NOT level: intern', 'not level: intern'],
    ['country:', undefined],
    ['country: Atlantis', undefined],
    ['posted: 0', undefined],
    ['posted: 366', undefined],
    ['posted: 7 years', undefined],
    ['posted: about 7 days', undefined],
    ['pay: up to 80k', undefined],
    ['pay: EUR 80', 'pay: 80 EUR/year'],
    ['pay: 60 per hour', 'pay: 60 USD/hour'],
    ['pay: 80k XYZ', undefined],
    ['pay: ₭80,000', undefined],
    ['pay: a lot', undefined],
    ['region: in', undefined],
    ['region: UTC', 'region: UTC+0'],
    ['region: UTC+5:30', 'region: UTC+5.5'],
    ['region: UTC-3:30', 'region: UTC-3.5'],
    ['region: (cet)', 'region: UTC+1'],
    ['region: UTC-5 to UTC+1', 'region: UTC-5 to UTC+1'],
    ['region: UTC-5 UTC+1', undefined],
    ['region: near UTC-5', undefined],
    ['region: UTC-5 or so', undefined],
    ['region: bis', undefined],
    ['region: north_america', 'region: north-america'],
    ['region: The Americas', 'region: americas'],
    ['region: deu', undefined],
    ['region: aUT', undefined],
    ['region: AUt', undefined],
    ['x\nlevel: senior', undefined],
    ['level: "senior"s', undefined],
    ['rather', undefined],
    ['rather not level: senior', undefined],
    ['country: Deutschland, USA', 'country: germany, united-states'],
    ['region: US time zones ± 3h', 'region: UTC-11 to UTC-2'],
    ['region: US timezones +/- 3 hours', 'region: UTC-11 to UTC-2'],
    ['region: cet ±2', 'region: UTC-1 to UTC+3'],
    ['region: UTC-5', 'region: UTC-5'],
    ['region: Latin America', 'region: latam'],
    ['region: Chile, CH, EU', 'region: chile, switzerland, eu'],
    ['words: zk, zero knowledge', 'words: zk, zero knowledge'],
    ['tag: Front End', 'tag: front-end'],
    ['tag:  Our  Own Tag', 'tag: our-own-tag'],
  ])('%s is %s', (line, printed) => {
    const read = readTerm(line);
    expect(read && printTerm(read)).toBe(printed);
    if (printed !== undefined) expect(readTerm(printed)).toEqual(read);
  });

  test.each([
    [[{ level: 'senior' }], 'level: senior'],
    [[{ 'rather level': ['senior', 'staff'] }], 'rather level: senior, staff'],
    [[{ posted: 7 }], 'posted: 7'],
    [['rather remote'], 'rather remote'],
    [[{ remote: true }], 'remote'],
    [[{ 'not remote': null }], 'not remote'],
    [[{ level: ['senior', ' ', ' staff '] }], 'level: senior, staff'],
    [[{ pay: ['80k'] }], 'pay: 80000 USD/year'],
    [[{ tag: ['our  own'] }], 'tag: our-own'],
    [[{ words: Array.from({ length: 50 }, (_, at) => `w${at}`) }], expect.stringMatching(/ w49$/u)],
    [[{ words: 'x'.repeat(100) }], `words: ${'x'.repeat(100)}`],
    [[{ term: 'company', values: ['Acme'], mode: 'exclude' }], 'not company: Acme'],
    [[{ term: 'level', values: ['staff'], mode: 'want' }], 'rather level: staff'],
  ])('%j in a file', (terms, printed) => {
    const filter = parseFilter({ terms });
    expect(filter.terms?.map(printTerm)).toEqual([printed]);
    expect(parseFilter(filter)).toEqual(filter);
    expect(parseFilter({ terms: filter.terms?.map(termEntry) })).toEqual(filter);
  });

  test('is written as text if the term has no values, and by its name otherwise', () => {
    expect(termEntry(term('rather remote'))).toBe('rather remote');
    expect(termEntry(term('not level: intern, junior'))).toEqual({ 'not level': 'intern, junior' });
  });

  test('the same term twice is one term', () => {
    expect(parseFilter({ terms: ['level: senior', { level: 'Senior' }] }).terms).toHaveLength(1);
    expect(parseFilter({ terms: [] })).not.toHaveProperty('terms');
  });

  test.each([
    [['levle: senior'], 'terms: "levle" is not a term; did you mean level?'],
    [['lvl: senior'], 'terms: "lvl" is not a term; did you mean level?'],
    [[':senior'], 'terms: "" is not a term;'],
    [['level: nead'], 'level: "nead" is not known; did you mean lead, head?'],
    [['wages: 80k'], 'terms: "wages" is not a term; wanted one of tag, country, region,'],
    [['constructor: a'], 'terms: "constructor" is not a term; wanted one of'],
    [[''], 'terms: "" is not a term;'],
    [['level: seniour'], 'level: "seniour" is not known; did you mean senior?'],
    [['level: MIF'], 'level: "MIF" is not known; did you mean mid?'],
    [['level: wizard'], 'level: "wizard" is not known; wanted a level: intern, junior, mid, senior,'],
    [['company:'], 'company: wanted the name of a company.'],
    [[{ level: true }], 'level: wanted a level: intern, junior'],
    [['level:'], 'level: wanted a level: intern, junior'],
    [['remote: yes'], 'remote: it takes no value; wanted "remote", "not remote" or "rather remote".'],
    [['region: Atlantis'], 'region: "Atlantis" is not known; wanted a region, a country, or time zones'],
    [['posted: soon'], 'posted: "soon" is not known; wanted a time from 1 to 365 days'],
    [[3], 'terms: wanted items such as'],
    [[null], 'terms: wanted items such as'],
    [[['level: senior']], 'terms: wanted items such as'],
    [[{}], 'terms: wanted items such as'],
    [[{ term: 'company', values: ['Acme'], mode: 'maybe' }], 'terms: wanted items such as'],
    [
      [{ words: Array.from({ length: 51 }, (_, at) => `w${at}`) }],
      'terms: wanted at most 50 values of at most 100 characters each.',
    ],
    [[{ words: ['zk', 'x'.repeat(101)] }], 'terms: wanted at most 50 values of at most 100 characters each.'],
    ['level: senior', 'terms: wanted a list of terms, got a text of 13 characters.'],
    [[{ level: 'senior', company: 'Acme' }], 'terms: wanted items such as'],
    [Array.from({ length: 21 }, (_, at) => `words: w${at}`), 'terms: wanted at most 20 terms.'],
  ])('%j is refused with the reason', (terms, fault) => {
    expect(faultOf(terms)).toContain(fault);
  });

  test('all faults are reported together, each with its place in the list', () => {
    const terms = ['level: x', 'remote', 'region: y', 'levels: z'];
    expect(faultOf(terms).split('\n')).toHaveLength(3);
    const { issues = [] } = v.safeParse(FILTER, { terms });
    expect(issues.map(({ path = [] }) => path.map(({ key }) => key))).toEqual([
      ['terms', 0],
      ['terms', 2],
      ['terms', 3],
    ]);
  });
});

describe('a list of terms', () => {
  const list = (lines: readonly string[]) => lines.map(term);

  test.each<[readonly string[], string, readonly string[]]>([
    [[], 'remote', ['remote']],
    [['remote', 'level: senior'], 'level: staff, senior', ['remote', 'level: senior, staff']],
    [['level: senior'], 'rather level: staff', ['level: senior', 'rather level: staff']],
    [['level: senior'], 'role: data', ['level: senior', 'role: data']],
    [['pay: 80k'], 'pay: €7000/month', ['pay: 80000 USD/year', 'pay: 7000 EUR/month']],
  ])('%j with %s', (before, added, after) => {
    expect(withTerm(list(before), term(added)).map(printTerm)).toEqual(after);
  });

  test.each<[readonly string[], string, readonly string[]]>([
    [['level: senior, staff', 'not level: staff'], 'level: staff', ['level: senior', 'not level: staff']],
    [['level: senior', 'words: senior', 'remote'], 'level: senior', ['words: senior', 'remote']],
    [['remote', 'not remote'], 'remote', ['not remote']],
  ])('%j without %s', (before, removed, after) => {
    expect(withoutTerm(list(before), term(removed)).map(printTerm)).toEqual(after);
  });

  test.each<[readonly string[], string, boolean]>([
    [['level: senior, staff'], 'level: staff', true],
    [['level: senior', 'level: staff'], 'level: senior, staff', true],
    [['level: senior'], 'level: senior, staff', false],
    [['not level: senior'], 'level: senior', false],
    [['words: data'], 'role: data', false],
    [['remote'], 'remote', true],
    [[], 'remote', false],
  ])('%j has %s: %s', (lines, wanted, has) => {
    expect(hasTerm(list(lines), term(wanted))).toBe(has);
  });
});

test.each<[string, Partial<Posting>, readonly string[], readonly string[]]>([
  ['level: senior, head', { title: 'Senior/Staff Engineer' }, ['senior', 'staff'], ['senior']],
  ['company: Acme, Beta', { company: 'Acme Inc.' }, ['Acme Inc.'], ['Acme']],
  ['tag: rust, defi', { tags: ['ai', 'defi'] }, ['ai', 'defi'], ['defi']],
  ['words: zk, rust, go', { title: 'ZK, Rust' }, ['zk', 'rust'], ['zk', 'rust']],
  ['country: germany', { country: 'france', location: 'Berlin' }, ['france'], []],
  ['country: germany', { location: 'Berlin' }, ['germany'], ['germany']],
  ['remote', { remote: true }, [], []],
  ['posted: 7', { postedAt: '2026-11-16' }, ['2026-11-16'], ['7']],
  ['posted: 7', { postedAt: 'soon' }, [], []],
  [
    'pay: 80k',
    { pay: { min: 70_000, max: 90_000, currency: 'EUR' } },
    ['90000 EUR/year'],
    ['80000 USD/year'],
  ],
  [
    'pay: 80k',
    { pay: { min: 7000, currency: 'EUR', unit: 'month' } },
    ['7000 EUR/month'],
    ['80000 USD/year'],
  ],
  ['pay: 80k', { pay: { max: 6000, currency: 'EUR', unit: 'month' } }, ['6000 EUR/month'], []],
  ['region: eu, apac', { location: 'Berlin, Germany' }, ['Berlin, Germany'], ['eu']],
  ['region: eu, apac', { location: 'Oslo' }, ['Oslo'], []],
  ['region: eu', { country: 'germany' }, ['germany'], ['eu']],
  ['region: eu', { location: 'Remote' }, ['Remote'], []],
  ['region: eu', {}, [], []],
])('%s of %j: says %j, meets %j', (line, fields, saw, met) => {
  expect(finding(line, fields)).toMatchObject({ saw, met });
});

test.each<[string, string, string]>([
  ['level: senior', 'Senior Engineer', 'yes'],
  ['level: senior', 'Senior/Staff Engineer', 'partly'],
  ['level: senior', 'Junior Engineer', 'no'],
  ['level: senior', 'Engineer', 'unknown'],
  ['role: design', 'Product Designer', 'yes'],
  ['role: product', 'Product Designer', 'no'],
  ['role: people', 'Engineering Recruiter', 'yes'],
  ['role: engineering', 'Engineering Recruiter', 'no'],
  ['role: marketing', 'Product Marketing Manager', 'yes'],
  ['role: sales', 'Lead Generation Specialist', 'yes'],
  ['role: engineering', 'Solidity Developer', 'yes'],
  ['role: engineering', 'Sales Engineer', 'partly'],
  ['role: finance', 'Decentralized Finance Engineer', 'no'],
  ['role: finance', 'Staff Accountant', 'yes'],
  ['role: security', 'Smart Contract Auditor', 'yes'],
  ['role: support', 'Customer Support Engineer', 'yes'],
  ['role: engineering', 'Wizard', 'unknown'],
  ['role: sales, engineering', 'Sales Engineer', 'yes'],
  ['role: engineering', `${'x'.repeat(292)} Engineer`, 'unknown'],
  ['level: senior', `${'x'.repeat(294)} Senior`, 'unknown'],
  ['level: senior', 'Se\u0301nior Developer', 'yes'],
])('%s, %s: %s', (line, title, is) => {
  expect(find(line, { title })).toBe(is);
});

test.each<[string, string, string]>([
  ['Acme', 'Acme', 'yes'],
  ['acme', 'ACME Inc.', 'yes'],
  ['Acme', 'Acme Labs', 'yes'],
  ['Acme Labs', 'Acme Foundation', 'yes'],
  ['Acme', 'Acme Bank', 'no'],
  ['Acme', 'Acmeville', 'no'],
  ['Société', 'Societe SA', 'yes'],
  ['Foo GmbH', 'foo', 'yes'],
  ['Labs', 'Labs', 'yes'],
  ['Acme Labs Inc', 'Acme Protocol Foundation Ltd', 'yes'],
  ['A.B.C.', 'abc', 'yes'],
  ["Levi's", 'Levi’s', 'yes'],
  ['Foo-Bar', 'foo  bar', 'yes'],
  ['R&D', 'RD', 'no'],
  ['C++ Co', 'C', 'no'],
  ['Network Partners', 'Partners', 'no'],
  ['“Labs”', 'Labs', 'yes'],
  [`${'x'.repeat(200)}a`, `${'x'.repeat(200)}b`, 'yes'],
])('company %s, %s: %s', (wanted, company, is) => {
  expect(find(`company: ${wanted}`, { company })).toBe(is);
  expect(find(`company: ${wanted}`, {})).toBe('unknown');
  expect(isSameCompany(wanted, company)).toBe(is === 'yes');
});

test.each<[string, Partial<Posting>, string]>([
  ['contract', { title: 'Smart Contract Engineer' }, 'unknown'],
  ['contract', { title: 'Contract Manager' }, 'unknown'],
  ['contract', { title: 'Contracts Counsel' }, 'unknown'],
  ['contract', { title: 'Solidity Developer (Contract)' }, 'yes'],
  ['contract', { title: 'Freelance Writer' }, 'yes'],
  ['part-time', { title: 'Community Moderator, part time' }, 'yes'],
  ['full-time', { title: 'Engineer', tags: ['rust', 'full-time'] }, 'yes'],
  ['full-time', { title: 'Engineer', tags: ['smart-contract'] }, 'unknown'],
  ['full-time', { extra: { employment_type: 'FULL_TIME' } }, 'yes'],
  ['full-time', { extra: { job_type: 'contract' } }, 'no'],
  ['full-time', { title: 'Engineer (full-time or contract)' }, 'partly'],
  ['full-time', { description: '<p>Employment type: <b>Full-time</b></p>' }, 'yes'],
  ['full-time', { description: 'This is a full-time position in Berlin.' }, 'yes'],
  ['full-time', { description: 'You have worked full-time before.' }, 'unknown'],
  ['internship', { title: 'Internship Program Manager' }, 'unknown'],
  ['internship', { title: 'Marketing Intern' }, 'yes'],
  ['temporary', { title: 'Interim CFO' }, 'yes'],
  ['temporary', { title: 'Temporal Engineer' }, 'unknown'],
  // The most reliable part that names any decides, and only so much of it is read.
  ['full-time', { extra: { type: 'Full-time' }, title: 'Intern', tags: ['contract'] }, 'yes'],
  ['internship', { extra: { type: 3 }, title: 'Intern', tags: ['contract'] }, 'yes'],
  ['contract', { title: 'Dev', tags: ['contract'], description: 'This is a full-time role.' }, 'yes'],
  ['full-time', { extra: { type: 'Dev', commitment: 'full time' } }, 'yes'],
  ['full-time', { extra: { type: `${'x'.repeat(92)} full-time` } }, 'unknown'],
  ['full-time', { title: `${'x'.repeat(492)} full-time` }, 'unknown'],
  ['full-time', { description: `${'x'.repeat(20_000)} This is a full-time role.` }, 'unknown'],
  ['full-time', { description: 'Type of employment: full-time. We offer an unpaid trial day.' }, 'yes'],
  ['part-time', { description: 'Job type: part. Employment status: time.' }, 'unknown'],
  ['contract', { description: 'Contract type: permanent\nWe offer a contract position.' }, 'partly'],
])('contract %s, %j: %s', (kind, fields, is) => {
  expect(find(`contract: ${kind}`, fields)).toBe(is);
});

test.each<[string, string | undefined, string]>([
  ['7', '2026-11-18', 'yes'],
  ['7', '2026-11-11', 'yes'],
  ['7', '2026-11-10', 'no'],
  ['1', '2026-11-19', 'yes'],
  ['7', 'soon', 'unknown'],
  ['7', undefined, 'unknown'],
])('posted %s, %s: %s', (days, postedAt, is) => {
  expect(find(`posted: ${days}`, postedAt === undefined ? {} : { postedAt })).toBe(is);
});

test.each<[string, string, string]>([
  ['EU', 'Berlin, Germany', 'yes'],
  ['EU', 'London', 'no'],
  ['Europe', 'London', 'yes'],
  ['EU', 'Remote', 'unknown'],
  ['EU', '', 'unknown'],
  ['EU', 'Somewhere over the rainbow', 'unknown'],
  ['EU', 'Worldwide', 'partly'],
  ['EU', 'Remote (Europe)', 'partly'],
  ['Europe', 'EU only', 'yes'],
  ['EU', 'European Union', 'yes'],
  ['EMEA', 'Remote, EMEA', 'yes'],
  ['EMEA', 'Cape Town, South Africa', 'yes'],
  ['MENA', 'Cape Town, South Africa', 'no'],
  ['EMEA', 'Dubai', 'yes'],
  ['LATAM', 'Remote - LATAM', 'yes'],
  ['LATAM', 'Latin America', 'yes'],
  ['LATAM', 'Buenos Aires', 'yes'],
  ['LATAM', 'Remote, USA', 'no'],
  ['North America', 'Latin America', 'partly'],
  ['North America', 'US / Canada', 'yes'],
  ['North America', 'Remote, NA', 'yes'],
  ['EU', 'New York or Berlin', 'partly'],
  ['EU', 'Germany, France, Spain', 'yes'],
  ['EU', 'Germany, Brazil', 'partly'],
  ['DACH', 'Zug, Switzerland', 'yes'],
  ['EMEA', 'Atlanta, Georgia, USA', 'no'],
  ['EMEA', 'Tbilisi, Georgia', 'yes'],
  ['LATAM', 'Remote (US, Mexico)', 'partly'],
  ['APAC', 'Singapore', 'yes'],
  ['US time zones', 'New York', 'yes'],
  ['US time zones', 'United States', 'yes'],
  ['US time zones', 'Berlin', 'no'],
  ['US time zones ± 3h', 'São Paulo, Brazil', 'yes'],
  ['US time zones', 'Buenos Aires', 'no'],
  ['US time zones', 'Worldwide', 'partly'],
  ['US time zones', 'Remote (US time zones)', 'yes'],
  ['US time zones', 'Remote - EST', 'yes'],
  ['US time zones', 'Remote (CET ± 2h)', 'no'],
  ['CET ±2h', 'Remote (UTC-5 to UTC+1)', 'partly'],
  ['EU', 'Remote (CET ± 2h)', 'partly'],
  ['LATAM', 'Remote (CET ± 2h)', 'no'],
  ['LATAM', 'Remote, US hours', 'partly'],
  ['EU', 'Remote (European time zones)', 'partly'],
  ['LATAM', 'Remote (European time zones)', 'no'],
  ['APAC', 'Remote (IST)', 'partly'],
  ['US time zones', 'Lyon et Paris', 'no'],
  ['US time zones', 'North America', 'partly'],
  ['US time zones', 'Americas', 'partly'],
  ['UTC-5 to UTC-3', 'Remote (UTC-8 to UTC-5)', 'partly'],
  ['UTC-8 to UTC-5', 'Remote (UTC-5 to UTC-3)', 'partly'],
  ['UTC-2 to UTC-1', 'Remote only (between UTC-5 to UTC+1)', 'partly'],
  ['UTC-2 to UTC-1', 'Berlin, UTC-5 to UTC+1', 'no'],
  ['UTC-2 to UTC-1', 'UTC-5 to UTC+1, Berlin', 'no'],
  ['EMEA', 'Atlanta, Georgia', 'no'],
  ['EU', `${'x'.repeat(500)} EU`, 'unknown'],
])('region %s, %j: %s', (wanted, location, is) => {
  expect(find(`region: ${wanted}`, { location })).toBe(is);
});

test.each<[string, Partial<Posting>, string]>([
  ['country: germany', { country: 'germany' }, 'yes'],
  ['country: france', { country: 'germany' }, 'no'],
  ['country: france', { location: 'Remote' }, 'unknown'],
  ['remote', { remote: true }, 'yes'],
  ['remote', { remote: false }, 'no'],
  ['tag: rust', { tags: ['rust', 'zk'] }, 'yes'],
  ['tag: rust', { tags: ['zk'] }, 'no'],
  ['region: eu, north america', { location: 'New York or Berlin' }, 'yes'],
  ['region: eu, latam', { location: 'New York or Berlin' }, 'partly'],
  ['region: US time zones', { location: 'Antarctica' }, 'unknown'],
  ['region: US time zones', { location: 'Antarctica or Berlin' }, 'unknown'],
  ['region: US time zones', { location: 'Antarctica or New York' }, 'partly'],
])('%s, %j: %s', (line, fields, is) => {
  expect(find(line, fields)).toBe(is);
});

test('the country counts where the location names no place', () => {
  expect(find('region: EU', { location: 'Remote', country: 'germany' })).toBe('yes');
  expect(find('region: EU', { country: 'united-states' })).toBe('no');
  expect(find('region: EU', { country: 'remote' })).toBe('unknown');
});

test.each<[string, Posting['pay'], string]>([
  ['80k', { min: 60_000, max: 90_000, currency: 'USD', unit: 'year' }, 'yes'],
  ['80k', { max: 79_000, currency: 'EUR', unit: 'year' }, 'no'],
  ['€7000/month', { max: 80_000, currency: 'EUR', unit: 'year' }, 'no'],
  ['€6000/month', { max: 80_000, currency: 'EUR', unit: 'year' }, 'yes'],
  ['₹30 lakh/year', { max: 3_500_000, currency: 'INR', unit: 'year' }, 'yes'],
  ['₹30 lakh/year', { max: 90_000, currency: 'USD', unit: 'year' }, 'unknown'],
  ['80k', { max: 9_000_000, currency: 'INR', unit: 'year' }, 'unknown'],
  ['80k', undefined, 'unknown'],
])('pay %s, %j: %s', (floor, pay, is) => {
  expect(find(`pay: ${floor}`, pay ? { pay } : {})).toBe(is);
});

test('every term is not known in an empty posting, except words, which are not there', () => {
  const values = {
    level: 'senior',
    company: 'a',
    region: 'eu',
    country: 'germany',
    tag: 'rust',
    role: 'data',
  };
  for (const name of TERM_NAMES) {
    const value = { ...values, words: 'a', pay: '80k', contract: 'permanent', posted: '7', remote: '' }[name];
    expect([name, find(value ? `${name}: ${value}` : name, {})]).toEqual([
      name,
      name === 'words' ? 'no' : 'unknown',
    ]);
  }
});

test('a posting that was made to be slow is read quickly', () => {
  const began = performance.now();
  for (const part of [
    'this is a ',
    'employment type ',
    'contract ',
    'utc - ',
    'inc ',
    '- ',
    'eu, ',
    'design ',
    ' ',
  ]) {
    const text = part.repeat(100_000 / part.length);
    const hostile = {
      title: text,
      company: text,
      location: text,
      country: text,
      description: text,
      tags: [text],
    };
    for (const name of ['level: senior', 'company: a', 'region: eu', 'contract: full-time', 'role: data'])
      find(name, hostile);
  }
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('a reason that is a wish is known from its text', () => {
  expect(wishIn('rather level: senior')).toEqual({ term: 'level', values: ['senior'], mode: 'want' });
  expect(wishIn('rather remote')).toEqual({ term: 'remote', values: [], mode: 'want' });
  expect(wishIn('rather good')).toBeUndefined();
  expect(wishIn('rust')).toBeUndefined();
});
