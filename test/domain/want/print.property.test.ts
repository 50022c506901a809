// A rule that is printed as a sentence is read as the same rule, in each language.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COUNTRY_SLUGS } from '../../../src/domain/countries.js';
import { type Filter, isSameFilter, parseFilter } from '../../../src/domain/filter.js';
import { REGIONS } from '../../../src/domain/regions.js';
import { readTerm, TERM_NAMES, type Term, type TermName } from '../../../src/domain/rules/index.js';
import { LEVELS } from '../../../src/domain/rules/level.js';
import { TAGS } from '../../../src/domain/tags.js';
import { en } from '../../../src/domain/want/en.js';
import { valuesOf } from '../../../src/domain/want/language.js';
import { printWant } from '../../../src/domain/want/print.js';
import { LONGEST_WANT, readSentence } from '../../../src/domain/want/read.js';
import { runs } from '../../helpers/runs.js';

const word = fc.oneof(
  fc.constantFrom(
    'zk',
    'gambling',
    'remote',
    'no agencies',
    'a "quoted" one',
    '27" screen',
    '„open',
    'Rust, Inc.',
    'or',
    'C++',
    '80k',
    'EU',
  ),
  fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
);
const names = (list: string) => valuesOf(list).map(([value]) => value);
const VALUES: Readonly<Record<TermName, fc.Arbitrary<string>>> = {
  tag: fc.oneof(fc.constantFrom<string>(...TAGS), word),
  country: fc.constantFrom(...COUNTRY_SLUGS),
  region: fc.constantFrom(
    ...REGIONS,
    'germany',
    'united-kingdom',
    'CET ± 2h',
    'UTC-5',
    'US time zones ± 3h',
    'UTC+5:30 to UTC+10',
  ),
  remote: fc.constant(''),
  company: word,
  level: fc.constantFrom(...LEVELS),
  role: fc.constantFrom(...names(en.role)),
  words: word,
  pay: fc
    .tuple(
      fc.integer({ min: 1, max: 9_000_000 }),
      fc.constantFrom('USD', 'EUR', 'INR', 'BTC', 'XAF'),
      fc.constantFrom('year', 'month', 'week', 'day', 'hour'),
    )
    .map(([amount, currency, unit]) => `${amount} ${currency}/${unit}`),
  contract: fc.constantFrom(...names(en.contract)),
  posted: fc.integer({ min: 1, max: 365 }).map(String),
};

const term: fc.Arbitrary<Term> = fc
  .tuple(fc.constantFrom(...TERM_NAMES), fc.constantFrom('', 'not ', 'rather '))
  .chain(([name, mode]) =>
    fc.array(VALUES[name], { minLength: 1, maxLength: 3 }).map((values) => {
      const one = name === 'pay' || name === 'posted';
      const list =
        name === 'remote'
          ? ''
          : one
            ? `: ${values[0]}`
            : `: ${values.map((v) => JSON.stringify(v)).join(', ')}`;
      return readTerm(`${mode}${name}${list}`);
    }),
  )
  .filter((found) => found !== undefined);

const filter: fc.Arbitrary<Filter> = fc
  .record(
    {
      tags: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 4 }),
      country: fc.constantFrom(...COUNTRY_SLUGS),
      remote: fc.constant(true),
      include: fc.array(word, { maxLength: 3 }),
      exclude: fc.array(word, { maxLength: 3 }),
      minSalary: fc.integer({ min: 1, max: 10_000_000 }),
      payUnknown: fc.constantFrom('keep', 'drop'),
      terms: fc.array(term, { maxLength: 4 }),
    },
    { requiredKeys: [] },
  )
  .map(parseFilter);

describe.each(['en', 'de', 'es'])('a rule as a sentence in %s', (locale) => {
  const readBack = (one: Filter) => parseFilter(readSentence(printWant(one, locale)).fields);

  test('is read as the same rule', () => {
    fc.assert(
      fc.property(filter, (one) => {
        const sentence = printWant(one, locale);
        fc.pre(sentence.length <= LONGEST_WANT);
        expect(isSameFilter(readBack(one), one), sentence).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  test('says each tag, country and value in words', () => {
    const all = [
      ...TAGS.map((tag) => ({ tags: [tag] })),
      ...COUNTRY_SLUGS.map((country) => ({ country })),
      ...LEVELS.map((level) => ({ terms: [`level: ${level}`] })),
      ...names(en.role).map((role) => ({ terms: [`rather role: ${role}`] })),
      ...names(en.contract).map((contract) => ({ terms: [`not contract: ${contract}`] })),
      ...REGIONS.map((region) => ({ terms: [`region: ${region}`] })),
    ].map(parseFilter);
    for (const one of all)
      expect([printWant(one, locale), isSameFilter(readBack(one), one)]).toEqual([
        expect.not.stringMatching(/(?:level|role|contract|region): /u),
        true,
      ]);
  });
});

test.each([
  [
    'en',
    'Rust or Solidity, remote, at least $90,000, pay must be stated, senior or staff, in the EU, without gambling, preferably at Acme',
  ],
  [
    'de',
    'Rust oder Solidity, remote, mindestens 90.000 $, nur mit Gehaltsangabe, Senior oder Staff, in der EU, ohne gambling, am liebsten bei Acme',
  ],
  [
    'es',
    'Rust o Solidity, en remoto, al menos 90.000 $, solo con salario indicado, sénior o staff, en la UE, sin gambling, preferiblemente en la empresa Acme',
  ],
])('reads well in %s', (locale, sentence) => {
  const one = parseFilter({
    tags: ['rust', 'solidity'],
    remote: true,
    minSalary: 90_000,
    payUnknown: 'drop',
    exclude: ['gambling'],
    terms: ['level: senior, staff', 'region: eu', 'rather company: Acme'],
  });
  expect(printWant(one, locale)).toBe(sentence);
});
