// The faults of the gateway, each with a discord.js client that must reconnect.
import { Client, type Interaction } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { raw } from './raw-api.js';
import { type Discord, startDiscord } from './start-discord.js';
import { connectBot, type TestBot } from './test-bot.js';

let discord: Discord;
let bot: TestBot | undefined;

afterEach(async () => {
  await bot?.stop();
  bot = undefined;
  await discord.close();
});

async function start(heartbeatMs = 41_250) {
  discord = await startDiscord({ heartbeatMs });
  const user = discord.addUser();
  const guild = discord.addGuild({ channels: [{ name: 'general' }, { name: 'other' }], members: [{ user }] });
  const seen: string[] = [];
  bot = await connectBot(discord, async (interaction: Interaction) => {
    seen.push(interaction.id);
    if (interaction.isChatInputCommand())
      await interaction.reply({ content: 'here', allowedMentions: { parse: [] } });
  });
  await raw(discord, 'PUT', `/applications/${discord.appId}/commands`, [{ name: 'go', description: 'Go' }]);
  return { user, guild, seen, bot };
}

describe('sessions', () => {
  it('sends events about guilds and channels to the client', async () => {
    const { guild, bot } = await start();
    const { channels, guilds } = bot.client;
    discord.deleteChannel(guild.channel('other').id);
    await discord.until(() => channels.cache.size === 1, 'the channel to vanish');
    discord.addGuild({ name: 'second' });
    await discord.until(() => guilds.cache.size === 2, 'the second guild');
    discord.setPermissions(guild.channel('general').id, 'bot', ['VIEW_CHANNEL']);
    const general = bot.channel(guild.channel('general').id);
    const me = guilds.cache.get(guild.id)?.members.me ?? null;
    await discord.until(() => me && !general.permissionsFor(me).has('SendMessages'), 'the lost permission');
    discord.removeGuild(guild.id);
    await discord.until(() => guilds.cache.size === 1, 'the guild to vanish');
  });

  it('resumes after a cut and replays missed events', async () => {
    const { user, guild, seen } = await start();
    discord.gateway.drop();
    await discord.until(() => discord.gateway.connected === 0, 'the cut');
    const handle = user.slash('/go', {}, { guild });
    expect((await handle.reply()).content).toBe('here');
    expect(seen).toEqual([handle.record.id]);
    expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it.each([
    ['op 7', () => discord.gateway.reconnect()],
    ['a close with 4000', () => discord.gateway.close(4000)],
    ['op 9 that allows it', () => discord.gateway.invalidSession(true)],
  ])('resumes after %s', async (_name, cause) => {
    const { user, guild } = await start();
    cause();
    await discord.until(() => discord.gateway.resumes === 1, 'the resume');
    expect((await user.slash('/go', {}, { guild }).reply()).content).toBe('here');
    expect(discord.gateway.identifies).toBe(1);
    expect(discord.violations).toEqual([]);
  });

  it('identifies again after an op 9 that forbids resuming', { tags: 'long' }, async () => {
    const { user, guild } = await start();
    discord.gateway.invalidSession(false);
    await discord.until(() => discord.gateway.identifies === 2, 'the second identify', 15_000);
    expect((await user.slash('/go', {}, { guild }).reply()).content).toBe('here');
  });

  it('is left by the client when it does not acknowledge any more', async () => {
    const { user, guild } = await start(150);
    discord.gateway.zombie();
    const handle = user.slash('/go', {}, { guild });
    expect((await handle.reply()).content).toBe('here');
    expect(discord.gateway.resumes).toBe(1);
  });

  it('connects again after connections were refused', { tags: 'long' }, async () => {
    const { user, guild } = await start();
    discord.gateway.refuse(1200);
    expect(discord.gateway.connected).toBe(0);
    await discord.until(() => discord.gateway.connected === 1, 'the return');
    expect((await user.slash('/go', {}, { guild }).reply()).content).toBe('here');
  });

  it('repeats the last interaction on request; a second answer is a violation', async () => {
    const { user, guild, seen, bot } = await start();
    await user.slash('/go', {}, { guild }).reply();
    discord.gateway.replayLastInteraction();
    await discord.until(() => bot.errors.length === 1, 'the failed second answer');
    expect(seen[0]).toBe(seen[1]);
    expect(discord.violations).toEqual([expect.stringContaining('40060')]);
  });
});

describe('identify', () => {
  it('with a wrong token is closed with 4004', async () => {
    discord = await startDiscord();
    discord.gateway.rejectIdentify(4004);
    const client = new Client({ intents: [1], rest: { api: discord.apiUrl, version: '10' } });
    const code = new Promise<number>((resolve) => {
      client.on('shardDisconnect', (event) => resolve(event.code));
    });
    client.on('shardError', () => {});
    client.login(discord.token).catch(() => {});
    expect(await code).toBe(4004);
    await client.destroy();
  });

  it.each([
    ['privileged intents', { intents: 32_768 }, 4014],
    ['intents that do not exist', { intents: 2 ** 30 }, 4013],
    ['a foreign token', { token: 'x', intents: 1 }, 4004],
    ['an impossible shard', { intents: 1, shard: [2, 1] }, 4010],
  ])('with %s is closed', async (_name, fields, code) => {
    discord = await startDiscord();
    const socket = new WebSocket(
      `${discord.apiUrl.replace('http', 'ws').replace('/api', '')}/?v=10&encoding=json`,
    );
    const closed = new Promise<number>((resolve) => {
      socket.on('close', resolve);
    });
    socket.on('open', () => socket.send(JSON.stringify({ op: 2, d: { token: discord.token, ...fields } })));
    expect(await closed).toBe(code);
    expect(discord.violations).toHaveLength(1);
  });
});
