// Notices to an owner who must act: by direct message or, if those are closed, in the channel without anything
// private.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DiscordRest } from '../../src/discord/rest.js';
import type { Notice } from '../../src/ports/notice.js';
import type { LinkButton } from '../../src/render/discord/payload.js';
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

describe('a reminder', () => {
  const remindOf = (applyUrl: string, account: string): Notice => ({
    kind: 'reminder',
    subject: 'id:1',
    account,
    text: 'Apply by tomorrow.',
    reminder: {
      kind: 'deadline',
      posting: { key: 'id:1', title: 'Rust Engineer', applyUrl },
      at: Date.UTC(2026, 10, 20),
      timezone: 'UTC',
    },
  });
  const NOTE = 'Apply links carry attribution: use them exactly as they are.';
  const send = async (applyUrl: string, buttons: readonly LinkButton[]) => {
    const user = discord.addUser({ installed: true });
    const tell = createDiscordMessenger(rest, { log: silent, buttonsOf: () => buttons });
    const isSent = await tell(remindOf(applyUrl, `discord:${user.id}`));
    return { isSent, message: user.dms()[0] };
  };
  const button = (url: string): LinkButton => ({ type: 2, style: 5, label: 'Apply', url });

  test('has its link as a button, unaltered, and the note about links', async () => {
    const url = 'https://board.example/r/1__me?a=1&b=2';
    const { isSent, message } = await send(url, [button(url)]);
    expect(isSent).toBe(true);
    expect(message?.content).toContain(`\n-# ${NOTE}`);
    expect(message?.components).toMatchObject([{ components: [{ url }] }]);
    expect(message?.embeds).toEqual([]);
    expect(discord.violations).toEqual([]);
  });

  test('has a link that fits no button in the text', async () => {
    const url = `https://board.example/r/1__me?a=${'x'.repeat(600)}`;
    const { isSent, message } = await send(url, []);
    expect(isSent).toBe(true);
    expect(message?.embeds).toMatchObject([{ description: `Apply: <${url}>` }]);
    expect(message?.components).toEqual([]);
  });

  test('is held back if its link was altered', async () => {
    const { isSent, message } = await send('https://board.example/r/1__me?a=1', [
      button('https://board.example/r/1__me?a=2'),
    ]);
    expect(isSent).toBe(false);
    expect(message).toBeUndefined();
  });
});

test('has the buttons for its owner, and none for the operator', async () => {
  const user = discord.addUser({ installed: true });
  const asked: unknown[] = [];
  const tell = createDiscordMessenger(rest, {
    log: silent,
    localeOf: () => 'de',
    buttonsOf: ({ kind }, id, locale) => {
      asked.push([kind, id, locale]);
      return [{ type: 2, style: 2, label: 'Weiter', custom_id: 'm:resume:x' }];
    },
  });
  await tell(notice(`discord:${user.id}`));
  expect(user.dms()[0]?.components).toMatchObject([{ type: 1, components: [{ label: 'Weiter' }] }]);
  await tell(notice('operator'));
  expect(discord.appOwner.dms()[0]?.components).toEqual([]);
  expect(asked).toEqual([['token', user.id, 'de-DE']]);
});

test('does not write into a forum, where a notice would be a post for everyone', async () => {
  const user = discord.addUser({ dmClosed: true, installed: true });
  const forum = discord.addGuild({ channels: [{ name: 'jobs', type: 'forum' }] }).channel('jobs');
  const tell = createDiscordMessenger(rest, { log: silent, targetOf: () => forum.id });
  expect(await tell(notice(`discord:${user.id}`))).toBe(false);
  expect(discord.allMessages()).toEqual([]);
});

test('pings no one that a text names', async () => {
  const user = discord.addUser({ installed: true });
  const other = discord.addUser();
  const about = { ...notice(`discord:${user.id}`), data: { source: `<@${other.id}> @everyone` } };
  await createDiscordMessenger(rest, { log: silent })(about);
  expect(user.dms().map(({ pinged }) => pinged)).toEqual([[]]);
});

test('a notice about another subject, or of another kind, is another message', async () => {
  const user = discord.addUser({ installed: true });
  const tell = createDiscordMessenger(rest, { log: silent });
  const about = { ...notice(`discord:${user.id}`), data: {} };
  for (const one of [about, about, { ...about, subject: 'b' }, { ...about, kind: 'store' as const }])
    await tell(one);
  expect(user.dms()).toHaveLength(3);
});

test('logs why no one was reached, without the text', async () => {
  const user = discord.addUser({ dmClosed: true, installed: true });
  const said: [object, string][] = [];
  const log = { ...silent, info: (fields: object, message: string) => void said.push([fields, message]) };
  await createDiscordMessenger(rest, { log })(notice(`discord:${user.id}`));
  expect(said).toEqual([
    [{ kind: 'token', reason: expect.stringContaining('50007') }, 'notice not delivered on Discord'],
  ]);
  discord.faults.next('GET /applications/@me', {
    kind: 'status',
    status: 403,
    body: { code: 50001, message: 'no' },
  });
  expect(await createDiscordMessenger(rest, { log })(notice('operator'))).toBe(false);
  expect(said[1]).toEqual([{ reason: expect.any(String) }, 'owner of the application not known']);
});

test('notifies the owner of the team that an application belongs to', async () => {
  const lead = discord.addUser({ installed: true });
  const body = { id: discord.appId, owner: { id: discord.appOwner.id }, team: { owner_user_id: lead.id } };
  discord.faults.next('GET /applications/@me', { kind: 'status', status: 200, body });
  expect(await createDiscordMessenger(rest, { log: silent })(notice('operator'))).toBe(true);
  expect(lead.dms()).toHaveLength(1);
  discord.faults.next('GET /applications/@me', { kind: 'status', status: 200, body: {} });
  expect(await createDiscordMessenger(rest, { log: silent })(notice('operator'))).toBe(false);
});
