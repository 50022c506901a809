// What Discord's refusals mean for a delivery: who has to act, and when it is tried again.
import { expect, test } from 'vitest';
import { discordFault } from '../../src/discord/fault.js';
import { DeliveryError } from '../../src/domain/errors.js';
import { deliveryError } from '../../src/sinks/discord/fault.js';

const { signal } = new AbortController();
const MINUTE = 60_000;

const refused = (code: number, status = 400) =>
  deliveryError(discordFault('refused', `refused (code ${code})`, { status, code }), signal);

test.each([
  [10003, 'channelGone'],
  [10004, 'serverLeft'],
  [10013, 'userGone'],
  [50001, 'channelHidden'],
  [50007, 'dmClosed'],
  [50008, 'noMessages'],
  [50013, 'mayNotPost'],
  [50024, 'noMessages'],
  [50033, 'userGone'],
  [50278, 'noSharedServer'],
  [40067, 'forumTag'],
  [50083, 'threadArchived'],
  [160005, 'threadLocked'],
])('code %i stops deliveries until the owner acts: %s', (code, fix) => {
  expect(refused(code)).toMatchObject({
    fault: 'target',
    fix,
    message: `refused (code ${code})`,
    forOwner: expect.stringMatching(/\.$/u),
  });
});

test.each([
  [40003, 10 * MINUTE],
  [160006, 60 * MINUTE],
  [30033, 60 * MINUTE],
])('code %i is tried again after %i ms', (code, retryAfterMs) => {
  expect(refused(code)).toMatchObject({ fault: 'outage', retryAfterMs });
});

test.each([403, 404])('another code with status %i is about the place', (status) => {
  expect(refused(1, status)).toMatchObject({ fault: 'target', fix: 'refused' });
});

test('another code is about the message, and its owner learns that the posting is left out', () => {
  expect(refused(50035)).toMatchObject({
    fault: 'content',
    message: 'refused (code 50035)',
    forOwner: expect.stringMatching(/code 50035.*left out/u),
  });
});

test('a refused token is an outage that only the operator can end', () => {
  const fault = discordFault('token', 'the token is refused', { status: 401, retryAfterMs: 5_000 });
  expect(deliveryError(fault, signal)).toMatchObject({
    fault: 'outage',
    message: 'the token is refused',
    retryAfterMs: 5_000,
    forOwner: expect.stringContaining('operator'),
  });
});

test.each(['busy', 'away'] as const)(
  '%s is an outage, with the time to wait where Discord names one',
  (kind) => {
    const error = deliveryError(discordFault(kind, 'wait', { retryAfterMs: 1_000 }), signal);
    expect(error).toMatchObject({ fault: 'outage', message: 'wait', retryAfterMs: 1_000 });
    expect(deliveryError(discordFault(kind, 'wait'), signal).retryAfterMs).toBeUndefined();
  },
);

test('keeps an error that says already whose fault it is', () => {
  const error = new DeliveryError('content', 'a link was altered');
  expect(deliveryError(error, AbortSignal.abort())).toBe(error);
});

test('an abort is an outage, because the message may have arrived', () => {
  expect(deliveryError(new Error('aborted'), AbortSignal.abort())).toMatchObject({
    fault: 'outage',
    message: 'stopped while sending to Discord',
  });
});

test('any other error is one of this program', () => {
  expect(deliveryError(new TypeError('x is not a function'), signal)).toMatchObject({
    fault: 'program',
    message: expect.stringMatching(/^sending to Discord failed: .*x is not a function/u),
  });
});
