// The sentences of the text files beside this one. Each has up to four lines: the sentence, "=" and its rule, "~" and
// what is nearest only, "?" and what is not used.
import { readFileSync } from 'node:fs';
import { printTerm } from '../../../src/domain/rules/index.js';
import { type Reading, readSentence } from '../../../src/domain/want/read.js';

/** A rule as a line: `tags: rust, solidity | remote | level: senior`. */
function ruleLine({ terms = [], remote, ...fields }: Reading['fields']): string {
  const plain = Object.entries(fields).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`);
  return [...plain, ...(remote ? ['remote'] : []), ...terms.map((term) => printTerm(term))].join(' | ');
}

/** A sentence as it is in the files. */
export function entryOf(sentence: string): string {
  const { fields, words } = readSentence(sentence);
  const of = (kind: string) =>
    words
      .filter(({ as }) => as === kind)
      .map(({ text }) => text)
      .join(' | ');
  return [
    sentence,
    `  = ${ruleLine(fields)}`.trimEnd(),
    of('nearest') && `  ~ ${of('nearest')}`,
    of('unused') && `  ? ${of('unused')}`,
  ]
    .filter(Boolean)
    .join('\n');
}

/** The entries of a file with their sentences. */
export function entriesOf(code: string): readonly (readonly [sentence: string, entry: string])[] {
  const text = readFileSync(new URL(`${code}.txt`, import.meta.url), 'utf8');
  return text
    .split(/\n(?=\S)/u)
    .filter((entry) => entry !== '' && !entry.startsWith('#'))
    .map((entry) => [entry.split('\n', 1)[0] ?? '', entry.trimEnd()] as const);
}
