// Who may use the board, how often, and what a client learns when it may not.
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startBoard, type TestBoard } from '../helpers/board.js';

const JOBS = [
  { id: '1', title: 'Job', tags: ['rust'], apply_url: 'https://jobs.example/r/1__{partner}?p={partner}' },
];
const PATHS = ['/api/v1', '/api/v1.xml'] as const;

let board: TestBoard;
afterEach(() => board.close());

async function bodyOf(response: Response): Promise<string> {
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  const body = await response.text();
  const isXml = new URL(response.url).pathname.endsWith('.xml');
  expect(response.headers.get('content-type')).toMatch(isXml ? /^application\/xml/ : /^application\/json/);
  if (!isXml) expect((JSON.parse(body) as { error: { message: string } }).error.message).toMatch(/\w+.*\.$/);
  else expect(body).toMatch(/<error status="\d+"><message>.+<\/message><\/error>/);
  return body;
}

describe.each(PATHS)('%s', (path) => {
  test.each([
    ['missing', ''],
    ['empty', '?token='],
    ['unknown', '?token=wrong-token-value'],
    ['of another case', '?token=GOOD'],
    ['expired', '?token=late'],
    ['in a header only', ''],
  ])('a token that is %s gives 401', async (_, search) => {
    board = await startBoard({
      jobs: JOBS,
      tokens: [{ token: 'good' }, { token: 'late', expiresAt: '2026-01-01T00:00:00Z' }],
      clock: { now: () => Date.parse('2026-01-01T00:00:00Z') },
    });
    const response = await fetch(`${board.url}${path}${search}`, {
      headers: { authorization: 'Bearer good' },
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('ApiToken');
    expect(await bodyOf(response)).not.toContain('wrong-token-value');
  });

  test('a token works until the moment it expires', async () => {
    let now = Date.parse('2025-12-31T23:59:59Z');
    board = await startBoard({
      jobs: JOBS,
      tokens: [{ token: 'late', expiresAt: '2026-01-01T00:00:00Z' }],
      clock: { now: () => now },
    });
    expect((await fetch(board.address(path))).status).toBe(200);
    now += 1000;
    expect((await fetch(board.address(path))).status).toBe(401);
  });

  test('a token without the permission gives 403', async () => {
    board = await startBoard({
      jobs: JOBS,
      tokens: [{ token: 'no-rights-here', permissions: ['profile:read'] }],
    });
    const response = await fetch(board.address(path));
    expect(response.status).toBe(403);
    expect(await bodyOf(response)).not.toContain('no-rights-here');
  });

  test('answers 429 with the wait over the quota, and then the whole quota is available again', async () => {
    let now = 1_000_000;
    board = await startBoard({
      jobs: JOBS,
      tokens: [{ token: 'few', rateLimit: { requests: 2, windowSeconds: 60 } }, { token: 'free' }],
      clock: { now: () => now },
    });
    const first = await fetch(board.address(path));
    expect(first.headers.get('ratelimit-policy')).toBe('"token";q=2;w=60');
    expect(first.headers.get('ratelimit')).toBe('"token";r=1;t=60');
    now += 15_500;
    // The quota belongs to the token, on every path.
    expect((await fetch(board.address('/api/v1'))).headers.get('ratelimit')).toBe('"token";r=0;t=45');
    const refused = await fetch(board.address(path));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '45']);
    expect(await bodyOf(refused)).toContain('45 seconds');
    expect((await fetch(`${board.url}${path}?token=free`)).status).toBe(200);
    now += 44_500;
    expect((await fetch(board.address(path))).headers.get('ratelimit')).toBe('"token";r=1;t=60');
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    '%s gives 405 with the allowed methods',
    async (method) => {
      board = await startBoard({ jobs: JOBS });
      const response = await fetch(board.address(path), { method, body: method === 'POST' ? 'x=1' : null });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      await bodyOf(response);
    },
  );

  test('HEAD returns the headers of GET and no body', async () => {
    board = await startBoard({ jobs: JOBS });
    const [get, head] = await Promise.all([
      fetch(board.address(path)),
      fetch(board.address(path), { method: 'HEAD' }),
    ]);
    expect(head.status).toBe(200);
    for (const name of ['etag', 'content-type', 'cache-control']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect(await head.text()).toBe('');
  });

  test('a link contains the owner of each token, and is unchanged for a token without one', async () => {
    board = await startBoard({
      jobs: JOBS,
      tokens: [{ token: 'a', partner: 'ann' }, { token: 'b', partner: 'bob' }, { token: 'c' }],
    });
    const texts = await Promise.all(
      ['a', 'b', 'c'].map(async (t) => (await fetch(`${board.url}${path}?token=${t}`)).text()),
    );
    expect(texts[0]).toContain('https://jobs.example/r/1__ann?p=ann');
    expect(texts[1]).toContain('https://jobs.example/r/1__bob?p=bob');
    expect(texts[2]).toContain('https://jobs.example/r/1__{partner}?p={partner}');
  });
});

test.each([
  '/',
  '/api',
  '/api/v1/',
  '/api/v2',
  '/api/v1.json',
  '//',
  '/%',
  '/api/v1/secret-in-path',
  '/api/v1.xml/',
])('%s gives 404, with or without a token', async (path) => {
  board = await startBoard({ jobs: JOBS });
  const response = await fetch(`${board.url}${path}?token=${board.token}`);
  expect(response.status).toBe(404);
  await bodyOf(response);
  expect(board.requests.at(-1)).toMatchObject({ path: 'other', status: 404 });
});

describe('conditional requests', () => {
  test.each(PATHS)(
    '%s: 304 by tag or by date while nothing has changed, and 200 afterwards',
    async (path) => {
      board = await startBoard({ jobs: JOBS });
      const first = await fetch(board.address(path));
      const etag = first.headers.get('etag') ?? '';
      const date = first.headers.get('last-modified') ?? '';
      expect(etag).toMatch(/^W\/".+"$/);
      expect(first.headers.get('cache-control')).toMatch(/^private/);
      const ask = async (headers: Record<string, string>) =>
        (await fetch(board.address(path), { headers })).status;
      expect(await ask({ 'if-none-match': etag })).toBe(304);
      expect(await ask({ 'if-none-match': `"x", ${etag.slice(2)}` })).toBe(304);
      expect(await ask({ 'if-none-match': '*' })).toBe(304);
      expect(await ask({ 'if-modified-since': date })).toBe(304);
      expect(await ask({ 'if-none-match': '"x"', 'if-modified-since': date })).toBe(200);
      expect(await ask({ 'if-modified-since': 'nonsense' })).toBe(200);
      // A date that the board never sent may lie between two versions.
      expect(await ask({ 'if-modified-since': new Date(Date.parse(date) + 60_000).toUTCString() })).toBe(200);
      // The same second as before: a date alone could not distinguish the versions.
      await board.setJobs([{ id: '2' }]);
      expect(await ask({ 'if-none-match': etag })).toBe(200);
      expect(await ask({ 'if-modified-since': date })).toBe(200);
    },
  );

  test('a tag belongs to one filter; a 304 has no body and counts against the quota', async () => {
    board = await startBoard({
      jobs: JOBS,
      tokens: [{ token: 't', rateLimit: { requests: 9, windowSeconds: 60 } }],
    });
    const etag = (await fetch(board.address('/api/v1'))).headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag };
    expect((await fetch(board.address('/api/v1', { tag: 'dao' }), { headers })).status).toBe(200);
    const known = await fetch(board.address('/api/v1'), { headers });
    expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', etag]);
    expect(known.headers.get('ratelimit')).toContain('r=6');
  });
});

describe('compression', () => {
  const long = [{ id: '1', title: 'Long', description: 'word '.repeat(2000) }];

  // fetch decompresses the body, so node:http is asked for the raw length.
  function rawLength(acceptEncoding: string | undefined): Promise<[string | undefined, number]> {
    const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding };
    return new Promise((resolve, reject) => {
      httpRequest(board.address('/api/v1'), { headers }, (response) => {
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
        });
        response.on('end', () => {
          expect(response.headers.vary).toBe('Accept-Encoding');
          expect(Number(response.headers['content-length'])).toBe(length);
          resolve([response.headers['content-encoding'], length]);
        });
      })
        .on('error', reject)
        .end();
    });
  }

  test.each(['gzip', 'br;q=1.0, GZIP;q=0.5', '*'])('is used for %s', async (accept) => {
    board = await startBoard({ jobs: long });
    const [encoding, length] = await rawLength(accept);
    expect(encoding).toBe('gzip');
    expect(length).toBeLessThan(1000);
    expect(((await (await fetch(board.address('/api/v1'))).json()) as unknown[])[2]).toEqual(long);
  });

  test.each([undefined, 'identity', 'br', 'gzip;q=0', 'gzip; q=0.000, *'])(
    'is not used for %s',
    async (accept) => {
      board = await startBoard({ jobs: long });
      const [encoding, length] = await rawLength(accept);
      expect(encoding).toBeUndefined();
      expect(length).toBeGreaterThan(10_000);
    },
  );

  test('is not used for a small body', async () => {
    board = await startBoard({ jobs: [] });
    expect((await rawLength('gzip'))[0]).toBeUndefined();
  });
});

test('malformed requests get a 4xx, and the board continues', async () => {
  board = await startBoard({ jobs: JOBS });
  const { port } = new URL(board.url);
  const statusOf = (raw: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = '';
      connect(Number(port), '127.0.0.1')
        .on('data', (chunk) => {
          answer += chunk;
        })
        .on('close', () => resolve(answer.split(' ')[1] ?? ''))
        .on('error', reject)
        .write(raw);
    });
  expect(await statusOf('GARBAGE\r\n\r\n')).toMatch(/^4/);
  expect(await statusOf(`GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toBe('404');
  expect(
    await statusOf(`GET /api/v1?${'a=%&'.repeat(2000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
  ).toBe('401');
  expect(await statusOf(`GET /${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^4/);
  expect((await fetch(board.address('/api/v1'))).status).toBe(200);
});

test('no log line contains a token or a query', async () => {
  board = await startBoard({ jobs: JOBS, tokens: [{ token: 'secret-token-value' }] });
  await fetch(board.address('/api/v1'));
  await fetch(`${board.url}/secret-token-value?token=secret-token-value`);
  await fetch(`${board.url}/api/v1?token=another-secret-value`, { method: 'POST' });
  await board.setTokens([{ token: 'secret-token-value' }, { token: 'secret-token-value' }]);
  const written = JSON.stringify([board.logs, board.requests]);
  expect(written).toContain('is there twice');
  expect(written).not.toMatch(/secret|\?/);
});
