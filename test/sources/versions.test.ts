// Which answers count as new: conditional requests, body hashes and the response cache. The counter of parsed answers
// shows that nothing was parsed.
import { describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import type { FeedRequest, Validator } from '../../src/ports/feed.js';
import { later } from '../helpers/later.js';
import { createKit, GOOD, ITEM, type Kit, type ReadAnswer, rss, serve, type TestServer } from './kit.js';

const OTHER = rss(ITEM.replace('Rust', 'Go'), ITEM);
const MINUTE = 60_000;
const listing = '["ok","v1",[{"id":1,"title":"Dev"}]]';

/** A server that identifies its versions by ETag unless `etag` is false. */
async function setUp(
  options: Parameters<typeof createKit>[1] = {},
): Promise<{ server: TestServer; kit: Kit; say: { body: string; etag: boolean; ignoreCondition: boolean } }> {
  const say = { body: GOOD, etag: true, ignoreCondition: false };
  const server = await serve((request, response) => {
    const body = request.url?.startsWith('/api/v1.xml') ? say.body : listing;
    const etag = `"${body.length}"`;
    if (!say.ignoreCondition && request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    response
      .writeHead(200, say.etag ? { etag, 'last-modified': 'Sat, 21 Nov 2026 04:00:00 GMT' } : {})
      .end(body);
  });
  const kit = createKit(server.url, options);
  later(server.close, kit.close);
  return { server, kit, say };
}

const validatorOf = (answer: ReadAnswer): Validator => answer.validator;

describe('the version that the caller has', () => {
  test('is sent as a condition, and 304 means unchanged', async () => {
    const { server, kit } = await setUp({ cacheMs: 0 });
    const known = validatorOf(await kit.fetch());
    expect(known).toEqual({
      etag: `"${GOOD.length}"`,
      lastModified: 'Sat, 21 Nov 2026 04:00:00 GMT',
      hash: expect.stringMatching(/^[\da-z]{6,13}$/u),
    });
    expect(await kit.fetch({ known })).toEqual({ kind: 'unchanged', validator: known });
    expect(server.requests[1]?.headers).toMatchObject({
      'if-none-match': known.etag,
      'if-modified-since': known.lastModified,
    });
    expect(kit.counted('feed_parsed')).toBe(1);
  });

  test('is compared by hash, before parsing, when the server has no validators', async () => {
    const { kit, say } = await setUp({ cacheMs: 0 });
    say.etag = false;
    const known = validatorOf(await kit.fetch());
    expect(Object.keys(known)).toEqual(['hash']);
    expect(await kit.fetch({ known })).toEqual({ kind: 'unchanged', validator: known });
    expect(kit.counted('feed_parsed')).toBe(1);
    say.body = OTHER;
    expect(await kit.fetch({ known })).toMatchObject({ kind: 'postings', postings: [{}, {}] });
  });

  test('is the only one compared: without it, a repeated answer is not unchanged', async () => {
    const { kit } = await setUp({ cacheMs: 0 });
    for (let i = 0; i < 3; i++) expect(await kit.fetch()).toMatchObject({ kind: 'postings', postings: [{}] });
  });

  test('does not hide a change', async () => {
    const { kit, say } = await setUp({ cacheMs: 0 });
    const known = validatorOf(await kit.fetch());
    say.body = OTHER;
    const next = await kit.fetch({ known });
    expect(next).toMatchObject({ kind: 'postings', postings: [{}, {}] });
    expect(validatorOf(next).hash).not.toBe(known.hash);
  });

  test('can be unchanged in a fresh request too', async () => {
    const { server, kit } = await setUp();
    const known = validatorOf(await kit.fetch());
    expect(await kit.fetch({ known, fresh: true })).toMatchObject({ kind: 'unchanged' });
    expect(server.requests).toHaveLength(2);
  });
});

describe('the cache', () => {
  test('answers for five minutes, to callers with and without the version', async () => {
    const { server, kit } = await setUp();
    const known = validatorOf(await kit.fetch());
    kit.clock.time += 4.7 * MINUTE;
    expect(await kit.fetch({ known })).toEqual({ kind: 'unchanged', validator: known });
    expect(kit.counted('feed_parsed')).toBe(1);
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', postings: [{}], validator: known });
    expect(server.requests).toHaveLength(1);
    expect(kit.counted('feed_requests', 'cached')).toBe(2);
  });

  test('does not answer a poll whose interval equals its lifetime, even one that is slightly early', async () => {
    const { server, kit } = await setUp();
    await kit.fetch();
    kit.clock.time += 5 * MINUTE - 900;
    await kit.fetch();
    expect(server.requests).toHaveLength(2);
  });

  test('does not answer after the clock was set back', async () => {
    const { server, kit } = await setUp();
    await kit.fetch();
    kit.clock.time -= MINUTE;
    await kit.fetch();
    expect(server.requests).toHaveLength(2);
  });

  test.each<[string, Partial<FeedRequest>]>([
    ['another account with the same token', { account: 'bob' }],
    ['another token of the same account', { token: secret('other') }],
    ['another tag', { query: { limit: 100, tag: 'rust' } }],
    ['another country', { query: { limit: 100, country: 'germany' } }],
    ['remote', { query: { limit: 100, remote: true } }],
    ['another limit', { query: { limit: 50 } }],
    ['another format', { format: 'json' }],
    ['a fresh request', { fresh: true }],
    ['an account whose name looks like a longer key', { account: 'alice:x' }],
  ])('has no answer for %s', async (_, request) => {
    const { server, kit } = await setUp();
    await kit.fetch();
    await kit.fetch(request);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.headers).not.toHaveProperty('if-none-match');
  });

  test('keeps a broad preview twice as long, and nothing else', async () => {
    const { server, kit } = await setUp();
    await kit.fetch({ format: 'json' });
    await kit.fetch({ format: 'json', query: { limit: 100, tag: 'rust' } });
    await kit.fetch();
    kit.clock.time += 9 * MINUTE;
    await kit.fetch({ format: 'json' });
    expect(server.requests).toHaveLength(3);
    await kit.fetch({ format: 'json', query: { limit: 100, tag: 'rust' } });
    await kit.fetch();
    expect(server.requests).toHaveLength(5);
    kit.clock.time += MINUTE;
    await kit.fetch({ format: 'json' });
    expect(server.requests).toHaveLength(6);
  });

  test('is used as a condition after its lifetime, and its body is returned when the API answers 304', async () => {
    const { server, kit, say } = await setUp();
    const first = await kit.fetch();
    kit.clock.time += 10 * MINUTE;
    const writes = kit.cache.writes.length;
    expect(await kit.fetch()).toEqual(first);
    expect(server.requests[1]?.headers['if-none-match']).toBe(first.validator.etag);
    expect(kit.counted('feed_requests', 'unchanged')).toBe(1);
    // Only the small row was written again, and it counts as fresh now.
    expect(kit.cache.writes.slice(writes)).toEqual([expect.not.stringMatching(/:body$/u)]);
    await kit.fetch();
    expect(server.requests).toHaveLength(2);
    kit.clock.time += 10 * MINUTE;
    say.body = OTHER;
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', postings: [{}, {}] });
  });

  test('rewrites only the small row for the same body with 200', async () => {
    const { kit, say } = await setUp();
    say.ignoreCondition = true;
    const known = validatorOf(await kit.fetch());
    kit.clock.time += 6 * MINUTE;
    const writes = kit.cache.writes.length;
    expect(await kit.fetch({ known })).toMatchObject({ kind: 'unchanged' });
    expect(kit.cache.writes.slice(writes)).toEqual([expect.not.stringMatching(/:body$/u)]);
    expect([kit.counted('feed_requests', 'ok'), kit.counted('feed_requests', 'unchanged')]).toEqual([1, 1]);
    // The body is written again before its row expires.
    kit.clock.time += 24 * MINUTE;
    await kit.fetch({ known });
    expect(kit.cache.writes.at(-2)).toMatch(/:body$/u);
    // From then on, its age counts from that time.
    kit.clock.time += 6 * MINUTE;
    await kit.fetch({ known });
    expect(kit.cache.writes.at(-2)).not.toMatch(/:body$/u);
  });

  test('after a 304, still knows how old its body is', async () => {
    const { kit, say } = await setUp();
    await kit.fetch();
    kit.clock.time += 10 * MINUTE;
    await kit.fetch();
    kit.clock.time += 10 * MINUTE;
    say.ignoreCondition = true;
    const writes = kit.cache.writes.length;
    await kit.fetch();
    expect(kit.cache.writes.slice(writes)).toEqual([expect.not.stringMatching(/:body$/u)]);
  });

  test.each([
    [5 * MINUTE, 60 * MINUTE],
    [60 * MINUTE, 240 * MINUTE],
  ])('of %i ms keeps its rows for %i ms', async (cacheMs, lifetime) => {
    const { kit } = await setUp({ cacheMs });
    await kit.fetch();
    expect([...kit.cache.lifetimes.values()]).toEqual([lifetime, lifetime]);
  });

  test('has no answer for another API', async () => {
    const { kit } = await setUp();
    await kit.fetch();
    const other = await setUp({ cache: kit.cache });
    await other.kit.fetch();
    expect(other.server.requests).toHaveLength(1);
  });

  test('does not answer once the client is closed', async () => {
    const { kit } = await setUp();
    await kit.fetch();
    await kit.close();
    expect(await kit.fault()).toMatchObject({ fault: 'aborted' });
  });

  test('does not keep a body over its limit', async () => {
    const { kit, say } = await setUp();
    const most = 2 * 1024 * 1024;
    for (const [length, kept] of [
      [most, true],
      [most + 1, false],
    ] as const) {
      say.body = rss(ITEM, ' '.repeat(length - GOOD.length));
      expect(await kit.fetch({ fresh: true })).toMatchObject({ kind: 'postings', kept });
      const known = { hash: 'another' };
      expect(await kit.poll({ known, keep: true })).toMatchObject({ kind: 'postings', kept });
    }
  });

  test("deletes an account's rows, and no other account's", async () => {
    const { server, kit } = await setUp();
    await kit.fetch();
    await kit.fetch({ account: 'bob' });
    await kit.forget('alice');
    expect(kit.cache.rows.size).toBe(2);
    await kit.fetch({ account: 'bob' });
    expect(server.requests).toHaveLength(2);
    await kit.fetch();
    expect(server.requests).toHaveLength(3);
  });

  test('without its body requests one instead of relying on a 304', async () => {
    const { server, kit } = await setUp();
    const known = validatorOf(await kit.fetch());
    const dropBody = () => {
      for (const key of kit.cache.rows.keys()) if (key.endsWith(':body')) kit.cache.rows.delete(key);
    };
    dropBody();
    expect(await kit.fetch({ known })).toMatchObject({ kind: 'unchanged' });
    expect(server.requests).toHaveLength(1);
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', postings: [{}] });
    expect(server.requests).toHaveLength(2);
    dropBody();
    kit.clock.time += 10 * MINUTE;
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', postings: [{}] });
    expect(server.requests[2]?.headers).not.toHaveProperty('if-none-match');
  });

  test('does not mix rows of two versions, as a crash between two writes leaves them', async () => {
    const { server, kit, say } = await setUp();
    await kit.fetch();
    const old = [...kit.cache.rows].find(([key]) => !key.endsWith(':body')) as [string, unknown];
    say.body = OTHER;
    await kit.fetch({ fresh: true });
    kit.cache.rows.set(old[0], old[1]);
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', postings: [{}, {}] });
    // The body of the other version was not taken for the answer of this one.
    expect(server.requests).toHaveLength(3);
  });

  test('does not keep an answer that is not a feed', async () => {
    const { server, kit, say } = await setUp();
    say.body = '<html></html>';
    await kit.fault();
    expect(kit.cache.rows.size).toBe(0);
    say.body = GOOD;
    expect(await kit.fetch()).toMatchObject({ kind: 'postings' });
    expect(server.requests).toHaveLength(2);
  });

  test('logs a warning if it fails, and the poll succeeds', async () => {
    const { server, kit } = await setUp();
    kit.cache.failing = true;
    for (let i = 0; i < 3; i++) expect(await kit.fetch()).toMatchObject({ kind: 'postings' });
    expect(server.requests).toHaveLength(3);
    expect(kit.logs).toEqual([
      {
        level: 'warn',
        fields: { reason: expect.any(String) },
        message: 'response cache failed, continuing without it',
      },
    ]);
    kit.cache.failing = false;
    await kit.fetch();
    await kit.fetch();
    expect(server.requests).toHaveLength(4);
    kit.cache.failing = true;
    await kit.fetch();
    expect(kit.logs.filter(({ level }) => level === 'warn')).toHaveLength(2);
  });

  test('counts as empty if it contains something unknown', async () => {
    const { server, kit } = await setUp();
    await kit.fetch();
    for (const key of kit.cache.rows.keys()) kit.cache.rows.set(key, '"what?"');
    expect(await kit.fetch()).toMatchObject({ kind: 'postings' });
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    ['small row', 'hash'],
    ['small row', 'fetchedAt'],
    ['small row', 'bodyAt'],
    ['body', 'text'],
    ['body', 'hash'],
    ['body', 'lossy'],
  ])('counts as empty if its %s lacks the field %s', async (row, field) => {
    const { server, kit } = await setUp();
    await kit.fetch();
    for (const [key, text] of kit.cache.rows) {
      const { [field]: _lost, ...rest } = JSON.parse(text as string);
      if (key.endsWith(':body') === (row === 'body')) kit.cache.rows.set(key, JSON.stringify(rest));
    }
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', postings: [{}] });
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.headers).not.toHaveProperty('if-none-match');
  });
});

describe('a kept answer', () => {
  test('can be read again without a request, by its version only', async () => {
    const { server, kit } = await setUp();
    const first = await kit.fetch();
    const { hash } = first.validator;
    expect(await kit.recall(hash)).toEqual(first);
    expect(await kit.recall('another')).toBeUndefined();
    expect(await kit.recall(hash, { account: 'bob' })).toBeUndefined();
    // Also once it is too old to answer a request.
    kit.clock.time += 30 * MINUTE;
    expect(await kit.recall(hash)).toEqual(first);
    expect(server.requests).toHaveLength(1);
    expect(await kit.recall(hash, { format: 'json' })).toBeUndefined();
    await kit.forget('alice');
    expect(await kit.recall(hash)).toBeUndefined();
  });

  test('is read in its form', async () => {
    const { kit } = await setUp();
    const first = await kit.fetch({ format: 'json' });
    expect(await kit.recall(first.validator.hash, { format: 'json' })).toEqual(first);
  });

  test('is gone with its body, or without a part of it', async () => {
    const { kit } = await setUp();
    const { hash } = validatorOf(await kit.fetch());
    const [key = ''] = [...kit.cache.rows.keys()].filter((one) => one.endsWith(':body'));
    kit.cache.rows.set(key, JSON.stringify({ hash, lossy: false }));
    expect(await kit.recall(hash)).toBeUndefined();
    kit.cache.rows.delete(key);
    expect(await kit.recall(hash)).toBeUndefined();
  });

  test('of a poll answers the next request, and its version is counted once', async () => {
    const { server, kit } = await setUp();
    const answer = await kit.poll({ known: { hash: 'another' }, keep: true });
    expect(answer).toMatchObject({ kind: 'postings', kept: true });
    expect(kit.counted('feed_requests', 'ok')).toBe(1);
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', validator: answer.validator, kept: true });
    expect(server.requests).toHaveLength(1);
    // What a 304 does not repeat stays known.
    const known = { ...answer.validator, lastModified: 'Sun, 22 Nov 2026 04:00:00 GMT' };
    expect(await kit.poll({ known })).toEqual({ kind: 'unchanged', validator: known });
    expect(kit.counted('feed_requests', 'unchanged')).toBe(1);
  });
});

test('a poll makes one attempt', async () => {
  const server = await serve((_, response) => response.writeHead(503).end());
  const kit = createKit(server.url);
  later(server.close, kit.close);
  await expect(kit.poll({ known: { hash: 'a' } })).rejects.toMatchObject({ fault: 'unavailable' });
  expect(server.requests).toHaveLength(1);
  expect(kit.sleeps).toEqual([]);
});
