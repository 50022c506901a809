// The bot joins and leaves servers: it is removed while it runs and while it is down, invited again, and some servers
// are only unavailable.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BotHouse, jobOf, openHouse } from '../helpers/bot-house.js';
import { EVERYONE } from '../helpers/discord/permissions.js';
import { linksIn } from '../helpers/discord-cards.js';
import { until } from '../helpers/until.js';

let house: BotHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.newServer();
  const { admin, guild } = house;
  await admin.slash('/jobs subscribe', { tags: 'rust', channel: guild.channel('jobs') }, { guild }).reply();
  await admin.slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' }, { guild }).reply();
});
afterEach(() => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.level === 'error')).toEqual([]);
});

const states = async () =>
  (await house.app.services.subscriptions({ account: `discord:${house.admin.id}` })).map(
    ({ state }) => state,
  );
const stopped = () => expect.poll(states, { timeout: 30_000 }).toEqual(['paused', 'active']);
const running = () => expect.poll(states, { timeout: 30_000 }).toEqual(['active', 'active']);
/** Something happens while the bot is stopped; then it starts again. */
async function meanwhile(happening: () => void): Promise<void> {
  await house.bot.stop();
  happening();
  await house.restartBot();
}
/** Waits until the bot has read all events about servers. */
async function caughtUp(): Promise<void> {
  const { admin } = house;
  expect((await admin.slash('/token status').reply()).text).toMatch(/accepted/u);
}

describe('a server that removed the bot', () => {
  test('stops its subscriptions and no others, and shows when they are deleted', async () => {
    house.discord.removeGuild(house.guild.id);
    await stopped();
    const list = await house.admin.slash('/jobs list').reply();
    expect(list.text).toMatch(/removed from its server.*<\/jobs edit:\d+>.*deleted <t:\d+:R>/u);
  });

  test('is noticed if the bot was down', { tags: 'long' }, async () => {
    await meanwhile(() => house.discord.removeGuild(house.guild.id));
    await stopped();
  });

  test('resumes when the bot is invited again, whether it was running or not', { tags: 'long' }, async () => {
    const { discord, guild } = house;
    discord.removeGuild(guild.id);
    await stopped();
    discord.invite(guild.id);
    await running();
    await meanwhile(() => discord.removeGuild(guild.id));
    await stopped();
    await meanwhile(() => discord.invite(guild.id));
    await running();
  });
});

describe('an unavailable server', () => {
  test('has not removed the bot, before and after a start', { tags: 'long' }, async () => {
    const { discord, guild } = house;
    discord.setAway(guild.id, true);
    await caughtUp();
    expect(await states()).toEqual(['active', 'active']);
    await meanwhile(() => undefined);
    await caughtUp();
    expect(await states()).toEqual(['active', 'active']);
    discord.setAway(guild.id, false);
    await caughtUp();
    expect(await states()).toEqual(['active', 'active']);
  });

  test('has not removed the bot if it is missing in the list of servers, because Discord is asked again', {
    tags: 'long',
  }, async () => {
    const { discord, guild } = house;
    const asked = () =>
      discord.requests.filter((one) => one.method === 'GET' && one.path === `/guilds/${guild.id}`);
    await meanwhile(() => discord.hideFromReady(guild.id));
    await until(() => asked().length > 0, { what: 'the second look' });
    await caughtUp();
    expect(await states()).toEqual(['active', 'active']);
  });
});

describe('a channel that the bot may no longer post in', () => {
  const jobs = () => house.guild.channel('jobs').id;
  const shown = () => house.discord.messages(jobs()).flatMap(linksIn).length;

  async function closed(): Promise<void> {
    house.discord.setPermissions(jobs(), 'bot', ['VIEW_CHANNEL', 'EMBED_LINKS']);
    await house.board.setJobs([jobOf(3), jobOf(1), jobOf(2)]);
    await house.poll();
    await expect.poll(states, { timeout: 30_000 }).toEqual(['parked', 'active']);
  }

  test('gets what waited as soon as the permission is back, without an action of its owner', async () => {
    await closed();
    house.discord.setPermissions(jobs(), 'bot', null);
    await expect.poll(shown, { timeout: 30_000 }).toBe(1);
    await running();
  });

  test('gets it also if a role changes; a change that opens nothing makes no request', {
    tags: 'long',
  }, async () => {
    const { discord, guild } = house;
    const all = [...EVERYONE];
    const mute = all.filter((one) => one !== 'SEND_MESSAGES');
    discord.setRole(guild.id, guild.id, mute);
    await house.board.setJobs([jobOf(3), jobOf(1), jobOf(2)]);
    await house.poll();
    await expect.poll(states, { timeout: 30_000 }).toEqual(['parked', 'active']);
    const asked = () => discord.requests.filter(({ path }) => path.includes(`${jobs()}/messages`)).length;
    const before = asked();
    discord.setRole(guild.id, guild.id, [...mute].reverse());
    await caughtUp();
    expect(asked()).toBe(before);
    discord.setRole(guild.id, guild.id, all);
    await expect.poll(shown, { timeout: 30_000 }).toBe(1);
  });

  test('gets it when the server is available again after an outage', { tags: 'long' }, async () => {
    await closed();
    await meanwhile(() => house.discord.setPermissions(jobs(), 'bot', null));
    await expect.poll(shown, { timeout: 30_000 }).toBe(1);
  });
});
