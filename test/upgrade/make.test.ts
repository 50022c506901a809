// Makes the stores of ./stores with a released program:
//   RELEASED=<built checkout> npx vitest run test/upgrade/make.test.ts
// Version 0.1 is commit 4407280 (`git worktree add ../released 4407280 && cd ../released && npm ci`). The program runs
// between a board, a Discord, a mail server and receivers of webhooks until its store contains one of everything that
// a later version must migrate. What it sent is stored beside it. Only needed again for a further released version.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { startBoard } from '../helpers/board.js';
import { startDiscord } from '../helpers/discord/start-discord.js';
import type { MessageRecord } from '../helpers/discord/types.js';
import { holding } from '../helpers/discord-cards.js';
import { later } from '../helpers/later.js';
import { parseMail } from '../helpers/mail.js';
import { movedClock } from '../helpers/moved-clock.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { confirmLink, PAGES } from '../helpers/reader-house.js';
import { startSmtp } from '../helpers/smtp.js';
import { until } from '../helpers/until.js';
import { startReceiver } from '../helpers/webhook-receiver.js';
import { DATABASES } from '../store/databases.js';
import { dumpRedis, startRedis } from './redis.js';
import { jobOf, KEY, STARTED, STORES, type Story, TOKENS } from './story.js';

const RELEASED = process.env.RELEASED;

const ENTRIES = (hook: string, away: string, gone: string) => `
- id: hook
  filter: { tags: [rust] }
  schedule: "* * * * * *"
  destinations:
    - { sink: webhook, target: "${hook}", cadence: immediate }
    - { sink: console, cadence: immediate }
- id: digests
  filter: { tags: [solidity] }
  schedule: "* * * * * *"
  timezone: UTC
  destinations:
    - { sink: email, target: daily@example.org, consented: true, cadence: { daily: "09:00" } }
    - { sink: email, target: weekly@example.org, consented: true, cadence: { weekly: monday, at: "09:00" } }
- { id: away, filter: { tags: [golang] }, schedule: "* * * * * *", destinations: [{ sink: webhook, target: "${away}", cadence: immediate }] }
- { id: gone, filter: { tags: [gaming] }, schedule: "* * * * * *", destinations: [{ sink: webhook, target: "${gone}", cadence: immediate }] }
- { id: paused, filter: { tags: [design] }, schedule: "* * * * * *", destinations: [{ sink: console, cadence: immediate }] }
- { id: bounced, filter: { tags: [nft] }, schedule: "* * * * * *", destinations: [{ sink: email, target: bounced@example.org, consented: true, cadence: immediate }] }
- { id: stopped, filter: { tags: [defi] }, schedule: "* * * * * *", destinations: [{ sink: email, target: stopped@example.org, consented: true, cadence: immediate }] }
- { id: underway, filter: { tags: [ai] }, schedule: "* * * * * *", destinations: [{ sink: webhook, target: "${hook}", cadence: immediate }] }
`;

async function tell(main: string, store: string): Promise<Story> {
  const tokens = Object.values(TOKENS).map((token) => ({ token }));
  let jobs: readonly Job[] = [
    'rust',
    'solidity',
    'golang',
    'gaming',
    'design',
    'nft',
    'defi',
    'ai',
    'react',
    'marketing',
    'devops',
    'node',
  ].map((tag, index) => jobOf(index + 1, tag));
  const board = await startBoard({ jobs, tokens });
  const discord = await startDiscord();
  const smtp = await startSmtp();
  const [hook, away, gone] = [await startReceiver(), await startReceiver(), await startReceiver()];
  away.answers.push(...Array.from({ length: 1000 }, () => 503));
  gone.answers.push(...Array.from({ length: 1000 }, () => 410));
  const { dir, remove } = await workFolder();
  later(remove, ...[board, discord, smtp, hook, away, gone].map((one) => () => one.close()));
  const [ana, ben] = [discord.addUser(), discord.addUser()];
  const guild = discord.addGuild({
    channels: [{ name: 'jobs' }],
    members: [{ user: ana, permissions: ['MANAGE_CHANNELS'] }, { user: ben }],
  });
  const clock = movedClock(dir);
  clock.set(STARTED);
  const env = {
    JOBS_API_URL: board.url,
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Job crier <digest@crier.example.org>',
    PUBLIC_URL: PAGES,
    BOUNCE_SECRET: 'bounce-secret',
    SECRET_KEY: KEY,
    STORE_URL: store,
    MIN_POLL_SECONDS: '1',
    LIVE_SCHEDULE: '* * * * * *',
    API_SPACING_MS: '5',
    HTTP_PORT: '0',
    BACKUP_KEEP: '0',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...clock.env,
  };
  async function command(args: readonly string[], input = ''): Promise<string> {
    const ran = startProgram(args, { cwd: dir, env, input, main });
    const code = await ran.ended;
    expect([code, ...ran.stderr.filter(() => code !== 0)]).toEqual([0]);
    return ran.stdout.join('\n');
  }
  const said: Record<string, unknown>[] = [];
  async function run(more: Record<string, string> = {}): Promise<Program> {
    const program = startProgram(['run'], { cwd: dir, env: { ...env, ...more }, main });
    later(async () => {
      program.kill('SIGKILL');
      await program.ended;
    });
    await program.until(
      'the bot',
      () => program.json().some(({ msg }) => msg === 'commands registered'),
      60_000,
    );
    return program;
  }
  let posted = jobs.length;
  async function post(tag: string, more: Partial<Job> = {}): Promise<Job> {
    const job = jobOf(++posted, tag, more);
    jobs = [job, ...jobs];
    await board.setJobs(jobs);
    return job;
  }
  const shows = (message: MessageRecord, job: Job) => holding([message], job.apply_url as string) > 0;
  const mailsTo = (address: string) => smtp.mails.filter(({ to }) => to.includes(address));

  await command(['token', 'set', '--account', 'operator', '--no-check'], `${TOKENS.operator}\n`);
  await command(['subscriptions', 'import'], ENTRIES(hook.url, away.url, gone.url));
  const program = await run();
  const pages = () => String(program.json().find(({ msg }) => msg === 'web pages are up')?.url);
  const matched = (id: string) =>
    program.json().filter((line) => line.subscription === id && Number(line.matched) > 0 && !line.baseline)
      .length;

  for (const [user, token] of [
    [ana, TOKENS.ana],
    [ben, TOKENS.ben],
  ] as const)
    await user.submit(await user.slash('/token set', {}, { guild }).modal(), { token }).reply();
  await ana.slash('/email set', { address: 'ana@example.org' }, { guild }).reply();
  await until(() => smtp.mails.length === 1, { what: 'the confirm mail' });
  const link = confirmLink(await parseMail(smtp.mails[0]!.raw));
  await fetch(pages() + link.replace(PAGES, ''), { method: 'POST', redirect: 'manual' });
  const channel = guild.channel('jobs');
  await ana.slash('/jobs subscribe', { tags: 'react', channel, every: 'live' }, { guild }).reply();
  await ana
    .slash(
      '/jobs subscribe',
      { tags: 'marketing', deliver: 'email', every: 'weekly', timezone: 'UTC' },
      { guild },
    )
    .reply();
  await ana.slash('/jobs subscribe', { tags: 'devops', deliver: 'dm', every: 'live' }, { guild }).reply();
  await ben.slash('/jobs subscribe', { tags: 'node', deliver: 'dm', every: 'live' }, { guild }).reply();
  await program.until(
    'twelve baselines',
    () => program.json().filter((line) => line.baseline === true).length === 12,
    120_000,
  );

  // Deliveries.
  const delivered = [await post('rust'), await post('rust')];
  const card = await post('react');
  const dm = await post('devops');
  const ofBen = await post('node');
  await post('nft');
  await post('defi');
  await until(
    () => hook.received.length > 0 && hook.received.flatMap(({ body }) => body.data.postings).length === 2,
    { what: 'the webhook', timeoutMs: 60_000 },
  );
  const shown = await discord.until(
    () => discord.messages(channel.id).find((one) => shows(one, card)),
    'the card',
    60_000,
  );
  await discord.until(() => ana.dms().find((one) => shows(one, dm)), 'the direct message', 60_000);
  await discord.until(() => ben.dms().find((one) => shows(one, ofBen)), 'the other direct message', 60_000);
  await until(
    () => mailsTo('bounced@example.org').length === 1 && mailsTo('stopped@example.org').length === 1,
    { what: 'the mails', timeoutMs: 60_000 },
  );

  // Actions of people.
  await ana.press(ana.dms().find((one) => shows(one, dm)) as MessageRecord, 'Save').reply();
  const offer = await ana.press(shown, 'Not for me').reply();
  await ana.press(offer, `Hide ${card.company}`).reply();
  const stop = await parseMail(mailsTo('stopped@example.org')[0]!.raw);
  const oneClick =
    /<(https:[^>]+)>/u.exec(stop.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '')?.[1] ??
    '';
  const ended = await fetch(pages() + oneClick.replace(PAGES, ''), {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  expect(ended.status).toBeLessThan(300);
  const bounce = await fetch(`${pages()}/bounces`, {
    method: 'POST',
    headers: { authorization: 'Bearer bounce-secret', 'content-type': 'application/json' },
    body: JSON.stringify([{ recipient: 'bounced@example.org', status: '5.1.1' }]),
  });
  expect(await bounce.json()).toEqual({ taken: 1 });

  // Failures, and what waits or is parked.
  await command(['subscriptions', 'pause', 'paused']);
  await program.until('the pause', () =>
    program.json().some((line) => JSON.stringify(line).includes('paused')),
  );
  const inPause = await post('design');
  const parked = await post('gaming');
  await program.until(
    'the parked destination',
    () => program.json().some((line) => line.kind === 'destination'),
    60_000,
  );
  await board.setTokens(
    Object.values(TOKENS)
      .filter((one) => one !== TOKENS.ben)
      .map((token) => ({ token })),
  );
  await program.until(
    'the rejected token',
    () => program.json().some((line) => line.kind === 'token'),
    60_000,
  );
  const unseen = await post('node');
  const owedAtOnce = [await post('golang'), await post('golang')];
  const toNobody = [await post('nft'), await post('defi')];
  const inDigests = [await post('solidity'), await post('solidity')];
  const inWeekly = await post('marketing');
  await until(() => ['away', 'digests', 'bounced', 'stopped'].every((id) => matched(id) > 0), {
    what: 'everything recorded',
    timeoutMs: 60_000,
  });
  await program.until('two attempts', () => away.answers.length < 999, 60_000);
  await program.until(
    'the weekly of ana',
    () => program.json().filter((line) => Number(line.matched) > 0 && !line.baseline).length >= 9,
    60_000,
  );
  said.push(...program.json());
  program.kill();
  expect(await program.ended).toBe(0);

  // An edition that was being sent: sent, and killed before that was recorded.
  const last = await run({ JOBCRIER_CRASH_AT: 'dispatch.sent' });
  const sentUnsettled = await post('ai');
  expect(await last.ended).toBe('SIGKILL');
  said.push(...last.json());

  const mails = await Promise.all(
    smtp.mails.map(async ({ raw, to }) => ({ to: to.join(), id: (await parseMail(raw)).messageId ?? '' })),
  );
  return {
    endedAt: clock.now(),
    jobs,
    discord: { guild: guild.id, channel: channel.id, ana: ana.id, ben: ben.id },
    urls: { hook: hook.url, away: away.url, gone: gone.url },
    titles: {
      delivered: [...delivered, card, dm, ofBen].map(({ title }) => title as string),
      sentUnsettled: sentUnsettled.title as string,
      inPause: inPause.title as string,
      parked: parked.title as string,
      unseen: unseen.title as string,
      owedAtOnce: owedAtOnce.map(({ title }) => title as string),
      toNobody: toNobody.map(({ title }) => title as string),
      inDigests: inDigests.map(({ title }) => title as string),
      inWeekly: inWeekly.title as string,
      saved: dm.title as string,
      hidden: card.company as string,
    },
    hooks: hook.received.map(({ id, raw }) => ({ id, raw })),
    mails,
  };
}

test.skipIf(!RELEASED)('makes the stores', { timeout: 900_000 }, async () => {
  const main = join(RELEASED as string, 'dist/main.js');
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-made-'));
  later(() => rm(dir, { recursive: true, force: true }));
  const stories: Record<string, Story> = {};
  const keep = (name: string, data: string | Buffer) =>
    writeFile(join(STORES, name), gzipSync(data, { level: 9 }));

  const file = join(dir, 'store.sqlite');
  stories.sqlite = await tell(main, `sqlite://${file}`);
  const copy = join(dir, 'copy.sqlite');
  const backup = startProgram(['backup', copy], {
    cwd: dir,
    env: { STORE_URL: `sqlite://${file}`, SECRET_KEY: KEY },
    main,
  });
  expect(await backup.ended).toBe(0);
  await keep('sqlite.gz', await readFile(copy));

  const postgres = await DATABASES.find(({ name }) => name === 'postgres')!.start();
  later(() => postgres.stop());
  const url = await postgres.freshUrl();
  stories.postgres = await tell(main, url);
  const dump = execFileSync('pg_dump', ['--inserts', '--no-owner', '--no-privileges', url]).toString();
  // Only statements, which any client can send.
  await keep(
    'postgres.sql.gz',
    dump.replaceAll(/^(?:--.*|\\.*|SET .*|SELECT pg_catalog\.set_config.*)?\n/gmu, ''),
  );

  const redis = await startRedis();
  later(() => redis.stop());
  stories.redis = await tell(main, redis.url);
  await keep('redis.json.gz', JSON.stringify(await dumpRedis(redis.url)));

  await keep('stories.json.gz', JSON.stringify(stories));
});
