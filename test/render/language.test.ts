// The compiler sees missing keys; this sees what it can't: a value that a translation forgot to put in,
// an empty text, a language file that no line of the registry names.
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ATTRIBUTION_NOTE } from '../../src/domain/attribution.js';
import { en } from '../../src/render/language/en.js';
import { LANGUAGES, textsFor } from '../../src/render/language/index.js';

type Node = string | ((...values: unknown[]) => string) | { readonly [key: string]: Node };

/** Every text by its dotted path; a function is called with numbers that are easy to find again. */
function flat(node: Node, path = ''): [string, string][] {
  if (typeof node === 'string') return [[path, node]];
  if (typeof node === 'function')
    return [[path, node(...Array.from({ length: node.length }, (_, i) => 7101 + i))]];
  return Object.entries(node).flatMap(([key, value]) => flat(value, path === '' ? key : `${path}.${key}`));
}

/** What a text must hold in every language: the values put in, and {placeholders} left for later. */
function placeholders(text: string): string[] {
  return [...(text.match(/\{\w+\}|710\d/gu) ?? [])].sort();
}

const english = flat(en as unknown as Node);

describe.each(Object.keys(LANGUAGES))('%s', (code) => {
  const texts = new Map(flat(LANGUAGES[code] as unknown as Node));

  test('has the keys of English, in the same order, none of them empty', () => {
    expect([...texts.keys()]).toEqual(english.map(([key]) => key));
    for (const [key, text] of texts) expect(text.trim(), key).not.toBe('');
  });

  test('puts the same values in place as English', () => {
    for (const [key, text] of english)
      expect(placeholders(texts.get(key) ?? ''), key).toEqual(placeholders(text));
  });

  test('names a locale that Intl knows', () => {
    const { intl } = textsFor(code);
    expect(Intl.DateTimeFormat.supportedLocalesOf(intl)).toEqual([intl]);
  });
});

test.each([
  ['de', 'de'],
  ['de-AT', 'de'],
  ['ES-419', 'es'],
  ['en-US', 'en'],
  ['fr', 'en'],
  ['', 'en'],
  ['constructor', 'en'],
  ['__proto__', 'en'],
  [undefined, 'en'],
])('a reader of %j gets %s', (locale, code) => {
  expect(textsFor(locale)).toBe(LANGUAGES[code]);
});

test('every language file is in the registry', () => {
  const files = readdirSync(new URL('../../src/render/language', import.meta.url))
    .map((file) => file.replace(/\.ts$/u, ''))
    .filter((name) => name !== 'index');
  expect(files.sort()).toEqual(Object.keys(LANGUAGES).sort());
});

test('the English note is the one the guard knows', () => {
  expect(en.card.note).toBe(ATTRIBUTION_NOTE);
});
