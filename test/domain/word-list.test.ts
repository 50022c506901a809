// Lists that people type into one field.
import { expect, test } from 'vitest';
import { readWords, writeWords } from '../../src/domain/word-list.js';

test.each([
  ['rust, solidity', ['rust', 'solidity']],
  ['rust;go\nzig', ['rust', 'go', 'zig']],
  [' a  b ,, a b , ', ['a b']],
  ['"Acme, Inc.", Other', ['Acme, Inc.', 'Other']],
  ['“Acme, Inc.”, „Zwei, Drei“', ['Acme, Inc.', 'Zwei, Drei']],
  ['"a ""b"" c"', ['a "b" c']],
  ['', []],
])('%j is read as %j', (text, words) => {
  expect(readWords(text)).toEqual(words);
});

test.each([
  [['rust', 'go'], 'rust, go'],
  [['Acme, Inc.', 'Other'], '"Acme, Inc.", Other'],
  [['a "b" c'], '"a ""b"" c"'],
  [['a; b'], '"a; b"'],
  [[], ''],
])('%j is written as %j, and read again', (words, text) => {
  expect(writeWords(words)).toBe(text);
  expect(readWords(text)).toEqual(words);
});
