// One cycle run by hand: what each subscription did, also without writing anything.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CycleOptions, runCycle } from '../../src/pipeline/cycle.js';
import { job, type Lab, MINUTE, openLab } from '../helpers/lab.js';

let lab: Lab;
const { signal } = new AbortController();
beforeEach(async () => {
  lab = await openLab();
  for (const [id, tag] of [
    ['a', 'rust'],
    ['b', 'defi'],
  ])
    await lab.add({
      id,
      filter: { tags: [tag] },
      schedule: '0 0 1 1 *',
      destinations: [{ sink: 'capture', target: id }],
    });
  await lab.settled();
});
afterEach(() => lab.close());

const both = (id: number) => job(id, { tags: ['rust', 'defi'] });
const away = { status: 404 };

async function cycle(options: Partial<CycleOptions> = {}) {
  lab.clock.advance(MINUTE);
  return runCycle(lab.p, lab.scheduler, { signal, ...options });
}

describe('a cycle', () => {
  test('polls each subscription and delivers what is new', async () => {
    expect(await cycle()).toEqual([
      { subscription: 'a', outcome: 'unchanged', new: 0 },
      { subscription: 'b', outcome: 'unchanged', new: 0 },
    ]);
    await lab.post(both(2), both(3));
    const seen: unknown[] = [];
    const lines = await cycle({ onLine: (line) => void seen.push(line) });
    expect(lines).toEqual([
      { subscription: 'a', outcome: 'recorded', new: 2, matched: 2 },
      { subscription: 'b', outcome: 'recorded', new: 2, matched: 2 },
    ]);
    expect(seen).toEqual(lines);
    expect([lab.sink.got('a'), lab.sink.got('b')]).toEqual([
      ['2', '3'],
      ['2', '3'],
    ]);
    expect((await cycle()).map((line) => line.new)).toEqual([0, 0]);
  });

  test('is of one subscription if that is chosen, which must be there', async () => {
    await lab.post(both(2));
    expect(await cycle({ subscription: 'b' })).toMatchObject([{ subscription: 'b', new: 1 }]);
    expect(lab.sink.got()).toEqual(['2']);
    await expect(cycle({ subscription: 'c' })).rejects.toThrow(
      'There is no subscription c; "jobcrier subscriptions list" shows them all.',
    );
  });

  test('continues after a subscription that failed, and says why it failed', async () => {
    await lab.post(both(2));
    lab.front.answer(away, 'rust');
    expect(await cycle()).toEqual([
      { subscription: 'a', outcome: 'failed', new: 0, why: expect.stringContaining('404') },
      { subscription: 'b', outcome: 'recorded', new: 1, matched: 1 },
    ]);
  });

  test('ends before the next subscription when the process ends', async () => {
    const ending = new AbortController();
    await lab.post(both(2));
    const lines = await cycle({ signal: ending.signal, onLine: () => ending.abort() });
    expect(lines).toHaveLength(1);
  });
});

describe('a dry run', () => {
  test('says what would be found, writes nothing except the answer into the cache, and sends nothing', async () => {
    await lab.post(both(2));
    const rows = async () => (await lab.rows()).filter((row) => !row.startsWith('cache '));
    const before = await rows();
    expect(await cycle({ dryRun: true })).toEqual([
      { subscription: 'a', outcome: 'checked', new: 1, matched: 1 },
      { subscription: 'b', outcome: 'checked', new: 1, matched: 1 },
    ]);
    expect(await rows()).toEqual(before);
    expect(lab.sink.calls).toEqual([]);
  });

  test('names a first look, and counts only what matches as new', async () => {
    lab.front.answer(away, 'bob-token-000001');
    await lab.add({ id: 'c', account: 'bob', schedule: '0 0 1 1 *', filter: { include: ['zk'] } });
    await lab.settled();
    lab.front.answer(undefined, 'bob-token-000001');
    expect(await cycle({ dryRun: true, subscription: 'c' })).toEqual([
      { subscription: 'c', outcome: 'baseline', new: 0, matched: 0 },
    ]);
    await lab.poll('c');
    await lab.post(job(2), job(3, { title: 'zk' }));
    expect(await cycle({ dryRun: true, subscription: 'c' })).toEqual([
      { subscription: 'c', outcome: 'checked', new: 1, matched: 1 },
    ]);
  });

  test('is partial when one of several requests failed', async () => {
    await lab.change('a', (before) => ({
      ...before,
      filter: { ...before.filter, tags: ['rust', 'defi'] },
    }));
    await lab.poll('a');
    lab.front.answer(away, 'rust');
    expect(await cycle({ dryRun: true, subscription: 'a' })).toEqual([
      {
        subscription: 'a',
        outcome: 'partial',
        new: 0,
        matched: 0,
        why: expect.stringMatching(/^1 of 2 requests failed: .*404/u),
      },
    ]);
  });

  test('says why there is no answer', async () => {
    await lab.add({ id: 'd', account: 'nemo' });
    expect(await cycle({ dryRun: true, subscription: 'd' })).toEqual([
      { subscription: 'd', outcome: 'failed', why: "the account's token is missing" },
    ]);
  });
});
