// More postings than an edition shows: people get the best and newest, and the rest is on a page or comes in further
// messages. Programs get everything. No posting is settled that was neither shown nor can be reached.
import { afterEach, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { createCaptureSink } from '../helpers/capture-sink.js';
import { DAY, job, type Lab, type LabOptions, openLab } from '../helpers/lab.js';

let lab: Lab;
afterEach(() => lab.close());

const weekly = { weekly: 'monday', at: '09:00' };
const filter = { tags: ['rust', 'defi', 'dao'] };

const dayOf = (n: number) =>
  new Date(Date.UTC(2026, 10, 9) + Math.floor(n / 20) * DAY).toISOString().slice(0, 10);

/** A subscription with a baseline, then 263 postings in one poll, 20 of each day. The first 10 state their pay. */
async function flood(destination: Record<string, unknown>, options: LabOptions = {}): Promise<void> {
  lab = await openLab({ jobs: [], ...options });
  await lab.add({ filter, destinations: [{ sink: 'capture', target: 'one', ...destination }] });
  await lab.poll();
  const jobs: Job[] = Array.from({ length: 263 }, (_, n) =>
    job(n, {
      tags: [filter.tags[n % 3] as string],
      postedAt: dayOf(n),
      ...(n < 10 ? { salary: '$150,000' } : {}),
    }),
  );
  await lab.board.setJobs(jobs.toReversed());
  await lab.poll();
}

async function fates(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const done of Object.values((await lab.stores.ledgers.read('s'))?.done ?? {}))
    for (const one of Object.values(done)) if (one) counts[one.how] = (counts[one.how] ?? 0) + 1;
  return counts;
}

test('shows the best and newest fifty in a digest with a page, and the others on the page', async () => {
  await flood({ cadence: weekly }, { pages: true });
  await lab.advance(7 * DAY);
  const [message] = lab.sink.messages;
  expect(lab.sink.messages).toHaveLength(1);
  expect(message).toMatchObject({ more: 213, moreUrl: `https://crier.example/editions/${message?.edition}` });
  const ids = (message?.postings ?? []).map(({ id }) => Number(id));
  expect(ids.filter((id) => id < 10)).toHaveLength(10);
  // All of the newest two days, and some of the day before.
  expect(ids.filter((id) => id >= 240)).toHaveLength(23);
  expect(Math.min(...ids.filter((id) => id >= 10))).toBeGreaterThanOrEqual(220);
  const record = await lab.services.edition(message?.edition ?? '');
  expect([record?.postings.length, record?.rest.length]).toEqual([50, 213]);
  expect(await fates()).toEqual({ sent: 50, more: 213 });
});

test('sends a digest without a page in further messages, the best first, each with the totals', async () => {
  await flood({ cadence: weekly }, { size: 25 });
  await lab.advance(7 * DAY);
  expect(lab.sink.messages.map(({ part, parts }) => [part, parts])).toEqual(
    Array.from({ length: 11 }, (_, part) => [part, 11]),
  );
  expect(new Set(lab.sink.got()).size).toBe(263);
  const first = lab.sink.got().slice(0, 50).map(Number);
  expect(first.filter((id) => id < 10)).toHaveLength(10);
  for (const { all, more } of lab.sink.messages) expect([all?.length, more]).toEqual([263, 0]);
  expect(new Set(lab.sink.messages.map(({ all }) => JSON.stringify(all?.map(({ key }) => key)))).size).toBe(
    1,
  );
  expect(await fates()).toEqual({ sent: 263 });
});

test.each([['immediate'], [weekly]])(
  'sends everything to a program, cadence %j',
  { tags: 'long' },
  async (cadence) => {
    const machine = { ...createCaptureSink('machine'), audience: 'machines' as const };
    await flood({ sink: 'machine', cadence, cap: 100 }, { sinks: [machine], pages: true });
    await lab.advance(7 * DAY);
    expect(machine.messages.map(({ postings, parts, more }) => [postings.length, parts, more])).toEqual([
      [100, 1, 0],
      [100, 1, 0],
      [63, 1, 0],
    ]);
    expect(new Set(machine.messages.map(({ edition }) => edition)).size).toBe(3);
    const days = machine.got().map((id) => dayOf(Number(id)));
    expect(days).toEqual(days.toSorted());
    expect(new Set(machine.got()).size).toBe(263);
    expect(await fates()).toEqual({ sent: 263 });
  },
);
