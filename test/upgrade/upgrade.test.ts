// Stores of version 0.1 with the present program: nothing is announced again, nothing that waits is lost, and what
// waited, was parked or was refused still is. story.ts says what had happened to version 0.1.
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { withFile } from '../../src/store/sqlite/files.js';
import { startBoard } from '../helpers/board.js';
import { startDiscord } from '../helpers/discord/start-discord.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { bodyOf } from '../helpers/discord-cards.js';
import { later } from '../helpers/later.js';
import { parseMail } from '../helpers/mail.js';
import { movedClock } from '../helpers/moved-clock.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { PAGES } from '../helpers/reader-house.js';
import { startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';
import { startReceiver } from '../helpers/webhook-receiver.js';
import { DATABASES, type RunningDatabase } from '../store/databases.js';
import { isInstalled, startRedis } from './redis.js';
import { type Moved, putPostgres, putRedis, putSqlite } from './released.js';
import { jobOf, KEY, type Kind, storyOf, TOKENS } from './story.js';

vi.setConfig({ testTimeout: 180_000 });

const POSTGRES = DATABASES.find(({ name }) => name === 'postgres')!;
let postgres: RunningDatabase;
beforeAll(async () => {
  if (!POSTGRES.missing) postgres = await POSTGRES.start();
});
afterAll(() => postgres?.stop());

/** The services around version 0.1, as they were at the end. */
async function world(kind: Kind) {
  const story = storyOf(kind);
  let jobs = story.jobs;
  const board = await startBoard({ jobs, tokens: [TOKENS.operator, TOKENS.ana].map((token) => ({ token })) });
  const discord = await startDiscord();
  const smtp = await startSmtp();
  const [hook, away, gone] = [await startReceiver(), await startReceiver(), await startReceiver()];
  const { dir, remove } = await workFolder();
  later(remove, ...[board, discord, smtp, hook, away, gone].map((one) => () => one.close()));
  const [ana, ben] = [discord.addUser({ id: story.discord.ana }), discord.addUser({ id: story.discord.ben })];
  discord.addGuild({
    id: story.discord.guild,
    channels: [{ id: story.discord.channel, name: 'jobs' }],
    members: [{ user: ana, permissions: ['MANAGE_CHANNELS'] }, { user: ben }],
  });
  const urls: Moved = { hook: hook.url, away: away.url, gone: gone.url };
  let store = '';
  let more: Record<string, string> = {};
  const env = () => ({
    JOBS_API_URL: board.url,
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Job crier <digest@crier.example.org>',
    PUBLIC_URL: PAGES,
    SECRET_KEY: KEY,
    STORE_URL: store,
    MIN_POLL_SECONDS: '1',
    LIVE_SCHEDULE: '* * * * * *',
    API_SPACING_MS: '5',
    HTTP_PORT: '0',
    BACKUP_KEEP: '0',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...more,
  });
  let posted = jobs.length;
  return {
    story,
    board,
    discord,
    smtp,
    hook,
    away,
    gone,
    ana,
    ben,
    urls,
    dir,
    use(url: string, settings: Record<string, string> = {}) {
      store = url;
      more = settings;
    },
    async run(): Promise<Program> {
      const program = startProgram(['run'], { cwd: dir, env: env() });
      later(async () => {
        program.kill('SIGKILL');
        await program.ended;
      });
      const isUp = () => program.json().some(({ msg }) => msg === 'commands registered');
      await program.until('the bot', isUp, 60_000);
      return program;
    },
    async command(args: readonly string[]): Promise<string> {
      const ran = startProgram(args, { cwd: dir, env: env() });
      expect([await ran.ended, ran.stderr.join('\n')]).toEqual([0, expect.anything()]);
      return [...ran.stdout, ...ran.stderr].join('\n');
    },
    async post(...tags: readonly string[]): Promise<readonly string[]> {
      const fresh = tags.map((tag): Job => jobOf(++posted, tag));
      jobs = [...fresh, ...jobs];
      await board.setJobs(jobs);
      return fresh.map(({ title }) => title as string);
    },
    linkOf: (title: string) => jobs.find((one) => one.title === title)?.apply_url as string,
  };
}

type World = Awaited<ReturnType<typeof world>>;
type Receiver = World['hook'];

/** Titles by the edition's id: a receiver treats two messages with one id as one. */
function editions({ received }: Receiver): Map<string, readonly string[]> {
  return new Map(received.map(({ id, body }) => [id, body.data.postings.map(({ title = '' }) => title)]));
}

const titles = (receiver: Receiver) => [...editions(receiver).values()].flat().sort();
const shown = (messages: readonly MessageRecord[]) =>
  messages.flatMap((one) => bodyOf(one).match(/Position \d+ \w+/gu) ?? []);
const printed = (program: Program) =>
  program
    .json()
    .filter(({ event }) => event === 'edition')
    .flatMap(({ postings }) => (postings as { title: string }[]).map(({ title }) => title));

/** Immediate deliveries are sent once and unchanged, new postings too, and nothing else. */
async function checkAtOnce(w: World, program: Program): Promise<void> {
  const { story } = w;
  const { owedAtOnce, sentUnsettled } = story.titles;
  await until(() => titles(w.away).length === 2 && titles(w.hook).length === 1, {
    what: 'what was owed',
    timeoutMs: 60_000,
  });
  expect(titles(w.away)).toEqual([...owedAtOnce].sort());
  for (const { body } of w.away.received)
    for (const { title, applyUrl } of body.data.postings) expect(applyUrl).toBe(w.linkOf(title as string));
  // Sent before without a record of it: again under its id, the same byte for byte.
  const before = story.hooks.find(({ raw }) => raw.includes(sentUnsettled));
  for (const { id, body } of w.hook.received.slice(0, 1))
    expect([id, body.data]).toEqual([before?.id, JSON.parse(before?.raw ?? '').data]);

  const [rust, golang, gaming, design, nft, defi, ai, react, devops, node] = (await w.post(
    'rust',
    'golang',
    'gaming',
    'design',
    'nft',
    'defi',
    'ai',
    'react',
    'devops',
    'node',
  )) as [string, string, string, string, string, string, string, string, string, string];
  const channel = () => shown(w.discord.messages(story.discord.channel));
  await until(
    () =>
      titles(w.hook).length === 3 &&
      titles(w.away).length === 3 &&
      channel().includes(react) &&
      shown(w.ana.dms()).includes(devops) &&
      printed(program).includes(rust),
    { what: 'what is new', timeoutMs: 60_000 },
  );
  expect(titles(w.hook)).toEqual([sentUnsettled, rust, ai].sort());
  expect(titles(w.away)).toEqual([...owedAtOnce, golang].sort());
  expect([...new Set(channel())]).toEqual([react]);
  expect([...new Set(shown(w.ana.dms()))]).toEqual([devops]);
  expect(printed(program)).toEqual([rust]);
  // Parked, paused, suppressed, unsubscribed, and a refused token whose owner was notified before.
  expect([w.gone.received, w.ben.dms(), w.smtp.mails]).toEqual([[], [], []]);
  void [gaming, design, nft, defi, node];
}

async function stop(program: Program, w: World): Promise<void> {
  program.kill();
  expect(await program.ended).toBe(0);
  expect(w.discord.violations).toEqual([]);
}

/** The digests at their slots, each once. */
async function checkDigests(w: World, clock: ReturnType<typeof movedClock>): Promise<void> {
  const { inDigests, inWeekly } = w.story.titles;
  const mails = () =>
    Promise.all(
      w.smtp.mails.map(async ({ to, raw }) => ({ to: to.join(), text: (await parseMail(raw)).text ?? '' })),
    );
  clock.set(Date.UTC(2026, 10, 26, 9, 0, 30));
  await until(() => w.smtp.mails.length === 1, { what: 'the daily mail', timeoutMs: 60_000 });
  clock.set(Date.UTC(2026, 10, 30, 9, 0, 30));
  await until(() => w.smtp.mails.length === 3, { what: 'the weekly mails', timeoutMs: 60_000 });
  for (const [to, wanted] of [
    ['daily@example.org', inDigests],
    ['weekly@example.org', inDigests],
    ['ana@example.org', [inWeekly]],
  ] as const) {
    const found = (await mails()).filter((mail) => mail.to === to);
    expect(found).toHaveLength(1);
    const lines = found[0]!.text.split(/\r?\n/u);
    for (const title of wanted) expect(lines).toContain(w.linkOf(title));
    expect(lines.filter((line) => line.startsWith('https://jobs.example/r/'))).toHaveLength(wanted.length);
  }
}

/** What is freed is sent once, and marked postings are still marked. */
async function checkPeople(w: World): Promise<void> {
  await w.command(['subscriptions', 'resume', 'gone']);
  await until(() => titles(w.gone).includes(w.story.titles.parked), {
    what: 'what was parked',
    timeoutMs: 60_000,
  });
  expect(titles(w.gone).filter((one) => one === w.story.titles.parked)).toHaveLength(1);
  const saved = await w.ana.slash('/jobs saved', {}).reply();
  expect(JSON.stringify([saved.text, saved.embeds])).toContain(w.story.titles.saved);
  expect(JSON.stringify([saved.text, saved.embeds, saved.components])).toContain(w.story.titles.hidden);
  const status = await w.command(['token', 'status', '--account', `discord:${w.story.discord.ben}`]);
  expect(status).toMatch(/rejected|refused/iu);
}

test('SQLite: sends what waited once, at its time; what was parked stays parked; one copy is made', async () => {
  const w = await world('sqlite');
  const url = await putSqlite(w.dir, w.urls);
  await copyFile(join(w.dir, 'store.sqlite'), join(w.dir, 'before'));
  const clock = movedClock(w.dir);
  clock.set(w.story.endedAt + 60_000);
  w.use(url, clock.env);
  const program = await w.run();
  await checkAtOnce(w, program);
  await checkDigests(w, clock);
  await checkPeople(w);
  await stop(program, w);
  await stop(await w.run(), w);

  expect((await readdir(w.dir)).filter((name) => name.startsWith('store.sqlite.'))).toEqual([
    'store.sqlite.v1.bak',
  ]);
  const rowsOf = (name: string) =>
    withFile(join(w.dir, name), async (run) => {
      const tables = await run(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`);
      const all: Record<string, unknown> = {};
      for (const { name: table } of tables)
        if (!['lease', 'lane', 'unit'].includes(String(table)))
          all[String(table)] = await run(`SELECT key, value FROM ${table} ORDER BY key`);
      return all;
    });
  expect(await rowsOf('store.sqlite.v1.bak')).toEqual({ ...EMPTY, ...(await rowsOf('before')) });
});

const EMPTY = { lookups: [], owed: [], seen: [], outcomes: [], delivered: [] };

test.skipIf(POSTGRES.missing)(
  'PostgreSQL: the same with its clock, and the former tables are kept',
  async () => {
    const w = await world('postgres');
    const url = await postgres.freshUrl();
    await putPostgres(url, w.urls, Date.now() - w.story.endedAt);
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    // The server may stop before the connection is closed.
    pool.on('error', () => undefined);
    later(() => pool.end());
    const rowsOf = async (table: string) =>
      (await pool.query(`SELECT key, value FROM ${table} ORDER BY key`)).rows;
    const names = [
      'accounts',
      'subscriptions',
      'ledgers',
      'polls',
      'misc',
      'history',
      'marks',
      'notices',
      'meta',
    ];
    const all = async (ending: string) =>
      Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, await rowsOf(`jobcrier_${name}${ending}`)])),
      );
    const before = await all('');
    w.use(url);
    const program = await w.run();
    await checkAtOnce(w, program);
    await stop(program, w);
    await stop(await w.run(), w);

    expect(await all('_v1_bak')).toEqual(before);
    const copies = await pool.query(`SELECT tablename FROM pg_tables WHERE tablename LIKE 'jobcrier_meta_%'`);
    expect(copies.rows).toEqual([{ tablename: 'jobcrier_meta_v1_bak' }]);
    const waiting = await pool.query(`SELECT value FROM jobcrier_owed WHERE key LIKE 'digests:%'`);
    const postings = waiting.rows.map(({ value }) => value).join('\n');
    for (const title of w.story.titles.inDigests) expect(postings).toContain(title);
  },
);

test.skipIf(!isInstalled('redis-server'))('Redis: copied to SQLite, the same', async () => {
  const w = await world('redis');
  const redis = await startRedis();
  later(() => redis.stop());
  await putRedis(redis.url, w.urls);
  const clock = movedClock(w.dir);
  clock.set(w.story.endedAt + 60_000);
  w.use(redis.url, clock.env);
  const url = `sqlite://${join(w.dir, 'new.sqlite')}`;
  await w.command(['store', 'copy', '--to', url]);
  w.use(url, clock.env);
  const program = await w.run();
  await checkAtOnce(w, program);
  await checkDigests(w, clock);
  await checkPeople(w);
  await stop(program, w);
});
