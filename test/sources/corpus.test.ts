// A mutated feed is read or refused, never anything else, and in bounded memory; and no mutation makes a link that
// was not in the document. CORPUS sets how many are tried, CORPUS_SEED which ones. A parser whose time grows with the
// square of the document does not finish the larger ones before the test's timeout.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { FeedError } from '../../src/domain/errors.js';
import { decodeText, type Text } from '../../src/sources/jobs-api/decode.js';
import { parseJson } from '../../src/sources/jobs-api/json.js';
import { parseRss } from '../../src/sources/jobs-api/rss.js';
import { startBoard } from '../helpers/board.js';
import { type Mutant, mutants, type Seeds } from '../helpers/corpus.js';
import { later } from '../helpers/later.js';
import { GOOD } from './kit.js';

const COUNT = Number(process.env.CORPUS ?? 150);
const SEED = Number(process.env.CORPUS_SEED ?? 1);
const MB = 1024 * 1024;

async function goodFeeds(): Promise<Seeds> {
  const board = await startBoard({ jobs: JSON.parse(await readFile('config/sample-jobs.json', 'utf8')) });
  later(board.close);
  const get = async (path: '/api/v1' | '/api/v1.xml') =>
    Buffer.from(await (await fetch(board.address(path, { limit: '100' }))).arrayBuffer());
  return {
    rss: [await get('/api/v1.xml'), Buffer.from(GOOD)],
    json: [
      await get('/api/v1'),
      Buffer.from('["ok","v1",[{"id":1,"title":"a","apply_url":"https://a.example/"}]]'),
    ],
  };
}

/** The forms a link can have in a document: plain, as XML escapes it, and as JSON escapes it. */
function linkFinder(text: string): (link: string) => boolean {
  const decoded = text.replace(/&(amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);/giu, (whole, name: string) => {
    const lower = name.toLowerCase();
    if (lower.startsWith('#x')) return fromCode(Number.parseInt(lower.slice(2), 16), whole);
    if (lower.startsWith('#')) return fromCode(Number(lower.slice(1)), whole);
    return { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }[lower] ?? whole;
  });
  const plain = decoded.replace(/<!--.*?-->|<!\[CDATA\[|\]\]>|<\?.*?\?>/gsu, '');
  return (link) =>
    text.includes(link) || plain.includes(link) || text.includes(JSON.stringify(link).slice(1, -1));
}

function fromCode(code: number, otherwise: string): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
}

async function judge({ number, format, recipe, bytes }: Mutant): Promise<'read' | 'refused'> {
  const about = `mutant ${number} of seed ${SEED}: ${format} ${recipe.join(', ')}`;
  const text: Text = decodeText(bytes, undefined);
  const outcome: unknown = await (async () => (format === 'json' ? parseJson(text) : parseRss(text)))().catch(
    (error: unknown) => error,
  );
  if (!Array.isArray(outcome)) {
    expect(outcome, about).toBeInstanceOf(FeedError);
    expect(outcome, about).toMatchObject({ fault: 'malformed' });
    return 'refused';
  }
  expect(outcome.length).toBeLessThanOrEqual(2000);
  const links = new Set(outcome.map(({ posting }) => posting.applyUrl).filter((link) => link !== undefined));
  const isThere = linkFinder(text.text);
  for (const link of [...links].slice(0, 200)) expect(isThere(link), `${about}: ${link}`).toBe(true);
  return 'read';
}

test(`${COUNT} mutants`, { tags: 'long', timeout: COUNT * 2000 }, async () => {
  const seeds = await goodFeeds();
  const outcomes = { read: 0, refused: 0 };
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  for (const mutant of mutants(seeds, COUNT, SEED)) {
    outcomes[await judge(mutant)]++;
    most = Math.max(most, process.memoryUsage().heapUsed - before);
  }
  if (process.env.CORPUS) console.log(outcomes, Math.round(most / MB), 'MB');
  expect(most).toBeLessThan(400 * MB);
  // Otherwise the mutations are too weak or too strong to test anything.
  expect(outcomes.read).toBeGreaterThan(COUNT / 10);
  expect(outcomes.refused).toBeGreaterThan(COUNT / 10);
});

test('the same seed makes the same mutants', async () => {
  const seeds: Seeds = { rss: [Buffer.from(GOOD)], json: [Buffer.from('["a",[{"id":1}]]')] };
  const make = (seed: number) =>
    [...mutants(seeds, 20, seed)].map(({ recipe, bytes }) => [
      recipe,
      bytes.length,
      bytes.subarray(0, 500).toString('hex'),
    ]);
  expect(make(7)).toEqual(make(7));
  expect(make(7)).not.toEqual(make(8));
});
