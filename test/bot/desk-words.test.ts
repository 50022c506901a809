// The desk's sentences are English; each has its words in the other languages. Read from the sources themselves, so
// that a sentence that is changed there and not here is seen.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { deskWords } from '../../src/bot/desk-words.js';
import { textsFor } from '../../src/render/language/index.js';

const folders = ['../../src/pipeline/desk', '../../src/sinks/email'];
/** Faults of what the bot never sends, or that the operator alone can make. */
const OTHERS = /^operator |^(?:page|state|filter|sort|smtp|from)\b/iu;

function sentences(): string[] {
  const files = folders.flatMap((folder) => {
    const url = new URL(`${folder}/`, import.meta.url);
    return readdirSync(url)
      .filter((file) => file.endsWith('-desk.ts') || /^(?:preview|rights|address|questions)\.ts$/u.test(file))
      .map((file) => readFileSync(new URL(file, url), 'utf8'));
  });
  return files.flatMap((source) =>
    [...source.matchAll(/new UserError\(([\s\S]*?)\);\n/gu)].flatMap(([, body = '']) =>
      [...body.matchAll(/(['`])((?:(?!\1)[^\\]|\\.){20,})\1/gu)].map(([, , text = '']) =>
        text.replace(/\$\{[^}]*\}/gu, '7'),
      ),
    ),
  );
}

test('the sources are read', () => {
  expect(sentences().length).toBeGreaterThan(12);
});

test.each(sentences().filter((text) => !OTHERS.test(text)))('%s', (sentence) => {
  for (const locale of ['de', 'es-ES']) {
    const words = deskWords(sentence, textsFor(locale));
    expect(words).not.toBe(sentence);
    expect(words).not.toBe('');
  }
});

test('a sentence nobody translated stays as it is', () => {
  expect(deskWords('Something else entirely.', textsFor('de'))).toBe('Something else entirely.');
});
