// The chart of a digest counts what its own subscription matched. It does not count what its filter rejected, and it
// counts a posting even if another subscription of the account found it first.
import { afterEach, expect, test } from 'vitest';
import type { Delivery } from '../../src/ports/sink.js';
import { weeksOf } from '../../src/wiring/mail.js';
import { DAY, HOUR, job, type Lab, openLab } from '../helpers/lab.js';
import { putFound } from '../helpers/put.js';

const WEEK = 7 * DAY;
let lab: Lab;
afterEach(() => lab.close());

const counts = async (id: string) =>
  (
    await weeksOf(
      lab.stores,
      lab.clock,
    )({ subscription: id, account: 'operator', slot: lab.clock.now() } as Delivery)
  ).map(({ count }) => count);

/** Four weeks with three new postings each: one has the word, and one has only the tag. */
async function fourWeeks(): Promise<void> {
  for (let week = 0; week < 4; week++) {
    lab.clock.advance(3 * DAY);
    for (const n of [0, 1, 2]) {
      const id = 10 + week * 3 + n;
      await lab.post(
        job(id, { title: n === 0 ? `Auditor ${id}` : `Job ${id}`, tags: n === 2 ? ['java'] : ['rust'] }),
      );
      for (const one of ['all', 'subset']) await lab.poll(one);
    }
    lab.clock.advance(4 * DAY - 6 * 60_000);
  }
}

test('charts only its own matches for a weekly subscription that covers part of another one', {
  tags: 'long',
}, async () => {
  lab = await openLab();
  await lab.add({ id: 'all', filter: {} });
  await lab.add({
    id: 'subset',
    filter: { tags: ['rust'], include: ['auditor'] },
    destinations: [{ sink: 'capture', target: 'two', cadence: { weekly: 'monday', at: '09:00' } }],
  });
  for (const one of ['all', 'subset']) await lab.poll(one);
  await fourWeeks();
  expect((await counts('all')).slice(-3)).toEqual([3, 3, 3]);
  expect((await counts('subset')).slice(-3)).toEqual([1, 1, 1]);
  await lab.restart();
  expect((await counts('subset')).slice(-3)).toEqual([1, 1, 1]);
});

test('reads the history of version 0.1: the postings of the account, through the filter of the subscription', async () => {
  lab = await openLab();
  await lab.add({ id: 'subset', filter: { tags: ['rust'], include: ['auditor'] } });
  await lab.poll('subset');
  // As version 0.1 stored it: rows by account with the subscription that came first, and no counts.
  await lab.stores.history.forgetSubscription('subset');
  const { ledger, commit } = await lab.stores.ledgers.open('subset');
  const { matches: _none, ...uncounted } = ledger;
  await commit(uncounted);
  const start = lab.clock.now();
  for (const [week, key] of [0, 1, 2, 3].entries()) {
    const at = start + week * WEEK + HOUR;
    const found = (id: string, title: string) => ({
      at,
      subscription: 'all',
      posting: { key: id, title, tags: ['rust'] },
    });
    await putFound(lab.stores.ledgers, 'operator', [
      found(`id:a${key}`, 'Auditor'),
      found(`id:b${key}`, 'Baker'),
    ]);
  }
  lab.clock.advance(4 * WEEK);
  expect(await counts('subset')).toEqual([1, 1, 1, 1]);
  // From now on the matches are counted, and none of them twice.
  await lab.post(job(2, { title: 'Auditor again' }), job(3));
  await lab.poll('subset');
  lab.clock.advance(HOUR);
  expect((await counts('subset')).at(-1)).toBe(1);
  lab.clock.advance(WEEK - HOUR - 2 * 60_000);
  expect((await counts('subset')).slice(0, 5)).toEqual([1, 1, 1, 1, 1]);
});
