// Each term: what it reads, and what it finds in a posting. A posting that does not say is not known, never refused.
import { describe, expect, test } from 'vitest';
import { parseFilter } from '../../../src/domain/filter.js';
import type { Posting } from '../../../src/domain/posting.js';
import {
  matchTerm,
  printTerm,
  readTerm,
  TERM_NAMES,
  termEntry,
  wishIn,
} from '../../../src/domain/rules/index.js';

const NOW = Date.parse('2026-11-18T10:00:00Z');

function find(line: string, fields: Partial<Posting>): string {
  const term = readTerm(line);
  if (!term) throw new Error(`not read: ${line}`);
  return matchTerm(term, { key: 'id:1', ...fields }, NOW).is;
}

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
    ['pay: 80k', 'pay: 80000 USD/year'],
    ['pay: €70,000 / year', 'pay: 70000 EUR/year'],
    ['pay: 60 USD/hour', 'pay: 60 USD/hour'],
    ['pay: ₹30 lakh per year', 'pay: 3000000 INR/year'],
    ['contract: Full time, freelance', 'contract: full-time, contract'],
    ['role: engineer', 'role: engineering'],
    ['country: Deutschland, USA', 'country: germany, united-states'],
    ['region: US time zones ± 3h', 'region: UTC-11 to UTC-2'],
    ['region: US timezones +/- 3 hours', 'region: UTC-11 to UTC-2'],
    ['region: cet ±2', 'region: UTC-1 to UTC+3'],
    ['region: UTC-5', 'region: UTC-5'],
    ['region: Latin America', 'region: latam'],
    ['words: zk, zero knowledge', 'words: zk, zero knowledge'],
    ['tag: Front End', 'tag: front-end'],
  ])('%s is %s', (line, printed) => {
    const term = readTerm(line);
    expect(term && printTerm(term)).toBe(printed);
    expect(readTerm(printed)).toEqual(term);
  });

  test.each([
    [[{ level: 'senior' }], 'level: senior'],
    [[{ 'rather level': ['senior', 'staff'] }], 'rather level: senior, staff'],
    [[{ posted: 7 }], 'posted: 7'],
    [['rather remote'], 'rather remote'],
    [[{ remote: true }], 'remote'],
    [[{ term: 'company', values: ['Acme'], mode: 'exclude' }], 'not company: Acme'],
  ])('%j in a file', (terms, printed) => {
    const filter = parseFilter({ terms });
    expect(filter.terms?.map(printTerm)).toEqual([printed]);
    expect(parseFilter(filter)).toEqual(filter);
    expect(parseFilter({ terms: filter.terms?.map(termEntry) })).toEqual(filter);
  });

  test('the same term twice is one term', () => {
    expect(parseFilter({ terms: ['level: senior', { level: 'Senior' }] }).terms).toHaveLength(1);
    expect(parseFilter({ terms: [] })).not.toHaveProperty('terms');
  });

  test.each([
    [['levle: senior'], 'terms: "levle" is not a term; did you mean level?'],
    [['level: seniour'], 'level: "seniour" is not known; did you mean senior?'],
    [['level:'], 'level: wanted a level: intern, junior'],
    [['remote: yes'], 'remote: it takes no value; wanted "remote", "not remote" or "rather remote".'],
    [['region: Atlantis'], 'region: "Atlantis" is not known; wanted a region, a country, or time zones'],
    [['posted: soon'], 'posted: "soon" is not known; wanted a time from 1 to 365 days'],
    [[3], 'terms: wanted items such as'],
    [[{ level: 'senior', company: 'Acme' }], 'terms: wanted items such as'],
    [Array.from({ length: 21 }, (_, at) => `words: w${at}`), 'terms: wanted at most 20 terms.'],
  ])('%j is refused with the reason', (terms, fault) => {
    expect(faultOf(terms)).toContain(fault);
  });

  test('all faults are reported together', () => {
    expect(faultOf(['level: x', 'region: y', 'levels: z']).split('\n')).toHaveLength(3);
  });
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
])('company %s, %s: %s', (wanted, company, is) => {
  expect(find(`company: ${wanted}`, { company })).toBe(is);
  expect(find(`company: ${wanted}`, {})).toBe('unknown');
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
])('contract %s, %j: %s', (kind, fields, is) => {
  expect(find(`contract: ${kind}`, fields)).toBe(is);
});

test.each<[string, string | undefined, string]>([
  ['7', '2026-11-18', 'yes'],
  ['7', '2026-11-11', 'yes'],
  ['7', '2026-11-10', 'no'],
  ['1', '2026-11-19', 'yes'],
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
])('region %s, %j: %s', (wanted, location, is) => {
  expect(find(`region: ${wanted}`, { location })).toBe(is);
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
