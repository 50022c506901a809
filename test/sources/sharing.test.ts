// Callers at the same time: equal requests are merged, requests with one token are made one after the other with a
// gap, and a caller that leaves affects no other.
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { FeedError } from '../../src/domain/errors.js';
import { secret } from '../../src/domain/secret.js';
import { createLanes } from '../../src/sources/jobs-api/token-queue.js';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';
import { createKit, GOOD, type Kit, serve, type TestServer } from './kit.js';

/** A server that holds every response until `give` is called. */
async function setUp(
  options: Parameters<typeof createKit>[1] = {},
): Promise<{ server: TestServer; kit: Kit; held: ServerResponse[]; give: () => void }> {
  const held: ServerResponse[] = [];
  const server = await serve((_, response) => void held.push(response));
  const kit = createKit(server.url, options);
  later(server.close, kit.close);
  return { server, kit, held, give: () => void held.shift()?.end(GOOD) };
}

const tag = (name: 'rust' | 'dao' | 'nft') => ({ query: { limit: 100, tag: name } });

describe('equal requests at the same time', () => {
  test('are merged, and each caller compares its own version', async () => {
    const { server, kit, held, give } = await setUp({ cacheMs: 0 });
    const first = kit.fetch();
    await until(() => held.length === 1);
    give();
    const known = (await first).validator;
    const all = [kit.fetch(), kit.fetch({ known }), kit.fetch()];
    await until(() => held.length === 1);
    give();
    const kinds = (await Promise.all(all)).map(({ kind }) => kind);
    expect(kinds).toEqual(['postings', 'unchanged', 'postings']);
    expect(server.requests).toHaveLength(2);
    expect(kit.counted('feed_parsed')).toBe(2);
  });

  test('of two accounts are two, even with the same token', async () => {
    const { server, kit, held, give } = await setUp();
    const both = [kit.fetch(), kit.fetch({ account: 'bob' })];
    await until(() => held.length === 1);
    give();
    await until(() => held.length === 1);
    give();
    await Promise.all(both);
    expect(server.requests).toHaveLength(2);
  });

  test("request the body for the caller that can't use a 304", async () => {
    const { server, kit, held } = await setUp({ cacheMs: 0 });
    kit.cache.failing = true;
    const known = { hash: 'f'.repeat(32), etag: '"1"' };
    const knowing = kit.fetch({ known });
    const unknowing = kit.fetch();
    await until(() => held.length === 1);
    held.shift()?.writeHead(304, { etag: '"1"' }).end();
    expect(await knowing).toEqual({ kind: 'unchanged', validator: known });
    await until(() => held.length === 1);
    expect(server.requests[1]?.headers).not.toHaveProperty('if-none-match');
    held.shift()?.end(GOOD);
    expect(await unknowing).toMatchObject({ kind: 'postings' });
  });

  test('keep the answer for one caller when the other leaves', async () => {
    const { server, kit, held, give } = await setUp();
    const controller = new AbortController();
    const leaving = kit.fault({ signal: controller.signal });
    const staying = kit.fetch();
    await until(() => held.length === 1);
    controller.abort();
    expect(await leaving).toMatchObject({ fault: 'aborted' });
    give();
    expect(await staying).toMatchObject({ kind: 'postings' });
    expect(server.requests).toHaveLength(1);
  });

  test('end the request when the last caller leaves, and start again for the next one', async () => {
    const { server, kit, held, give } = await setUp();
    const controller = new AbortController();
    const leaving = [kit.fault({ signal: controller.signal }), kit.fault({ signal: controller.signal })];
    await until(() => held.length === 1);
    const hungUp = new Promise((resolve) => held.shift()?.on('close', resolve));
    controller.abort();
    await Promise.all(leaving);
    const next = kit.fetch();
    await hungUp;
    await until(() => held.length === 1);
    give();
    expect(await next).toMatchObject({ kind: 'postings' });
    expect(server.requests).toHaveLength(2);
  });

  test('are not merged if only one of them is tried again', async () => {
    const { server, kit, held, give } = await setUp();
    const once = kit.fault({ once: true });
    const often = kit.fetch();
    for (let number = 0; number < 2; number++) {
      await until(() => held.length === 1);
      held.shift()?.writeHead(503).end();
    }
    expect(await once).toMatchObject({ fault: 'unavailable' });
    await until(() => held.length === 1);
    give();
    expect(await often).toMatchObject({ kind: 'postings' });
    expect(server.requests).toHaveLength(3);
  });

  test('fail together', async () => {
    const { kit, held } = await setUp();
    const both = [kit.fault(), kit.fault()];
    await until(() => held.length === 1);
    held.shift()?.writeHead(403).end();
    expect((await Promise.all(both)).map(({ fault }) => fault)).toEqual(['rejected', 'rejected']);
  });
});

describe('other requests of an account', () => {
  test('are stored as well when one of them ends first', async () => {
    const { server, kit, held, give } = await setUp();
    const both = [kit.fetch(tag('rust')), kit.fetch({ ...tag('dao'), token: secret('another-token') })];
    await until(() => held.length === 2);
    give();
    await Promise.race(both);
    give();
    await Promise.all(both);
    await kit.fetch(tag('rust'));
    await kit.fetch({ ...tag('dao'), token: secret('another-token') });
    expect(server.requests).toHaveLength(2);
  });
});

test('closing aborts what is in progress, and waits until its last write is over', async () => {
  const { kit, held, give } = await setUp();
  let isWriting = false;
  let release = () => {};
  const { set } = kit.cache;
  kit.cache.set = async (...row) => {
    isWriting = true;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    await set(...row);
  };
  const storing = kit.fetch(tag('rust'));
  const waiting = kit.fault(tag('dao'));
  await until(() => held.length === 1);
  give();
  await until(() => isWriting);
  let isClosed = false;
  const closing = kit.close().then(() => {
    isClosed = true;
  });
  expect(await waiting).toMatchObject({ fault: 'aborted' });
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  kit.cache.set = set;
  release();
  await closing;
  expect(kit.cache.writes).toHaveLength(2);
  await storing;
});

describe('requests with one token', () => {
  test('are made one at a time, with the gap between the end of one and the start of the next', async () => {
    const { server, kit, held, give } = await setUp({ spacingMs: 500 });
    const all = [kit.fetch(tag('rust')), kit.fetch(tag('dao')), kit.fetch({ ...tag('nft'), account: 'bob' })];
    for (let number = 1; number <= 3; number++) {
      await until(() => held.length === 1);
      expect(server.requests).toHaveLength(number);
      give();
    }
    await Promise.all(all);
    expect(kit.sleeps).toEqual([500, 500]);
    kit.clock.time += 200;
    const late = kit.fetch({ fresh: true });
    await until(() => held.length === 1);
    give();
    await late;
    expect(kit.sleeps).toEqual([500, 500, 300]);
  });

  test('keep the gap between attempts', async () => {
    const server = await serve((_, response) => response.writeHead(500).end());
    const kit = createKit(server.url, { spacingMs: 5000 });
    later(server.close, kit.close);
    await kit.fault();
    // The waits of the retries, each extended to the gap.
    expect(kit.sleeps).toEqual([1000, 4000, 2000, 3000, 4000, 1000]);
  });

  test('do not wait for those with another token', async () => {
    const { server, kit, held, give } = await setUp({ spacingMs: 60_000 });
    const all = [kit.fetch(), kit.fetch({ account: 'bob', token: secret('other') })];
    await until(() => held.length === 2);
    give();
    give();
    await Promise.all(all);
    expect(server.requests).toHaveLength(2);
    expect(kit.sleeps).toEqual([]);
  });

  test('keep their order, one at a time, when one leaves the queue', async () => {
    const { server, kit, held, give } = await setUp();
    const controller = new AbortController();
    const first = kit.fetch(tag('rust'));
    const leaving = kit.fault({ ...tag('dao'), signal: controller.signal });
    const last = kit.fetch(tag('nft'));
    await until(() => held.length === 1);
    controller.abort();
    expect(await leaving).toMatchObject({ fault: 'aborted' });
    expect(server.requests).toHaveLength(1);
    give();
    await first;
    await until(() => held.length === 1);
    give();
    await last;
    expect(server.requests.map((_, number) => server.params(number).tag)).toEqual(['rust', 'nft']);
  });
});

describe('a rest that the API asks for', () => {
  const busy = (seconds: number) => (_: unknown, response: ServerResponse, number: number) =>
    void (number === 0
      ? response.writeHead(429, { 'retry-after': String(seconds) }).end()
      : response.end(GOOD));

  test.each([
    ['a person', true, 2],
    ['a poll', false, 10],
  ])('is waited out for %s up to its limit, and not longer', async (_, once, seconds) => {
    for (const more of [0, 1]) {
      const server = await serve(busy(seconds + more));
      const kit = createKit(server.url);
      later(server.close, kit.close);
      await kit.fetch({ once: true }).catch(() => undefined);
      const answer = await kit.fetch({ once }).then(
        ({ kind }) => kind,
        ({ message, status }: FeedError) => [message, status],
      );
      expect(answer).toEqual(more === 0 ? 'postings' : ['The jobs API asked this token to wait.', 429]);
      expect(kit.sleeps).toEqual(more === 0 ? [seconds * 1000] : []);
    }
  });
});

describe('lanes', () => {
  const signal = new AbortController().signal;

  test('are deleted when idle, but not while a token must wait', async () => {
    const clock = { time: 0, now: () => clock.time };
    const lanes = createLanes({ spacingMs: 500, clock, sleep: async () => {} });
    for (let i = 0; i < 1000; i++) {
      await lanes.run(`token ${i}`, signal, (lane) => lane.paced(signal, async () => {}));
      clock.time += 1000;
    }
    expect(lanes.size()).toBe(1);
    await lanes.run('hushed', signal, async (lane) => lane.keepQuiet(100_000));
    clock.time += 99_000;
    await lanes.run('x', signal, async () => {});
    expect(lanes.size()).toBe(2);
    expect(await lanes.run('hushed', signal, async (lane) => lane.quietMs())).toBe(1000);
    clock.time += 1000;
    await lanes.run('x', signal, async () => {});
    expect(lanes.size()).toBe(1);
  });

  test('do not extend the gap when the clock is set back', async () => {
    const clock = { time: 1_000_000, now: () => clock.time };
    const sleeps: number[] = [];
    const lanes = createLanes({ spacingMs: 500, clock, sleep: async (ms) => void sleeps.push(ms) });
    const request = () => lanes.run('a', signal, (lane) => lane.paced(signal, async () => {}));
    await request();
    clock.time = 0;
    await request();
    expect(sleeps).toEqual([500]);
  });

  test('do not extend the wait of a token when the clock is set back', async () => {
    const clock = { time: 1_000_000_000, now: () => clock.time };
    const lanes = createLanes({ spacingMs: 500, clock, sleep: async () => {} });
    const quiet = (keepQuiet?: number) =>
      lanes.run('a', signal, async (lane) => {
        if (keepQuiet) lane.keepQuiet(keepQuiet);
        return lane.quietMs();
      });
    expect(await quiet(3_600_000)).toBe(3_600_000);
    clock.time += 600_000;
    expect(await quiet()).toBe(3_000_000);
    clock.time -= 700_000;
    expect(await quiet()).toBe(0);
  });
});
