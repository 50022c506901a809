// Test messages that the owner of a subscription asks for.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DeliveryError } from '../../src/domain/errors.js';
import type { Sink } from '../../src/ports/sink.js';
import { createCaptureSink } from '../helpers/capture-sink.js';
import { type Lab, openLab } from '../helpers/lab.js';

const alice = { account: 'alice' };
const destination = (target: string, sink = 'tried') => ({ sink, target });
let lab: Lab;
let tried: { readonly target: string; readonly about: string; readonly locale: string }[];
let fault: unknown;
beforeEach(async () => {
  tried = [];
  fault = undefined;
  const sink: Sink = {
    ...createCaptureSink('tried'),
    async test({ target }, { about, locale, signal }) {
      if (!signal.aborted) tried.push({ target, about, locale });
      if (target === 'bad' && fault) throw fault;
    },
  };
  lab = await openLab({ sinks: [sink] });
});
afterEach(() => lab.close());

const added = (...destinations: object[]) => lab.add({ account: 'alice', destinations });
const send = () => lab.services.sendTest(alice, 's');
const states = async () => (await send()).map(({ destination: { target }, ...rest }) => [target, rest]);

test('go to every destination whose sink has such a message', async () => {
  await added(destination('one'), destination('two'), destination('three', 'capture'));
  expect(await states()).toEqual([
    ['one', { state: 'sent' }],
    ['two', { state: 'sent' }],
    ['three', { state: 'none' }],
  ]);
  expect(tried).toEqual(['one', 'two'].map((target) => ({ target, about: 'about s', locale: 'en' })));
});

test('are in the language of the subscription', async () => {
  await lab.add({ account: 'alice', locale: 'de', destinations: [destination('one')] });
  await send();
  expect(tried).toMatchObject([{ locale: 'de' }]);
});

test.each<[ConstructorParameters<typeof DeliveryError>[2], object]>([
  [
    { forOwner: 'The channel is gone.', fix: 'channelGone' },
    { why: 'The channel is gone.', fix: 'channelGone' },
  ],
  [{}, { why: 'code 10003' }],
])('that do not arrive say why: %j', async (more, said) => {
  fault = new DeliveryError('target', 'code 10003', more);
  await added(destination('bad'), destination('one'));
  expect(await states()).toEqual([
    ['bad', { state: 'failed', ...said }],
    ['one', { state: 'sent' }],
  ]);
  expect(lab.logs.filter(({ level }) => level === 'warn')).toEqual([
    {
      level: 'warn',
      message: 'a test message did not arrive',
      fields: { destination: expect.any(String), reason: 'code 10003' },
    },
  ]);
});

test('hide no bug', async () => {
  fault = new TypeError('a bug');
  await added(destination('bad'));
  await expect(send()).rejects.toBe(fault);
});

test('are sent once a minute, also when many are asked for together, and each subscription counts alone', async () => {
  await added(destination('one'));
  await lab.add({ id: 't', account: 'alice', destinations: [destination('other')] });
  const said = await Promise.all(Array.from({ length: 5 }, () => send().catch((error: unknown) => error)));
  expect(said.filter((one) => !Array.isArray(one))).toEqual(
    Array.from({ length: 4 }, () =>
      expect.objectContaining({
        fault: { name: 'testTooSoon' },
        message: 'A test was sent less than a minute ago. Wait a minute for the next one.',
      }),
    ),
  );
  expect(tried).toHaveLength(1);
  await lab.services.sendTest(alice, 't');
  lab.clock.advance(59_999);
  await expect(send()).rejects.toThrow('less than a minute ago');
  lab.clock.advance(1);
  await send();
  await expect(send()).rejects.toThrow('less than a minute ago');
  expect(tried.map(({ target }) => target)).toEqual(['one', 'other', 'one']);
});
