// Channels, threads, forums, permissions and command definitions: refused as by Discord.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { post, raw } from './raw-api.js';
import { type Discord, startDiscord } from './start-discord.js';
import type { GuildHandle } from './world.js';

let discord: Discord;
let guild: GuildHandle;
const id = (name: string) => guild.channel(name).id;

beforeEach(async () => {
  discord = await startDiscord({ ratePerWindow: 100, globalPerSecond: 1000 });
  guild = discord.addGuild({
    channels: [
      { name: 'general' },
      { name: 'hidden', bot: [] },
      { name: 'mute', bot: ['VIEW_CHANNEL'] },
      { name: 'plain', bot: ['VIEW_CHANNEL', 'SEND_MESSAGES'] },
      { name: 'asleep', type: 'thread', parent: 'general', archived: true },
      { name: 'shut', type: 'thread', parent: 'general', archived: true, locked: true },
      { name: 'posts', type: 'forum', tags: ['rust', 'zk'], requireTag: true },
    ],
  });
});

afterEach(() => discord.close());

describe('places', () => {
  it.each([
    ['hidden', { content: 'a' }, 50001],
    ['mute', { content: 'a' }, 50013],
    ['plain', { embeds: [{ title: 'a' }] }, 50013],
    ['posts', { content: 'a' }, 50008],
    ['asleep', { content: 'a' }, 50083],
    ['shut', { content: 'a' }, 160005],
  ])('a message into %s is refused', async (name, body, code) => {
    expect((await post(discord, id(name), body)).body.code).toBe(code);
    expect(discord.messages(id(name))).toEqual([]);
  });

  it('a first refusal of access is no violation, and a second send to the same place is', async () => {
    await post(discord, id('mute'), { content: 'a' });
    expect(discord.violations).toEqual([]);
    await post(discord, id('mute'), { content: 'a' });
    expect(discord.violations).toEqual([expect.stringContaining('again')]);
    discord.setPermissions(id('mute'), 'bot', ['VIEW_CHANNEL', 'SEND_MESSAGES']);
    expect((await post(discord, id('mute'), { content: 'a' })).status).toBe(200);
  });

  it('a deleted channel and a left guild answer 10003 and 50001', async () => {
    const { id: gone } = guild.channel('plain');
    discord.deleteChannel(gone);
    expect((await post(discord, gone, { content: 'a' })).body.code).toBe(10003);
    discord.removeGuild(guild.id);
    expect((await post(discord, id('general'), { content: 'a' })).body.code).toBe(50001);
  });

  it('an archived thread opens by PATCH, a locked one does not', async () => {
    expect((await raw(discord, 'PATCH', `/channels/${id('asleep')}`, { archived: false })).status).toBe(200);
    expect((await post(discord, id('asleep'), { content: 'a' })).status).toBe(200);
    expect((await raw(discord, 'PATCH', `/channels/${id('shut')}`, { archived: false })).body.code).toBe(
      50013,
    );
  });

  it('a forum requires a post with a known tag', async () => {
    const forum = guild.channel('posts');
    const path = `/channels/${forum.id}/threads`;
    const message = { content: 'first', allowed_mentions: { parse: [] } };
    expect((await raw(discord, 'POST', path, { name: 'a', message })).body.code).toBe(40067);
    const wrong = { name: 'a', message, applied_tags: [id('general')] };
    expect((await raw(discord, 'POST', path, wrong)).body.code).toBe(50035);
    const right = { name: 'a', message, applied_tags: [forum.tags[0]?.id] };
    const { status, body } = await raw(discord, 'POST', path, right);
    expect(status).toBe(201);
    expect(body).toMatchObject({ id: body.message.id, applied_tags: [forum.tags[0]?.id] });
    expect(discord.messages(body.id)[0]?.content).toBe('first');
    const { body: active } = await raw(discord, 'GET', `/guilds/${guild.id}/threads/active`);
    expect(active.threads.map((thread: { name: string }) => thread.name)).toEqual(['a']);
  });

  it('wrong tokens, unknown users and unknown routes are refused', async () => {
    expect((await raw(discord, 'GET', '/users/@me', undefined, 'wrong')).status).toBe(401);
    expect(
      (await raw(discord, 'POST', '/users/@me/channels', { recipient_id: '123456789012345678' })).body.code,
    ).toBe(50033);
    expect((await raw(discord, 'GET', '/nothing')).status).toBe(404);
    expect(discord.violations).toHaveLength(3);
  });
});

describe('command definitions', () => {
  const option = (name: string, extra = {}) => ({ type: 3, name, description: 'd', ...extra });
  const many = (count: number) => Array.from({ length: count }, (_, i) => i);
  it.each([
    ['an upper-case name', { name: 'Jobs' }],
    ['a name with a space', { name: 'jo bs' }],
    ['a description of 101', { description: 'x'.repeat(101) }],
    ['26 options', { options: many(26).map((i) => option(`o${i}`)) }],
    ['required after optional', { options: [option('a'), option('b', { required: true })] }],
    ['the same option twice', { options: [option('a'), option('a')] }],
    [
      '26 choices',
      { options: [option('a', { choices: many(26).map((i) => ({ name: `${i}`, value: `${i}` })) })] },
    ],
    [
      'choices with autocomplete',
      { options: [option('a', { autocomplete: true, choices: [{ name: 'a', value: 'a' }] })] },
    ],
    ['autocomplete on a channel', { options: [{ ...option('a'), type: 7, autocomplete: true }] }],
    ['subcommands beside options', { options: [option('a'), { type: 1, name: 'b', description: 'd' }] }],
    ['an unknown locale', { description_localizations: { deutsch: 'd' } }],
    ['a localised name with a capital', { name_localizations: { de: 'Stellen' } }],
    ['a localised description of 101', { description_localizations: { de: 'x'.repeat(101) } }],
    ['an unknown context', { contexts: [3] }],
    [
      'more than 8000 characters',
      {
        options: many(25).map((i) =>
          option(`o${i}`, {
            choices: many(25).map((j) => ({ name: `${j}`, value: `${j}`.padEnd(20, 'x') })),
          }),
        ),
      },
    ],
  ])('%s is refused', async (_name, change) => {
    const path = `/applications/${discord.appId}/commands`;
    const { body } = await raw(discord, 'PUT', path, [{ name: 'jobs', description: 'Jobs', ...change }]);
    expect(body.code).toBe(50035);
    expect(discord.commands()).toEqual([]);
    expect(discord.commandWrites).toEqual([]);
  });

  it.each([
    ['a description', { description: 'd' }],
    ['options', { options: [option('a')] }],
    ['a name of 33 characters', { name: 'x'.repeat(33) }],
    ['a translated name of 33 characters', { name_localizations: { de: 'x'.repeat(33) } }],
  ])('a message command with %s is refused', async (_name, change) => {
    const path = `/applications/${discord.appId}/commands`;
    const command = { type: 3, name: 'Save it', ...change };
    expect((await raw(discord, 'PUT', path, [command])).body.code).toBe(50035);
  });

  it('a message command may have capitals and spaces, and brings the message that it is used on', async () => {
    const path = `/applications/${discord.appId}/commands`;
    await raw(discord, 'PUT', path, [{ type: 3, name: 'Save it', contexts: [0] }]);
    const guild = discord.addGuild({ channels: [{ name: 'general' }] });
    const user = discord.addUser();
    guild.addMember({ user });
    const body = { content: 'hello', allowed_mentions: { parse: [] } };
    await raw(discord, 'POST', `/channels/${guild.channel('general').id}/messages`, body);
    const [message] = discord.messages(guild.channel('general').id);
    if (!message) throw new Error('no message');
    const { payload } = user.onMessage('Save it', message).record;
    expect(payload.data).toMatchObject({
      type: 3,
      target_id: message.id,
      resolved: { messages: { [message.id]: { content: 'hello' } } },
    });
    expect(() => user.onMessage('Other', message)).toThrow('No message command');
  });
});
