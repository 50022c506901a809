// The shipped program against the local Discord: from an empty store to a posting in a channel, with restarts, lost
// connections and kills at the worst moments.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startBoard, type TestBoard } from '../helpers/board.js';
import { jobOf, linkOf } from '../helpers/bot-house.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import type { DiscordUser } from '../helpers/discord/user-actions.js';
import type { GuildHandle } from '../helpers/discord/world.js';
import { holding } from '../helpers/discord-cards.js';
import { movedClock } from '../helpers/moved-clock.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';

// Several starts of the program in one test, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

let discord: Discord;
let board: TestBoard;
let guild: GuildHandle;
let user: DiscordUser;
let dir: string;
const cleanups: (() => Promise<unknown> | unknown)[] = [];

beforeEach(async () => {
  discord = await startDiscord({ archivedThreads: 'refuse' });
  board = await startBoard({ jobs: [jobOf(1), jobOf(2)] });
  const folder = await workFolder();
  dir = folder.dir;
  user = discord.addUser();
  guild = discord.addGuild({
    channels: [
      { name: 'general' },
      { name: 'jobs' },
      { name: 'news', type: 'announcement' },
      { name: 'old', type: 'thread', parent: 'jobs', archived: true },
      { name: 'forum', type: 'forum', tags: ['rust', 'design'], requireTag: true },
    ],
    members: [{ user, permissions: ['MANAGE_CHANNELS'] }],
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

const SECRET_KEY = Buffer.alloc(32, 9).toString('base64');

/** Starts `run` with the settings of the test, and further ones only to make it short. */
function run(env: Record<string, string> = {}): Program {
  const program = startProgram(['run'], {
    cwd: dir,
    env: {
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      JOBS_API_URL: board.url,
      SECRET_KEY,
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
  return program;
}

const said = (program: Program, message: string) => () => program.json().some((line) => line.msg === message);

async function ready(program: Program): Promise<void> {
  await program.until('the bot', said(program, 'commands registered'), 60_000);
}

async function stop(program: Program): Promise<void> {
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
}

async function setToken(): Promise<void> {
  const modal = await user.slash('/token set', {}, { guild }).modal();
  const reply = await user.submit(modal, { token: board.token }).reply();
  expect(reply.text).toMatch(/stored encrypted/u);
}

async function subscribe(options: Record<string, string | { id: string }> = {}) {
  const reply = await user
    .slash('/jobs subscribe', { tags: 'rust', channel: guild.channel('jobs'), ...options }, { guild })
    .reply();
  expect(reply.text).toMatch(/Understood/u);
  return reply;
}

/** How many times a posting's link was posted in a channel. */
const count = (channel: string, id: number) => holding(discord.messages(channel), linkOf(id));

test('a new member sets a token and subscribes, a posting arrives once, buttons work after a restart, a stop is clean', async () => {
  const jobs = guild.channel('jobs').id;
  const first = run();
  await ready(first);
  expect(
    discord
      .commands()
      .map((one) => one.name)
      .sort(),
  ).toEqual(['Save job', 'Why did I get this?', 'agent', 'email', 'help', 'jobs', 'privacy', 'token']);
  expect(discord.gateway.intents).toBe(1);
  const [tag] = await user.autocomplete('/jobs subscribe', 'tags', 'sol, rus', {}, { guild });
  expect(tag?.value).toMatch(/, rust$/u);
  await setToken();
  const panel = await subscribe();
  await board.addJob(jobOf(3));
  await discord.until(() => count(jobs, 3) === 1, 'the new posting');
  const [card] = discord.messages(jobs);
  await stop(first);

  const second = run();
  await second.until('the bot', said(second, 'discord connected'));
  await ready(second);
  expect(discord.commandWrites).toEqual(['PUT global']);
  const reader = discord.addUser();
  guild.addMember({ user: reader });
  if (!card) throw new Error('no card');
  expect((await reader.press(card, 'Save').reply()).text).toMatch(/Saved: .*Rust Engineer 3/u);
  await board.addJob(jobOf(4));
  await discord.until(() => count(jobs, 4) === 1, 'the posting after the restart');
  const paused = await user.press(panel, 'Pause').replyWhere((message) => message.text.includes('Paused'));
  const exported = await user.slash('/privacy export', {}, { guild }).reply();
  expect(exported.files).toHaveLength(1);
  await user.press(paused, 'Resume').replyWhere((message) => message.text.includes('Resumed'));
  expect(count(jobs, 3)).toBe(1);
  await stop(second);
  expect(discord.messages(jobs)).toHaveLength(2);
  expect(discord.violations).toEqual([]);
  expect(discord.naturalRateLimits).toBe(0);
  const log = [...first.stdout, ...first.stderr, ...second.stdout, ...second.stderr].join('\n');
  expect(log).not.toContain(discord.token);
  expect(log).not.toContain(board.token);
});

test('posts to every kind of channel, and to direct messages', async () => {
  const program = run();
  await ready(program);
  await setToken();
  for (const name of ['jobs', 'news', 'old', 'forum']) await subscribe({ channel: guild.channel(name) });
  await user.slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' }, { guild }).reply();
  await board.addJob(jobOf(3));
  for (const name of ['jobs', 'news', 'old'])
    await discord.until(() => count(guild.channel(name).id, 3) === 1, `the posting in ${name}`);
  await discord.until(() => user.dms().some((message) => message.text.includes('Rust Engineer 3')), 'the DM');
  await discord.until(() => holding(discord.allMessages(), linkOf(3)) === 5, 'the post in the forum');
  await stop(program);
  expect(discord.violations).toEqual([]);
});

describe('after a kill', () => {
  // crash.test.ts tests the other steps with other sinks.
  test.each(['poll.recorded', 'dispatch.cut', 'dispatch.sending', 'dispatch.sent'])(
    'at %s, a new start posts what appeared exactly once',
    async (step) => {
      const jobs = guild.channel('jobs').id;
      const first = run();
      await ready(first);
      await setToken();
      await subscribe();
      await stop(first);
      await board.addJob(jobOf(3));
      const dying = run({ JOBCRIER_CRASH_AT: step });
      expect(await dying.ended).toBe('SIGKILL');
      const last = run();
      await ready(last);
      await discord.until(() => count(jobs, 3) === 1, 'the posting');
      await board.addJob(jobOf(4));
      await discord.until(() => count(jobs, 4) === 1, 'the next posting');
      await stop(last);
      expect(count(jobs, 3)).toBe(1);
      expect(discord.messages(jobs)).toHaveLength(2);
      expect(discord.violations).toEqual([]);
    },
  );

  test('in the middle of an answer, the next start repeats nothing', async () => {
    const first = run();
    await ready(first);
    await setToken();
    const asked = user.slash('/jobs subscribe', { tags: 'rust', channel: guild.channel('jobs') }, { guild });
    await asked.acked();
    first.kill('SIGKILL');
    await first.ended;
    const second = run();
    await ready(second);
    const list = await user.slash('/jobs list', {}, { guild }).reply();
    expect(list.text).toMatch(/no subscriptions|1 subscription/u);
    await stop(second);
  });
});

describe('a lost connection', () => {
  test('is replaced, and open requests are answered', async () => {
    const program = run();
    await ready(program);
    await setToken();
    const { gateway } = discord;
    for (const lose of [
      () => gateway.drop(),
      () => gateway.reconnect(),
      () => gateway.close(4000),
      () => gateway.refuse(3000),
    ]) {
      lose();
      const asked = user.slash('/token status', {}, { guild });
      await discord.until(() => gateway.connected === 1, 'the connection', 30_000);
      expect(
        (await (asked.ackMs === null ? user.slash('/token status', {}, { guild }) : asked).reply()).text,
      ).toMatch(/accepted/u);
    }
    gateway.invalidSession(false);
    await discord.until(() => gateway.connected === 1 && gateway.identifies >= 2, 'a new session', 30_000);
    expect((await user.slash('/token status', {}, { guild }).reply()).text).toMatch(/accepted/u);
    expect(discord.commandWrites).toEqual(['PUT global']);
    await stop(program);
  });

  test.each([4004, 4014])('for good (%i) ends the program with the reason and a failure', async (code) => {
    discord.gateway.rejectIdentify(code);
    const program = run();
    expect(await program.ended).toBe(1);
    const line = program.json().find((one) => one.msg === 'discord refused the bot');
    expect(line).toMatchObject({ code, reason: expect.stringContaining('DISCORD_TOKEN') });
  });
});

test('stops the subscriptions of a server that removed the bot while it was down, and resumes them when it is invited again', async () => {
  const jobs = guild.channel('jobs').id;
  const first = run();
  await ready(first);
  await setToken();
  await subscribe();
  await stop(first);
  discord.removeGuild(guild.id);
  // Without a server in common, Discord allows no direct message.
  user.record.installed = true;
  const second = run();
  await ready(second);
  const [notice] = await discord.until(() => (user.dms().length > 0 ? user.dms() : undefined), 'the notice');
  expect(notice?.text).toMatch(/I was removed from a Discord server.*After 30 days they are deleted/u);
  expect((await user.slash('/jobs list').reply()).text).toMatch(
    /paused[\s\S]*I was removed from its server/u,
  );
  await stop(second);
  discord.invite(guild.id);
  const third = run({ LOG_LEVEL: 'debug' });
  await ready(third);
  const polled = () =>
    third
      .json()
      .some(({ msg, outcome }) => msg === 'request done' && /^(?:answered|unchanged)$/u.test(`${outcome}`));
  await third.until('the first poll after the return', polled);
  await board.addJob(jobOf(3));
  await discord.until(() => count(jobs, 3) === 1, 'the posting after the return');
  await stop(third);
  expect(discord.violations).toEqual([]);
});

test('a deleted channel parks only its subscription, and its owner is notified once, in their language', async () => {
  const program = run();
  await ready(program);
  await setToken();
  user.record.locale = 'de';
  const reply = (options: Record<string, string | { id: string }>) =>
    user.slash('/jobs subscribe', { tags: 'rust', ...options }, { guild }).reply();
  await reply({ channel: guild.channel('jobs') });
  await reply({ channel: guild.channel('general') });
  discord.deleteChannel(guild.channel('jobs').id);
  await board.addJob(jobOf(3));
  await discord.until(() => count(guild.channel('general').id, 3) === 1, 'the posting elsewhere');
  const [notice] = await discord.until(() => (user.dms().length > 0 ? user.dms() : undefined), 'the notice');
  // The subscription, what happened, and a command that can be pressed.
  expect(notice?.text).toMatch(/^🔔 Rust · #[^:]+: Den Discord-Kanal gibt es nicht mehr.*<\/jobs edit:\d+>/u);
  await board.addJob(jobOf(4));
  await discord.until(() => count(guild.channel('general').id, 4) === 1, 'the next posting elsewhere');
  expect(user.dms()).toHaveLength(1);
  const list = await user.slash('/jobs list', {}, { guild }).reply();
  expect(list.text).toMatch(/kann nicht zustellen[\s\S]*\n {2}Den Discord-Kanal gibt es nicht mehr/u);
  await stop(program);
  expect(discord.violations).toEqual([]);
});

test('reminds of a deadline at nine, once, also when it is killed before and after', async () => {
  const clock = movedClock(dir);
  clock.set(Date.UTC(2026, 10, 24, 8, 30));
  const first = run(clock.env);
  await ready(first);
  await setToken();
  await user.slash('/jobs subscribe', { tags: 'rust', deliver: 'dm' }, { guild }).reply();
  const description = '<p>Rust.</p><p>Apply by 28 November 2026.</p>';
  await board.addJob(jobOf(3, { description }));
  const cards = () => user.dms().filter(({ text }) => text.includes('Rust Engineer 3'));
  await discord.until(() => cards().length === 1, 'the card');
  await user.press(cards()[0]!, 'Save').reply();
  const list = await user.slash('/jobs saved', {}, { guild }).reply();
  await user.press(list, 'Turn on reminders').replyWhere(({ text }) => text.includes('Reminders are on.'));
  first.kill('SIGKILL');
  await first.ended;

  const reminders = () => user.dms().filter(({ text }) => text.startsWith('🔔'));
  const sent = (program: Program) => program.json().filter((line) => line.msg === 'reminder sent').length;
  /** Starts it, and lets nine o’clock pass. */
  async function morning(day: number): Promise<Program> {
    clock.set(Date.UTC(2026, 10, day, 8, 30));
    const program = run(clock.env);
    await ready(program);
    clock.set(Date.UTC(2026, 10, day, 8, 59, 55));
    await discord.until(() => clock.now() > Date.UTC(2026, 10, day, 9, 0, 3), 'nine o’clock');
    return program;
  }
  const early = await morning(24);
  expect([reminders(), sent(early)]).toEqual([[], 0]);
  early.kill('SIGKILL');
  await early.ended;
  const second = await morning(25);
  await second.until('the reminder', () => sent(second) === 1);
  second.kill('SIGKILL');
  await second.ended;
  const third = await morning(26);
  expect(sent(third)).toBe(0);
  expect(reminders()).toHaveLength(1);
  const [reminder] = reminders();
  expect(reminder?.text).toContain('the last day to apply is Saturday, 28 November 2026');
  expect(JSON.stringify(reminder)).toContain(JSON.stringify(linkOf(3)));
  await user.press(reminder!, '✅ applied').replyWhere(({ text }) => text.includes('✅ applied: '));
  await stop(third);
  expect(discord.violations).toEqual([]);
});
