// Typing errors between a text and a word.
import { expect, test } from 'vitest';
import { typos } from '../../src/domain/typos.js';

test.each([
  ['rust', 'rust', 0],
  ['rsut', 'rust', 1],
  ['urst', 'rust', 1],
  ['ruts', 'rust', 1],
  ['rus', 'rust', 1],
  ['rast', 'rust', 1],
  ['trus', 'rust', 2],
  ['urts', 'rust', 3],
  ['ab', 'xy', 2],
  ['', 'go', 2],
  ['rustrust', 'rust', 4],
  ['rust and go', 'go', 9],
])('%j and %j: %i', (typed, word, errors) => {
  expect(typos(typed, word)).toBe(errors);
});

test('a text of more than twice the length is judged by its length alone', () => {
  expect(typos('go'.repeat(500_000), 'go')).toBe(999_998);
});
