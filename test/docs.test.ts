// The documents refer to existing files, and the table of faults to existing tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseSubscription } from '../src/domain/subscription.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The cells of each row of the table of faults. */
const faults = read('docs/faults.md')
  .split('\n')
  .filter((line) => /^\| \d+ \|/u.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const namedIn = (text: string) =>
  [...text.matchAll(/`(test\/[\w./-]+)`/gu)].map(([, file]) => file as string);

test('the rows of the table of faults are numbered, each with the result and the tests that prove it', () => {
  expect(faults.length).toBeGreaterThan(60);
  expect(faults.map(([number]) => Number(number))).toEqual(faults.map((_, index) => index + 1));
  for (const cells of faults) {
    const [number, fault, outcome, proof = ''] = cells;
    expect(cells, `row ${number}`).toHaveLength(4);
    expect([fault, outcome], `row ${number}`).not.toContain('');
    expect(namedIn(proof), `row ${number}`).not.toEqual([]);
  }
});

test.each(DOCUMENTS)('every file under test/ that %s names exists', (document) => {
  expect(namedIn(read(document)).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test('every test that injects a fault into the process is in the table', () => {
  const tests = readdirSync(join(ROOT, 'test/e2e')).filter((name) => /^faults-.*\.test\.ts$/u.test(name));
  expect(tests.length).toBeGreaterThan(10);
  const text = read('docs/faults.md');
  expect(tests.filter((name) => !text.includes(`test/e2e/${name}`))).toEqual([]);
});

test.each(DOCUMENTS)('every page that %s links to exists', (document) => {
  const links = [...read(document).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/gu)].map(
    ([, link]) => link as string,
  );
  const missing = links.filter((link) => !existsSync(join(ROOT, dirname(document), link)));
  expect(missing).toEqual([]);
});

/** As GitHub names the headings of a page. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gmu)].map(([, heading]) => heading as string);
  return new Set(
    headings.map((one) =>
      one
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test.each(DOCUMENTS)('every heading that %s links to exists', (document) => {
  const links = [...read(document).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/gu)];
  const missing = links.filter(
    ([, page, anchor]) =>
      !anchorsOf(read(page ? join(dirname(document), page) : document)).has(anchor as string),
  );
  expect(missing.map(([link]) => link)).toEqual([]);
});

test('the start page of the documentation links to every page, and the README is short', () => {
  const start = read('docs/README.md');
  const pages = readdirSync(join(ROOT, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  );
  expect(pages.filter((name) => !start.includes(`(${name})`))).toEqual([]);
  expect(read('README.md').split('\n').length).toBeLessThan(150);
});

test('docs/subscriptions.md has every key of a subscription', () => {
  const entry = { nonsense: 1, filter: { nonsense: 1 }, destinations: [{ nonsense: 1 }] };
  const context = {
    origin: 'cli',
    now: 0,
    liveSchedule: '* * * * *',
    defaultTimezone: 'UTC',
    parseTarget: String,
  } as const;
  let said = '';
  try {
    parseSubscription(entry, context);
  } catch (error) {
    said = String(error);
  }
  const keys = [...said.matchAll(/is not a field; wanted one of ([\w, ]+)\./gu)].flatMap(([, list = '']) =>
    list.split(', '),
  );
  expect(keys.length).toBe(29);
  const page = read('docs/subscriptions.md');
  expect(keys.filter((key) => !page.includes(`| \`${key}\` |`))).toEqual([]);
});

test('the manual for operators and CONTRIBUTING link to the table of faults', () => {
  for (const document of ['docs/operating.md', 'CONTRIBUTING.md'])
    expect(read(document)).toMatch(/faults\.md/u);
});
