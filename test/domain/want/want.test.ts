// One sentence as a rule: 300 sentences as people write them, a third of each language, with the rule they stand for and
// the words that are not used. Whatever the sentence, none of its words is lost.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFilter } from '../../../src/domain/filter.js';
import { readTerm } from '../../../src/domain/rules/index.js';
import { valuesOf } from '../../../src/domain/want/language.js';
import { LANGUAGES } from '../../../src/domain/want/lexicon.js';
import { LONGEST_WANT, readSentence } from '../../../src/domain/want/read.js';
import { entriesOf, entryOf } from './table.js';

describe.each(['en', 'de', 'es'])('sentences in %s', (code) => {
  const entries = entriesOf(code);

  test('are a hundred', () => {
    expect(new Set(entries.map(([sentence]) => sentence)).size).toBe(100);
  });

  test.each(entries)('%s', (sentence, entry) => {
    expect(entryOf(sentence)).toBe(entry);
  });
});

// Where a wrong reading would be the opposite ("outside the US"), or leave out far too much ("no crypto exchanges").
test.each(entriesOf('traps'))('%s is not misread', (sentence, entry) => {
  expect(entryOf(sentence)).toBe(entry);
});

test.each(['more', 'mixed'].flatMap(entriesOf))('%s', (sentence, entry) => {
  expect(entryOf(sentence)).toBe(entry);
});

describe('words of a sentence', () => {
  test('each is shown with what it means, what is nearest, or as not used', () => {
    const { words } = readSentence(
      'senoir rust or solidity, remote in Europe, no gambling, rather small teams',
    );
    expect(words).toEqual([
      { text: 'senoir', as: 'nearest', meaning: { term: 'level', mode: 'require', values: ['senior'] } },
      {
        text: 'rust or solidity',
        as: 'understood',
        meaning: { term: 'tag', mode: 'require', values: ['rust', 'solidity'] },
      },
      { text: 'remote', as: 'understood', meaning: { term: 'remote', mode: 'require', values: [] } },
      {
        text: 'in Europe',
        as: 'understood',
        meaning: { term: 'region', mode: 'require', values: ['europe'] },
      },
      {
        text: 'no gambling',
        as: 'understood',
        meaning: { term: 'words', mode: 'exclude', values: ['gambling'] },
      },
      { text: 'rather small teams', as: 'unused' },
    ]);
  });

  test.each([
    ['rust, $80k-$100k', 'tags: rust | minSalary: 80000', '$80k-$100k', ''],
    ['100k or above, rust', 'tags: rust | minSalary: 100000', '', ''],
    ['at least 80, rust', 'tags: rust | minSalary: 80000', 'at least 80', ''],
    ['at least 5 years, rust', 'tags: rust', '', 'at least 5 years'],
    ['80k NFT', 'tags: nft | minSalary: 80000', '', ''],
    ['RUST 80k', 'tags: rust | minSalary: 80000', '', ''],
    ['2FA, web3.js, C++', 'tags: web3js', '', '2FA | C++'],
    ['node.js, vue.js', 'tags: node', '', 'vue.js'],
    ['rust.remote', 'tags: rust | remote', '', ''],
    ['100k rust, 0AAA', 'tags: rust | minSalary: 100000', '', '0AAA'],
    [`at ${'A '.repeat(60)}or Acme, rust`, 'tags: rust | company: Acme', '', `at ${'A '.repeat(60).trim()}`],
    ['not with pay stated, $90k', 'minSalary: 90000', '', 'not with pay stated'],
    ['with pay stated, rust', 'tags: rust', '', 'with pay stated'],
    ['pay must be stated, 90k EUR', 'minSalary: 90000 | payUnknown: drop', '', ''],
    ['no gambling and remote', 'exclude: gambling | remote', '', ''],
    ['no gambling. Remote', 'exclude: gambling | remote', '', ''],
    ['no, rust', 'tags: rust', '', 'no'],
    ['rather not remote', 'not remote', 'rather not remote', ''],
    ['rather on-site', '', '', 'rather on-site'],
    ['not in Berlin', '', '', 'not in Berlin'],
    ['senior; and staff', 'level: senior | level: staff', '', ''],
    ['preferably rust or go', 'rather tag: rust, golang', '', ''],
    ['', '', '', ''],
  ])('%j: %s', (sentence, rule, near, unused) => {
    const entry = [sentence, `  = ${rule}`.trimEnd(), near && `  ~ ${near}`, unused && `  ? ${unused}`];
    expect(entryOf(sentence)).toBe(entry.filter(Boolean).join('\n'));
  });

  const plain = (text: string) => text.match(/[\p{L}\p{N}\p{RI}]+/gu)?.join(' ') ?? '';
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...samples()) },
    fc.constantFrom(
      ',',
      ';',
      'or',
      'and',
      'no',
      'rather',
      'at least',
      '80k EUR',
      '"zk proofs"',
      'UTC+1 ± 3h',
      '; and',
      '-nft',
      '!',
      '🇩🇪',
      '🇿🇿 🚫',
      '≥ 90k',
      'remote or',
      'no',
    ),
    fc.string({ maxLength: 12 }),
  );

  test('none is lost, and the rule is always valid', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const sentence = pieces.join(' ').slice(0, LONGEST_WANT);
        const { fields, words } = readSentence(sentence);
        expect(plain(words.map(({ text }) => text).join(' '))).toBe(plain(sentence));
        expect(readSentence(sentence)).toEqual({ fields, words });
        for (const term of fields.terms ?? []) expect(parseFilter({ terms: [term] }).terms).toEqual([term]);
      }),
    );
  });

  test('a sentence of the greatest length is read quickly', () => {
    for (const part of [
      'a',
      'no ',
      '"',
      '„',
      '80k-',
      '1,000 ',
      'UTC+1 to ',
      'at A or ',
      'xqzwv ',
      'in the last ',
      '; and no ',
    ])
      readSentence(part.repeat(LONGEST_WANT));
  });
});

test('every value of a language is a value of its term', () => {
  for (const language of LANGUAGES)
    for (const term of ['level', 'contract', 'role', 'region'] as const)
      for (const [value] of valuesOf(language[term]))
        expect([language.code, readTerm(`${term}: ${value}`)?.values]).toEqual([language.code, [value]]);
});

function samples(): string[] {
  return ['en', 'de', 'es'].flatMap((code) => entriesOf(code).flatMap(([sentence]) => sentence.split(', ')));
}

describe('want in a filter', () => {
  const faultOf = (filter: object): string => {
    try {
      parseFilter(filter);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  test('stands for its fields, and its terms are added', () => {
    expect(
      parseFilter({ want: 'senior rust, remote', exclude: ['intern'], terms: ['not company: Acme'] }),
    ).toEqual(
      parseFilter({
        tags: ['rust'],
        remote: true,
        exclude: ['intern'],
        terms: ['not company: Acme', 'level: senior'],
      }),
    );
  });

  test('is refused if nothing in it can be used', () => {
    expect(faultOf({ want: 'something nice' })).toBe(
      'want: none of its words can be used; wanted a sentence such as "senior rust, remote in Europe".',
    );
  });

  test('is refused beside a field that it names too', () => {
    expect(faultOf({ want: 'rust, remote', tags: ['defi'], remote: true })).toBe(
      'want: it says something about tags, remote, which is given beside it; wanted it in one of the two.',
    );
  });

  test('is refused if it is too long', () => {
    expect(faultOf({ want: 'rust '.repeat(300) })).toBe('want: wanted at most 1000 characters, got 1500.');
  });

  test('counts as left out if it is empty', () => {
    expect(parseFilter({ want: '', tags: ['rust'] })).toEqual(parseFilter({ tags: ['rust'] }));
  });
});
