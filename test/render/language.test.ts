// The files of messages: the same keys and values in every language, no unused message, and current types. A language
// is one file, and no other file lists it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { typesFile, valuesOf } from '../../scripts/texts-types.mjs';
import { ATTRIBUTION_NOTE } from '../../src/domain/attribution.js';
import { en, LANGUAGES, textsFor } from '../../src/render/texts.js';

type Messages = { readonly [key: string]: string | Messages };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOCALES = join(ROOT, 'templates/locales');

function messagesOf(code: string): Messages {
  return JSON.parse(readFileSync(join(LOCALES, `${code}.json`), 'utf8'));
}

/** Every message by its dotted path. */
function flat(messages: Messages, path: readonly string[] = []): [string, string][] {
  return Object.entries(messages).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[[...path, key].join('.'), value]] : flat(value, [...path, key]),
  );
}

/** Names of the values that are shown. A value that only selects between forms may be in only one language. */
function shownIn(message: string): string[] {
  return [...new Set(message.match(/\{\w+\}/gu))].sort();
}

/** Commands that a message names, such as {/jobs list}. */
function commandsIn(message: string): string[] {
  return (message.match(/\{\/[a-z ]+\}/gu) ?? []).sort();
}

const english = flat(messagesOf('en'));

test('every file of messages is a language', () => {
  const codes = readdirSync(LOCALES).map((file) => file.replace(/\.json$/u, ''));
  expect(codes.sort()).toEqual(Object.keys(LANGUAGES).sort());
  expect(codes.length).toBeGreaterThan(2);
});

describe.each(Object.keys(LANGUAGES))('%s', (code) => {
  const messages = new Map(flat(messagesOf(code)));

  test('has the keys of English, in the same order, and none is empty', () => {
    expect([...messages.keys()]).toEqual(english.map(([key]) => key));
    for (const [key, message] of messages) expect(message.trim(), key).not.toBe('');
  });

  test('shows the same values and names the same commands as English', () => {
    for (const [key, message] of english) {
      const own = messages.get(key) ?? '';
      expect(shownIn(own), key).toEqual(shownIn(message));
      expect([...new Set(commandsIn(own))], key).toEqual([...new Set(commandsIn(message))]);
    }
  });

  test('has a text for one, none and many in every message', { tags: 'long' }, () => {
    for (const [key, message] of messages) {
      const [node] = [key.split('.').reduce<unknown>((at, part) => (at as Messages)[part], LANGUAGES[code])];
      for (const count of [0, 1, 2]) {
        // A value that selects between forms has the type string, and "yes" is one of its options.
        const given: Record<string, string | number> = { number: count, string: 'yes' };
        const values = Object.fromEntries(
          [...valuesOf(message)].map(([name, type]: [string, string]) => [name, given[type] ?? `<${name}>`]),
        );
        const text = typeof node === 'function' ? node(values) : node;
        expect(text, key).toMatch(/\S/u);
        expect(text.replace(/\{\/[a-z ]+\}/gu, ''), key).not.toMatch(/[{}]|undefined/u);
        for (const name of shownIn(message))
          if (typeof values[name.slice(1, -1)] === 'string')
            expect(text, key).toContain(values[name.slice(1, -1)]);
      }
    }
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

test('a message without one of its values is an error', () => {
  const { subjectAt } = textsFor('en').mail;
  expect(subjectAt({ title: 'Engineer', company: 'Meridian' })).toBe('Engineer at Meridian');
  expect(() => subjectAt({ title: 'Engineer' } as Parameters<typeof subjectAt>[0])).toThrow(/company/u);
});

test('every message is used', () => {
  const files = ['src', 'templates'].flatMap((dir) =>
    readdirSync(join(ROOT, dir), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|liquid)$/u.test(file) && !file.endsWith('texts-types.ts'))
      .map((file) => readFileSync(join(ROOT, dir, file), 'utf8')),
  );
  const words = new Set(files.join('\n').match(/[\w-]+/gu));
  const unused = english
    .map(([key]) => key)
    .filter((key) => !key.startsWith('bot.commands.'))
    .filter((key) => !words.has(key.split('.').at(-1) as string));
  expect(unused).toEqual([]);
});

test('the types are those of the messages', { tags: 'long' }, () => {
  expect(readFileSync(join(ROOT, 'src/render/texts-types.ts'), 'utf8')).toBe(typesFile());
});

test('the English note is the one that the guard requires', () => {
  expect(en.card.note).toBe(ATTRIBUTION_NOTE);
});
