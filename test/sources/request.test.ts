// One request: what it sends, which answers count as complete, and what each failure says. What a person reads comes from
// these sentences, so they are compared word for word.
import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import type { FeedError } from '../../src/domain/errors.js';
import { secret } from '../../src/domain/secret.js';
import { requestOnce } from '../../src/sources/jobs-api/request.js';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';
import { CANARY, createKit, GOOD, type Kit, rss, serve, serveRaw } from './kit.js';

type Options = Parameters<typeof createKit>[1];

/** A kit for a server that sends these bytes after the head of a request and then ends the connection. */
async function raw(bytes: string | Buffer, options: Options = {}): Promise<{ kit: Kit; count(): number }> {
  const server = await serveRaw((socket) => socket.end(bytes));
  const kit = createKit(server.url, options);
  later(server.close, kit.close);
  return { kit, count: server.count };
}

/** A body without a length: it ends with the connection. */
const unframed = (body: string | Buffer) =>
  Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.from(body)]);

describe('sends', () => {
  test('its name, the form and the compression that it reads, and the query', async () => {
    const server = await serve((_, response) => response.end(GOOD));
    const kit = createKit(`${server.url}/base//`);
    later(server.close, kit.close);
    await kit.fetch({ query: { tag: 'rust', country: 'germany', remote: true, limit: 7 } });
    const [{ url, headers } = {}] = server.requests;
    expect(url).toBe(`/base/api/v1.xml?token=${CANARY}&tag=rust&country=germany&remote=true&limit=7`);
    expect(headers).toMatchObject({
      'user-agent': 'jobcrier',
      accept: 'application/rss+xml, application/xml;q=0.9, text/xml;q=0.8',
      'accept-encoding': 'gzip, deflate, br',
    });
  });
});

describe('says', () => {
  const sentence = async (kit: Kit) => (await kit.fault({ once: true })).message;

  test.each([
    [401, 'The jobs API rejected the token (401).'],
    [403, 'The jobs API rejected the token (403).'],
    [302, 'The jobs API redirected instead of answering (302).'],
    [429, 'The jobs API asks for fewer requests (429).'],
    [503, 'The jobs API failed (503).'],
    [404, 'The jobs API refused the request (404).'],
    [206, 'The jobs API responded with an unexpected status (206).'],
  ])('what the status %i means', async (status, text) => {
    const server = await serve((_, response) => response.writeHead(status).end());
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect(await sentence(kit)).toBe(text);
  });

  test('that nothing listens', async () => {
    const server = await serve(() => {});
    await server.close();
    const kit = createKit(server.url);
    later(kit.close);
    expect(await sentence(kit)).toBe(
      'The jobs API could not be reached, or the connection was lost (ECONNREFUSED).',
    );
  });

  test('that the answer came too late', async () => {
    const server = await serve(() => {});
    const kit = createKit(server.url, { attemptTimeoutMs: 60 });
    later(server.close, kit.close);
    expect(await sentence(kit)).toBe('The jobs API did not respond within 60 ms.');
  });

  test.each([
    ['gzip', /^The response could not be decompressed \(Z_DATA_ERROR\)\.$/u],
    ['br', /^The response could not be decompressed \(ERR_\w+\)\.$/u],
  ])('that a body is not %s', async (coding, text) => {
    const server = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end(Buffer.from('\xff\xff\xff no', 'latin1')),
    );
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect(await sentence(kit)).toMatch(text);
  });

  test('that a body was cut off, with the status', async () => {
    const { kit } = await raw(unframed(GOOD.slice(0, -20)));
    const fault = await kit.fault({ once: true });
    expect(fault).toMatchObject({ fault: 'unavailable', status: 200 });
    expect(fault.message).toBe('The response of the jobs API was incomplete.');
  });

  test('that the caller aborted', async () => {
    const server = await serve(() => {});
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect((await kit.fault({ signal: AbortSignal.abort() })).message).toBe(
      'The request to the jobs API was cancelled.',
    );
  });

  test('nothing of an unexpected error but its name, in the log only', async () => {
    const server = await serve((_, response) => response.writeHead(500).end());
    const kit = createKit(server.url, {
      random: () => {
        throw new RangeError(`no number for ${CANARY}`);
      },
    });
    later(server.close, kit.close);
    const fault = await kit.fault();
    expect(fault).toMatchObject({
      fault: 'malformed',
      message: 'The response of the jobs API could not be read.',
    });
    expect(kit.logs.filter(({ level }) => level === 'error')).toEqual([
      { level: 'error', fields: { name: 'RangeError' }, message: 'unexpected error in the feed client' },
    ]);
    expect(kit.counted('feed_requests', 'malformed')).toBe(1);
  });

  test('nothing in the log about an expected error, or one of the caller', async () => {
    const controller = new AbortController();
    const server = await serve((_, response, number) => {
      if (number === 0) response.writeHead(404).end();
      else controller.abort();
    });
    const kit = createKit(server.url);
    later(server.close, kit.close);
    await kit.fault();
    await kit.fault({ signal: controller.signal });
    expect(kit.logs).toEqual([]);
  });

  test('in the log which attempt failed', async () => {
    const server = await serve((_, response, number) =>
      response.writeHead(number === 0 ? 503 : 200).end(GOOD),
    );
    const kit = createKit(server.url);
    later(server.close, kit.close);
    await kit.fetch();
    expect(kit.logs).toEqual([
      {
        level: 'debug',
        fields: { account: 'alice', fault: 'unavailable', status: 503, tries: 1 },
        message: 'jobs API request failed, trying again',
      },
    ]);
  });
});

describe('reads', () => {
  test('the answer after preliminary ones', async () => {
    const { kit } = await raw(
      `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: ${GOOD.length}\r\n\r\n${GOOD}`,
    );
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', postings: [{}] });
  });

  test('the character set of the header', async () => {
    const body = Buffer.from(
      '<rss><channel><item><title>Caf\xe9 \x80</title></item></channel></rss>',
      'latin1',
    );
    const server = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'application/xml; charset=windows-1252' }).end(body),
    );
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect(await kit.fetch()).toMatchObject({ postings: [{ posting: { title: 'Café €' } }] });
  });

  test('a 304 to a request that named only a date, or only a tag', async () => {
    const server = await serve((_, response) => response.writeHead(304).end());
    const kit = createKit(server.url);
    later(server.close, kit.close);
    for (const more of [{ lastModified: 'Sat, 21 Nov 2026 04:00:00 GMT' }, { etag: '"1"' }]) {
      const known = { hash: 'abc', ...more };
      expect(await kit.poll({ known })).toEqual({ kind: 'unchanged', validator: known });
    }
    await expect(kit.poll({ known: { hash: 'abc' } })).rejects.toMatchObject({
      fault: 'malformed',
      status: 304,
    });
  });

  test('the body of a 200 to a conditional request', async () => {
    const server = await serve((_, response) => response.end(GOOD));
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect(await kit.poll({ known: { hash: 'abc', etag: '"1"' } })).toMatchObject({ kind: 'postings' });
  });
});

describe('a body that ends with the connection', () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const listing = '["ok","v1",[{"id":1,"title":"Dev"}]]';

  test.each<[string, string | Buffer, Options]>([
    ['RSS with a line after it', `${GOOD}\n`, {}],
    ['RSS with a blank in its last tag', GOOD.replace('</rss>', '</rss  >'), {}],
    ['RDF', '<rdf:RDF><channel/><item><title>A</title></item></rdf:RDF>', {}],
    ['UTF-16', utf16(GOOD), {}],
    ['JSON', listing, { format: 'json' }],
    ['JSON between blanks', `\n ${listing}\r\n`, { format: 'json' }],
  ])('is complete: %s', async (_, body, options) => {
    const { kit, count } = await raw(unframed(body), options);
    expect(await kit.fetch()).toMatchObject({ kind: 'postings', postings: [{}] });
    expect(count()).toBe(1);
  });

  test.each<[string, string | Buffer, Options]>([
    ['RSS', GOOD.slice(0, -3), {}],
    ['RSS after a blank line', ` \n${GOOD.slice(0, -3)}`, {}],
    ['RDF', '<rdf:RDF><channel/><item><title>A</title></item>', {}],
    ['UTF-16', utf16(GOOD.slice(0, -3)), {}],
    ['JSON', listing.slice(0, -2), { format: 'json' }],
    ['JSON after a blank line', `\n${listing.slice(0, -2)}`, { format: 'json' }],
  ])('was cut off: %s', async (_, body, options) => {
    const { kit, count } = await raw(unframed(body), options);
    expect(await kit.fault()).toMatchObject({ fault: 'unavailable' });
    expect(count()).toBe(4);
  });

  test.each<[string, string, Options]>([
    ['HTML instead of JSON', '<html></html>', { format: 'json' }],
    ['HTML instead of RSS', '<html></html>', {}],
  ])('is not a listing: %s', async (_, body, options) => {
    const { kit, count } = await raw(unframed(body), options);
    expect(await kit.fault()).toMatchObject({ fault: 'malformed' });
    expect(count()).toBe(1);
  });
});

test('a body with a frame that is complete is not requested again, whatever is missing in it', async () => {
  const half = GOOD.slice(0, -20);
  for (const length of [undefined, half.length]) {
    const server = await serve((_, response) => {
      if (length !== undefined) response.setHeader('content-length', length);
      // Without a length, Node sends it in chunks.
      response.write(half.slice(0, 10));
      response.end(half.slice(10));
    });
    const kit = createKit(server.url);
    later(server.close, kit.close);
    expect(await kit.fault()).toMatchObject({ fault: 'malformed' });
    expect(server.requests).toHaveLength(1);
  }
});

test('the connection of a refusal with an endless body is closed', async () => {
  let hungUp = false;
  const server = await serve((_, response) => {
    response.on('close', () => {
      hungUp = true;
    });
    response.writeHead(404).write('a page that never ends');
  });
  const kit = createKit(server.url);
  later(server.close, kit.close);
  await kit.fault();
  await until(() => hungUp, { what: 'the end of the connection' });
});

describe('one attempt', () => {
  const wait = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;

  async function setUp(answers = true) {
    const server = await serve((_, response) => void (answers && response.end(gzipSync(rss()))));
    const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
    later(server.close, () => agent.destroy());
    const options = {
      agent,
      base: new URL(server.url),
      timeoutMs: 600_000,
      maxBytes: 1_000_000,
      now: () => Date.now(),
    };
    const controller = new AbortController();
    const attempt = {
      query: { limit: 1 },
      token: secret(CANARY),
      format: 'rss',
      signal: controller.signal,
    } as const;
    return { server, controller, ask: () => requestOnce(options, attempt) };
  }
  const faultOf = (work: Promise<unknown>) => work.then(String, ({ fault }: FeedError) => fault);

  test('leaves no timer and no listener', async () => {
    const { controller, ask } = await setUp();
    const before = wait();
    for (let i = 0; i < 5; i++) await ask();
    expect(wait()).toBeLessThan(before + 3);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('makes no request once it is aborted', async () => {
    const { server, controller, ask } = await setUp();
    controller.abort();
    expect(await faultOf(ask())).toBe('aborted');
    await turn();
    expect(server.requests).toHaveLength(0);
  });

  test('ends at once when it is aborted before its connection exists, and sends nothing', async () => {
    const { server, controller, ask } = await setUp(false);
    const work = ask();
    controller.abort();
    expect(await faultOf(work)).toBe('aborted');
    const other = await setUp();
    await other.ask();
    expect(server.requests).toHaveLength(0);
  });
});
