// Notices to an owner who must act: by direct message or, if those are closed, in the channel without anything
// private.
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

test('sends a direct message once, in the language of the owner, with the address to visit and the command to press', async () => {
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

test('names the commands as text before their ids are known', async () => {
  const user = discord.addUser({ installed: true });
  await createDiscordMessenger(rest, { log: silent })(notice(`discord:${user.id}`));
  expect(discord.allMessages()[0]?.content).toContain('set the new one with `/token set`');
});

test('writes in the channel when direct messages are closed, without naming the subject', async () => {
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
  ['no other place', () => undefined],
  ['only the same closed direct messages', () => 'dm:123456789012345678'],
  ['a channel that is gone', () => '123456789012345678'],
])('does not notify with %s', async (_name, targetOf) => {
  const user = discord.addUser({ dmClosed: true, installed: true });
  expect(await createDiscordMessenger(rest, { log: silent, targetOf })(notice(`discord:${user.id}`))).toBe(
    false,
  );
});

test('does not use a place that has just refused a message', async () => {
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

test('does not notify accounts that are no Discord users', async () => {
  const tell = createDiscordMessenger(rest, { log: silent, targetOf: () => '123456789012345678' });
  expect(await tell(notice('alice'))).toBe(false);
  expect(discord.requests).toEqual([]);
});

test('notifies the owner of the application as the operator', async () => {
  const tell = createDiscordMessenger(rest, { log: silent });
  expect(await tell(notice('operator'))).toBe(true);
  expect(discord.appOwner.dms().map(({ content }) => content)).toEqual([
    expect.stringContaining('/token set'),
  ]);
});

test('does not write in a channel when the operator has closed direct messages', async () => {
  discord.appOwner.record.dmClosed = true;
  const channel = discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs');
  const tell = createDiscordMessenger(rest, { log: silent, targetOf: () => channel.id });
  expect(await tell(notice('operator'))).toBe(false);
  expect(discord.allMessages()).toEqual([]);
});
