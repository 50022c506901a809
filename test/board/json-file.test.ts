// The place of a fault in a malformed file, without its content.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../src/board/json-file.js';

test.each([
  ['[1,]', 'line 1, column 4'],
  ['{"a":1,}', 'line 1, column 8'],
  ['{a:1}', 'line 1, column 2'],
  ['[1 2]', 'line 1, column 4'],
  ['[1]]', 'line 1, column 4'],
  ['{"a" 1}', 'line 1, column 6'],
  ['{"a":}', 'line 1, column 6'],
  ['[}', 'line 1, column 2'],
  ['[\n  {"x": tru}\n]', 'line 2, column 9'],
  ['["a\nb"]', 'line 1, column 2'],
  ['["\\x"]', 'line 1, column 2'],
  ['[01]', 'line 1, column 3'],
  ['[{"a":[1,{"b":null}]', 'line 1, column 21: the file ends too early'],
  ['nope', 'line 1, column 1'],
])('%j is broken at %s', (text, where) => {
  expect(() => parseJson(text)).toThrow(`not valid JSON at ${where}`);
});

test('reads deep nesting and long strings', () => {
  expect(() => parseJson(`${'['.repeat(200_000)}x`)).toThrow('column 200001');
  expect(() => parseJson(`["${'a\\n'.repeat(500_000)}" x]`)).toThrow('column');
});

test('accepts what JSON.parse accepts, and finds the place in anything cut off', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, cut) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
      const part = text.slice(0, cut % text.length);
      try {
        JSON.parse(part);
      } catch {
        expect(() => parseJson(part)).toThrow(/line \d+, column \d+|the file is empty/);
      }
    }),
  );
});
