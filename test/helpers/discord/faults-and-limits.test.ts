// Scripted faults and rate limits, through discord.js: what is stored, what is lost, and what the library does about
// it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { post, raw } from './raw-api.js';
import { type Discord, startDiscord } from './start-discord.js';
import { connectBot, type TestBot } from './test-bot.js';

let discord: Discord;
let bot: TestBot;
let general: string;
const SEND = 'POST /channels/:id/messages';

async function start(settings = {}) {
  discord = await startDiscord({ rateWindowMs: 300, ...settings });
  const guild = discord.addGuild({ channels: [{ name: 'general' }, { name: 'other' }] });
  general = guild.channel('general').id;
  bot = await connectBot(discord);
  return guild;
}

afterEach(async () => {
  await bot.stop();
  await discord.close();
});

const once = (content: string) => ({
  content,
  nonce: `n-${content}`,
  enforceNonce: true,
  allowedMentions: { parse: [] as const },
});

describe('faults', () => {
  beforeEach(async () => {
    await start({ ratePerWindow: 100 });
  });

  it('drop-after-store keeps the message; the same nonce finds it again', async () => {
    const order = discord.faults.next(SEND, { kind: 'drop-after-store' });
    await expect(bot.channel(general).send(once('a'))).rejects.toThrow();
    expect(order.hits).toBe(1);
    const message = await bot.channel(general).send(once('a'));
    expect(discord.messages(general).map((m) => m.id)).toEqual([message.id]);
  });

  it('drop loses the message', async () => {
    discord.faults.next(SEND, { kind: 'drop' });
    await expect(bot.channel(general).send(once('a'))).rejects.toThrow();
    expect(discord.messages(general)).toEqual([]);
  });

  it('discord.js repeats a request after a reset connection', async () => {
    discord.faults.next(SEND, { kind: 'drop', reset: true });
    await bot.channel(general).send(once('a'));
    expect(discord.requests.filter((r) => r.method === 'POST').map((r) => r.status)).toEqual(['drop', 200]);
  });

  it('500-after-store makes the library store twice without a nonce, once with it', async () => {
    discord.faults.next(SEND, { kind: '500-after-store' }, 2);
    await bot.channel(general).send({ content: 'a', allowedMentions: { parse: [] } });
    expect(discord.messages(general)).toHaveLength(3);
    discord.faults.next(SEND, { kind: '500-after-store' }, 2);
    await bot.channel(general).send(once('b'));
    expect(discord.messages(general).filter((m) => m.content === 'b')).toHaveLength(1);
  });

  it('a repeat that the library makes after a fault is no violation of the bot', async () => {
    const user = discord.addUser();
    await raw(discord, 'PUT', `/applications/${discord.appId}/commands`, [{ name: 'go', description: 'Go' }]);
    discord.faults.next('POST /interactions/*', { kind: '500-after-store' });
    bot.client.on('interactionCreate', (interaction) => {
      if (interaction.isRepliable()) interaction.deferReply().catch((error) => bot.errors.push(error));
    });
    const handle = user.slash('/go');
    await discord.until(() => bot.errors.length > 0, 'the refused repetition');
    expect(handle.record.ackType).toBe(5);
    expect(bot.errors).toMatchObject([{ code: 40060 }]);
    expect(discord.violations).toEqual([]);
  });

  it('hang never answers', async () => {
    discord.faults.next(/^GET \/users\/@me$/, { kind: 'hang' });
    const signal = AbortSignal.timeout(200);
    await expect(fetch(`${discord.apiUrl}/v10/users/@me`, { signal })).rejects.toThrow();
    expect(discord.requests.at(-1)?.status).toBe('hang');
  });

  it('a scripted 429 or status is neither natural nor a violation', async () => {
    discord.faults.next(SEND, { kind: '429', retryAfter: 0.1 });
    await bot.channel(general).send(once('a'));
    discord.faults.next(SEND, {
      kind: 'status',
      status: 403,
      body: { message: 'Missing Access', code: 50001 },
    });
    await expect(bot.channel(general).send(once('b'))).rejects.toMatchObject({ code: 50001 });
    expect(discord.naturalRateLimits).toBe(0);
    expect(discord.invalidRequests).toBe(2);
    expect(discord.violations).toEqual([]);
  });
});

describe('limits', () => {
  it('discord.js stays below them and keeps the order', async () => {
    const guild = await start();
    const names = Array.from({ length: 12 }, (_, i) => `${i}`);
    const channels = [general, guild.channel('other').id];
    await Promise.all(
      channels.flatMap((c) => names.map((n) => bot.channel(c).send(once(`${c}-${n}`.slice(-20))))),
    );
    for (const c of channels) expect(discord.messages(c).map((m) => m.content.split('-')[1])).toEqual(names);
    expect(discord.naturalRateLimits).toBe(0);
  });

  it('a sixth message in the window is a natural 429 with the usual headers', async () => {
    await start({ rateWindowMs: 60_000 });
    for (let i = 0; i < 5; i += 1) expect((await post(discord, general, { content: 'a' })).status).toBe(200);
    const { status, headers, body } = await post(discord, general, { content: 'a' });
    expect(status).toBe(429);
    expect(body).toMatchObject({ global: false, retry_after: expect.any(Number) });
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect(headers.get('x-ratelimit-scope')).toBe('user');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(50);
    expect(discord.naturalRateLimits).toBe(1);
    expect(discord.messages(general)).toHaveLength(5);
  });

  it('too many requests in total are a global 429', async () => {
    await start({ globalPerSecond: 3 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => raw(discord, 'GET', '/users/@me')));
    const limited = answers.find((a) => a.status === 429);
    expect(limited?.headers.get('x-ratelimit-global')).toBe('true');
    expect(limited?.body.global).toBe(true);
  });
});
