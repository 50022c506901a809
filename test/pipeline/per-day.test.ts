// A limit per day: the best postings of a day are sent at once. What appears after the limit is reached waits for the
// next day of the cadence's time zone. The clock of the lab starts on Monday, 23 November 2026, 08:00 UTC.
import { afterEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { DAY, HOUR, job, type Lab, type LabOptions, openLab } from '../helpers/lab.js';

let lab: Lab;
afterEach(() => lab.close());

const AUCKLAND = 'Pacific/Auckland';
/** Midnight in Auckland, thirteen hours ahead of UTC. */
const MIDNIGHT = Date.UTC(2026, 10, 23, 11);
const paid = (id: number) => job(id, { salary: '$150,000' });
const sent = () =>
  lab.sink.messages.map(({ postings, more }) => [postings.map(({ id }) => Number(id)), more]);
const states = async (...ids: number[]) =>
  Promise.all(
    ids.map(async (id) => {
      const [one] = (await lab.why(String(id))).destinations;
      return [one?.state, one?.nextAt];
    }),
  );

async function begin(destination: Record<string, unknown>, options: LabOptions = {}): Promise<void> {
  lab = await openLab({ jobs: [], ...options });
  await lab.add({
    schedule: '0 0 1 1 *',
    timezone: AUCKLAND,
    filter: { terms: ['rather level: senior'] },
    destinations: [{ sink: 'capture', target: 'one', ...destination }],
  });
  await lab.poll();
}

async function appear(...jobs: readonly Job[]): Promise<void> {
  await lab.post(...jobs);
  await lab.poll();
}

describe('a live destination', () => {
  test('gets the best of each day, and the others on the page', async () => {
    await begin({ perDay: 2 }, { pages: true });
    await appear(paid(1));
    await appear(job(2), paid(3), job(4));
    expect(sent()).toEqual([
      [[1], 0],
      [[3], 2],
    ]);
    await appear(job(5), job(6), paid(7));
    expect(sent()).toHaveLength(2);
    expect(await states(4, 5)).toEqual([
      ['more', undefined],
      ['owed', MIDNIGHT],
    ]);
    await lab.advance(MIDNIGHT - HOUR - lab.clock.now());
    expect(sent()).toHaveLength(2);
    await lab.advance(HOUR);
    expect(sent().slice(2)).toEqual([[[6, 7], 1]]);
    await appear(job(8));
    expect(sent()).toHaveLength(3);
    await lab.advance(DAY);
    expect(sent().slice(3)).toEqual([[[8], 0]]);
  });

  test('without a page gets the best only, and the reason of the others is kept', async () => {
    await begin({ perDay: 3 }, { size: 2 });
    await appear(job(1), paid(2), job(3), paid(4), job(5));
    expect(sent()).toEqual([
      [[2, 4], 0],
      [[5], 0],
    ]);
    expect(await states(1, 3, 5)).toEqual([
      ['limit', undefined],
      ['limit', undefined],
      ['sent', undefined],
    ]);
    expect((await lab.stores.ledgers.read('s'))?.outbox).toEqual([]);
  });

  test('keeps its count over a restart, and loses it with the destination', async () => {
    await begin({ perDay: 1 });
    await appear(job(1));
    await lab.restart();
    await appear(job(2));
    expect(sent()).toEqual([[[1], 0]]);
    const twice = { sink: 'capture', target: 'two', perDay: 1, cadence: 'immediate' };
    await lab.add({ timezone: AUCKLAND, schedule: '0 0 1 1 *', destinations: [twice] });
    await lab.poll();
    expect(sent()).toEqual([
      [[1], 0],
      [[2], 0],
    ]);
    expect(Object.keys((await lab.stores.ledgers.read('s'))?.today ?? {})).toHaveLength(1);
  });

  test('without a limit counts nothing', async () => {
    await begin({});
    await appear(job(1), job(2));
    expect(await lab.stores.ledgers.read('s')).not.toHaveProperty('today');
  });
});

test('a digest gets what is over the limit of strong matches', async () => {
  const strong = (id: number) => job(id, { title: `Senior Engineer ${id}` });
  await begin({ cadence: { daily: '09:00' }, immediateFit: 65, perDay: 2 });
  await appear(strong(1), job(2));
  await appear(strong(3), strong(4));
  await appear(strong(5));
  expect(sent()).toEqual([
    [[1], 0],
    [[4], 0],
  ]);
  // 09:00 in Auckland is 20:00 in UTC.
  await lab.advance(12 * HOUR);
  const digests = lab.sink.messages.filter(({ every }) => every === 'daily');
  expect(digests.map(({ postings }) => postings.map(({ id }) => id).toSorted())).toEqual([['2', '3', '5']]);
});
