// The bot and the sink use one client for Discord's REST API: one set of limits, one count of refused requests, one
// token, and one kind of error.
import { getEventListeners, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createConnection } from '../../src/bot/runtime/client.js';
import { loadConfig } from '../../src/config.js';
import { createDiscordRest, type RestOptions } from '../../src/discord/rest.js';
import { secret } from '../../src/domain/secret.js';
import type { Metrics } from '../../src/ports/system.js';
import { restOf } from '../../src/wiring/discord.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import type { Settings } from '../helpers/discord/types.js';
import { silent } from '../helpers/discord-delivery.js';
import { later } from '../helpers/later.js';
import { workFolder } from '../helpers/process.js';

const SAY = { content: 'hello', allowed_mentions: { parse: [] } };

async function start(settings: Partial<Settings> = {}) {
  const discord = await startDiscord(settings);
  later(() => discord.close());
  return { discord, channel: discord.addGuild({ channels: [{ name: 'jobs' }] }).channel('jobs') };
}

function restFor({ token, apiUrl }: Pick<Discord, 'token' | 'apiUrl'>, options: Partial<RestOptions> = {}) {
  const rest = createDiscordRest({ token: secret(token), apiUrl, log: silent, ...options });
  later(() => rest.close());
  return rest;
}

test('requests of the bot to a channel count for the sink, and the other way round', async () => {
  const { discord, channel } = await start({ ratePerWindow: 5, rateWindowMs: 400 });
  const rest = restFor(discord);
  const bot = await rest.library();
  const path = `/channels/${channel.id}/messages` as const;
  await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      n % 2 === 0 ? rest.request('POST', path, { body: SAY }) : bot.post(path, { body: SAY }),
    ),
  );
  expect(discord.messages(channel.id)).toHaveLength(12);
  expect(discord.naturalRateLimits).toBe(0);
});

test('the client of the service counts its requests', async () => {
  const { discord, channel } = await start();
  const { dir, remove } = await workFolder();
  later(remove);
  const env = {
    JOBS_API_URL: 'http://127.0.0.1:9',
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
  };
  const counted: unknown[] = [];
  const metrics: Metrics = { observe() {}, count: (...one) => void counted.push(one) };
  const config = loadConfig({ env, cwd: dir, programDir: process.cwd() });
  const rest = restOf(config, { log: silent, metrics });
  later(() => rest?.close());
  await rest?.request('GET', `/channels/${channel.id}`);
  expect(counted).toEqual([['discord_requests_total', { status: '200' }]]);
});

test('a used-up route reports for how long', async () => {
  const { discord, channel } = await start({ ratePerWindow: 2, rateWindowMs: 9_000 });
  const rest = restFor(discord);
  const path = `/channels/${channel.id}/messages` as const;
  expect(rest.resetMs('POST', path)).toBe(0);
  await rest.request('POST', path, { body: SAY });
  expect(rest.resetMs('POST', path)).toBe(0);
  await rest.request('POST', path, { body: SAY });
  expect(rest.resetMs('POST', path)).toBeGreaterThan(8_000);
  await expect(rest.request('POST', path, { body: SAY })).rejects.toMatchObject({ kind: 'busy' });
  expect(discord.naturalRateLimits).toBe(0);
});

test('both get the same error for the same refusal', async () => {
  const { discord } = await start();
  const rest = restFor(discord);
  const wanted = { name: 'DiscordFault', kind: 'refused', status: 404, code: 10003 };
  const path = '/channels/123456789012345678';
  await expect(rest.request('GET', path)).rejects.toMatchObject(wanted);
  await expect((await rest.library()).get(path)).rejects.toMatchObject(wanted);
});

test('a 401 stops both for a while, and both keep the token', async () => {
  const { discord, channel } = await start();
  const rest = restFor(discord, { tokenPauseMs: 300 });
  const bot = await rest.library();
  discord.faults.next('GET /users/@me', { kind: 'status', status: 401 });
  await expect(bot.get('/users/@me')).rejects.toMatchObject({ kind: 'token', status: 401 });
  const asked = discord.requests.length;
  await expect(rest.request('GET', `/channels/${channel.id}`)).rejects.toMatchObject({ kind: 'token' });
  expect(discord.requests).toHaveLength(asked);
  await expect
    .poll(() => rest.request('GET', `/channels/${channel.id}`).catch(() => undefined))
    .toMatchObject({ id: channel.id });
});

test('a refused answer to an interaction, which uses no bot token, stops nothing', async () => {
  const { discord, channel } = await start();
  const rest = restFor(discord);
  const over = {
    kind: 'status',
    status: 401,
    body: { code: 50027, message: 'Invalid Webhook Token' },
  } as const;
  discord.faults.next('POST /webhooks/*', over);
  const answer = (await rest.library()).post('/webhooks/123456789012345678/token', {
    auth: false,
    body: SAY,
  });
  await expect(answer).rejects.toMatchObject({ kind: 'refused', code: 50027 });
  expect(await rest.request('GET', `/channels/${channel.id}`)).toMatchObject({ id: channel.id });
});

test('closing one connection keeps the client open for the others', async () => {
  const { discord, channel } = await start();
  const rest = restFor(discord);
  const connection = createConnection({ rest: await rest.library(), log: silent, identifies: [] });
  await connection.client.login(discord.token);
  await connection.close();
  expect(await rest.request('GET', `/channels/${channel.id}`)).toMatchObject({ id: channel.id });
});

test('repeats a read that Discord fails once, but not a message', async () => {
  const { discord, channel } = await start();
  const rest = restFor(discord);
  const path = `/channels/${channel.id}` as const;
  const failed = discord.faults.next('GET /channels/:id', { kind: 'status', status: 500 });
  expect(await rest.request('GET', path)).toMatchObject({ id: channel.id });
  expect(failed.hits).toBe(1);
  discord.faults.next('POST /channels/:id/messages', { kind: 'status', status: 500 });
  await expect(rest.request('POST', `${path}/messages`, { body: SAY })).rejects.toMatchObject({
    kind: 'away',
    status: 500,
  });
  expect(discord.messages(channel.id)).toEqual([]);
});

test('an answer to an interaction does not wait for deliveries that hang', async () => {
  const { discord } = await start();
  const guild = discord.addGuild({
    channels: Array.from({ length: 20 }, (_, n) => ({ name: `jobs-${n}` })),
  });
  const rest = restFor(discord);
  const bot = await rest.library();
  discord.faults.next('POST /channels/:id/messages', { kind: 'hang' }, 20);
  const abort = new AbortController();
  setMaxListeners(20, abort.signal);
  let ended = 0;
  const hanging = Array.from({ length: 20 }, (_, n) => {
    const path = `/channels/${guild.channel(`jobs-${n}`).id}/messages` as const;
    return rest.request('POST', path, { body: SAY, signal: abort.signal }).catch(() => void ended++);
  });
  await discord.until(() => discord.requests.length >= 16, 'the hanging requests');
  const answer = bot.post('/webhooks/123456789012345678/token', { auth: false, body: SAY });
  await expect(answer).rejects.toMatchObject({ kind: 'refused' });
  expect(ended).toBe(0);
  abort.abort();
  await Promise.all(hanging);
  expect(ended).toBe(20);
});

test('a signal that outlives its requests has no listener of them', async () => {
  const { discord, channel } = await start();
  const rest = restFor(discord);
  const { signal } = new AbortController();
  for (let n = 0; n < 12; n++) await rest.request('GET', `/channels/${channel.id}`, { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

/** A server that gives the same answer to every request, and keeps the requests. */
async function serve(status: number, headers: Record<string, string>, body: string) {
  const agents: unknown[] = [];
  const server = createServer((request, response) => {
    agents.push(request.headers['user-agent']);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { api: { token: 'x'.repeat(30), apiUrl: `http://127.0.0.1:${port}/api` }, agents };
}

const JSON_TYPE = { 'content-type': 'application/json' };

test.each([
  ['a redirect', 302, { location: 'http://127.0.0.1:9/' }, ''],
  ['a page of a proxy', 404, { 'content-type': 'text/html' }, '<h1>404</h1>'],
  ['a refusal that is no object', 403, JSON_TYPE, '"no"'],
  ['a refusal that is nothing', 403, JSON_TYPE, 'null'],
])('%s is not an answer of Discord', async (_what, status, headers, body) => {
  const { api, agents } = await serve(status, headers as Record<string, string>, body);
  const rest = restFor(api);
  const fault = await rest.request('GET', '/users/@me').catch((error: unknown) => error);
  expect(fault).toMatchObject({ name: 'DiscordFault', kind: 'away', status });
  expect(agents).toEqual([expect.stringMatching(/^DiscordBot \(https:\/\/github\.com\/jobcrier/u)]);
});

test.each([
  ['without a body', {}, '', 1_000],
  ['of the network before Discord', { 'retry-after': '600' }, 'slow down', 600_000],
  ['that says nothing useful', JSON_TYPE, '{"retry_after":"soon"}', 1_000],
])('waits once after a 429 %s', async (_what, headers, body, ms) => {
  const { api, agents } = await serve(429, headers as Record<string, string>, body);
  const rest = restFor(api);
  const signal = AbortSignal.timeout(1_500);
  const fault = await rest.request('GET', '/users/@me', { signal }).catch((error: unknown) => error);
  if (ms > 5_000) expect(fault).toMatchObject({ kind: 'busy', retryAfterMs: ms });
  else expect(signal.aborted).toBe(true);
  expect(agents.length).toBeLessThan(4);
});

test('an answer that is not JSON is ignored', async () => {
  const { api } = await serve(200, { 'content-type': 'text/plain' }, 'fine');
  expect(await restFor(api).request('GET', '/users/@me')).toBeUndefined();
});
