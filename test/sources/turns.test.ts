// Requests that a person waits for take their turns in the lanes of a real store.
import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { accountHash } from '../../src/domain/account.js';
import { FeedError } from '../../src/domain/errors.js';
import { secret } from '../../src/domain/secret.js';
import { createLaneEngine } from '../../src/engine/lane-engine.js';
import type { Lane } from '../../src/sources/jobs-api/token-queue.js';
import { engineTurns } from '../../src/sources/jobs-api/turns.js';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';
import { openTestStores, tempDir } from '../store/fixtures.js';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => Date.now() };

async function setUp(spacingMs: number) {
  const { lanes } = await openTestStores(`sqlite://${join(await tempDir(), 'store.sqlite')}`, { clock });
  const engine = createLaneEngine({ lanes, clock, log });
  later(() => engine.drain(0));
  const inTurn = engineTurns(engine, spacingMs);
  const { signal } = new AbortController();
  return {
    engine,
    take: <T>(account: string, task: (lane: Lane) => Promise<T>, aborted: AbortSignal = signal) =>
      inTurn({ account, token: secret('a-token-of-them'), query: { limit: 1 } }, aborted, task),
  };
}

/** A task that runs until it is told to end. */
function held() {
  let release = () => {};
  const ended = new Promise<void>((resolve) => {
    release = resolve;
  });
  const state = { isRunning: false };
  const task = async () => {
    state.isRunning = true;
    await ended;
    return 'done';
  };
  return { task, release, state };
}

describe('a turn', () => {
  test('is given to one request of an account at a time, beside those of others', async () => {
    const { take } = await setUp(0);
    const [first, second, other] = [held(), held(), held()];
    const all = [take('alice', first.task), take('alice', second.task), take('bob', other.task)];
    await until(() => (first.state.isRunning || second.state.isRunning) && other.state.isRunning);
    expect(first.state.isRunning && second.state.isRunning).toBe(false);
    other.release();
    first.release();
    await until(() => second.state.isRunning);
    second.release();
    expect(await Promise.all(all)).toEqual(['done', 'done', 'done']);
  });

  test('waits for a poll of the account, and a poll waits for it', async () => {
    const { take, engine } = await setUp(0);
    const [person, poll] = [held(), held()];
    const work = take('alice', person.task);
    await until(() => person.state.isRunning);
    const job = { queue: 'poll', id: 'a poll', group: accountHash('alice') };
    const polling = engine.run(job, async () => ({ result: await poll.task(), outcome: undefined }));
    await sleep(30);
    expect(poll.state.isRunning).toBe(false);
    person.release();
    await work;
    await until(() => poll.state.isRunning);
    const next = held();
    const waiting = take('alice', next.task);
    await sleep(30);
    expect(next.state.isRunning).toBe(false);
    poll.release();
    next.release();
    expect(await Promise.all([polling, waiting])).toEqual(['done', 'done']);
  });

  test('comes only after the gap', async () => {
    const { take } = await setUp(150);
    const ended = await take('alice', async () => clock.now());
    const begun = await take('alice', async () => clock.now());
    expect(begun - ended).toBeGreaterThanOrEqual(150);
  });

  test('needs no gap or rest within it, because the engine keeps both', async () => {
    const { take } = await setUp(0);
    const answer = await take('alice', (lane) => {
      lane.keepQuiet(60_000);
      return lane.paced(AbortSignal.abort(), async () => lane.quietMs());
    });
    expect(answer).toBe(0);
  });

  test('passes on what its request throws', async () => {
    const { take } = await setUp(0);
    const error = new FeedError('refused', 'The jobs API refused the request (404).');
    await expect(take('alice', () => Promise.reject(error))).rejects.toBe(error);
    expect(await take('alice', async () => 'next')).toBe('next');
  });

  test('that is awaited ends when its caller leaves', async () => {
    const { take } = await setUp(0);
    const [first, second] = [held(), held()];
    const work = take('alice', first.task);
    await until(() => first.state.isRunning);
    const controller = new AbortController();
    const waiting = take('alice', second.task, controller.signal).catch(() => 'left');
    controller.abort();
    expect(await waiting).toBe('left');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    first.release();
    expect(await work).toBe('done');
    expect(second.state.isRunning).toBe(false);
  });
});

describe('a rest that a person does not wait for', () => {
  const busy = new FeedError('throttled', 'The jobs API asks for fewer requests (429).', {
    status: 429,
    retryAfterMs: 60_000,
  });

  test.each([
    ['the API asked for it', 0, busy],
    ['the gap is long', 60_000, new FeedError('unavailable', 'The jobs API failed (503).')],
    ['the gap is longer than the API asked', 60_000, new FeedError('throttled', '', { retryAfterMs: 5 })],
    ['the gap is long after another error', 60_000, new Error('none of the API')],
  ])('is reported: %s', async (_, spacingMs, error) => {
    const { take } = await setUp(spacingMs);
    await expect(take('alice', () => Promise.reject(error))).rejects.toBe(error);
    const fault: unknown = await take('alice', async () => undefined).catch((reason: unknown) => reason);
    expect(fault).toMatchObject({
      fault: 'throttled',
      status: 429,
      message: 'The jobs API asked this token to wait.',
    });
    const { retryAfterMs = 0 } = fault as FeedError;
    expect(retryAfterMs).toBeGreaterThan(30_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    // Other accounts do not rest.
    expect(await take('bob', async () => 'at once')).toBe('at once');
  });

  test('is reported after a request that succeeded', async () => {
    const { take } = await setUp(60_000);
    await take('alice', async () => undefined);
    await expect(take('alice', async () => undefined)).rejects.toMatchObject({ fault: 'throttled' });
  });
});
