// Columns and line breaks: a line that is one column too wide breaks every card on a narrow terminal.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf, wrap } from '../../src/render/terminal-edition.js';

test.each([
  ['', 0],
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['求人', 4],
  ['한국', 4],
  ['🧪', 2],
  ['👩‍💻', 2],
  ['🇩🇪', 2],
  ['❤️', 2],
  ['─│…', 3],
])('%j takes %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

test.each<[string, number, string[]]>([
  ['', 10, ['']],
  ['one two three', 7, ['one two', 'three']],
  ['one', 10, ['one']],
  ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['a abcdefgh b', 4, ['a', 'abcd', 'efgh', 'b']],
  ['求人求人', 4, ['求人', '求人']],
])('%j in %i columns', (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines);
});

test('loses nothing and makes nothing too wide', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc.integer({ min: 2, max: 40 }),
      (text, width) => {
        const line = text.replace(/\s+/gu, ' ').trim();
        const lines = wrap(line, width);
        expect(lines.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
        for (const one of lines) expect(columnsOf(one)).toBeLessThanOrEqual(width);
      },
    ),
  );
});
