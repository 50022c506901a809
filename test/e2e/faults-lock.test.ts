// Another program locks the store: the service waits for a short lock; during a long one it pauses, marks nothing as
// seen and resumes automatically.
import { expect, test } from 'vitest';
import { baseline, faultHouse, faultJob, pagesOf, said } from '../helpers/fault-house.js';
import { lockStore } from '../helpers/house-store.js';
import { until } from '../helpers/until.js';

const TIMEOUT = { timeout: 270_000 };

test('waits for a short lock, pauses the polls during a long one, and loses nothing', TIMEOUT, async () => {
  const house = await faultHouse();
  const program = house.run();
  const pages = await pagesOf(program);
  const ready = async () => (await fetch(`${pages}/readyz`)).status;
  await baseline(program);
  const brief = await lockStore(house.dir);
  await house.board.addJob(faultJob(2));
  // Its duration is the fault itself: polls come every second, so some of them meet it.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await brief();
  await program.until('the posting', () => house.titles().includes('Position 2'));
  await program.until('its end', said(program, 'edition delivered'));
  expect(said(program, 'polling pauses')()).toBe(false);

  const release = await lockStore(house.dir);
  await house.board.addJob(faultJob(3));
  await program.until('the pause', said(program, 'polling pauses'), 40_000);
  await until(async () => (await ready()) === 503, { what: 'not ready', timeoutMs: 20_000 });
  // The response of the API could not be stored, so it is not requested: not within the time that another response
  // takes.
  const paused = house.front.asked.length;
  for (let looks = 0; looks < 3; looks++) await ready();
  expect(house.front.asked).toHaveLength(paused);
  expect(house.titles()).toEqual(['Position 2']);
  await release();
  await program.until('the end of the pause', said(program, 'polling resumes'), 30_000);
  await program.until('the next posting', () => house.titles().includes('Position 3'), 30_000);
  await until(async () => (await ready()) === 200, { what: 'ready again', timeoutMs: 20_000 });
  expect(house.titles()).toEqual(['Position 2', 'Position 3']);
  expect(house.receiver.received).toHaveLength(2);
  program.kill();
  expect(await program.ended).toBe(0);
});
