// The error table of the jobs API, row by row, over real sockets: what is retried, how often, and after how long.
import { describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { later } from '../helpers/later.js';
import { createKit, GOOD, type Kit, LOCATION_CANARY, serve, serveRaw, type TestServer } from './kit.js';

async function setUp(
  answer: (number: number) => { status: number; headers?: Record<string, string>; body?: string },
  options: Parameters<typeof createKit>[1] = {},
): Promise<{ server: TestServer; kit: Kit }> {
  const server = await serve((_, response, number) => {
    const { status, headers = {}, body = '' } = answer(number);
    response.writeHead(status, headers).end(body);
  });
  const kit = createKit(server.url, options);
  later(server.close, kit.close);
  return { server, kit };
}

const good = { status: 200, body: GOOD };

describe('failures of the server', () => {
  test.each([500, 502, 503, 504, 599])('%i is retried three times, after 1, 2 and 4 s', async (status) => {
    const { server, kit } = await setUp(() => ({ status }));
    expect(await kit.fault()).toMatchObject({ fault: 'unavailable', status });
    expect(server.requests).toHaveLength(4);
    expect(kit.sleeps).toEqual([1000, 2000, 4000]);
    expect(kit.counted('feed_requests', 'unavailable')).toBe(1);
  });

  test('keep their own waits, whatever Retry-After says', async () => {
    const { kit } = await setUp((number) =>
      number === 0 ? { status: 503, headers: { 'retry-after': '9' } } : good,
    );
    await kit.fetch();
    expect(kit.sleeps).toEqual([1000]);
  });

  test('returns the postings after the server recovers', async () => {
    const { kit } = await setUp((number) => (number < 3 ? { status: 503 } : good));
    expect(await kit.fetch()).toMatchObject({ kind: 'postings' });
    expect(kit.sleeps).toEqual([1000, 2000, 4000]);
  });

  test.each([
    [0, [800, 1600, 3200]],
    [0.999999, [1200, 2400, 4800]],
  ])('the jitter is a fifth either way (random %d)', async (random, waits) => {
    const { kit } = await setUp(() => ({ status: 500 }), { random: () => random });
    await kit.fault();
    expect(kit.sleeps).toEqual(waits);
  });

  test('retries after a connection reset', async () => {
    const server = await serveRaw((socket, number) => {
      if (number < 2) socket.resetAndDestroy();
      else socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}`);
    });
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect(await kit.fetch()).toMatchObject({ kind: 'postings' });
    expect(kit.sleeps).toEqual([1000, 2000]);
  });

  test('retries when nothing listens at the address', async () => {
    const server = await serve(() => {});
    await server.close();
    const kit = createKit(server.url);
    later(kit.close);
    expect(await kit.fault()).toMatchObject({ fault: 'unavailable', status: undefined });
    expect(kit.sleeps).toHaveLength(3);
  });

  test('retries after an answer that is not HTTP', async () => {
    const server = await serveRaw((socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n'));
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect(await kit.fault()).toMatchObject({ fault: 'unavailable' });
    expect(server.count()).toBe(4);
  });
});

describe('refusals', () => {
  test.each([
    [401, 'rejected'],
    [403, 'rejected'],
    [400, 'refused'],
    [404, 'refused'],
    [408, 'refused'],
    [410, 'refused'],
    [422, 'refused'],
    [451, 'refused'],
    [204, 'malformed'],
    [206, 'malformed'],
  ])('%i is %s and not retried', async (status, fault) => {
    const { server, kit } = await setUp(() => ({ status }));
    expect(await kit.fault()).toMatchObject({ fault, status });
    expect(server.requests).toHaveLength(1);
    expect(kit.sleeps).toEqual([]);
  });

  test.each([300, 301, 302, 303, 307, 308])('%i is a rejected token and is not followed', async (status) => {
    const elsewhere = await serve((_, response) => response.end(GOOD));
    later(elsewhere.close);
    const location = `${elsewhere.url}/login?next=${LOCATION_CANARY}`;
    const { server, kit } = await setUp(() => ({ status, headers: { location } }));
    expect(await kit.fault()).toMatchObject({ fault: 'rejected', status });
    expect(server.requests).toHaveLength(1);
    expect(elsewhere.requests).toHaveLength(0);
  });

  test('304 without a condition is malformed', async () => {
    const { server, kit } = await setUp(() => ({ status: 304 }));
    expect(await kit.fault()).toMatchObject({ fault: 'malformed' });
    expect(server.requests).toHaveLength(1);
  });

  test('does not wait for the body of a refusal', async () => {
    const server = await serve((_, response) => {
      response.writeHead(401).write('a page that never ends');
    });
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect(await kit.fault()).toMatchObject({ fault: 'rejected' });
  });
});

describe('429', () => {
  const busy = (retryAfter?: string) => ({
    status: 429,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  });

  test('without Retry-After is retried like a failure', async () => {
    const { server, kit } = await setUp(() => busy());
    expect(await kit.fault()).toMatchObject({ fault: 'throttled', status: 429, retryAfterMs: undefined });
    expect(server.requests).toHaveLength(4);
    expect(kit.sleeps).toEqual([1000, 2000, 4000]);
  });

  test('with a short Retry-After is retried after that time', async () => {
    const { kit } = await setUp((number) => (number === 0 ? busy('7') : good));
    expect(await kit.fetch()).toMatchObject({ kind: 'postings' });
    expect(kit.sleeps).toEqual([7000]);
  });

  test('reads a Retry-After that is a date', async () => {
    const date = new Date(1_800_000_005_000).toUTCString();
    const { kit } = await setUp((number) => (number === 0 ? busy(date) : good));
    await kit.fetch();
    expect(kit.sleeps).toEqual([5000]);
  });

  test.each(['-5', 'soon', '1e999', 'Thu, 01 Jan 1970 00:00:00 GMT', '0'])(
    'ignores a Retry-After of "%s"',
    async (value) => {
      const { kit } = await setUp((number) => (number === 0 ? busy(value) : good));
      await kit.fetch();
      expect(kit.sleeps).toEqual([1000]);
    },
  );

  test('returns a long Retry-After to the caller, and pauses only that token until then', async () => {
    const { server, kit } = await setUp((number) => (number === 0 ? busy('120') : good));
    expect(await kit.fault()).toMatchObject({ fault: 'throttled', retryAfterMs: 120_000 });
    expect(kit.sleeps).toEqual([]);
    kit.clock.time += 50_000;
    expect(await kit.fault()).toMatchObject({ fault: 'throttled', retryAfterMs: 70_000 });
    expect(server.requests).toHaveLength(1);
    expect(await kit.fetch({ account: 'bob', token: secret('another-token') })).toMatchObject({
      kind: 'postings',
    });
    kit.clock.time += 65_000;
    expect(await kit.fetch()).toMatchObject({ kind: 'postings' });
    expect(kit.sleeps).toEqual([5000]);
  });

  test('limits Retry-After to an hour', async () => {
    const { kit } = await setUp(() => busy('99999999'));
    expect(await kit.fault()).toMatchObject({ retryAfterMs: 3_600_000 });
  });

  test('applies the wait of a last attempt to the next request', async () => {
    const { kit } = await setUp((number) => (number < 4 ? busy('3') : good));
    expect(await kit.fault()).toMatchObject({ fault: 'throttled', retryAfterMs: 3000 });
    expect(kit.sleeps).toEqual([3000, 3000, 3000]);
    await kit.fetch();
    expect(kit.sleeps).toEqual([3000, 3000, 3000, 3000]);
  });
});

describe('aborts', () => {
  test('an aborted caller gets an answer while the server hangs', async () => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort());
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect(await kit.fault({ signal: controller.signal })).toMatchObject({ fault: 'aborted' });
  });

  test('an abort ends the wait between two attempts', async () => {
    const controller = new AbortController();
    const { server, kit } = await setUp(() => ({ status: 500 }), {
      sleep: (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          controller.abort();
        }),
    });
    expect(await kit.fault({ signal: controller.signal })).toMatchObject({ fault: 'aborted' });
    expect(server.requests).toHaveLength(1);
  });

  test('makes no request for an aborted caller, or after closing', async () => {
    const { server, kit } = await setUp(() => good);
    expect(await kit.fault({ signal: AbortSignal.abort() })).toMatchObject({ fault: 'aborted' });
    await kit.close();
    expect(await kit.fault()).toMatchObject({ fault: 'aborted' });
    expect(server.requests).toHaveLength(0);
  });

  test('closing ends open requests', async () => {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await serve(() => arrived());
    const kit = createKit(server.url);
    later(server.close);
    const fault = kit.fault();
    await arrival;
    await kit.close();
    expect(await fault).toMatchObject({ fault: 'aborted' });
  });
});
