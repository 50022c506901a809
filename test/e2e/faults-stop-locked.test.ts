// SIGTERM while a recipient hangs and the store is locked, so that neither the open attempt nor the lease can be
// recorded; or while a part never ends. The program ends within 25 s with 0, and nothing is lost.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { baseline, faultHouse, faultJob, startHole } from '../helpers/fault-house.js';
import { lockStore } from '../helpers/house-store.js';

const LIMIT_MS = 25_000;

async function locked(): Promise<void> {
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
  // A clock, because the time is promised.
  const from = performance.now();
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  expect(performance.now() - from).toBeLessThan(LIMIT_MS);
  await release();
  const second = house.run();
  await second.until('the postings', () => house.titles().includes('Position 3'), 30_000);
  expect(house.titles()).toEqual(['Position 2', 'Position 3']);
}

/** A sink module whose close never ends. */
async function stuck(): Promise<void> {
  const house = await faultHouse();
  await writeFile(
    join(house.dir, 'stuck.mjs'),
    `export const createSink = () => ({
      name: 'stuck',
      parseTarget: (target) => String(target),
      deliver: async () => {},
      close: () => new Promise(() => { setInterval(() => {}, 1000); }),
    });`,
  );
  const program = house.run({ SINKS: './stuck.mjs' });
  await baseline(program);
  const from = performance.now();
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(performance.now() - from).toBeLessThan(LIMIT_MS);
  expect(program.stdout.join('\n')).toContain('left behind');
}

// In parallel, because both mostly wait.
test('with a locked store under a hanging webhook, and with a part that never ends', {
  timeout: 270_000,
}, async () => {
  await Promise.all([locked(), stuck()]);
});
