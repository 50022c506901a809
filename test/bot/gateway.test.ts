// The connection to Discord under faults: it recovers where it can, ends with an error where it can't, and registers
// commands only when they changed.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { secret } from '../../src/domain/secret.js';
import { type BotHouse, openHouse } from '../helpers/bot-house.js';
import { raw } from '../helpers/discord/raw-api.js';
import { until } from '../helpers/until.js';

let house: BotHouse;
afterEach(async () => {
  await house.close();
});

const works = async () => {
  const reply = await house.admin.slash('/token status', {}, { guild: house.guild }).reply(20_000);
  expect(reply.text).toMatch(/is set and was accepted/u);
};
const PUT = /^PUT \/applications\/\d+\/(?:guilds\/\d+\/)?commands$/u;

describe('reconnects', () => {
  beforeEach(async () => {
    house = await openHouse({ discord: { heartbeatMs: 400 } });
  });
  afterEach(() => {
    expect(house.fatal).toEqual([]);
    expect(house.discord.commandWrites).toEqual(['PUT global']);
    expect(house.discord.violations).toEqual([]);
  });

  test('after op 7, a drop and a close, by resuming, with the requests of the meantime', {
    tags: 'long',
  }, async () => {
    const { gateway } = house.discord;
    for (const lose of [() => gateway.reconnect(), () => gateway.drop(), () => gateway.close(4000)]) {
      const before = gateway.resumes;
      lose();
      const meanwhile = house.admin.slash('/token status', {}, { guild: house.guild });
      await until(() => gateway.resumes > before, { what: 'the resumed session' });
      expect((await meanwhile.reply()).text).toMatch(/accepted/u);
    }
    expect(gateway.identifies).toBe(1);
    await until(() => house.bot.health().ok, { what: 'a healthy bot' });
  });

  test('after op 9, with a new session', { tags: 'long' }, async () => {
    const { gateway } = house.discord;
    gateway.invalidSession(false);
    await until(() => gateway.identifies === 2 && house.bot.health().ok, {
      timeoutMs: 20_000,
      what: 'a new session',
    });
    await works();
  });

  test('from a connection that is open but dead', async () => {
    const { gateway } = house.discord;
    gateway.zombie();
    await until(() => gateway.connected === 1, { timeoutMs: 20_000, what: 'a live connection' });
    await works();
  });

  test('after a refusal, with longer and longer waits', { tags: 'long' }, async () => {
    const { discord } = house;
    discord.gateway.refuse(6000);
    await until(() => !house.bot.health().ok, { what: 'the loss to be noticed' });
    expect(house.bot.health().state).toBe('connecting');
    await until(() => house.bot.health().ok, { timeoutMs: 30_000, what: 'a healthy bot' });
    await works();
  });
});

describe('ends with an error', () => {
  test.each([4004, 4010, 4011, 4012, 4013, 4014])('on close code %i', async (code) => {
    house = await openHouse({ startBot: false });
    house.discord.gateway.rejectIdentify(code);
    await house.bot.start();
    await until(() => house.fatal.length > 0, { what: 'the end' });
    expect(house.fatal).toHaveLength(1);
    expect(house.bot.health()).toMatchObject({ ok: false, state: 'refused' });
    const line = house.logs.find((one) => one.message === 'discord refused the bot');
    expect(line).toMatchObject({ level: 'error', code });
    expect(JSON.stringify(house.logs)).not.toContain(house.discord.token);
  });

  test('when Discord refuses a session that reconnects', async () => {
    house = await openHouse();
    house.discord.gateway.close(4004);
    await until(() => house.fatal.length > 0, { what: 'the end' });
    expect(house.fatal[0]).toMatch(/DISCORD_TOKEN/u);
  });

  test('on a token that Discord does not know', async () => {
    house = await openHouse({ startBot: false });
    const bot = await house.newBot({ token: secret('bm90LWEtdG9rZW4.none.none') });
    await bot.start();
    await until(() => house.fatal.length > 0, { what: 'the end' });
    expect(house.fatal[0]).toMatch(/DISCORD_TOKEN/u);
    expect(bot.health().state).toBe('refused');
  });
});

describe('a start', () => {
  test('succeeds as soon as Discord answers, and does not end the process before', {
    tags: 'long',
  }, async () => {
    house = await openHouse({ startBot: false });
    // Its address comes only from DISCORD_API_URL.
    const order = house.discord.faults.next('GET /gateway/bot', { kind: 'status', status: 503 }, 6);
    await house.bot.start();
    await house.discord.ready();
    expect(order.hits).toBe(6);
    expect(house.fatal).toEqual([]);
    await until(() => house.bot.health().ok, { what: 'a healthy bot' });
  });

  test('registers the commands although the first attempts fail', { tags: 'long' }, async () => {
    house = await openHouse({ startBot: false });
    house.discord.faults.next(PUT, { kind: 'status', status: 401 });
    house.discord.faults.next(PUT, { kind: 'status', status: 500 }, 3);
    await house.bot.start();
    await until(() => house.bot.health().commands, { timeoutMs: 20_000, what: 'the commands' });
    expect(house.discord.commands().map((one) => one.name)).toContain('jobs');
    await works();
  });

  test('logs a pause that Discord asks for, and waits for it', async () => {
    house = await openHouse({ startBot: false });
    house.discord.faults.next(PUT, { kind: '429', retryAfter: 1 });
    await house.bot.start();
    await until(() => house.bot.health().commands, { timeoutMs: 20_000, what: 'the commands' });
    const line = house.logs.find((one) => one.message === 'Discord asks for a pause');
    expect(line).toMatchObject({ level: 'warn', route: 'PUT /applications/:id/commands' });
    expect(line?.ms).toBeGreaterThan(500);
  });

  test('does not register unchanged commands again, but changed ones', { tags: 'long' }, async () => {
    house = await openHouse();
    await house.restartBot();
    await house.restartBot();
    expect(house.discord.commandWrites).toEqual(['PUT global']);
    // Mentions of commands work although nothing was registered this time.
    const reply = await house.admin.slash('/jobs list', {}, { guild: house.guild }).reply();
    expect(reply.text).toMatch(/<\/jobs preview:\d+>/u);
  });

  test('registers the commands again if they were changed or deleted at Discord', {
    tags: 'long',
  }, async () => {
    house = await openHouse();
    const { discord } = house;
    const before = JSON.stringify(discord.commands());
    const path = `/applications/${discord.appId}/commands`;
    const jobs = () => `${path}/${discord.commands().find(({ name }) => name === 'jobs')?.id}`;
    for (const change of [
      () => raw(discord, 'PUT', path, []),
      () => raw(discord, 'PATCH', jobs(), { description: 'Something else' }),
      () => raw(discord, 'PATCH', jobs(), { description_localizations: { de: 'Anders' } }),
      () => raw(discord, 'POST', path, { name: 'of-an-older-version', description: 'Gone since' }),
    ]) {
      const { status } = await change();
      expect(status).toBeLessThan(300);
      const writes = discord.commandWrites.length;
      await house.restartBot();
      expect(discord.commandWrites.slice(writes)).toEqual(['PUT global']);
      const plain = (text: string) => text.replaceAll(/"(?:id|version)":"\d+"/gu, '');
      expect(plain(JSON.stringify(discord.commands()))).toBe(plain(before));
    }
    await works();
  });

  test('keeps the command that Discord created to open an Activity', { tags: 'long' }, async () => {
    house = await openHouse();
    const { discord } = house;
    const path = `/applications/${discord.appId}/commands`;
    expect((await raw(discord, 'POST', path, { name: 'launch', type: 4 })).status).toBe(201);
    await house.restartBot();
    expect(discord.commandWrites).toEqual(['PUT global', 'POST global']);
    await raw(discord, 'POST', path, { name: 'old', description: 'Old' });
    await house.restartBot();
    expect(discord.commands().map(({ name }) => name)).toEqual(
      expect.arrayContaining(['jobs', 'help', 'launch']),
    );
    expect(discord.commands().map(({ name }) => name)).not.toContain('old');
  });

  test('registers the commands in one server only, when configured so, and removes them everywhere else', {
    tags: 'long',
  }, async () => {
    house = await openHouse();
    const { discord, guild } = house;
    const other = discord.addGuild({ channels: [{ name: 'general' }] });
    const now = () => ['global', guild.id, other.id].filter((scope) => discord.commands(scope).length > 0);
    const start = async (change: { guildId?: string }) => {
      const bot = await house.newBot(change);
      await bot.start();
      await until(() => bot.health().commands, { what: 'the commands' });
    };
    expect(now()).toEqual(['global']);
    await start({ guildId: guild.id });
    expect(now()).toEqual([guild.id]);
    await works();
    const writes = discord.commandWrites.length;
    await start({ guildId: guild.id });
    expect(discord.commandWrites.length).toBe(writes);
    await works();
    await start({ guildId: other.id });
    expect(now()).toEqual([other.id]);
    await start({});
    expect(now()).toEqual(['global']);
    await works();
    // Also when the store no longer knows where they were.
    await start({ guildId: guild.id });
    await house.app.pipeline.stores.misc.delete('discord:commands:servers');
    await start({});
    expect(now()).toEqual(['global']);
    expect(discord.violations).toEqual([]);
  });

  test('registers the commands although it was removed from the configured server', async () => {
    house = await openHouse({ guildCommands: true });
    const { discord, guild } = house;
    await house.bot.stop();
    discord.removeGuild(guild.id);
    const bot = await house.newBot({ guildId: undefined as never });
    await bot.start();
    await until(() => bot.health().commands, { what: 'the commands' });
    expect(discord.commands().map(({ name }) => name)).toContain('jobs');
  });
});

describe('stops', () => {
  test('for good in the middle of an attempt to reconnect', { tags: 'long' }, async () => {
    house = await openHouse();
    const { gateway } = house.discord;
    gateway.refuse(300);
    await until(() => !house.bot.health().ok, { what: 'the loss to be noticed' });
    await house.bot.stop();
    const before = gateway.identifies + gateway.resumes;
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(gateway.identifies + gateway.resumes).toBe(before);
    expect(gateway.connected).toBe(0);
    expect(house.bot.health().state).toBe('stopped');
  });

  test('after it has answered the open requests', async () => {
    house = await openHouse();
    const asked = house.admin.slash('/jobs preview', { tags: 'rust' }, { guild: house.guild });
    await asked.acked();
    await house.bot.stop();
    expect((await asked.reply()).text).toMatch(/current postings match/u);
    expect(house.discord.gateway.connected).toBe(0);
  });
});
