// The public archive of a subscription.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EditionRecord } from '../../src/ports/stores.js';
import { createCaptureSink } from '../helpers/capture-sink.js';
import { job, type Lab, openLab } from '../helpers/lab.js';

let lab: Lab;
beforeEach(async () => {
  const { isShared: _none, ...plain } = createCaptureSink('plain');
  lab = await openLab({ sinks: [plain] });
});
afterEach(() => lab.close());

/** Adds a subscription to these places, of which those with a star ask for the archive. */
async function added(...places: readonly string[]): Promise<void> {
  await lab.add({
    id: 's',
    destinations: places.map((one) => ({ sink: 'capture', target: one.replace('*', '') })),
  });
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
  await added('channel:a*');
  const [here] = (await lab.stores.subscriptions.get('s'))?.destinations ?? [];
  if (!here) throw new Error('it has no destination');
  const canArchive = (sink: string) => lab.services.canArchive({ ...here, sink });
  expect(['capture', 'plain', 'gone'].map(canArchive)).toEqual([true, false, false]);
});

test('ends with the newest thirty editions, and shows none of another subscription or that is gone', async () => {
  await added('channel:a*');
  const [here] = (await lab.stores.subscriptions.get('s'))?.destinations ?? [];
  if (!here) throw new Error('it has no destination');
  const { history } = lab.stores;
  const at = lab.clock.now();
  const keep = (id: string, more: Partial<EditionRecord> = {}) =>
    history.keepEdition({
      id,
      subscription: 's',
      account: 'operator',
      destination: here,
      every: 'immediate',
      from: at,
      slot: at,
      about: 'about s',
      locale: 'en',
      postings: [],
      rest: [],
      ...more,
    });
  const sent = (edition: string) => history.note('s', { at, kind: 'sent', edition });
  await keep('of another', { subscription: 't' });
  await keep('elsewhere', { destination: { ...here, id: 'other' } });
  for (const id of ['of another', 'elsewhere', 'never kept']) await sent(id);
  await keep('not sent');
  await history.note('s', { at, kind: 'failed', edition: 'not sent' });
  await history.note('s', { at, kind: 'sent' });
  expect(await archive()).toEqual([]);
  for (let n = 1; n <= 31; n++) {
    await keep(`e${n}`);
    await sent(`e${n}`);
  }
  const ids = (await lab.services.archive('s'))?.editions.map(({ id }) => id);
  expect([ids?.length, ids?.[0], ids?.at(-1)]).toEqual([30, 'e31', 'e2']);
});
