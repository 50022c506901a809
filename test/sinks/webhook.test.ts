// The webhook sink against real receivers on loopback, which check every signature with the library that receivers
// use.
import { afterEach, describe, expect, test } from 'vitest';
import type { DeliveryFault } from '../../src/domain/errors.js';
import { secret } from '../../src/domain/secret.js';
import { en } from '../../src/render/texts.js';
import { createWebhookSink, type Resolve } from '../../src/sinks/webhook/sink.js';
import { type FarFault, type FarSide, sinkContract } from './contract.js';
import { contractDelivery, realGuard } from './contract-data.js';
import {
  type Call,
  clock,
  closeAll,
  failureOf,
  log,
  receiver,
  SECRET,
  sinkFor,
  startReceiver,
  status,
  undo,
  verified,
} from './webhook-receivers.js';

afterEach(closeAll);

async function openFarSide(): Promise<FarSide> {
  const far = await startReceiver();
  const answers: Record<FarFault, number> = { target: 410, content: 422, outage: 503 };
  let reached = false;
  return {
    sink: createWebhookSink({ secret: secret(SECRET), allowPrivate: true, clock, log }),
    target: far.url,
    received: () => far.taken.map(verified),
    ids: () => far.calls.map(({ headers }) => String(headers['webhook-id'])),
    fail: (fault) => far.answers.push(status(answers[fault])),
    hang: () =>
      far.answers.push(() => {
        reached = true;
      }),
    reached: () => reached,
    close: () => far.close(),
  };
}

sinkContract('webhook', {
  open: openFarSide,
  badTargets: [
    undefined,
    '',
    3,
    'hooks.example.org',
    'ftp://hooks.example.org/',
    'javascript:alert(1)',
    'https://user:pass@hooks.example.org/',
    'https://user@hooks.example.org/',
    `https://hooks.example.org/${'x'.repeat(3000)}`,
  ],
  faults: ['target', 'content', 'outage'],
  secrets: ['canary', 'services'],
});

describe('a request', () => {
  test('is as the Standard Webhooks specification and the contract require', async () => {
    const far = await receiver();
    const sink = sinkFor();
    const delivery = contractDelivery(sink, far.url);
    await sink.deliver(delivery, far.url, realGuard(delivery.postings));
    const [call] = far.taken as [Call];
    expect(call.method).toBe('POST');
    expect(call.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'jobcrier',
      'webhook-id': delivery.edition,
    });
    expect(call.headers['webhook-timestamp']).toMatch(/^\d{10}$/u);
    const body = JSON.parse(verified(call).body);
    expect(Date.parse(body.timestamp)).toBeLessThanOrEqual(Date.now());
    expect(body).toEqual({
      type: 'jobcrier.edition',
      timestamp: new Date(body.timestamp).toISOString(),
      data: {
        edition: delivery.edition,
        subscription: 'rust',
        postings: [
          {
            key: 'id:1',
            title: 'Senior Rust Engineer 1',
            company: 'Acme Labs',
            location: 'Berlin, Germany',
            remote: true,
            tags: ['rust', 'zero-knowledge'],
            salary: '$80k - 120k',
            postedAt: '2026-01-05',
            applyUrl: 'https://board.example/r/1__me?ref=a&x=1',
            matched: ['rust'],
            source: 'Example Board',
          },
        ],
        note: en.card.note,
      },
    });
  });

  test('is not signed without a secret, and a changed body does not verify', async () => {
    const far = await receiver();
    const { secret: _none, ...rest } = { secret: undefined, allowPrivate: true, clock, log };
    const unsigned = createWebhookSink(rest);
    undo.push(async () => unsigned.close?.());
    const delivery = contractDelivery(unsigned, far.url);
    await unsigned.deliver(delivery, far.url, realGuard(delivery.postings));
    expect(far.taken[0]?.headers).not.toHaveProperty('webhook-signature');
    const signed = sinkFor();
    await signed.deliver(delivery, far.url, realGuard(delivery.postings));
    const call = far.taken[1] as Call;
    expect(() => verified({ ...call, body: `${call.body} ` })).toThrow(/signature/iu);
  });

  test('has a separate id for each part of an edition', async () => {
    const far = await receiver();
    const sink = sinkFor();
    const delivery = contractDelivery(sink, far.url, { parts: 2 });
    for (const part of [0, 1])
      await sink.deliver({ ...delivery, part }, far.url, realGuard(delivery.postings));
    expect(far.calls.map(({ headers }) => headers['webhook-id'])).toEqual([
      `${delivery.edition}.0`,
      `${delivery.edition}.1`,
    ]);
  });

  test('is checked as JSON before it is sent', async () => {
    const far = await receiver();
    const sink = sinkFor();
    const delivery = contractDelivery(sink, far.url);
    const context = realGuard(delivery.postings);
    const formats: string[] = [];
    const guard: typeof context.guard = (output) => {
      formats.push(output.format);
      throw new Error('refused');
    };
    await expect(sink.deliver(delivery, far.url, { ...context, guard })).rejects.toThrow('refused');
    expect([formats, far.calls]).toEqual([['json'], []]);
  });

  test.each(['', 'whsec_', 'not base64!', 'whsec_***'])('refuses the secret %j by name', (bad) => {
    expect(() => sinkFor({ secret: secret(bad) })).toThrow(/^WEBHOOK_SECRET/u);
  });
});

describe('an answer', () => {
  test.each<[number, DeliveryFault]>([
    [300, 'target'],
    [301, 'target'],
    [302, 'target'],
    [308, 'target'],
    [399, 'target'],
    [400, 'content'],
    [401, 'target'],
    [403, 'target'],
    [404, 'target'],
    [408, 'outage'],
    [410, 'target'],
    [413, 'content'],
    [422, 'content'],
    [425, 'outage'],
    [429, 'outage'],
    [499, 'content'],
    [500, 'outage'],
    [503, 'outage'],
  ])('%i is %s', async (code, fault) => {
    const far = await receiver();
    const other = await receiver();
    far.answers.push(status(code, { location: other.url }));
    expect((await failureOf(sinkFor(), far.url)).fault).toBe(fault);
    expect([far.calls.length, other.calls.length]).toEqual([1, 0]);
  });

  test.each([200, 201, 202, 204, 299])('%i is accepted, whatever the body', async (code) => {
    const far = await receiver();
    far.answers.push(status(code, {}, code === 204 ? '' : 'x'.repeat(1_000_000)));
    const sink = sinkFor();
    const delivery = contractDelivery(sink, far.url);
    await sink.deliver(delivery, far.url, realGuard(delivery.postings));
  });

  test('with a body that never ends is still accepted', async () => {
    const far = await receiver();
    far.answers.push((response) => {
      response.writeHead(200).write('ok');
    });
    const sink = sinkFor({ timeoutMs: 600_000 });
    const delivery = contractDelivery(sink, far.url);
    await sink.deliver(delivery, far.url, realGuard(delivery.postings));
  });

  test('with Retry-After sets the wait', async () => {
    const far = await receiver();
    far.answers.push(status(429, { 'retry-after': '120' }), status(503, { 'retry-after': 'soon' }));
    const sink = sinkFor();
    expect((await failureOf(sink, far.url)).retryAfterMs).toBe(120_000);
    expect((await failureOf(sink, far.url)).retryAfterMs).toBeUndefined();
  });

  test('that is missing, reset or malformed, or a refused connection, is an outage', async () => {
    const far = await receiver();
    const sink = sinkFor({ timeoutMs: 300 });
    far.answers.push(() => undefined);
    expect(await failureOf(sink, far.url)).toMatchObject({
      fault: 'outage',
      message: expect.stringMatching(/time/u),
    });
    far.answers.push((response) => response.socket?.destroy());
    expect((await failureOf(sink, far.url)).fault).toBe('outage');
    far.answers.push((response) => response.socket?.end('SSH-2.0-OpenSSH\r\n'));
    expect((await failureOf(sink, far.url)).fault).toBe('outage');
    const { url } = far;
    await undo.pop()?.();
    await far.close().catch(() => undefined);
    const away = createWebhookSink({ allowPrivate: true, clock, log });
    expect(await failureOf(away, url)).toMatchObject({
      fault: 'outage',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    await away.close?.();
  });

  test('is logged with its host and status, and nothing of the address', async () => {
    const far = await receiver();
    const lines: unknown[] = [];
    const note = (fields: object, message: string) => void lines.push([fields, message]);
    const sink = sinkFor({ log: { ...log, debug: note } });
    const delivery = contractDelivery(sink, far.url);
    await sink.deliver(delivery, far.url, realGuard(delivery.postings));
    const fields = { host: new URL(far.url).host, edition: delivery.edition, status: 204 };
    expect(lines).toEqual([[fields, 'webhook answered']]);
  });

  test.each([
    [302, 'The webhook at HOST redirects, which is not followed: set its new address.'],
    [404, 'There is no webhook at this address of HOST any more (404): set a new one or remove it.'],
    [410, 'There is no webhook at this address of HOST any more (410): set a new one or remove it.'],
    [401, 'HOST refuses the webhook call (401): check its address, and the secret on both sides.'],
    [403, 'HOST refuses the webhook call (403): check its address, and the secret on both sides.'],
    [429, 'The webhook at HOST is busy or out of order (429).'],
    [503, 'The webhook at HOST is busy or out of order (503).'],
    [422, 'The webhook at HOST does not accept what it was sent (422).'],
  ])('%i tells the owner what to do', async (code, text) => {
    const far = await receiver();
    const { host } = new URL(far.url);
    far.answers.push(status(code));
    expect(await failureOf(sinkFor(), far.url)).toMatchObject({
      message: `webhook ${host}: answered ${code}`,
      forOwner: text.replace('HOST', host),
    });
  });

  test('that does not come tells the owner why', async () => {
    const far = await receiver();
    const { host } = new URL(far.url);
    far.answers.push(() => undefined);
    expect(await failureOf(sinkFor({ timeoutMs: 100 }), far.url)).toMatchObject({
      message: `webhook ${host}: no answer in time`,
      forOwner: `The webhook at ${host} can't be reached (no answer in time).`,
    });
    const sink = sinkFor();
    const delivery = contractDelivery(sink, far.url);
    const context = { ...realGuard(delivery.postings), signal: AbortSignal.abort() };
    await expect(sink.deliver(delivery, far.url, context)).rejects.toMatchObject({
      fault: 'outage',
      message: `webhook ${host}: stopped`,
    });
    // The library for connections gives no code here.
    const resolve: Resolve = (_hostname, _options, callback) => callback(new Error('canary'), []);
    const target = 'https://hooks.example.org/';
    expect((await failureOf(sinkFor({ allowPrivate: false, resolve }), target)).message).toBe(
      'webhook hooks.example.org: connection failed',
    );
  });

  test('does not come once the sink is closed', async () => {
    const far = await receiver();
    const sink = sinkFor();
    await sink.close?.();
    expect((await failureOf(sink, far.url)).fault).toBe('outage');
    expect(far.calls).toEqual([]);
  });

  test('of one byte a second is too slow', async () => {
    const far = await receiver();
    const drip: NodeJS.Timeout[] = [];
    far.answers.push((response) => {
      const { socket } = response;
      socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
      drip.push(setInterval(() => socket?.write('x'), 50));
    });
    expect((await failureOf(sinkFor({ timeoutMs: 400 }), far.url)).fault).toBe('outage');
    drip.forEach(clearInterval);
  });
});
