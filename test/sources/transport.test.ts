// Faults between the socket and the text: time, length, compression. Small servers with exactly one fault each;
// deadlines are real but short, and no test asserts how long anything took.
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { later } from '../helpers/later.js';
import { createKit, GOOD, type Kit, serve, serveRaw } from './kit.js';

async function setUp(
  answer: (response: ServerResponse, number: number) => void,
  options: Parameters<typeof createKit>[1] = {},
): Promise<{ kit: Kit; count: () => number }> {
  const server = await serve((_, response, number) => answer(response, number));
  const kit = createKit(server.url, options);
  later(server.close, kit.close);
  return { kit, count: () => server.requests.length };
}

describe('the deadline of an attempt', () => {
  test('covers headers that never arrive', async () => {
    const { kit, count } = await setUp(() => {}, { attemptTimeoutMs: 80 });
    expect(await kit.fault()).toMatchObject({ fault: 'unavailable' });
    expect(count()).toBe(4);
  });

  test('covers headers that arrive a byte at a time', async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const kit = createKit(server.url, { attemptTimeoutMs: 100 });
    later(server.close, kit.close);
    expect(await kit.fault()).toMatchObject({ fault: 'unavailable' });
    expect(server.count()).toBe(4);
  });

  test.each(['identity', 'gzip', 'deflate'])(
    'covers a body that never stops sending (%s)',
    async (coding) => {
      const body = coding === 'gzip' ? gzipSync(GOOD) : coding === 'deflate' ? deflateSync(GOOD) : GOOD;
      const { kit, count } = await setUp(
        (response) => {
          response.writeHead(200, { 'content-encoding': coding });
          let at = 0;
          const timer = setInterval(() => response.write(body.slice(at++ % 20, (at % 20) + 1)), 10);
          response.on('close', () => clearInterval(timer));
        },
        { attemptTimeoutMs: 100 },
      );
      // gzip and deflate may detect earlier that these bytes are invalid.
      expect(['unavailable', 'malformed']).toContain((await kit.fault()).fault);
      expect(count()).toBeGreaterThan(0);
    },
  );

  test('allows a retry', async () => {
    const { kit } = await setUp((response, number) => void (number > 0 && response.end(GOOD)), {
      attemptTimeoutMs: 400,
    });
    expect(await kit.fetch()).toMatchObject({ kind: 'postings' });
    expect(kit.sleeps).toEqual([1000]);
  });
});

describe('a body that is cut off', () => {
  const half = GOOD.slice(0, GOOD.length / 2);

  test.each([
    ['shorter than its Content-Length', `Content-Length: ${GOOD.length}\r\n\r\n${half}`],
    [
      'chunked without its end',
      `Transfer-Encoding: chunked\r\n\r\n${half.length.toString(16)}\r\n${half}\r\n`,
    ],
    ['ending with the connection', `Connection: close\r\n\r\n${half}`],
  ])('is requested again: %s', async (_, rest) => {
    const server = await serveRaw((socket, number) => {
      const whole = `Content-Length: ${GOOD.length}\r\n\r\n${GOOD}`;
      socket.end(`HTTP/1.1 200 OK\r\n${number === 0 ? rest : whole}`);
    });
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', postings: [{}] });
    expect(server.count()).toBe(2);
  });

  test('is requested again if it is JSON that ends with the connection', async () => {
    const server = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n["a","b",[{"title":"x'));
    const kit = createKit(server.url, { format: 'json' });
    later(server.close, kit.close);
    expect(await kit.fault()).toMatchObject({ fault: 'unavailable' });
    expect(server.count()).toBe(4);
  });

  test.each([
    ['gzip', gzipSync(GOOD)],
    ['deflate', deflateSync(GOOD)],
    ['br', brotliCompressSync(GOOD)],
  ])(
    'is requested again if it ends inside its compression (%s), although the length is right',
    async (coding, bytes) => {
      const { kit, count } = await setUp((response, number) => {
        response.writeHead(200, { 'content-encoding': coding });
        response.end(number === 0 ? bytes.subarray(0, bytes.length - 12) : bytes);
      });
      expect(await kit.fetch()).toMatchObject({ kind: 'postings' });
      expect(count()).toBe(2);
    },
  );

  test('is not assumed for a complete one that ends with the connection, and an HTML page is no feed', async () => {
    const bodies = [GOOD, '<html><body>Please log in</body></html>'];
    const server = await serveRaw((socket, number) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${bodies[number]}`));
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect(await kit.fetch()).toMatchObject({ kind: 'postings' });
    expect(await kit.fault({ fresh: true })).toMatchObject({ fault: 'malformed' });
    expect(server.count()).toBe(2);
  });
});

describe('compression', () => {
  test.each([
    ['gzip', gzipSync(GOOD)],
    ['x-gzip', gzipSync(GOOD)],
    ['GZIP', gzipSync(GOOD)],
    ['deflate', deflateSync(GOOD)],
    ['deflate', deflateRawSync(GOOD)],
    ['br', brotliCompressSync(GOOD)],
    ['identity', Buffer.from(GOOD)],
    ['identity, gzip', gzipSync(GOOD)],
  ])('%s is decompressed', async (coding, bytes) => {
    const { kit } = await setUp((response) => {
      response.writeHead(200, { 'content-encoding': coding });
      // In two parts, the first one a single byte.
      response.write(bytes.subarray(0, 1));
      setImmediate(() => response.end(bytes.subarray(1)));
    });
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', postings: [{}] });
  });

  test.each([
    ['declared', 'gzip, gzip', gzipSync(gzipSync(GOOD))],
    ['of two kinds', 'gzip, br', brotliCompressSync(gzipSync(GOOD))],
    ['undeclared', 'gzip', gzipSync(gzipSync(GOOD))],
    ['unknown', 'zstd', Buffer.from(GOOD)],
    ['a lie', 'gzip', Buffer.from(GOOD)],
    ['a lie', 'br', Buffer.from('\xff\xff\xff not brotli', 'latin1')],
    ['a lie', 'deflate', Buffer.from(GOOD)],
  ])('double or wrong compression is malformed and not tried again: %s (%s)', async (_, coding, bytes) => {
    const { kit, count } = await setUp((response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(bytes);
    });
    expect(await kit.fault()).toMatchObject({ fault: 'malformed' });
    expect(count()).toBe(1);
  });
});

describe('size', () => {
  const maxBytes = 100_000;
  /** Bodies of 200 MB, compressed. */
  function bombs(): [coding: string, bomb: Buffer][] {
    const spaces = Buffer.alloc(200_000_000, ' ');
    return [
      ['gzip', gzipSync(spaces, { strategy: constants.Z_RLE })],
      ['deflate', deflateSync(spaces, { strategy: constants.Z_RLE })],
      ['br', brotliCompressSync(spaces, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ];
  }

  test('a body over the limit is malformed, and the connection is closed', async () => {
    let hungUp = () => {};
    const left = new Promise<void>((resolve) => {
      hungUp = resolve;
    });
    const { kit, count } = await setUp(
      (response) => {
        response.on('close', hungUp);
        const more = () => void (response.write(Buffer.alloc(65_536, 'x'), more) || true);
        more();
      },
      { maxBytes },
    );
    expect(await kit.fault()).toMatchObject({ fault: 'malformed' });
    await left;
    expect(count()).toBe(1);
  });

  test.each(bombs())('a %s body of 200 MB is stopped at the limit', async (coding, bomb) => {
    expect(bomb.length).toBeLessThan(500_000);
    const { kit, count } = await setUp((response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(bomb);
    });
    const before = process.memoryUsage().arrayBuffers;
    expect(await kit.fault()).toMatchObject({ fault: 'malformed' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000);
    expect(count()).toBe(1);
  });

  test('a body of exactly the limit is read', async () => {
    const body = GOOD + ' '.repeat(maxBytes - GOOD.length);
    const { kit } = await setUp((response, number) => void response.end(number === 0 ? body : `${body} `), {
      maxBytes,
    });
    expect(await kit.fetch()).toMatchObject({ kind: 'postings' });
    expect(await kit.fault({ fresh: true })).toMatchObject({ fault: 'malformed' });
  });
});

test('a hundred refusals leave no connection open', { tags: 'long' }, async () => {
  const server = await serve((_, response, number) => {
    response.writeHead(number % 2 === 0 ? 404 : 200, { 'content-encoding': 'gzip, gzip' });
    response.end(GOOD + ' '.repeat(1_000_000));
  });
  const kit = createKit(server.url);
  later(server.close, kit.close);
  const sockets = new Set<unknown>();
  for (let i = 0; i < 100; i++) await kit.fault({ fresh: true });
  for (const request of server.requests) if (!request.socket.destroyed) sockets.add(request.socket);
  expect(sockets.size).toBeLessThan(10);
});
