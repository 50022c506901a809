// Errors: what is recognized of a sink from outside, and what a person reads.
import { describe, expect, test } from 'vitest';
import {
  asDeliveryError,
  DeliveryError,
  FeedError,
  GroupRests,
  reasonOf,
  refusal,
  StoreError,
  throwFaults,
  UserError,
} from '../../src/domain/errors.js';

describe('a failed delivery of a sink from outside', () => {
  const own = { name: 'DeliveryError', message: 'down', fault: 'outage' };

  test.each<[string, unknown, object | undefined]>([
    ['is known by its name and fault', own, { fault: 'outage', message: 'down', forOwner: 'down' }],
    ['may be refused content', { ...own, fault: 'content' }, { fault: 'content' }],
    ['may be a place that is gone', { ...own, fault: 'target' }, { fault: 'target' }],
    ['may have words for its owner', { ...own, forOwner: 'Wait.' }, { message: 'down', forOwner: 'Wait.' }],
    ['may have a time', { ...own, retryAfterMs: 5 }, { retryAfterMs: 5 }],
    ['has no words of another kind', { ...own, forOwner: 5 }, { forOwner: 'down' }],
    ['has no time of another kind', { ...own, retryAfterMs: '5' }, { retryAfterMs: undefined }],
    ['is none with another name', { ...own, name: 'Error' }, undefined],
    ['is none with another fault', { ...own, fault: 'moon' }, undefined],
    ['cannot say that the program is at fault', { ...own, fault: 'program' }, undefined],
    ['is none if it is text', 'DeliveryError', undefined],
    ['is none if it is nothing', undefined, undefined],
  ])('%s', (_what, thrown, expected) => {
    const error = asDeliveryError(thrown);
    if (expected) expect(error).toMatchObject({ name: 'DeliveryError', ...expected });
    else expect(error).toBeUndefined();
  });

  test("of this program's own classes stays as it is", () => {
    const error = new DeliveryError('program', 'broken', { forOwner: 'Wait.', fix: 'x', retryAfterMs: 1 });
    expect(asDeliveryError(error)).toBe(error);
    expect(error).toMatchObject({ message: 'broken', forOwner: 'Wait.', fix: 'x', retryAfterMs: 1 });
  });
});

describe('an error for a person', () => {
  test('lists all faults, each in a line, and ends a command with its code', () => {
    expect(throwFaults([])).toBeUndefined();
    const thrown = (...args: Parameters<typeof throwFaults>) => {
      try {
        throwFaults(...args);
      } catch (error) {
        return error;
      }
    };
    expect(thrown(['a', 'b'])).toMatchObject({ name: 'UserError', message: 'a\nb', exitCode: 2 });
    expect(thrown(['a'], 1)).toMatchObject({ exitCode: 1, fault: undefined });
  });

  test('has a name for its text in another language, with its number if it has one', () => {
    expect(refusal('restarting', 'Wait.')).toBeInstanceOf(UserError);
    expect(refusal('restarting', 'Wait.')).toMatchObject({ message: 'Wait.', exitCode: 1 });
    expect(refusal('restarting', 'Wait.').fault).toStrictEqual({ name: 'restarting' });
    expect(refusal('restarting', 'Wait.', 0).fault).toStrictEqual({ name: 'restarting', count: 0 });
  });
});

test('each kind of error has its name, and says what it knows', () => {
  expect(new FeedError('throttled', 'slow', { status: 429, retryAfterMs: 5 })).toMatchObject({
    name: 'FeedError',
    fault: 'throttled',
    status: 429,
    retryAfterMs: 5,
  });
  expect(new StoreError('full', 'no space')).toMatchObject({ name: 'StoreError', fault: 'full' });
  expect(new GroupRests(1001)).toMatchObject({ name: 'GroupRests', ms: 1001 });
  expect(new GroupRests(1001).message).toContain('2 s');
});

test('a log has the message alone', () => {
  expect(reasonOf(new Error('x', { cause: 'y' }))).toBe('x');
  expect(reasonOf('text')).toBe('text');
});
