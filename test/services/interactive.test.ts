// Calls that a person waits for.
import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { UserError } from '../../src/domain/errors.js';
import { createInteractive, isRestarting } from '../../src/services/interactive.js';

const LONG = 60_000;
const never = () => new Promise<never>(() => {});
/** Work that never ends, and its signal. */
function endless() {
  const given: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    given.push(signal);
    return never();
  };
  return { work, signal: () => given[0] as AbortSignal };
}

test('returns the result or the error of the work, and leaves nothing behind', async () => {
  const { signal: stopping } = new AbortController();
  const interactive = createInteractive(20, stopping);
  let given: AbortSignal | undefined;
  const work = async (signal: AbortSignal) => {
    given = signal;
    return 'done';
  };
  expect(await interactive(work)).toBe('done');
  const bug = new TypeError('a bug');
  await expect(interactive(() => Promise.reject(bug))).rejects.toBe(bug);
  expect(getEventListeners(stopping, 'abort')).toEqual([]);
  await sleep(40);
  expect(given?.aborted).toBe(false);
});

test('ends with a sentence when the time is up, and aborts the work with it', async () => {
  const { work, signal } = endless();
  const error = await createInteractive(1, undefined)(work).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    fault: { name: 'boardAway' },
    message: 'The jobs board does not answer right now. Nothing was stored; try again in a few minutes.',
  });
  expect(signal().reason).toBe(error);
  expect(isRestarting(error)).toBe(false);
});

test.each(['before', 'during'])('ends with a sentence when the process stops %s it', async (when) => {
  const stop = new AbortController();
  const interactive = createInteractive(LONG, stop.signal);
  const { work, signal } = endless();
  if (when === 'before') stop.abort();
  const call = interactive(work).catch((reason: unknown) => reason);
  stop.abort();
  const error = await call;
  expect(error).toMatchObject({
    fault: { name: 'restarting' },
    message: 'jobcrier is restarting. Nothing was stored; try again in a minute.',
  });
  expect(signal().reason).toBe(error);
  expect(isRestarting(error)).toBe(true);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

test('only that error means that the process stops', () => {
  expect(
    [new UserError('no'), new Error('restarting'), { fault: { name: 'restarting' } }].map(isRestarting),
  ).toEqual([false, false, false]);
});
