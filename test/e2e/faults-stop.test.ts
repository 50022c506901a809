// SIGTERM at bad moments: while the jobs API, a mail server or a webhook never answers, while the store is busy, and
// right after the start. The program ends with 0 within 25 s; a second signal ends it immediately; what waited is
// sent later.
import { expect, test } from 'vitest';
import { baseline, faultHouse, faultJob, said, startHole } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import type { Program } from '../helpers/process.js';
import { startSmtp } from '../helpers/smtp.js';

const LIMIT_MS = 25_000;
const TIMEOUT = { timeout: 180_000 };

/** The time of the end is promised, so the test measures it. */
async function stop(program: Program): Promise<void> {
  const asked = performance.now();
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(performance.now() - asked).toBeLessThan(LIMIT_MS);
}

test('right after the start', TIMEOUT, async () => {
  const house = await faultHouse();
  const program = house.run();
  await program.until('the first line', () => program.stdout.length > 0);
  await stop(program);
});

test('while the jobs API hangs', TIMEOUT, async () => {
  const house = await faultHouse();
  const first = house.run();
  await baseline(first);
  const release = house.front.hold();
  const asked = house.front.asked.length;
  await house.board.addJob(faultJob(2));
  await first.until('a hanging question', () => house.front.asked.length > asked);
  await stop(first);
  release();
  const second = house.run();
  await second.until('the posting', () => house.titles().includes('Position 2'));
  await stop(second);
  expect(house.titles()).toEqual(['Position 2']);
});

test(
  'while a webhook hangs; the other destination got its posting, and the rest still waits',
  TIMEOUT,
  async () => {
    const hole = await startHole();
    const house = await faultHouse({
      extra: [`- { sink: webhook, target: "${hole.url}", cadence: immediate }`],
    });
    const program = house.run();
    await baseline(program);
    await house.board.addJob(faultJob(2));
    await program.until('both', () => hole.asked > 0 && house.titles().length > 0);
    await stop(program);
    const { text } = await house.command(['why', '--subscription', 'all', '--posting', 'id:2', '--json']);
    const states = text.match(/"state": ?"\w+"/gu)?.map((one) => one.replace(/.*: ?/u, ''));
    // Being sent: cut and stored, its attempt not counted.
    expect(states?.sort(), text).toEqual(['"sent"', '"underway"']);
  },
);

test(
  'while a mail server hangs after the final dot; the mail is sent again under its id',
  TIMEOUT,
  async () => {
    const smtp = await startSmtp();
    later(() => smtp.close());
    const house = await faultHouse({
      env: { SMTP_URL: smtp.url, MAIL_FROM: 'Jobs <jobs@example.org>' },
      extra: ['- { sink: email, target: reader@example.org, consented: true, cadence: immediate }'],
    });
    const program = house.run();
    await baseline(program);
    smtp.script.data.push('hang');
    await house.board.addJob(faultJob(2));
    await program.until('the hanging mail', () => smtp.seen.length > 0);
    await stop(program);
    const second = house.run();
    await second.until('the mail', () => smtp.mails.length > 0);
    await stop(second);
    const ids = smtp.seen.map(({ raw }) => /^Message-ID: .+$/imu.exec(raw.toString())?.[0]);
    expect(new Set(ids).size).toBe(1);
    expect(smtp.mails).toHaveLength(1);
  },
);

test('twice: the second signal ends it immediately', TIMEOUT, async () => {
  const hole = await startHole();
  const house = await faultHouse({
    extra: [`- { sink: webhook, target: "${hole.url}", cadence: immediate }`],
  });
  const program = house.run();
  await baseline(program);
  await house.board.addJob(faultJob(2));
  await program.until('the hanging delivery', () => hole.asked > 0);
  program.kill('SIGTERM');
  await program.until('the stop has begun', said(program, '"stopping"'));
  // A terminal may send one signal twice within a tenth of a second, which counts as one.
  const again = setInterval(() => program.kill('SIGTERM'), 150);
  expect(await program.ended).toBe(1);
  clearInterval(again);
});
