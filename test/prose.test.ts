// The voice: plain words in documents, comments, texts for people, and test titles. A word of the list below has a
// plainer one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TextlintKernel, type TextlintPluginCreator, type TextlintRuleModule } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import text from '@textlint/textlint-plugin-text';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Words to avoid, and what to write instead. */
const AVOID: readonly (readonly [RegExp, string])[] = [
  [/\bwhoever\b/iu, 'anyone who, or say who'],
  [/\bnobody\b/iu, 'no one, or say who'],
  [/\bsomebody\b/iu, 'someone, or say who'],
  [/\banew\b/iu, 'again'],
  [/\bfar side\b/iu, 'the server, the recipient'],
  [/\bmend(?:s|ed|ing)?\b/iu, 'fix'],
  [/\bof its own\b/iu, 'separate, its own'],
  [/\bgo(?:es)? on by itself\b/iu, 'resumes automatically'],
  [/\bstand(?:s)? still\b/iu, 'stops'],
  [/\bshall\b/iu, 'will, do you want'],
  [/\bhereby|herein|thereof|whilst|amongst\b/iu, 'a common word'],
  [/\bleave(?:s)? (?:\w+ )?away\b/iu, 'leave out, leave unset'],
  [/\b(?:simply|obviously|of course)\b/iu, 'nothing'],
  [/\b(?:utilize|leverage|in order to)\b/iu, 'use, to'],
];

const rule: TextlintRuleModule = ({ Syntax, report, RuleError, locator }) => ({
  [Syntax.Str](node) {
    for (const [pattern, instead] of AVOID)
      for (const { 0: word, index } of node.value.matchAll(new RegExp(pattern, `g${pattern.flags}`)))
        report(
          node,
          new RuleError(`"${word}": write ${instead}`, {
            padding: locator.range([index, index + word.length]),
          }),
        );
  },
});

/** The plugins are CommonJS modules, whose default export Node and TypeScript see differently. */
function pluginOf(module: unknown): TextlintPluginCreator {
  return ((module as { default?: unknown }).default ?? module) as TextlintPluginCreator;
}

const kernel = new TextlintKernel();

async function faultsOf(file: string, ext: '.md' | '.txt', content: string): Promise<string[]> {
  const { messages } = await kernel.lintText(content, {
    ext,
    filePath: file,
    plugins: [
      { pluginId: 'markdown', plugin: pluginOf(markdown) },
      { pluginId: 'text', plugin: pluginOf(text) },
    ],
    rules: [{ ruleId: 'plain-words', rule }],
  });
  return messages.map(({ line, message }) => `${file}:${line} ${message}`);
}

function filesIn(dir: string, ending: RegExp): string[] {
  return readdirSync(join(ROOT, dir), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(dir, file));
}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The comments and the sentences of a source; all other lines are empty, so that line numbers stay. */
function proseOf(source: string): string {
  const lines = source.split('\n').map((line) => {
    const [, comment] = /^\s*(?:\/\/|\/?\*+)(.*)$/u.exec(line) ?? [];
    if (comment !== undefined) return comment.replaceAll(/`[^`]*`/gu, '');
    return [...line.matchAll(/(["'`])((?:\\.|(?!\1).)*)\1/gu)]
      .map(([, , words = '']) => words)
      .filter((words) => words.split(' ').length > 3)
      .join(' ');
  });
  return lines.join('\n');
}

test('documents', async () => {
  const files = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...filesIn('docs', /\.md$/u)];
  expect((await Promise.all(files.map((file) => faultsOf(file, '.md', read(file))))).flat()).toEqual([]);
});

test('comments, errors and help', async () => {
  const files = filesIn('src', /\.ts$/u);
  expect(files.length).toBeGreaterThan(200);
  const faults = await Promise.all(files.map((file) => faultsOf(file, '.txt', proseOf(read(file)))));
  expect(faults.flat()).toEqual([]);
});

test('texts for people', async () => {
  const files = [
    'templates/locales/en.json',
    ...filesIn('templates', /\.liquid$/u),
    ...filesIn('scripts', /\.mjs$/u),
  ];
  expect(files.length).toBeGreaterThan(30);
  expect((await Promise.all(files.map((file) => faultsOf(file, '.txt', read(file))))).flat()).toEqual([]);
});

test('a word of the list is found, with its line', async () => {
  const source = "// Fine.\nconst a = 'Whoever asks gets this answer';\n// It goes on by itself.";
  expect(await faultsOf('x.ts', '.txt', proseOf(source))).toEqual([
    'x.ts:2 "Whoever": write anyone who, or say who',
    'x.ts:3 "goes on by itself": write resumes automatically',
  ]);
});
