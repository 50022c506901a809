// The documents point at what is there: every file they name, and every test that is said to prove something.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

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

test('the rows of the table of faults are numbered, each with what happens and the tests that prove it', () => {
  expect(faults.length).toBeGreaterThan(60);
  expect(faults.map(([number]) => Number(number))).toEqual(faults.map((_, index) => index + 1));
  for (const cells of faults) {
    const [number, fault, outcome, proof = ''] = cells;
    expect(cells, `row ${number}`).toHaveLength(4);
    expect([fault, outcome], `row ${number}`).not.toContain('');
    expect(namedIn(proof), `row ${number}`).not.toEqual([]);
  }
});

test.each(DOCUMENTS)('every file under test/ that %s names is there', (document) => {
  expect(namedIn(read(document)).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test('every test that injects a fault into the process is in the table', () => {
  const tests = readdirSync(join(ROOT, 'test/e2e')).filter((name) => /^faults-.*\.test\.ts$/u.test(name));
  expect(tests.length).toBeGreaterThan(10);
  const text = read('docs/faults.md');
  expect(tests.filter((name) => !text.includes(`test/e2e/${name}`))).toEqual([]);
});

test.each(DOCUMENTS)('every page that %s links to is there', (document) => {
  const links = [...read(document).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/gu)].map(
    ([, link]) => link as string,
  );
  const missing = links.filter((link) => !existsSync(join(ROOT, dirname(document), link)));
  expect(missing).toEqual([]);
});

test('the table of faults is found from where people look', () => {
  for (const document of ['docs/operating.md', 'CONTRIBUTING.md'])
    expect(read(document)).toMatch(/faults\.md/u);
});
