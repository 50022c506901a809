// The ways a webhook target could lead into the network of the service: by its address, by a name, or by a name whose
// address changes.
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { UserError } from '../../src/domain/errors.js';
import {
  createPublicLookup,
  isPublicAddress,
  parseWebhookTarget,
  type Resolve,
} from '../../src/sinks/webhook/sink.js';

import { closeAll, failureOf, listen, PATH, receiver, sinkFor, undo } from './webhook-receivers.js';

afterEach(closeAll);

describe('targets', () => {
  test.each([
    ['https://hooks.example.org', 'https://hooks.example.org/'],
    [' HTTPS://Hooks.Example.org/a?b=c#d ', 'https://hooks.example.org/a?b=c'],
    ['https://1.1.1.1/x', 'https://1.1.1.1/x'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
    ['https://a.local.example.org/', 'https://a.local.example.org/'],
    ['https://hooks.example.org./', 'https://hooks.example.org./'],
    [`https://hooks.example.org/${'x'.repeat(2022)}`, `https://hooks.example.org/${'x'.repeat(2022)}`],
  ])('%s is written %s', (given, written) => {
    expect(parseWebhookTarget(given, false)).toBe(written);
  });

  test.each([
    'http://hooks.example.org/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://intranet/',
    'https://a.localhost/',
    'https://printer.local/',
    'https://printer.local./',
    'https://metadata.google.internal/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://0/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
  ])('%s is refused, unless the operator allows it', (target) => {
    expect(() => parseWebhookTarget(target, false)).toThrow(UserError);
    expect(parseWebhookTarget(target, true)).toMatch(/^https?:/u);
  });

  const PRIVATE = 'is in a private network (the operator may allow those: WEBHOOK_ALLOW_PRIVATE)';

  test.each([
    [undefined, 'none given'],
    [3, 'none given'],
    ['', 'none given'],
    [' ', 'none given'],
    ['hooks.example.org', 'not an address'],
    [`https://hooks.example.org/${'x'.repeat(2023)}`, 'not an address'],
    ['http://hooks.example.org/', 'http:// is not accepted'],
    [`${'x'.repeat(30)}://hooks.example.org/`, `${'x'.repeat(20)}// is not accepted`],
    ['https://user@a.example/', 'a.example: an address with a user name or password is not accepted'],
    ['https://:word@a.example/', 'a.example: an address with a user name or password is not accepted'],
    ['https://localhost./', `localhost. ${PRIVATE}`],
    ['https://[::1]/', `[::1] ${PRIVATE}`],
  ])('%.60j is refused with a reason', (target, reason) => {
    expect(() => parseWebhookTarget(target, false)).toThrow(
      new UserError(
        `webhook target: ${reason}; wanted an address such as https://hooks.example.org/jobs.`,
        2,
      ),
    );
  });

  test('a refusal names only the host of the address', () => {
    const parse = () => parseWebhookTarget('https://10.0.0.1/canary?canary=1', false);
    expect(parse).toThrow(/10\.0\.0\.1/u);
    expect(parse).not.toThrow(/canary/u);
  });

  test.each(['8.8.8.8', '2606:4700::1111'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    '::7f00:1',
    '::ffff:127.0.0.1',
    '2002:7f00:1::',
    '2001:db8::1',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '255.255.255.255',
    'ff02::1',
    '100.100.100.200',
    'fe80::1%eth0',
    'nonsense',
    '',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('a name with a private address', () => {
  /** A resolver that gives these answers in turn, and the last one from then on. */
  function resolver(...answers: string[][]): Resolve {
    return (_hostname, _options, callback) => {
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      callback(
        null,
        (answer ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
  }

  async function listener(): Promise<{ port: number; connections: () => number }> {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const port = await listen(server);
    undo.push(() => new Promise((resolve) => server.close(resolve)));
    return { port, connections: () => connections };
  }

  test.each([
    ['loopback', ['127.0.0.1']],
    ['loopback in IPv6', ['::1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['one of several', ['93.184.215.14', '127.0.0.1']],
    ['nothing at all', []],
  ])('%s is refused when the connection is made', async (_what, addresses) => {
    const { port, connections } = await listener();
    const sink = sinkFor({ allowPrivate: false, resolve: resolver(addresses) });
    const target = sink.parseTarget(`https://hooks.example.org:${port}${PATH}`);
    const error = await failureOf(sink, target);
    const host = `hooks.example.org:${port}`;
    expect(error).toMatchObject({
      fault: 'target',
      message: `webhook ${host}: not a public address`,
      forOwner: `${host} is in a private network, where webhooks are not sent (the operator may allow it: WEBHOOK_ALLOW_PRIVATE).`,
    });
    expect(connections()).toBe(0);
  });

  test('is checked again at every attempt', async () => {
    const { port, connections } = await listener();
    const answers: (readonly string[])[] = [];
    const resolve: Resolve = (hostname, options, callback) => {
      const again = answers.length > 0;
      answers.push([hostname]);
      if (again) return resolver(['127.0.0.1'])(hostname, options, callback);
      callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
    };
    const sink = sinkFor({ allowPrivate: false, resolve });
    const target = `https://hooks.example.org:${port}/`;
    expect(await failureOf(sink, target)).toMatchObject({
      fault: 'outage',
      message: expect.stringContaining('ENOTFOUND'),
    });
    expect((await failureOf(sink, target)).fault).toBe('target');
    expect([answers.length, connections()]).toEqual([2, 0]);
  });

  test('is refused for a target from the time when it was allowed', async () => {
    const far = await receiver();
    const sink = sinkFor({ allowPrivate: false });
    expect(await failureOf(sink, far.url)).toMatchObject({
      fault: 'target',
      message: 'webhook target is not allowed',
      forOwner: expect.stringContaining('http:// is not accepted'),
    });
    expect(far.calls).toEqual([]);
  });

  test('is refused with the real resolver too, and public answers pass', async () => {
    const look = (lookup: ReturnType<typeof createPublicLookup>, all: boolean) =>
      new Promise<unknown[]>((resolve) => lookup('localhost', { all }, (...answer) => resolve(answer)));
    expect(await look(createPublicLookup(), true)).toMatchObject([
      { code: 'ENOTPUBLIC', message: 'not a public address' },
      [],
    ]);
    const error = new Error('not found');
    const failing = createPublicLookup((_hostname, _options, callback) => callback(error, []));
    expect(await look(failing, true)).toEqual([error, []]);
    const open = createPublicLookup(resolver(['93.184.215.14', '2606:4700::1111']));
    expect(await look(open, false)).toEqual([null, '93.184.215.14', 4]);
    expect((await look(open, true))[1]).toHaveLength(2);
  });
});
