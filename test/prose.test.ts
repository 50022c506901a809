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
  [/\belse[’']s\b/iu, 'of another person'],
  [/\bfar sides?\b/iu, 'the server, the recipient'],
  [/\bmend(?:s|ed|ing)?\b/iu, 'fix'],
  [/\bof its own\b/iu, 'separate, its own'],
  [/\b(?:go|goes|went) on\b/iu, 'continue, resume'],
  [/\b(?:tells?|told|hears?|heard) of\b/iu, 'report, learn of'],
  [/\bthrown out\b/iu, 'removed'],
  [/\bstand(?:s)? still\b|\bstood\b/iu, 'stops, stopped, was'],
  [/\bbefall(?:s|en)?\b|\bin vain\b/iu, 'happen to, without success'],
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
  // Plain text is read as it is, so most files need no parser.
  if (ext === '.txt' && !AVOID.some(([pattern]) => pattern.test(content))) return [];
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

/** The comment that a line consists of, without code in it; undefined for a line of code. */
function commentOf(line: string): string | undefined {
  const [, comment] = /^\s*(?:\/\/|\/?\*+)(.*)$/u.exec(line) ?? [];
  return comment?.replaceAll(/`[^`]*`/gu, '');
}

/** The comments and the sentences of a source; all other lines are empty, so that line numbers stay. */
function proseOf(source: string): string {
  const lines = source.split('\n').map((line) => {
    const comment = commentOf(line);
    if (comment !== undefined) return comment;
    return [...line.matchAll(/(["'`])((?:\\.|(?!\1).)*)\1/gu)]
      .map(([, , words = '']) => words)
      .filter((words) => words.split(' ').length > 3)
      .join(' ');
  });
  return lines.join('\n');
}

/** The comments and the titles of a test file; all other lines are empty, so that line numbers stay. */
function titlesOf(source: string): string {
  const lines = source.split('\n').map((line) => commentOf(line) ?? '');
  const title = /(?:\b(?:test|it|describe)(?:\.\w+)*\(|\)\()\s*(["'`])((?:\\.|(?!\1).)*)\1/gu;
  for (const { 0: call, 2: words = '', index } of source.matchAll(title))
    lines[source.slice(0, index + call.length).split('\n').length - 1] = words;
  return lines.join('\n');
}

test('documents', { tags: 'long' }, async () => {
  const files = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...filesIn('docs', /\.md$/u)];
  expect((await Promise.all(files.map((file) => faultsOf(file, '.md', read(file))))).flat()).toEqual([]);
});

test('comments, errors and help', async () => {
  const files = filesIn('src', /\.ts$/u);
  expect(files.length).toBeGreaterThan(200);
  const faults = await Promise.all(files.map((file) => faultsOf(file, '.txt', proseOf(read(file)))));
  expect(faults.flat()).toEqual([]);
});

test('titles and comments of tests', async () => {
  const files = filesIn('test', /\.(?:ts|mjs|cjs)$/u);
  expect(files.length).toBeGreaterThan(300);
  const faults = await Promise.all(files.map((file) => faultsOf(file, '.txt', titlesOf(read(file)))));
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
    'x.ts:3 "goes on": write continue, resume',
  ]);
});

test('a word of the list is found in a title, wherever the title is', async () => {
  const [word, other] = ['goes on', 'nobody'];
  const source = `test('${word}', run);\ntest.each(\n  [1],\n)(\n  '${other} asks %i', run);\nsend('${word}');`;
  expect(await faultsOf('x.ts', '.txt', titlesOf(source))).toEqual([
    'x.ts:1 "goes on": write continue, resume',
    'x.ts:5 "nobody": write no one, or say who',
  ]);
});
