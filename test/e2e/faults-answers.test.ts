// The process ends while a person in Discord waits for an answer. After SIGTERM the answer comes before the end;
// after SIGKILL the next start sends it. What that needs is stored encrypted and appears nowhere else.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import type { InteractionRecord } from '../helpers/discord/types.js';
import { baseline, type FaultHouse, faultHouse, said } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import type { Program } from '../helpers/process.js';

async function open() {
  const discord = await startDiscord();
  later(() => discord.close());
  const house = await faultHouse({
    env: { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl },
  });
  const user = discord.addUser();
  const guild = discord.addGuild({ channels: [{ name: 'general' }], members: [{ user, permissions: [] }] });
  const start = async (): Promise<Program> => {
    const program = house.run();
    await program.until('the bot', said(program, '"commands registered"'), 60_000);
    return program;
  };
  const program = await start();
  await baseline(program);
  const modal = await user.slash('/token set', {}, { guild }).modal();
  await user.submit(modal, { token: house.board.token }).reply();
  const panel = await user.slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' }, { guild }).reply();
  return { discord, house, user, guild, program, start, panel };
}

const preview = { tags: 'solidity' };

/** Neither the files nor the output contain what could be used to answer in the bot's name. */
async function sealed(discord: Discord, house: FaultHouse, programs: readonly Program[]): Promise<void> {
  const copy = join(house.dir, 'copy.sqlite');
  expect((await house.command(['backup', copy])).code).toBe(0);
  const store = join(house.dir, 'data', 'jobcrier.sqlite');
  const files = [copy, store, `${store}-wal`].map((file) => readFile(file, 'latin1').catch(() => ''));
  const all = [...(await Promise.all(files)), ...programs.flatMap((one) => [...one.stdout, ...one.stderr])];
  const tokens = discord.interactions.map((one: InteractionRecord) => one.token);
  expect(tokens.length).toBeGreaterThan(3);
  for (const token of tokens) expect(all.filter((text) => text.includes(token))).toEqual([]);
}

test('after SIGKILL the next start answers what was open, once, and nothing that was answered', {
  timeout: 540_000,
}, async () => {
  const { discord, house, user, guild, program, start, panel } = await open();
  const answered = await user.slash('/jobs list', {}, { guild }).reply();
  const list = answered.text;
  house.front.answer('hang', 'solidity');
  house.front.answer('hang', 'rust');
  const asked = user.slash('/jobs preview', preview, { guild });
  // Not the request that was just answered, which would be answered from memory.
  const press = (label: string) => user.press(panel, label);
  await press('Edit').replyWhere((message) => message.text.includes('Remote only: off'));
  await press('Remote only: off').replyWhere((message) => message.text.includes('Remote only: on'));
  await press('Back').replyWhere((message) => message.text.includes('History'));
  const pressed = press('Preview');
  for (const one of [asked, pressed]) await one.acked();
  await sealed(discord, house, [program]);
  program.kill('SIGKILL');
  await program.ended;
  expect(discord.allMessages().find((one) => one.interactionId === asked.record.id)?.loading).toBe(true);
  const second = await start();
  for (const one of [asked, pressed])
    expect((await one.reply()).text).toMatch(/restarted before this was finished.*try again/u);
  expect((await asked.reply()).loading).toBe(false);
  expect(answered.text).toBe(list);
  await second.until('the word in the log', said(second, 'left open by a former process'));
  const edits = () => discord.requests.filter(({ path }) => path.startsWith('/webhooks/')).length;
  const before = edits();
  second.kill('SIGTERM');
  expect(await second.ended).toBe(0);
  const third = await start();
  expect(edits()).toBe(before);
  await sealed(discord, house, [program, second, third]);
  expect(discord.violations).toEqual([]);
});

test('after SIGTERM everyone who waits is answered before the end, in their language', {
  timeout: 360_000,
}, async () => {
  const { discord, house, user, guild, program } = await open();
  user.record.locale = 'de';
  house.front.answer('hang', 'solidity');
  const asked = [
    user.slash('/jobs preview', preview, { guild }),
    user.slash('/jobs subscribe', { tags: 'solidity', deliver: 'dm' }, { guild }),
  ];
  for (const one of asked) await one.acked();
  program.kill('SIGTERM');
  for (const one of asked) expect((await one.reply()).text).toMatch(/startet gerade neu/u);
  expect(await program.ended).toBe(0);
  await sealed(discord, house, [program]);
  expect(discord.violations).toEqual([]);
});
