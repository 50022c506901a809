// The result of the last polls of a subscription, from the stored states of its requests.
import { beforeEach, expect, test } from 'vitest';
import { requestsOf, requestUnit } from '../../src/domain/request.js';
import { pollStatus } from '../../src/pipeline/poll-result.js';
import type { RequestState } from '../../src/ports/stores.js';
import { NOW, openTestStores, subscription, type TestStores, tempDir } from '../store/fixtures.js';

let stores: TestStores;

beforeEach(async () => {
  stores = await openTestStores(`sqlite://${await tempDir()}/store.sqlite`);
});

/** The status of a subscription whose requests, one for each tag, have these states. */
async function statusOf(...states: readonly (RequestState | undefined)[]) {
  const tags = (['rust', 'defi', 'dao'] as const).slice(0, states.length);
  const one = subscription('s', {
    filter: { tags, include: [], exclude: [], payUnknown: 'keep', limit: 100 },
  });
  const units = requestsOf(one).map(requestUnit);
  await stores.lanes.plan(units.map((unit) => ({ ...unit, at: NOW })));
  await stores.lanes.keep(units.map((unit, index) => ({ ...unit, state: states[index] ?? null })));
  return pollStatus(stores, one);
}

const answered = (answeredAt: number): RequestState => ({ answeredAt });
const failed = (outcome: string, failures: number, more: RequestState = {}): RequestState => ({
  outcome,
  failures,
  ...more,
});

test.each([
  ['was never polled', [undefined], { failures: 0 }],
  ['was answered', [answered(5)], { failures: 0, polledAt: 5, outcome: 'recorded' }],
  ['failed before any answer', [failed('unavailable', 2)], { failures: 2, outcome: 'unavailable' }],
  [
    'failed after an answer',
    [failed('rejected', 1, answered(5))],
    { failures: 1, polledAt: 5, outcome: 'rejected' },
  ],
] as const)('a subscription that %s', async (_, states, status) => {
  expect(await statusOf(...states)).toEqual(status);
});

test('of several requests the last answer and the most failures count', async () => {
  expect(await statusOf(answered(5), answered(9), answered(7))).toEqual({
    failures: 0,
    polledAt: 9,
    outcome: 'recorded',
  });
  expect(
    await statusOf(failed('unavailable', 1), failed('unavailable', 3), failed('unavailable', 2)),
  ).toEqual({
    failures: 3,
    outcome: 'unavailable',
  });
});

test('a part of the requests failed when some did and others not, answered or not', async () => {
  const partial = { failures: 2, outcome: 'partial' };
  expect(await statusOf(answered(5), failed('unavailable', 2))).toEqual({ ...partial, polledAt: 5 });
  expect(await statusOf(failed('unavailable', 2), undefined)).toEqual(partial);
});
