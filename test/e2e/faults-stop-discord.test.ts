// SIGTERM while Discord hangs: before it has ever answered, while a message is being sent, and while the bot
// reconnects. The program ends with 0 within 25 s, and what waited is sent once after the next start.
import { expect, test } from 'vitest';
import { startDiscord } from '../helpers/discord/start-discord.js';
import { titlesIn } from '../helpers/discord-cards.js';
import { baseline, faultHouse, faultJob, said, startHole } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import type { Program } from '../helpers/process.js';

const LIMIT_MS = 25_000;

/** The time of the end is promised, so the test measures it. */
async function stop(program: Program): Promise<void> {
  const asked = performance.now();
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(performance.now() - asked).toBeLessThan(LIMIT_MS);
}

async function beforeAnyAnswer(): Promise<void> {
  const hole = await startHole();
  const house = await faultHouse({
    env: { DISCORD_TOKEN: 'bot-token', DISCORD_API_URL: hole.url.replace('/hole', '/api') },
  });
  const program = house.run();
  await program.until('the first question', () => hole.asked > 0);
  await stop(program);
}

async function inTheMiddle(): Promise<void> {
  const discord = await startDiscord();
  later(() => discord.close());
  const channel = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs').id;
  const house = await faultHouse({
    env: { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
    extra: [`- { sink: discord, target: "${channel}", cadence: immediate }`],
  });
  const first = house.run();
  await baseline(first);
  await first.until('the bot', said(first, '"commands registered"'));
  const order = discord.faults.next('POST /channels/:id/messages', { kind: 'hang-after-store' }, 5);
  discord.gateway.refuse(60_000);
  await house.board.addJob(faultJob(2));
  await first.until('the hanging message', () => order.hits > 0);
  await stop(first);
  order.cancel();
  discord.faults.clear();
  discord.gateway.refuse(0);
  const second = house.run();
  await house.board.addJob(faultJob(3));
  const titles = () => discord.messages(channel).flatMap(titlesIn);
  await second.until('the next one', () => titles().includes('Position 3'), 40_000);
  expect(titles().toSorted()).toEqual(['Position 2', 'Position 3']);
  expect(discord.violations).toEqual([]);
}

// In parallel, because both mostly wait.
test('while Discord hangs', { timeout: 270_000 }, async () => {
  await Promise.all([beforeAnyAnswer(), inTheMiddle()]);
});
