// How a rule is said in a sentence, in each language: the best wording that is read back as the same rule.
import { describe, expect, test } from 'vitest';
import { isSameFilter, parseFilter } from '../../../src/domain/filter.js';
import { firstOf, nameIn, valuesOf } from '../../../src/domain/want/language.js';
import { folded, LANGUAGES, meaningOf, nearest } from '../../../src/domain/want/lexicon.js';
import { printWant } from '../../../src/domain/want/print.js';
import { readSentence } from '../../../src/domain/want/read.js';

const print = (entry: object, locale: string) => printWant(parseFilter(entry), locale);
const terms = (...list: readonly string[]) => ({ terms: list });

/** A rule, and what it is in English, German and Spanish. */
const SAID: readonly (readonly [entry: object, en: string, de: string, es: string])[] = [
  [{}, '', '', ''],
  [{ limit: 5 }, '', '', ''],
  [
    { tags: ['rust', 'zero-knowledge', 'defi'] },
    'Rust or ZK or DeFi',
    'Rust oder ZK oder DeFi',
    'Rust o ZK o DeFi',
  ],
  [{ remote: true }, 'remote', 'remote', 'en remoto'],
  [{ country: 'germany' }, 'in Germany', 'in Deutschland', 'en Alemania'],
  [
    { include: ['zk', 'games'] },
    'mentioning zk or games',
    'mit dem Wort zk oder games',
    'que mencionen zk o games',
  ],
  [
    { include: ['no agencies'] },
    'mentioning "no agencies"',
    'mit dem Wort "no agencies"',
    'que mencionen "no agencies"',
  ],
  [{ exclude: ['or'] }, 'without "or"', 'ohne "or"', 'sin "or"'],
  [{ exclude: ['a "b"'] }, 'without "a ""b"""', 'ohne "a ""b"""', 'sin "a ""b"""'],
  [{ minSalary: 80_000 }, 'at least $80,000', 'mindestens 80.000 $', 'al menos 80.000 $'],
  [{ minSalary: 999 }, 'at least 999 USD/year', 'mindestens 999 USD/Jahr', 'al menos 999 USD/año'],
  [
    { minSalary: 1_234_567, payUnknown: 'drop' },
    'at least $1,234,567, pay must be stated',
    'mindestens 1.234.567 $, nur mit Gehaltsangabe',
    'al menos 1.234.567 $, solo con salario indicado',
  ],
  [
    {
      tags: ['rust'],
      country: 'spain',
      remote: true,
      include: ['zk'],
      exclude: ['intern'],
      minSalary: 90_000,
      payUnknown: 'drop',
    },
    'Rust, remote, in Spain, mentioning zk, at least $90,000, pay must be stated, without "intern"',
    'Rust, remote, in Spanien, mit dem Wort zk, mindestens 90.000 $, nur mit Gehaltsangabe, ohne "intern"',
    'Rust, en remoto, en España, que mencionen zk, al menos 90.000 $, solo con salario indicado, sin "intern"',
  ],
  [terms('level: "senior"'), 'senior', 'Senior', 'sénior'],
  [
    terms('not level: "intern", "junior"'),
    'not intern or junior',
    'nicht Praktikant oder Junior',
    'no becario o júnior',
  ],
  [terms('rather level: "staff"'), 'preferably staff', 'am liebsten Staff', 'preferiblemente staff'],
  [
    terms('tag: "rust", "golang"'),
    'tagged "rust" or "golang"',
    'mit dem Tag "rust" oder "golang"',
    'con la etiqueta "rust" o "golang"',
  ],
  [terms('not tag: "nft"'), 'not NFT', 'nicht NFT', 'no NFT'],
  [
    terms('country: "germany", "france"'),
    'in Germany or France',
    'in Deutschland oder Frankreich',
    'en Alemania o Francia',
  ],
  [
    terms('not country: "united-states"'),
    'not in United States',
    'nicht in Vereinigte Staaten',
    'no en Estados Unidos',
  ],
  [terms('region: "europe"'), 'in Europe', 'in Europa', 'en Europa'],
  [
    terms('not region: "germany"'),
    'not region: "germany"',
    'nicht region: "germany"',
    'no region: "germany"',
  ],
  [terms('remote'), 'labelled remote', 'als remote gekennzeichnet', 'con la marca de remoto'],
  [terms('not remote'), 'not remote', 'nicht remote', 'no en remoto'],
  [terms('rather remote'), 'preferably remote', 'am liebsten remote', 'preferiblemente en remoto'],
  [terms('company: "Acme"'), 'at Acme', 'bei Acme', 'en la empresa Acme'],
  [
    terms('not company: "Acme", "Rust, Inc."'),
    'not at "Acme" or "Rust, Inc."',
    'nicht bei "Acme" oder "Rust, Inc."',
    'no en la empresa "Acme" o "Rust, Inc."',
  ],
  [terms('role: "engineering"'), 'engineering roles', 'Bereich Entwicklung', 'área de ingeniería'],
  [terms('words: "zk"'), 'words: "zk"', 'words: "zk"', 'words: "zk"'],
  [
    terms('rather words: "small teams", "or"'),
    'preferably mentioning "small teams" or "or"',
    'am liebsten mit dem Wort "small teams" oder "or"',
    'preferiblemente que mencionen "small teams" o "or"',
  ],
  [
    terms('pay: 80000 EUR/year'),
    'at least 80,000 EUR/year',
    'mindestens 80.000 EUR/Jahr',
    'al menos 80.000 EUR/año',
  ],
  [
    terms('rather pay: 500 USD/day'),
    'preferably at least 500 USD/day',
    'am liebsten mindestens 500 USD/Tag',
    'preferiblemente al menos 500 USD/día',
  ],
  [terms('not contract: "internship"'), 'not internship', 'nicht Praktikum', 'no en prácticas'],
  [
    terms('contract: "full-time", "contract"'),
    'full-time or freelance',
    'Vollzeit oder freiberuflich',
    'a jornada completa o por cuenta propia',
  ],
  [terms('posted: 7'), 'posted in the last 7 days', 'aus den letzten 7 Tagen', 'de los últimos 7 días'],
  [terms('posted: 1'), 'posted today', 'von heute', 'de hoy'],
  // What is excluded comes after what is required.
  [
    terms('not level: "intern"', 'level: "senior"'),
    'senior, not intern',
    'Senior, nicht Praktikant',
    'sénior, no becario',
  ],
  // Two parts of the same kind would be read as one.
  [terms('level: "senior"', 'level: "staff"'), 'senior; and staff', 'Senior; und Staff', 'sénior; y staff'],
  [
    { tags: ['rust'], ...terms('tag: "defi"', 'rather remote', 'not words: "x"') },
    'Rust, preferably remote, not words: "x"; and tagged "defi"',
    'Rust, am liebsten remote, nicht words: "x"; und mit dem Tag "defi"',
    'Rust, preferiblemente en remoto, no words: "x"; y con la etiqueta "defi"',
  ],
  [
    { exclude: ['a'], ...terms('not words: "b"') },
    'without "a"; and not words: "b"',
    'ohne "a"; und nicht words: "b"',
    'sin "a"; y no words: "b"',
  ],
];

describe('a rule as a sentence', () => {
  test.each(SAID)('%j', (entry, ...said) => {
    const rule = parseFilter(entry);
    const sentences = ['en-US', 'de-AT', 'es'].map((locale) => print(entry, locale));
    expect(sentences).toEqual(said);
    for (const sentence of sentences) {
      const { fields, words } = readSentence(sentence);
      expect(isSameFilter({ ...parseFilter(fields), limit: rule.limit }, rule)).toBe(true);
      expect(words.filter(({ as }) => as !== 'understood')).toEqual([]);
    }
  });

  test('is in English where there are no words for the language', () => {
    expect(print({ remote: true, country: 'france' }, 'fr')).toBe('remote, in France');
    expect(print({ country: 'france' }, 'DE')).toBe('in Frankreich');
  });
});

describe('the words of a language', () => {
  test('are lists of values with their spellings, of which the first is printed', () => {
    const list = 'senior: senior|sr ; staff : staff|staff level;lead:lead';
    expect(valuesOf(list)).toEqual([
      ['senior', ['senior', 'sr']],
      ['staff', ['staff', 'staff level']],
      ['lead', ['lead']],
    ]);
    expect([nameIn(list, 'staff'), nameIn(list, 'other')]).toEqual(['staff', 'other']);
    expect([firstOf('a|b'), firstOf('a'), firstOf('')]).toEqual(['a', 'a', '']);
  });

  test('are compared without case, accents and apostrophes', () => {
    expect(['Años', 'DON’T', "don't", 'Straße', 'ﬁn', 'Führung'].map(folded)).toEqual([
      'anos',
      'dont',
      'dont',
      'strasse',
      'fin',
      'fuhrung',
    ]);
  });

  test.each([
    ['rust', { term: 'tag', value: 'rust' }],
    ['defi', { term: 'tag', value: 'defi' }],
    ['not', { does: 'not' }],
    ['lieber', { does: 'rather' }],
    ['senior', { term: 'level', value: 'senior' }],
    ['seniors', { term: 'level', value: 'senior' }],
    ['internships', { term: 'contract', value: 'internship' }],
    ['alemania', { term: 'country', value: 'germany' }],
    ['vereinigtes konigreich', { term: 'country', value: 'united-kingdom' }],
    ['today', { term: 'posted', value: '1' }],
    ['engineering roles', { term: 'role', value: 'engineering' }],
    ['bereich entwicklung', { term: 'role', value: 'engineering' }],
    // A word that is a tag too is the tag.
    ['marketing', { term: 'tag', value: 'marketing' }],
    ['spiele', { term: 'tag', value: 'gaming' }],
    // Umlauts that are written with two letters.
    ['oesterreich', { term: 'country', value: 'austria' }],
    // Names of three letters or less are read elsewhere, in capitals: "us" is not the US.
    ['us', undefined],
    // Other names of countries.
    ['the bahamas', { term: 'country', value: 'bahamas' }],
    ['dprk', { term: 'country', value: 'north-korea' }],
    ['xyz', undefined],
    ['engineering rolesx', undefined],
    ['rus', undefined],
    ['as', { does: 'filler' }],
  ])('%s means %j', (phrase, meaning) => {
    expect(meaningOf(phrase)).toEqual(meaning);
  });

  test.each([
    ['senoir', { term: 'level', value: 'senior' }],
    ['solidty', { term: 'tag', value: 'solidity' }],
    ['remtoe', { does: 'remote' }],
    ['remte', { does: 'remote' }],
    ['senir', { term: 'level', value: 'senior' }],
    ['germny', { term: 'country', value: 'germany' }],
    // In four letters only an exchange of neighbours is taken for an error.
    ['rsut', { term: 'tag', value: 'rust' }],
    ['rest', undefined],
    // And in five of a country.
    ['chill', undefined],
    ['rus', undefined],
    // The first letter is right.
    ['xolidity', undefined],
    // Two errors count in nine letters, not in eight.
    ['enginering', { term: 'role', value: 'engineering' }],
    ['enginring', { term: 'role', value: 'engineering' }],
    ['solitidy', undefined],
    // The fewest errors, and the first of several with as many.
    ['ireland', { term: 'country', value: 'ireland' }],
    ['american', { term: 'region', value: 'americas' }],
    // Not a word of the grammar.
    ['withuot', undefined],
  ])('%s is nearest to %j', (word, meaning) => {
    expect(nearest(word)).toEqual(meaning);
  });

  test('are there in three languages', () => {
    expect(LANGUAGES.map(({ code }) => code)).toEqual(['en', 'de', 'es']);
  });
});
