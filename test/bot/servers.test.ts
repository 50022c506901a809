// The bot's own comings and goings: thrown out of a server while it looks and while it is down, invited again, and
// servers that are merely away, which were not left.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BotHouse, jobOf, openHouse } from '../helpers/bot-house.js';
import { EVERYONE } from '../helpers/discord/permissions.js';
import { linksIn } from '../helpers/discord-cards.js';
import { until } from '../helpers/until.js';

let house: BotHouse;
beforeEach(async () => {
  house = await openHouse();
  const { admin, guild } = house;
  await admin.slash('/jobs subscribe', { tags: 'rust', channel: guild.channel('jobs') }, { guild }).reply();
  await admin.slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' }, { guild }).reply();
});
afterEach(async () => {
  expect(house.discord.violations).toEqual([]);
  expect(house.logs.filter((line) => line.level === 'error')).toEqual([]);
  await house.close();
});

const states = async () =>
  (await house.app.services.subscriptions({ account: `discord:${house.admin.id}` })).map(
    ({ state }) => state,
  );
const stopped = () => expect.poll(states, { timeout: 30_000 }).toEqual(['paused', 'active']);
const running = () => expect.poll(states, { timeout: 30_000 }).toEqual(['active', 'active']);
/** What happens while the bot is not there, and its next start. */
async function meanwhile(happening: () => void): Promise<void> {
  await house.bot.stop();
  happening();
  await house.restartBot();
}
/** Whatever the gateway had to say about servers has been read by then. */
async function caughtUp(): Promise<void> {
  const { admin } = house;
  expect((await admin.slash('/token status').reply()).text).toMatch(/accepted/u);
}

describe('thrown out', () => {
  test('it stops what was subscribed there, and nothing else, and tells when that is deleted', async () => {
    house.discord.removeGuild(house.guild.id);
    await stopped();
    const list = await house.admin.slash('/jobs list').reply();
    expect(list.text).toMatch(/removed from its server.*<\/jobs edit:\d+>.*deleted <t:\d+:R>/u);
  });

  test('while it was down, too', async () => {
    await meanwhile(() => house.discord.removeGuild(house.guild.id));
    await stopped();
  });

  test('and invited again it goes on, whether it saw that or not', async () => {
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

describe('a server that is away', () => {
  test('before and after a start was not left', async () => {
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

  test('and missing in the list of servers was not left either, as Discord says when asked', async () => {
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

  test('gets what waited as soon as the permission is back, without a word from its owner', async () => {
    await closed();
    house.discord.setPermissions(jobs(), 'bot', null);
    await expect.poll(shown, { timeout: 30_000 }).toBe(1);
    await running();
  });

  test('by a role, too; a change that opens nothing asks Discord nothing', async () => {
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

  test('and when the server is there again after an outage', async () => {
    await closed();
    await meanwhile(() => house.discord.setPermissions(jobs(), 'bot', null));
    await expect.poll(shown, { timeout: 30_000 }).toBe(1);
  });
});
