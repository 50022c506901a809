// The whole path from a typed command to a posted card in this process: local Discord, real board, real store, the
// real service with its pipeline, and the bot with the real discord.js client.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type App, createApp } from '../../src/app.js';
import type { Job } from '../../src/board/job.js';
import { type Bot, createBot } from '../../src/bot/bot.js';
import { loadConfig } from '../../src/config.js';
import { createDiscordRest } from '../../src/discord/rest.js';
import { secret } from '../../src/domain/secret.js';
import type { Services } from '../../src/ports/services.js';
import type { Log } from '../../src/ports/system.js';
import { createDiscordSink } from '../../src/sinks/discord/sink.js';
import { helloButtons } from '../../src/wiring/discord.js';
import { NO_METRICS, SYSTEM_CLOCK } from '../../src/wiring/store.js';
import { startBoard, type TestBoard } from './board.js';
import { type Discord, startDiscord } from './discord/start-discord.js';
import type { Settings } from './discord/types.js';
import type { DiscordUser } from './discord/user-actions.js';
import type { GuildHandle } from './discord/world.js';
import { type Front, startFront } from './front.js';
import { ONLY_ON_REQUEST, pollAll } from './polled.js';
import { workFolder } from './process.js';

const PROGRAM = fileURLToPath(new URL('../..', import.meta.url));

interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface BotHouse {
  readonly discord: Discord;
  readonly board: TestBoard;
  /** A server before the board, whose answers the program gets. */
  readonly front: Front;
  readonly app: App;
  readonly services: Services;
  readonly bot: Bot;
  readonly guild: GuildHandle;
  /** May manage every channel of the guild, and has a working token. */
  readonly admin: DiscordUser;
  readonly logs: LogLine[];
  /** The reasons for which the bot ended. */
  readonly fatal: string[];
  /** Makes every subscription poll the board now. */
  poll(): Promise<void>;
  /** A member with the rights of everyone, and no token. */
  member(fields?: Parameters<Discord['addUser']>[0]): DiscordUser;
  /** Stops the bot and starts another on the same store, as a restart of the process does. */
  restartBot(): Promise<void>;
  /** Stops the bot and makes a new one that was not started. */
  newBot(change?: Partial<Parameters<typeof createBot>[0]>): Promise<Bot>;
  /**
   * For tests that share a house: a server and an administrator that no test has used, and the first postings on the board.
   * Every account is erased, and logs and violations are empty.
   */
  newServer(): Promise<void>;
  close(): Promise<void>;
}

interface HouseOptions {
  readonly jobs?: readonly Job[];
  readonly discord?: Partial<Settings>;
  readonly env?: Record<string, string>;
  /** Replaces services that the bot calls: by one that hangs, or one that fails. */
  readonly services?: (services: Services) => Services;
  readonly guildCommands?: boolean;
  /** How long a caller waits for the jobs API. */
  readonly interactiveMs?: number;
  /** Not started; the test starts it. */
  readonly startBot?: boolean;
}

/** An apply link in the form of the jobs API: the id in base64, reversed, then the partner. */
export function linkOf(id: number): string {
  const code = [...Buffer.from(String(id)).toString('base64')].reverse().join('');
  return `https://jobs.example/r/${code}__acme?a=1&b=2`;
}

export function jobOf(id: number, more: Partial<Job> = {}): Job {
  return {
    id: String(id),
    title: `Rust Engineer ${id}`,
    company: `Firm ${id}`,
    location: 'Berlin, Germany',
    country: 'germany',
    remote: true,
    tags: ['rust', 'backend'],
    postedAt: '2026-11-20',
    apply_url: linkOf(id),
    url: `https://jobs.example/${id}`,
    ...more,
  } as Job;
}

export async function openHouse(options: HouseOptions = {}): Promise<BotHouse> {
  const { startBot = true } = options;
  let offset = 0;
  const clock = { now: () => SYSTEM_CLOCK.now() + offset };
  const discord = await startDiscord(options.discord);
  const jobs = options.jobs ?? [jobOf(1), jobOf(2)];
  const board = await startBoard({ jobs });
  const front = await startFront(board.url);
  const { dir, remove } = await workFolder();
  if (options.interactiveMs) {
    const jobsApi = { interactiveTimeoutMs: options.interactiveMs };
    const changed = { jobsApi, limits: { drainSeconds: 1 } };
    await mkdir(join(dir, 'config'));
    await writeFile(join(dir, 'config', 'default.json'), JSON.stringify(changed));
  }
  const logs: LogLine[] = [];
  const note =
    (level: string): Log['info'] =>
    (fields, message) =>
      void logs.push({ ...fields, level, message });
  const log: Log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const config = loadConfig({
    env: {
      JOBS_API_URL: front.url,
      MIN_POLL_SECONDS: '1',
      API_SPACING_MS: '5',
      HTTP_PORT: '0',
      LIVE_SCHEDULE: ONLY_ON_REQUEST,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      ...options.env,
    },
    cwd: dir,
    programDir: PROGRAM,
  });
  const token = secret(discord.token);
  const rest = createDiscordRest({ token, apiUrl: discord.apiUrl, log, tokenPauseMs: 1_000 });
  const shared = { token, rest, log, clock, metrics: NO_METRICS };
  const sink = createDiscordSink({ ...shared, source: config.sourceName, helloButtons });
  const app = await createApp(config, { log, stdout: process.stdout, clock, sinks: [sink], gathers: false });
  await app.start();
  const services = options.services?.(app.services) ?? app.services;
  const fatal: string[] = [];

  let guild: GuildHandle;
  let admin: DiscordUser;
  async function moveIn(): Promise<void> {
    guild = discord.addGuild({ channels: [{ name: 'general' }, { name: 'jobs' }] });
    admin = discord.addUser({ username: 'admin' });
    guild.addMember({ user: admin, permissions: ['MANAGE_CHANNELS'] });
    await app.services.setToken(`discord:${admin.id}`, secret(board.token));
  }
  await moveIn();
  const make = (change: Partial<Parameters<typeof createBot>[0]> = {}) =>
    createBot({
      ...shared,
      services,
      misc: app.pipeline.stores.misc,
      defaults: {
        liveSchedule: config.liveSchedule,
        source: config.sourceName,
        ...(config.jobsApi.tokenPage ? { tokenPage: config.jobsApi.tokenPage } : {}),
      },
      ...(options.guildCommands ? { guildId: guild.id } : {}),
      onFatal: (reason) => void fatal.push(reason),
      ...change,
    });
  let bot = make();
  let isChanged = false;
  if (startBot) {
    await bot.start();
    await discord.ready();
    await discord.until(() => bot.health().commands, 'the commands of the bot');
  }
  async function restartBot(): Promise<void> {
    await bot.stop();
    bot = make();
    isChanged = false;
    await bot.start();
    await discord.until(() => bot.health().ok && bot.health().commands, 'the bot after its restart');
  }

  return {
    discord,
    board,
    front,
    app,
    services,
    get guild() {
      return guild;
    },
    get admin() {
      return admin;
    },
    logs,
    fatal,
    get bot() {
      return bot;
    },
    async poll() {
      // No answer of before serves any more.
      offset += 1000;
      await pollAll(app);
    },
    member(fields) {
      const user = discord.addUser(fields);
      guild.addMember({ user });
      return user;
    },
    async newBot(change) {
      await bot.stop();
      bot = make(change);
      isChanged = true;
      return bot;
    },
    restartBot,
    async newServer() {
      const accounts: string[] = [];
      for await (const { id } of app.pipeline.stores.accounts.list()) accounts.push(id);
      for (const id of accounts) await app.services.eraseAccount(id);
      discord.faults.clear();
      front.answer(undefined);
      await board.setTokens([{ token: board.token }]);
      await board.setJobs(jobs);
      // No answer of before serves any more.
      offset += 1000;
      if (isChanged) await restartBot();
      await moveIn();
      for (const list of [logs, fatal, discord.violations]) list.length = 0;
    },
    async close() {
      await bot.stop();
      await app.stop();
      await rest.close();
      await front.close();
      await board.close();
      await discord.close();
      await remove();
    },
  };
}
