// The whole path: set a token, subscribe a channel, see a new posting there once, list, remove.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BotHouse, jobOf, linkOf, openHouse } from '../helpers/bot-house.js';
import { linksIn } from '../helpers/discord-cards.js';

let house: BotHouse;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(async () => {
  expect(house.discord.violations).toEqual([]);
  await house.close();
});

test('a member sets a token, subscribes a channel, and a new posting arrives there once', async () => {
  const { discord, guild, board } = house;
  const user = discord.addUser();
  guild.addMember({ user, permissions: ['MANAGE_CHANNELS'] });
  const modal = await user.slash('/token set', {}, { guild }).modal();
  const saved = await user.submit(modal, { token: board.token }).reply();
  expect(saved.ephemeral).toBe(true);
  expect(saved.text).not.toContain(board.token);
  expect(saved.text).toMatch(/stored encrypted/u);
  expect(saved.text).toMatch(/<\/jobs subscribe:\d+>/u);
  expect((await user.press(saved, 'New subscription').reply()).text).toContain('What: **All postings**');

  const channel = guild.channel('jobs');
  const done = await user
    .slash('/jobs subscribe', { tags: 'rust', channel, every: 'live' }, { guild })
    .reply();
  expect(done.ephemeral).toBe(true);
  expect(done.text).toContain('Rust');
  expect(done.text).toContain(`<#${channel.id}>`);
  expect(done.text).toMatch(/<t:\d+:R>/u);
  expect(done.text).toContain('2 postings match now');
  for (const label of ['Preview', 'Edit', 'Pause', 'Remove']) expect(done.text).toContain(label);

  await board.addJob(jobOf(3));
  await house.poll();
  await discord.until(() => discord.messages(channel.id).length > 0, 'the new posting');
  expect(discord.messages(channel.id).flatMap(linksIn)).toEqual([linkOf(3)]);

  const list = await user.slash('/jobs list', {}, { guild }).reply();
  expect(list.ephemeral).toBe(true);
  expect(list.text).toContain('Rust');
  const [choice] = await user.autocomplete('/jobs remove', 'subscription', 'rus', {}, { guild });
  const removed = await user
    .slash('/jobs remove', { subscription: String(choice?.value) }, { guild })
    .reply();
  expect(removed.text).toMatch(/Removed/u);
  expect((await user.slash('/jobs list', {}, { guild }).reply()).text).toMatch(/no subscriptions/u);
  expect(discord.messages(channel.id)).toHaveLength(1);
});
