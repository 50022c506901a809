// The client against the real board: what it requests, and that both formats return the same for every sample job.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Posting, ReadPosting } from '../../src/domain/posting.js';
import { secret } from '../../src/domain/secret.js';
import { startBoard, type TestBoard } from '../helpers/board.js';
import { later } from '../helpers/later.js';
import { CANARY, createKit, GOOD, type Kit, serve } from './kit.js';

async function setUp(): Promise<{ board: TestBoard; kit: Kit; jobs: Record<string, unknown>[] }> {
  const jobs = JSON.parse(await readFile('config/sample-jobs.json', 'utf8'));
  const board = await startBoard({ jobs, tokens: [{ token: CANARY, partner: 'me' }] });
  const kit = createKit(board.url);
  later(board.close, kit.close);
  return { board, kit, jobs };
}

async function postingsOf(kit: Kit, format: 'rss' | 'json'): Promise<readonly ReadPosting[]> {
  const answer = await kit.fetch({ format });
  return answer.kind === 'postings' ? answer.postings : [];
}

test('RSS and JSON return the same postings', async () => {
  const { kit, jobs } = await setUp();
  // RSS has no types, so unknown fields arrive as text. It has a guid, which may become the key.
  const plain = ({ posting }: ReadPosting): Posting => ({
    ...posting,
    key: '',
    ...(posting.extra && {
      extra: Object.fromEntries(Object.entries(posting.extra).map(([name, value]) => [name, String(value)])),
    }),
  });
  const fromRss = await postingsOf(kit, 'rss');
  const fromJson = await postingsOf(kit, 'json');
  expect(fromRss).toHaveLength(jobs.length);
  expect(fromRss.map(plain)).toEqual(fromJson.map(plain));
  for (const [number, { keys }] of fromJson.entries())
    expect(fromRss[number]?.keys).toEqual(expect.arrayContaining([...keys]));
  const links = jobs.map((job) => String(job.apply_url).replace('{partner}', 'me'));
  for (const { posting } of fromRss) expect(links).toContain(posting.applyUrl);
});

test('the board recognizes a version', async () => {
  const { board, kit } = await setUp();
  const { validator: known } = await kit.fetch();
  expect(await kit.fetch({ known, fresh: true })).toEqual({ kind: 'unchanged', validator: known });
  expect(board.requests.map(({ status }) => status)).toEqual([200, 304]);
  await board.addJob({ id: '9', title: 'New', postedAt: '2030-01-01', apply_url: 'https://a.example/9' });
  const next = await kit.fetch({ known, fresh: true });
  expect(next).toMatchObject({ kind: 'postings' });
  expect(next.kind === 'postings' && next.postings[0]?.posting.title).toBe('New');
});

test('a token is checked with one posting and without the cache', async () => {
  const { kit } = await setUp();
  const check = { query: { limit: 1 }, fresh: true };
  expect(await kit.fetch(check)).toMatchObject({ kind: 'postings', postings: [{}] });
  expect(await kit.fault({ ...check, token: secret('wrong') })).toMatchObject({
    fault: 'rejected',
    status: 401,
  });
});

test('a quota of the board throttles the request', async () => {
  const { board, kit } = await setUp();
  await board.setTokens([{ token: CANARY, rateLimit: { requests: 1, windowSeconds: 3600 } }]);
  await kit.fetch();
  const fault = await kit.fault({ fresh: true });
  expect(fault.fault).toBe('throttled');
  expect(fault.retryAfterMs).toBeGreaterThan(10_000);
});

test('sends only the parameters of the API, and always the limit', async () => {
  const server = await serve((_, response) => response.end(GOOD));
  const kit = createKit(`${server.url}/base/`);
  later(server.close, kit.close);
  await kit.fetch({ query: { limit: 7 } });
  await kit.fetch({
    query: { limit: 100, tag: 'rust', country: 'germany', remote: true },
    token: secret('a b&c=d+é'),
  });
  expect(server.requests.map(({ url }) => url?.split('?')[0])).toEqual([
    '/base/api/v1.xml',
    '/base/api/v1.xml',
  ]);
  expect(server.params(0)).toEqual({ token: CANARY, limit: '7' });
  expect(server.params(1)).toEqual({
    token: 'a b&c=d+é',
    tag: 'rust',
    country: 'germany',
    remote: 'true',
    limit: '100',
  });
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
});
