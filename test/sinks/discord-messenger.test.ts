// An owner who must act is told privately, or, if that is closed, in public without anything private.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DiscordRest } from '../../src/discord/rest.js';
import type { Notice } from '../../src/ports/notice.js';
import { createDiscordMessenger } from '../../src/sinks/discord/messenger.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import { discordSink, silent } from '../helpers/discord-delivery.js';

let discord: Discord;
let rest: DiscordRest;

beforeEach(async () => {
  discord = await startDiscord();
  ({ rest } = discordSink(discord));
});

afterEach(async () => {
  await rest.close();
  await discord.close();
});

function notice(account: string): Notice {
  return {
    kind: 'token',
    subject: account,
    account,
    text: 'English for the log.',
    data: { source: '*board* https://board.example/my_tokens' },
  };
}

test('by direct message, once, in the own language, with the address to follow and the command to press', async () => {
  const user = discord.addUser({ installed: true });
  const tell = createDiscordMessenger(rest, {
    log: silent,
    localeOf: () => 'es-419',
    commandIds: () => ({ token: '42' }),
  });
  expect(await tell(notice(`discord:${user.id}`))).toBe(true);
  expect(await tell(notice(`discord:${user.id}`))).toBe(true);
  expect(discord.allMessages().map((message) => message.content)).toEqual([
    expect.stringMatching(
      /^🔔 El portal .* de \\\*board\\\* <https:\/\/board\.example\/my_tokens> y guarda el nuevo con <\/token set:42>\./u,
    ),
  ]);
  expect(discord.violations).toEqual([]);
});

test('before the commands are known, by their name', async () => {
  const user = discord.addUser({ installed: true });
  await createDiscordMessenger(rest, { log: silent })(notice(`discord:${user.id}`));
  expect(discord.allMessages()[0]?.content).toContain('set the new one with `/token set`');
});

test('in the channel when direct messages are closed, without what it is about', async () => {
  const user = discord.addUser({ dmClosed: true, installed: true });
  const channel = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs');
  const tell = createDiscordMessenger(rest, {
    log: silent,
    targetOf: () => channel.id,
    localeOf: () => 'es',
    placeLocaleOf: () => 'de',
    commandIds: () => ({ jobs: '7' }),
  });
  expect(await tell(notice(`discord:${user.id}`))).toBe(true);
  const [message] = discord.messages(channel.id);
  expect(message?.content).toMatch(/Bei einem Job-Abo in diesem Kanal.*zeigt dir <\/jobs list:7>/u);
  expect(message?.content).not.toMatch(/token|board|\d{17}/iu);
  expect(message?.pinged).toEqual([]);
});

test.each([
  ['nowhere else to go', () => undefined],
  ['only the same closed door', () => 'dm:123456789012345678'],
  ['a channel that is gone', () => '123456789012345678'],
])('not at all with %s', async (_name, targetOf) => {
  const user = discord.addUser({ dmClosed: true, installed: true });
  expect(await createDiscordMessenger(rest, { log: silent, targetOf })(notice(`discord:${user.id}`))).toBe(
    false,
  );
});

test('a place that has just refused us is not asked again to carry the word about it', async () => {
  const user = discord.addUser({ dmClosed: true, installed: true });
  const channel = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs');
  const about = notice(`discord:${user.id}`);
  const refusedDm = createDiscordMessenger(rest, {
    log: silent,
    targetOf: () => channel.id,
    refusedOf: () => `dm:${user.id}`,
  });
  expect(await refusedDm(about)).toBe(true);
  expect(discord.messages(channel.id)).toHaveLength(1);
  expect(discord.requests.filter(({ status }) => status === 403)).toEqual([]);
  const refusedChannel = createDiscordMessenger(rest, {
    log: silent,
    targetOf: () => channel.id,
    refusedOf: () => channel.id,
  });
  expect(await refusedChannel(about)).toBe(false);
  expect(discord.messages(channel.id)).toHaveLength(1);
});

test('accounts that are no Discord users are somebody else’s to tell', async () => {
  const tell = createDiscordMessenger(rest, { log: silent, targetOf: () => '123456789012345678' });
  expect(await tell(notice('alice'))).toBe(false);
  expect(discord.requests).toEqual([]);
});

test('the operator is whom the application belongs to', async () => {
  const tell = createDiscordMessenger(rest, { log: silent });
  expect(await tell(notice('operator'))).toBe(true);
  expect(discord.appOwner.dms().map(({ content }) => content)).toEqual([
    expect.stringContaining('/token set'),
  ]);
});

test('an operator with closed direct messages: no word in a channel', async () => {
  discord.appOwner.record.dmClosed = true;
  const channel = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs');
  const tell = createDiscordMessenger(rest, { log: silent, targetOf: () => channel.id });
  expect(await tell(notice('operator'))).toBe(false);
  expect(discord.allMessages()).toEqual([]);
});
