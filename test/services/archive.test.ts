// The public archive of a subscription.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sink } from '../../src/ports/sink.js';
import { createCaptureSink } from '../helpers/capture-sink.js';
import { job, type Lab, openLab } from '../helpers/lab.js';

let lab: Lab;
beforeEach(async () => {
  const { isShared: _none, ...plain } = createCaptureSink('plain');
  lab = await openLab({ sinks: [plain as Sink] });
});
afterEach(() => lab.close());

const to = (target: string, sink = 'capture') => ({ sink, target });
/** Adds a subscription to these places, of which those with a star ask for the archive. */
async function added(...places: readonly string[]): Promise<void> {
  await lab.add({ id: 's', destinations: places.map((one) => to(one.replace('*', ''))) });
  const asking = places.filter((one) => one.endsWith('*')).map((one) => one.slice(0, -1));
  await lab.change('s', (before) => ({
    ...before,
    destinations: before.destinations.map((one) =>
      asking.includes(String(one.target)) ? { ...one, options: { archive: true } } : one,
    ),
  }));
  await lab.poll();
}
const archive = async () => (await lab.services.archive('s'))?.editions.map((one) => one.destination.target);

test('is of a place that asks for it and that many people read', async () => {
  await added('channel:a*', 'channel:b', 'dm:1*');
  for (const n of [2, 3]) {
    await lab.post(job(n));
    await lab.poll();
  }
  expect(await archive()).toEqual(['channel:a', 'channel:a']);
  const found = await lab.services.archive('s');
  expect(found).toMatchObject({ subscription: { id: 's' }, about: 'about s' });
  expect(found?.editions.map(({ postings }) => postings.map(({ key }) => key))).toEqual([['id:3'], ['id:2']]);
  const [a, b, dm] = found?.subscription.destinations ?? [];
  expect([a, b, dm].map((one) => one && lab.services.canArchive(one))).toEqual([true, true, false]);
});

test.each([
  ['no place asks for it', ['channel:a', 'channel:b']],
  ['only a person asks for it', ['dm:1*', 'channel:b']],
])('is none if %s', async (_what, places) => {
  await added(...places);
  const subscription = await lab.stores.subscriptions.get('s');
  expect(subscription && lab.services.isArchived(subscription)).toBe(false);
  expect(await lab.services.archive('s')).toBeUndefined();
  expect(await lab.services.archive('none')).toBeUndefined();
});

test('is none at a place of a sink that is off, or that does not know who reads', async () => {
  const places = [to('channel:a', 'plain'), to('channel:a', 'gone')].map((one) => ({
    ...one,
    id: 'x',
    cadence: { every: 'immediate' as const },
    options: { archive: true },
  }));
  expect(places.map((one) => lab.services.canArchive(one as never))).toEqual([false, false]);
});

test('ends with the newest thirty editions, and shows none of another subscription or that is gone', async () => {
  await added('channel:a*');
  const [here] = (await lab.stores.subscriptions.get('s'))?.destinations ?? [];
  if (!here) throw new Error('it has no destination');
  const edition = (id: string, subscription = 's', destination = here) => ({
    id,
    subscription,
    account: 'operator',
    destination,
    slot: lab.clock.now(),
    sentAt: lab.clock.now(),
    postings: [],
  });
  const { history } = lab.stores;
  const sent = (id: string) => history.note('s', { at: lab.clock.now(), kind: 'sent', edition: id });
  await history.keepEdition(edition('of another', 't') as never);
  await history.keepEdition(edition('elsewhere', 's', { ...here, id: 'other' }) as never);
  for (const id of ['of another', 'elsewhere', 'never kept']) await sent(id);
  await history.keepEdition(edition('not sent') as never);
  await history.note('s', { at: lab.clock.now(), kind: 'resumed', edition: 'not sent' } as never);
  await history.note('s', { at: lab.clock.now(), kind: 'sent' } as never);
  expect(await archive()).toEqual([]);
  for (let n = 1; n <= 31; n++) {
    await history.keepEdition(edition(`e${n}`) as never);
    await sent(`e${n}`);
  }
  const ids = (await lab.services.archive('s'))?.editions.map(({ id }) => id);
  expect([ids?.length, ids?.[0], ids?.at(-1)]).toEqual([30, 'e31', 'e2']);
});
