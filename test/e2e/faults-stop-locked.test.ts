// SIGTERM at the worst of times: a far side hangs, and the store is locked, so that neither what was under way nor the
// lease can be written down. It ends within 25 s with 0 all the same, and nothing is lost.
import { expect, test } from 'vitest';
import { baseline, faultHouse, faultJob, startHole } from '../helpers/fault-house.js';
import { lockStore } from '../helpers/house-store.js';

const TIMEOUT = { timeout: 90_000 };
const LIMIT_MS = 25_000;

test(
  'stopped while the store is locked and a webhook hangs it ends in time with 0, and what came is there at the next start',
  TIMEOUT,
  async () => {
    const hole = await startHole();
    const house = await faultHouse({
      extra: [`- { sink: webhook, target: "${hole.url}", cadence: immediate }`],
    });
    const first = house.run();
    await baseline(first);
    await house.board.addJob(faultJob(2));
    await first.until('the hanging delivery', () => hole.asked > 0);
    const release = await lockStore(house.dir);
    await house.board.addJob(faultJob(3));
    // A clock, because the time is what is promised.
    const from = performance.now();
    first.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(performance.now() - from).toBeLessThan(LIMIT_MS);
    await release();
    const second = house.run();
    await second.until('the postings', () => house.titles().includes('Position 3'), 30_000);
    expect(house.titles()).toEqual(['Position 2', 'Position 3']);
  },
);
