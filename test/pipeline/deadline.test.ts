// The time limit of a delivery: which signal it follows, and that it leaves no listener on a signal that outlives it.
import { getEventListeners } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { accountHash } from '../../src/domain/account.js';
import { deadlineWithin, dispatch } from '../../src/pipeline/dispatch.js';

import { deliveryJob } from '../../src/pipeline/enqueue-deliveries.js';
import { requestJob } from '../../src/pipeline/requests.js';
import { job, type Lab, openLab } from '../helpers/lab.js';
import { until } from '../helpers/until.js';

let lab: Lab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

/** Everything attached to a signal: listeners, and what AbortSignal.any records on it. */
function traces(signal: AbortSignal): number {
  const notes = Object.getOwnPropertySymbols(signal)
    .filter((symbol) => symbol.description === 'kDependantSignals')
    .map((symbol) => (signal as unknown as Record<symbol, { size: number } | undefined>)[symbol]?.size ?? 0);
  return getEventListeners(signal, 'abort').length + notes.reduce((sum, size) => sum + size, 0);
}

test('follows the outer signal, also one that has already aborted', () => {
  const outer = new AbortController();
  const early = deadlineWithin(outer.signal, 60_000);
  expect(early.signal.aborted).toBe(false);
  outer.abort('enough');
  expect(early.signal.reason).toBe('enough');
  expect(deadlineWithin(outer.signal, 60_000).signal.reason).toBe('enough');
});

test('aborts when its time is over, and not after it was released', async () => {
  const outer = new AbortController();
  const long = deadlineWithin(outer.signal, 1);
  const released = deadlineWithin(outer.signal, 1);
  released.release();
  await until(() => long.signal.aborted);
  expect((long.signal.reason as Error).name).toBe('TimeoutError');
  outer.abort();
  expect(released.signal.aborted).toBe(false);
});

test('leaves no listener on the signal that ends the service', async () => {
  lab = await openLab();
  await lab.add({});
  await lab.poll();
  const { signal } = new AbortController();
  // In the lab the engine would deliver with its own signal, so it gets no work.
  await lab.p.engine.drain(0);
  const subscription = await lab.stores.subscriptions.get('s');
  const [destination] = subscription?.destinations ?? [];
  if (!subscription || !destination) throw new Error('no subscription');
  for (let id = 2; id < 5; id++) {
    await lab.post(job(id));
    await lab.scheduler.poll(requestJob({ lane: accountHash('operator'), subject: '||' }), {
      attempt: 1,
      signal,
      holding: signal,
      state: null,
    });
    await dispatch(lab.p, deliveryJob(subscription, destination), signal);
  }
  expect(lab.sink.got()).toEqual(['2', '3', '4']);
  expect(traces(signal)).toBe(0);
});
