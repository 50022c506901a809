// What `jobcrier doctor` finds about the bot of Discord and its permissions in the channels it posts to.
import { beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { textsFor } from '../../src/render/texts.js';
import { checks } from '../../src/sinks/discord/doctor.js';
import type { SinkSettings } from '../../src/sinks/settings.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import { silent } from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';

const { doctor: words } = textsFor('en');
const ALL = ['VIEW_CHANNEL', 'SEND_MESSAGES', 'EMBED_LINKS', 'READ_MESSAGE_HISTORY'] as const;

let discord: Discord;

beforeEach(async () => {
  discord = await startDiscord();
  later(() => discord.close());
});

const settings = ({ token, apiUrl } = discord) =>
  ({ discord: { token: secret(token), apiUrl } }) as SinkSettings;

function run(name: 'discord' | 'discordChannels', of: SinkSettings, targets: Record<string, string> = {}) {
  const check = checks.find((one) => one.name === name);
  if (!check) throw new Error(`no check ${name}`);
  const about = { log: silent, words, targets: async () => new Map(Object.entries(targets)) };
  return check.run(of, about, new AbortController().signal);
}

/** The finding for one channel, without the words that name it. */
async function about(channel: { id: string }, of = settings()) {
  const findings = await run('discordChannels', of, { [channel.id]: 'rust' });
  expect(findings).toHaveLength(1);
  const [{ state, says = '', fix } = {}] = findings;
  const where = `channel ${channel.id} of subscription rust`;
  return [state, says.replace(where, '…'), ...(fix ? [fix] : [])];
}

describe('the login', () => {
  test('is off without a token', async () => {
    for (const name of ['discord', 'discordChannels'] as const)
      expect(await run(name, {} as SinkSettings)).toEqual([
        { state: 'off', says: 'DISCORD_TOKEN is not set' },
      ]);
  });

  test('names the bot and its application', async () => {
    const [finding, ...others] = await run('discord', settings());
    expect(finding).toEqual({
      state: 'ok',
      says: expect.stringMatching(/^logs in as \S+, application \S.*$/u),
    });
    expect(finding?.says).not.toMatch(/a bot|without a name/u);
    expect(others).toEqual([]);
  });

  test.each([
    [50, 0],
    [49, 1],
  ])('with %i starts left today has %i warnings', async (remaining, count) => {
    const body = { url: 'ws://127.0.0.1:9', shards: 1, session_start_limit: { remaining } };
    discord.faults.next('GET /gateway/bot', { kind: 'status', status: 200, body });
    const warnings = (await run('discord', settings())).slice(1);
    expect(warnings).toEqual(
      count === 0
        ? []
        : [
            {
              state: 'warn',
              says: '49 starts of the bot are left today',
              fix: 'find out why it starts so often; Discord allows 1,000 a day',
            },
          ],
    );
  });

  test('works with answers that leave out what is only shown', async () => {
    for (const path of ['/users/@me', '/applications/@me', '/gateway/bot'])
      discord.faults.next(`GET ${path}`, { kind: 'status', status: 200, body: {} });
    expect(await run('discord', settings())).toEqual([
      { state: 'ok', says: 'logs in as a bot, application without a name' },
    ]);
  });

  test('works with empty answers', async () => {
    for (const path of ['/users/@me', '/applications/@me', '/gateway/bot'])
      discord.faults.next(`GET ${path}`, { kind: 'status', status: 204 });
    expect(await run('discord', settings())).toEqual([
      { state: 'ok', says: 'logs in as a bot, application without a name' },
    ]);
  });

  test('that is refused says what to do, and so does a Discord that is away', async () => {
    const refused = { ...discord, token: `${discord.token}x` };
    expect(await run('discord', settings(refused))).toEqual([
      {
        state: 'fail',
        says: 'the bot token is refused',
        fix: 'reset it in the Discord developer portal, page Bot, and set DISCORD_TOKEN',
      },
    ]);
    expect(await run('discord', settings({ ...discord, apiUrl: 'http://127.0.0.1:9/api' }))).toEqual([
      {
        state: 'fail',
        says: expect.any(String),
        fix: 'check the network, DISCORD_API_URL and discordstatus.com',
      },
    ]);
    expect(await run('discordChannels', settings(refused), { '123456789012345678': 'rust' })).toEqual([
      { state: 'off', says: 'the bot token is refused' },
    ]);
  });
});

describe('a channel', () => {
  test('is not asked for if there is none', async () => {
    expect(await run('discordChannels', settings(), { 'dm:123456789012345678': 'mine' })).toEqual([
      { state: 'off', says: 'no subscription goes to a channel' },
    ]);
    expect(discord.requests).toEqual([]);
  });

  test('where the bot may post', async () => {
    const guild = discord.addGuild({ channels: [{ name: 'jobs', bot: [...ALL] }, { name: 'open' }] });
    for (const name of ['jobs', 'open'])
      expect(await about(guild.channel(name))).toEqual(['ok', '…: the bot may post']);
  });

  test.each([
    ['VIEW_CHANNEL', 'View Channel'],
    ['SEND_MESSAGES', 'Send Messages'],
    ['EMBED_LINKS', 'Embed Links'],
    ['READ_MESSAGE_HISTORY', 'Read Message History'],
  ] as const)('where the bot does not have %s', async (lost, name) => {
    const guild = discord.addGuild({ channels: [{ name: 'jobs' }] });
    const { id } = guild.channel('jobs');
    discord.setPermissions(
      id,
      'bot',
      ALL.filter((one) => one !== lost),
    );
    // Without this, Discord would not even show the channel.
    if (lost === 'VIEW_CHANNEL')
      expect(await about({ id })).toEqual([
        'fail',
        "… can't be seen by the bot",
        'let the bot into the server and the channel (View Channel)',
      ]);
    else
      expect(await about({ id })).toEqual([
        'fail',
        `…: the bot lacks ${name}`,
        'grant it in the channel settings, Permissions',
      ]);
  });

  test('has the permissions of everyone, and of the bot above them, but none of roles that the bot does not have', async () => {
    const guild = discord.addGuild({
      channels: [{ name: 'jobs' }],
      botPermissions: ['MANAGE_CHANNELS'],
      roles: [{ name: 'readers' }],
    });
    const { id } = guild.channel('jobs');
    discord.setPermissions(id, guild.id, ['VIEW_CHANNEL']);
    expect(await about({ id })).toEqual([
      'fail',
      '…: the bot lacks Send Messages, Embed Links, Read Message History',
      expect.any(String),
    ]);
    // A role that the bot does not have gives it nothing.
    discord.setPermissions(id, guild.role('readers').id, [...ALL]);
    expect(await about({ id })).toEqual(['fail', expect.stringContaining('lacks'), expect.any(String)]);
    discord.setPermissions(id, 'bot', [...ALL]);
    expect(await about({ id })).toEqual(['ok', '…: the bot may post']);
  });

  test('has the permissions of a role that the bot has', async () => {
    const guild = discord.addGuild({ channels: [{ name: 'jobs' }], roles: [{ name: 'posters' }] });
    const { id } = guild.channel('jobs');
    const posters = guild.role('posters').id;
    const body = { roles: [posters] };
    discord.setPermissions(id, guild.id, ['VIEW_CHANNEL']);
    discord.setPermissions(id, posters, [...ALL]);
    discord.faults.next('GET /guilds/:id/members/:member', { kind: 'status', status: 200, body });
    expect(await about({ id })).toEqual(['ok', '…: the bot may post']);
  });

  test('is open to the owner of the server, and so is one without a server', async () => {
    const guild = discord.addGuild({ channels: [{ name: 'jobs' }] });
    const { id } = guild.channel('jobs');
    discord.setPermissions(id, guild.id, ['VIEW_CHANNEL']);
    const owned = { id: guild.id, owner_id: discord.botId, roles: [] };
    discord.faults.next('GET /guilds/:id', { kind: 'status', status: 200, body: owned });
    expect(await about({ id })).toEqual(['ok', '…: the bot may post']);
    const between = discord.requests.length;
    discord.faults.next('GET /channels/:id', { kind: 'status', status: 200, body: { id, type: 1 } });
    expect(await about({ id })).toEqual(['ok', '…: the bot may post']);
    expect(discord.requests).toHaveLength(between + 1);
  });

  test('has the permissions of the server if it has none, and none of its category', async () => {
    const guild = discord.addGuild({ channels: [{ name: 'jobs' }, { name: 'other' }] });
    const { id } = guild.channel('jobs');
    const body = { id, type: 0, guild_id: guild.id, parent_id: guild.channel('other').id };
    discord.setPermissions(body.parent_id, guild.id, []);
    discord.faults.next('GET /channels/:id', { kind: 'status', status: 200, body });
    expect(await about({ id })).toEqual(['ok', '…: the bot may post']);
    const bare = { id: guild.id };
    discord.faults.next('GET /channels/:id', { kind: 'status', status: 200, body });
    discord.faults.next('GET /guilds/:id', { kind: 'status', status: 200, body: bare });
    expect(await about({ id })).toEqual([
      'fail',
      '…: the bot lacks View Channel, Send Messages, Embed Links, Read Message History',
      expect.any(String),
    ]);
  });

  test('is open to an administrator, whatever it says', async () => {
    const guild = discord.addGuild({ channels: [{ name: 'jobs' }], botPermissions: ['ADMINISTRATOR'] });
    const { id } = guild.channel('jobs');
    discord.setPermissions(id, guild.id, []);
    discord.setPermissions(id, 'bot', []);
    expect(await about({ id })).toEqual(['ok', '…: the bot may post']);
  });

  test('that is a thread has the permissions of its channel, and its own one for messages', async () => {
    const guild = discord.addGuild({
      channels: [{ name: 'jobs' }, { name: 'feed', type: 'thread', parent: 'jobs' }],
    });
    const [{ id }, thread] = [guild.channel('jobs'), guild.channel('feed')];
    discord.setPermissions(id, 'bot', [
      'VIEW_CHANNEL',
      'EMBED_LINKS',
      'READ_MESSAGE_HISTORY',
      'SEND_MESSAGES',
    ]);
    expect(await about(thread)).toEqual([
      'fail',
      '…: the bot lacks Send Messages in Threads',
      expect.any(String),
    ]);
    discord.setPermissions(id, 'bot', [
      'VIEW_CHANNEL',
      'EMBED_LINKS',
      'READ_MESSAGE_HISTORY',
      'SEND_MESSAGES_IN_THREADS',
    ]);
    expect(await about(thread)).toEqual(['ok', '…: the bot may post']);
  });

  test('that is gone, or that Discord refuses to show for another reason', async () => {
    const channel = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs');
    const body = { code: 50013, message: 'Missing Permissions' };
    discord.faults.next('GET /channels/:id', { kind: 'status', status: 403, body });
    expect(await about(channel)).toEqual([
      'fail',
      expect.stringMatching(/^…: .*50013/u),
      'see the channel and the bot in Discord',
    ]);
    discord.deleteChannel(channel.id);
    expect(await about(channel)).toEqual([
      'fail',
      '… does not exist any more',
      'choose another channel for it',
    ]);
  });

  test.each([
    [25, []],
    [26, [{ state: 'off', says: '1 further channels were not checked' }]],
  ])('of %i, at most 25 are checked', async (count, more) => {
    // Channels that are gone need one request each.
    const targets = Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`1234567890123456${10 + n}`, `s${n}`]),
    );
    const findings = await run('discordChannels', settings(), targets);
    expect(findings.slice(25)).toEqual(more);
  });
});
