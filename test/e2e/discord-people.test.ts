// The shipped program as people meet it in Discord: every command answers the caller privately in their language; a
// right that a server or a person withdraws stops the place and notifies its owner, and it resumes when the right is
// back.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PATHS } from '../../src/bot/features/index.js';
import { startBoard, type TestBoard } from '../helpers/board.js';
import { jobOf, linkOf } from '../helpers/bot-house.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import type { DiscordUser } from '../helpers/discord/user-actions.js';
import type { GuildHandle } from '../helpers/discord/world.js';
import { holding } from '../helpers/discord-cards.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';

vi.setConfig({ testTimeout: 120_000 });

let discord: Discord;
let board: TestBoard;
let guild: GuildHandle;
let owner: DiscordUser;
let dir: string;
const cleanups: (() => Promise<unknown> | unknown)[] = [];

beforeEach(async () => {
  discord = await startDiscord({ heartbeatMs: 500 });
  board = await startBoard({ jobs: [jobOf(1), jobOf(2)] });
  const folder = await workFolder();
  dir = folder.dir;
  owner = discord.addUser();
  guild = discord.addGuild({
    channels: [{ name: 'general' }, { name: 'jobs' }],
    members: [{ user: owner, permissions: ['MANAGE_CHANNELS'] }],
  });
  cleanups.push(
    folder.remove,
    () => board.close(),
    () => discord.close(),
  );
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function run(env: Record<string, string> = {}): Promise<Program> {
  const program = startProgram(['run'], {
    cwd: dir,
    env: {
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      JOBS_API_URL: board.url,
      SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
      MIN_POLL_SECONDS: '1',
      LIVE_SCHEDULE: '* * * * * *',
      API_SPACING_MS: '5',
      HTTP_PORT: '0',
      ...env,
    },
  });
  cleanups.push(async () => {
    program.kill('SIGKILL');
    await program.ended;
  });
  const isUp = () => program.json().some(({ msg }) => msg === 'commands registered');
  await program.until('the bot', isUp, 60_000);
  return program;
}

async function stop(program: Program): Promise<void> {
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(discord.violations).toEqual([]);
}

type Options = Parameters<DiscordUser['slash']>[1];

async function setToken(user = owner): Promise<MessageRecord> {
  const modal = await user.slash('/token set', {}, { guild }).modal();
  return user.submit(modal, { token: board.token }).reply();
}
const subscribe = (options: Options = {}, user = owner) =>
  user
    .slash('/jobs subscribe', { tags: 'rust', channel: guild.channel('jobs'), ...options }, { guild })
    .reply();
const count = (channel: string, id: number) => holding(discord.messages(channel), linkOf(id));

/** The options that a command needs, the same for everyone. */
const OPTIONS: Readonly<Record<string, Options>> = {
  'email set': { address: 'me@example.org' },
  'jobs subscribe': { tags: 'rust', exclude: 'intern', deliver: 'dm' },
  'jobs preview': { tags: 'zk', country: 'USA', min_salary: 80_000 },
  ...Object.fromEntries(
    ['show', 'edit', 'pause', 'resume', 'remove', 'history'].map((one) => [
      `jobs ${one}`,
      { subscription: 'rust' },
    ]),
  ),
  'jobs why': { subscription: 'rust', job: linkOf(1) },
};

test('answers every command privately in the language of the caller, with a subscription and without one', async () => {
  const smtp = await startSmtp();
  cleanups.push(() => smtp.close());
  const program = await run({
    SMTP_URL: smtp.url,
    MAIL_FROM: 'jobs@example.org',
    PUBLIC_URL: 'http://[::1]:9',
  });
  const languages = ['en-US', 'de', 'es-ES'];
  const said = new Map<string, string[]>();
  for (const locale of languages) {
    const user = discord.addUser({ locale });
    guild.addMember({ user });
    const replies: string[] = [];
    const ask = async (path: string): Promise<MessageRecord> => {
      const asked = user.slash(`/${path}`, OPTIONS[path] ?? {}, { guild });
      const reply = await asked.reply();
      expect(asked.ackMs).toBeLessThan(3000);
      expect(reply.ephemeral, path).toBe(true);
      expect(reply.text.length, path).toBeGreaterThan(10);
      expect(reply.text, path).not.toMatch(/undefined|null|NaN|\[object|\{\/|function|=>/u);
      replies.push(reply.text);
      return reply;
    };
    const paths = PATHS.filter((path) => path !== 'token set');
    for (const path of paths) await ask(path);
    const token = await setToken(user);
    expect(token.ephemeral).toBe(true);
    replies.push(token.text);
    await ask('jobs subscribe');
    // Commands that end something come last.
    const ending = ['email remove', 'jobs remove', 'token remove', 'privacy erase'];
    for (const path of paths.filter((one) => one !== 'jobs subscribe' && !ending.includes(one)))
      expect((await ask(path)).text, path).not.toMatch(/^⚠️/u);
    for (const path of ending) expect((await ask(path)).text, path).not.toMatch(/^⚠️/u);
    said.set(locale, replies);
  }
  const [english = [], ...others] = languages.map((locale) => said.get(locale) ?? []);
  for (const replies of others) {
    expect(replies).toHaveLength(english.length);
    for (const [index, reply] of replies.entries()) expect(reply).not.toBe(english[index]);
  }
  // Except for the welcome message in everyone's direct messages.
  const shown = discord.allMessages().filter((message) => !message.ephemeral);
  expect(shown.filter(({ text }) => !text.startsWith('👋'))).toEqual([]);
  expect(shown).toHaveLength(languages.length);
  await stop(program);
});

test('enforces the limits of the settings for a person and for a server, and names the fix', async () => {
  await mkdir(join(dir, 'config'));
  const limits = { subscriptionsPerAccount: 2, subscriptionsPerServer: 3 };
  await writeFile(join(dir, 'config/default.json'), JSON.stringify({ limits }));
  const program = await run();
  await setToken();
  expect((await subscribe()).text).toMatch(/Understood/u);
  expect((await subscribe({ tags: 'solidity' })).text).toMatch(/Understood/u);
  expect((await subscribe({ deliver: 'dm', channel: undefined })).text).toMatch(
    /^⚠️ You have 2 subscriptions, which is the most allowed here\. Remove one with <\/jobs remove:\d+>/u,
  );
  const other = discord.addUser({ locale: 'de' });
  guild.addMember({ user: other, permissions: ['MANAGE_CHANNELS'] });
  await setToken(other);
  expect((await subscribe({}, other)).text).toMatch(/Verstanden/u);
  expect((await subscribe({ tags: 'defi' }, other)).text).toMatch(/^⚠️ Dieser Server hat 3 Abos/u);
  // A private subscription belongs to no server.
  expect((await subscribe({ deliver: 'dm', channel: undefined }, other)).text).toMatch(/Verstanden/u);
  await stop(program);
});

test('parks a place at the first refusal after a right was withdrawn; when it is back, Resume sends what waited', async () => {
  const program = await run();
  owner.record.locale = 'es-ES';
  await setToken();
  const jobs = guild.channel('jobs').id;
  const panel = await subscribe();
  discord.setPermissions(jobs, 'bot', ['VIEW_CHANNEL']);
  await board.addJob(jobOf(3));
  const [notice] = await discord.until(
    () => (owner.dms().length > 0 ? owner.dms() : undefined),
    'the notice',
  );
  expect(notice?.text).toMatch(
    /^🔔 Rust · #jobs · [^:]+: No puedo publicar en el canal.*<\/jobs resume:\d+>/u,
  );
  await board.addJob(jobOf(4));
  // The owner is notified first, and the state of the list is recorded right after it.
  await until(
    async () => {
      const list = await owner.slash('/jobs list', {}, { guild }).reply();
      return /no puede entregar[\s\S]*\n {2}No puedo publicar en el canal/u.test(list.text);
    },
    { what: 'the list to say so' },
  );
  const why = await owner.slash('/jobs why', { subscription: 'rust', job: linkOf(3) }, { guild }).reply();
  expect(why.text).toMatch(/no se puede entregar[\s\S]*No puedo publicar en el canal/u);
  expect(discord.requests.filter(({ status }) => status === 403)).toHaveLength(1);
  discord.setPermissions(jobs, 'bot', null);
  expect(panel.text).toContain('Pausar');
  await owner
    .press(notice as MessageRecord, 'Reanudar')
    .replyWhere((message) => message.text.includes('Reanudada'));
  await discord.until(() => count(jobs, 3) === 1 && count(jobs, 4) === 1, 'what waited');
  expect(owner.dms()).toHaveLength(1);
  await stop(program);
});

test('notifies an owner with closed direct messages in the channel, with nothing private', async () => {
  const program = await run();
  owner.record.locale = 'de';
  await setToken();
  await subscribe();
  owner.record.dmClosed = true;
  await board.setTokens([{ token: 'another' }]);
  const jobs = guild.channel('jobs').id;
  // In the language of the server, which all in the channel read.
  const word = await discord.until(() => discord.messages(jobs)[0], 'the word');
  expect(word.text).toMatch(
    /^🔔 A job subscription in this channel needs attention.*<\/jobs list:\d+> to see/u,
  );
  expect(word.text).not.toMatch(/token|rust/iu);
  expect(word.pinged).toEqual([]);
  // The owner is notified first, and the refused token is recorded right after it.
  await until(
    async () => {
      const status = await owner.slash('/token status', {}, { guild }).reply();
      return /nimmt deinen Token/u.test(status.text);
    },
    { what: 'the status to say so' },
  );
  await stop(program);
  expect(discord.messages(jobs)).toHaveLength(1);
});

test('replaces a connection that is open but dead, and handles an event that comes twice once', async () => {
  const program = await run();
  await setToken();
  const asked = owner.slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' }, { guild });
  discord.gateway.replayLastInteraction();
  expect((await asked.reply()).text).toMatch(/Understood/u);
  discord.gateway.zombie();
  await discord.until(() => discord.gateway.connected === 1, 'a live connection', 30_000);
  const list = await owner.slash('/jobs list', {}, { guild }).reply(20_000);
  expect(list.text).toMatch(/^1 subscription\n/u);
  await stop(program);
});
