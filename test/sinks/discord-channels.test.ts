// What is known of a channel before a message is sent there, and how often Discord is asked for it.
import { beforeEach, expect, test } from 'vitest';
import { type Channels, createChannels } from '../../src/sinks/discord/channels.js';
import type { Place } from '../../src/sinks/discord/target.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import { discordSink } from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';

let discord: Discord;
let channels: Channels;
const { signal } = new AbortController();

beforeEach(async () => {
  discord = await startDiscord();
  const { rest } = discordSink(discord);
  channels = createChannels(rest);
  later(
    () => discord.close(),
    () => rest.close(),
  );
});

const placeOf = (id: string): Place => ({ kind: 'channel', id });
const at = (id: string, fresh?: boolean) => channels.at(placeOf(id), signal, fresh);
const asked = () =>
  discord.requests.map(({ method, path }) => `${method} ${path.replace(/\d{17,}/gu, ':id')}`);

test.each([
  ['text', { kind: 'plain' }],
  ['voice', { kind: 'plain' }],
  ['announcement', { kind: 'plain', announcement: true }],
  ['forum', { kind: 'forum' }],
] as const)('a %s channel', async (type, known) => {
  const guild = discord.addGuild({ channels: [{ name: 'jobs', type }] });
  const { id } = guild.channel('jobs');
  expect(await at(id)).toEqual({
    id,
    ...known,
    guild: guild.id,
    name: 'jobs',
    archived: false,
    tags: [],
    tagRequired: false,
  });
});

test('a thread is archived or not, and a forum has tags and may require one', async () => {
  const guild = discord.addGuild({
    channels: [
      { name: 'jobs' },
      { name: 'open', type: 'thread', parent: 'jobs' },
      { name: 'old', type: 'thread', parent: 'jobs', archived: true },
      { name: 'forum', type: 'forum', tags: ['Rust', 'Go'], requireTag: true },
    ],
  });
  const of = async (name: string) => at(guild.channel(name).id);
  expect([await of('open'), await of('old')]).toMatchObject([
    { kind: 'thread', archived: false },
    { kind: 'thread', archived: true },
  ]);
  expect(await of('forum')).toMatchObject({ tags: [{ name: 'Rust' }, { name: 'Go' }], tagRequired: true });
});

test('a category holds no messages, and Discord is not asked to take one', async () => {
  const { id } = discord.addGuild({ channels: [{ name: 'all', type: 'category' }] }).channel('all');
  await expect(at(id)).rejects.toMatchObject({
    kind: 'refused',
    status: 400,
    code: 50008,
    message: 'channel type 4 holds no messages',
  });
});

test('an answer without a type or an id is no channel', async () => {
  discord.faults.next('GET /channels/:id', { kind: 'status', status: 200, body: {} });
  await expect(at('123456789012345678')).rejects.toMatchObject({
    message: 'channel type -1 holds no messages',
  });
  discord.faults.next('GET /channels/:id', { kind: 'status', status: 200, body: { type: 0 } });
  await expect(at('123456789012345678')).rejects.toMatchObject({ kind: 'away' });
  discord.faults.next('GET /channels/:id', { kind: 'status', status: 200, body: { type: 0, id: '1' } });
  expect(await at('123456789012345678')).toEqual({
    id: '1',
    kind: 'plain',
    archived: false,
    tags: [],
    tagRequired: false,
  });
});

test('a channel is asked for once, unless it must be fresh', async () => {
  const guild = discord.addGuild({ channels: [{ name: 'a' }, { name: 'b' }] });
  const [{ id }, other] = [guild.channel('a'), guild.channel('b')];
  await at(id);
  await at(id);
  expect(asked()).toEqual(['GET /channels/:id']);
  expect(await at(id, true)).toMatchObject({ name: 'a' });
  expect(asked()).toHaveLength(2);
  expect(await at(other.id)).toMatchObject({ name: 'b' });
  expect(asked()).toHaveLength(3);
  // A channel that was lost is not known any more.
  discord.deleteChannel(id);
  await expect(at(id, true)).rejects.toMatchObject({ code: 10003 });
  await expect(at(id)).rejects.toMatchObject({ code: 10003 });
});

test('a thread that was opened again is known as open', async () => {
  const guild = discord.addGuild({
    channels: [{ name: 'jobs' }, { name: 'feed', type: 'thread', parent: 'jobs', archived: true }],
  });
  const thread = guild.channel('feed');
  expect(await at(thread.id)).toMatchObject({ archived: true });
  await channels.reopen(thread.id, signal);
  expect(thread.archived).toBe(false);
  expect(await at(thread.id)).toMatchObject({ archived: false, kind: 'thread', name: 'feed' });
  expect(asked()).toEqual(['GET /channels/:id', 'PATCH /channels/:id']);
});

test('a thread that is not known can be opened too', async () => {
  const guild = discord.addGuild({
    channels: [{ name: 'jobs' }, { name: 'feed', type: 'thread', parent: 'jobs', archived: true }],
  });
  await channels.reopen(guild.channel('feed').id, signal);
  expect(guild.channel('feed').archived).toBe(false);
});

test('the channel of a person is opened once', async () => {
  const user = discord.addUser({ installed: true });
  const of = () => channels.at({ kind: 'dm', user: user.id }, signal);
  const known = await of();
  expect(known).toEqual({
    id: expect.stringMatching(/^\d+$/u),
    kind: 'plain',
    archived: false,
    tags: [],
    tagRequired: false,
  });
  expect(await of()).toEqual(known);
  expect(asked()).toEqual(['POST /users/@me/channels']);
});

test('an answer that opens no channel for a person is an outage', async () => {
  discord.faults.next('POST /users/@me/channels', { kind: 'status', status: 200, body: {} });
  await expect(channels.at({ kind: 'dm', user: '123456789012345678' }, signal)).rejects.toMatchObject({
    kind: 'away',
    message: 'Discord opened no direct-message channel',
  });
});
