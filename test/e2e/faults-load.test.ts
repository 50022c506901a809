// Too slow or too much: a recipient that never answers, and five hundred new postings together.
import { expect, test } from 'vitest';
import { baseline, faultHouse, faultJob, startHole } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import { startSmtp } from '../helpers/smtp.js';

test('a webhook that never answers delays neither polls nor other sinks', { timeout: 180_000 }, async () => {
  const hole = await startHole();
  const smtp = await startSmtp();
  later(() => smtp.close());
  const house = await faultHouse({
    env: { SMTP_URL: smtp.url, MAIL_FROM: 'Jobs <jobs@example.org>' },
    extra: [
      `- { sink: webhook, target: "${hole.url}", cadence: immediate }`,
      '- { sink: email, target: reader@example.org, consented: true, cadence: immediate }',
    ],
  });
  const program = house.run();
  await baseline(program);
  await house.board.addJob(faultJob(2));
  await program.until('the hanging delivery', () => hole.asked > 0);
  // All of this happens while the one request to the silent server hangs.
  for (const id of [3, 4, 5]) {
    await house.board.addJob(faultJob(id));
    await program.until(`posting ${id} by webhook and mail`, () => {
      const mailed = smtp.mails.some(({ raw }) => raw.toString().includes(`Position ${id}`));
      return mailed && house.titles().includes(`Position ${id}`);
    });
  }
  expect(hole.asked).toBe(1);
  expect(house.titles()).toEqual([2, 3, 4, 5].map((id) => `Position ${id}`));
});

test('500 postings arrive completely, each once, in editions of at most a hundred', {
  timeout: 270_000,
}, async () => {
  const house = await faultHouse();
  // A listing holds 100 postings at most, so a flood is a hundred new ones in each poll.
  const program = house.run({ LOG_LEVEL: 'warn' });
  await program.until('the baseline', () => house.board.requests.length > 1);
  let last = 1;
  for (let wave = 0; wave < 5; wave++) {
    const from = last + 1;
    last += 100;
    const fresh = Array.from({ length: 100 }, (_, i) => faultJob(from + i));
    await house.board.setJobs([...fresh.reverse(), faultJob(1)]);
    await program.until(`wave ${wave}`, () => house.titles().includes(`Position ${last}`), 30_000);
  }
  await program.until('all of them', () => new Set(house.titles()).size >= 500);
  const all = Array.from({ length: 500 }, (_, i) => `Position ${i + 2}`);
  expect(house.titles().sort()).toEqual(all.sort());
  for (const { body } of house.receiver.received) expect(body.data.postings.length).toBeLessThanOrEqual(100);
  program.kill();
  expect(await program.ended).toBe(0);
});
