// `doctor` through the real program: it reports a working installation as such, and names each fault of a broken one
// with its fix, within the time limit and without a secret.

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startBoard } from '../helpers/board.js';
import { cliFolder, type Folder } from '../helpers/cli.js';
import { type Discord, startDiscord } from '../helpers/discord/start-discord.js';
import { later } from '../helpers/later.js';
import { startProgram } from '../helpers/process.js';
import { REDIS_MISSING, startRedis } from '../helpers/redis-server.js';
import { startSmtp } from '../helpers/smtp.js';
import { POSTGRES_MISSING } from '../store/databases.js';
import { startPostgresServer } from '../store/postgres-servers.js';

interface Finding {
  check: string;
  state: string;
  says: string;
  fix?: string;
}

const CANARY = 'canary5d4c3b2a1f';
async function examine(
  { run }: Folder,
  env: Record<string, string> = {},
): Promise<{ code: number | string; findings: Finding[]; text: string }> {
  const { code, out, err, json } = await run(['doctor', '--json'], { env });
  return { code, findings: json<{ findings: Finding[] }>().findings, text: out + err };
}

function of(findings: readonly Finding[], check: string): Finding[] {
  return findings.filter((one) => one.check === check);
}

async function discord(settings: Parameters<typeof startDiscord>[0] = {}): Promise<Discord> {
  const stand = await startDiscord(settings);
  later(() => stand.close());
  return stand;
}

/** A server that accepts connections and never answers. */
async function silentServer(): Promise<number> {
  const server: Server = createServer();
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  later(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((done) => server.close(done));
  });
  return (server.address() as { port: number }).port;
}

describe('doctor in a working installation', () => {
  it('ends with 0 and reports for each part that it works', { tags: 'long' }, async () => {
    const board = await startBoard({ jobs: [] });
    const smtp = await startSmtp({ login: true });
    const stand = await discord();
    later(
      () => board.close(),
      () => smtp.close(),
    );
    const guild = stand.addGuild({ channels: [{ name: 'jobs' }] });
    const folder = await cliFolder({
      JOBS_API_URL: board.url,
      JOBS_API_TOKEN: board.token,
      DISCORD_TOKEN: stand.token,
      DISCORD_API_URL: stand.apiUrl,
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Crier <jobs@localhost>',
      PUBLIC_URL: board.url,
      // No service may answer there.
      HTTP_PORT: '9',
    });
    const add = ['subscriptions', 'add', '--id', 'a', '--to', `discord:${guild.channel('jobs').id}`];
    expect(await folder.run(add)).toMatchObject({ code: 0 });
    const { code, findings, text } = await examine(folder);
    expect(findings.filter((one) => one.state === 'fail')).toEqual([]);
    expect(code).toBe(0);
    for (const check of [
      'versions',
      'settings',
      'clock',
      'disk',
      'store',
      'templates',
      'jobs API',
      'Discord',
      'Discord channels',
      'mail relay',
    ])
      expect(of(findings, check), check).toMatchObject([{ state: 'ok' }]);
    expect(of(findings, 'Discord channels')[0]?.says).toMatch(
      /channel \d+ of subscription a: the bot may post/,
    );
    expect(text).not.toContain(stand.token);
  });

  const missing = POSTGRES_MISSING ?? REDIS_MISSING;
  it.skipIf(missing)(
    `of several processes${missing ? ` (skipped: ${missing})` : ''}`,
    { tags: 'long' },
    async () => {
      const redis = await startRedis('--maxmemory-policy', 'allkeys-lru');
      const postgres = await startPostgresServer(['synchronous_commit = off']);
      later(
        () => redis.stop(),
        () => postgres.stop(),
      );
      const folder = await cliFolder({
        QUEUE_URL: redis.url,
        STORE_URL: postgres.address('postgres'),
        SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
      });
      const first = await examine(folder);
      expect(of(first.findings, 'queue')).toMatchObject([
        { state: 'fail', says: expect.stringContaining('maxmemory-policy allkeys-lru') },
      ]);
      // The server of the tests does not store anything on disk.
      expect(of(first.findings, 'PostgreSQL').map((one) => one.says.split(' is ')[0])).toEqual([
        'fsync',
        'synchronous_commit',
      ]);
      await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      await postgres.sql('ALTER SYSTEM SET synchronous_commit = on');
      await postgres.sql('ALTER SYSTEM SET fsync = on');
      await postgres.sql('SELECT pg_reload_conf()');
      const second = await examine(folder);
      expect(of(second.findings, 'queue')).toMatchObject([
        { state: 'ok', says: expect.stringMatching(/^(?:Redis|Valkey) \d/u) },
      ]);
      expect(of(second.findings, 'PostgreSQL')).toMatchObject([
        { state: 'ok', says: expect.stringMatching(/^version \d+.*, \d+ connections free$/u) },
      ]);
      await redis.kill();
      const third = await examine(folder);
      expect(of(third.findings, 'queue')).toMatchObject([
        { state: 'fail', says: expect.stringContaining('Redis does not answer') },
      ]);
    },
  );

  it('opens no store that does not exist', { tags: 'long' }, async () => {
    const folder = await cliFolder();
    const { findings } = await examine(folder);
    expect(of(findings, 'store')).toMatchObject([
      { state: 'off', says: expect.stringContaining('there is none yet') },
    ]);
    await expect(readFile(join(folder.dir, 'data', 'secret.key'))).rejects.toThrow();
  });
});

describe('doctor in a broken installation', () => {
  it('reports all faults in one run, each with its fix', { tags: 'long' }, async () => {
    const board = await startBoard({ jobs: [], tokens: [{ token: 'another' }] });
    later(() => board.close());
    const stand = await discord();
    const folder = await cliFolder({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@localhost' });
    await folder.run(['subscriptions', 'add', '--id', 'a', '--to', 'console']);
    await mkdir(join(folder.dir, 'config'));
    await writeFile(
      join(folder.dir, 'config', 'subscriptions.yaml'),
      '- { id: x, filter: { tags: [nope] }, destinations: [{ sink: console }] }',
    );
    await mkdir(join(folder.dir, 'templates', 'mail'), { recursive: true });
    await writeFile(join(folder.dir, 'templates', 'mail', 'digest.subject.liquid'), '{{ nothing.here }}');
    await chmod(join(folder.dir, 'data', 'secret.key'), 0o644);
    const { code, findings, text } = await examine(folder, {
      HTTP_PORT: 'x',
      JOBS_API_TOKN: CANARY,
      JOBS_API_URL: board.url,
      JOBS_API_TOKEN: CANARY,
      DISCORD_TOKEN: CANARY,
      DISCORD_API_URL: stand.apiUrl,
      PUBLIC_URL: 'http://127.0.0.1:1',
    });
    expect(code).toBe(1);
    const failing = (check: string) => of(findings, check).filter((one) => one.state === 'fail');
    expect(failing('settings')).toMatchObject([
      { says: 'HTTP_PORT: given "x"', fix: expect.stringMatching(/^wanted a whole number/) },
    ]);
    expect(of(findings, 'settings')).toContainEqual(
      expect.objectContaining({
        state: 'warn',
        says: expect.stringContaining('JOBS_API_TOKN'),
        fix: 'did you mean JOBS_API_TOKEN?',
      }),
    );
    expect(failing('subscriptions file')[0]?.says).toMatch(/"nope" is not a tag/);
    expect(failing('templates')[0]?.says).toMatch(/mail\/digest\.subject\.liquid/);
    expect(of(findings, 'store')).toContainEqual(
      expect.objectContaining({ state: 'warn', fix: expect.stringMatching(/^chmod 600 /) }),
    );
    expect(failing('jobs API')[0]).toMatchObject({
      says: expect.stringContaining('account operator'),
      fix: expect.stringContaining('JOBS_API_TOKEN'),
    });
    expect(failing('Discord')[0]?.says).toBe('the bot token is refused');
    expect(failing('mail relay')[0]?.says).toMatch(/can't be reached \(ESOCKET\)|ECONNREFUSED/);
    expect(of(findings, 'PUBLIC_URL')).toMatchObject([
      { state: 'warn', fix: expect.stringContaining('start the service') },
    ]);
    for (const { state, fix } of findings) if (state === 'fail' || state === 'warn') expect(fix).toBeTruthy();
    expect(text).not.toContain(CANARY);
  });

  it("reports that the folder of the store can't be written, also as root", { tags: 'long' }, async () => {
    const folder = await cliFolder();
    // A folder of the kernel: no user can create a file in it, whatever the permission bits.
    const { findings } = await examine(folder, { STORE_URL: 'sqlite:///proc/jobcrier.sqlite' });
    expect(of(findings, 'disk')).toMatchObject([
      { state: 'ok' },
      { state: 'fail', says: expect.stringMatching(/^\/proc can't be written/u) },
    ]);
  });

  it('reports which channels the bot may not post to, and what is missing', { tags: 'long' }, async () => {
    const stand = await discord();
    const guild = stand.addGuild({
      channels: [
        { name: 'deaf', bot: ['VIEW_CHANNEL'] },
        { name: 'hidden', bot: [] },
        { name: 'gone' },
        { name: 'open' },
      ],
    });
    const folder = await cliFolder({ DISCORD_TOKEN: stand.token, DISCORD_API_URL: stand.apiUrl });
    for (const name of ['deaf', 'hidden', 'gone', 'open'])
      await folder.run(['subscriptions', 'add', '--id', name, '--to', `discord:${guild.channel(name).id}`]);
    stand.deleteChannel(guild.channel('gone').id);
    const { findings } = await examine(folder);
    const by = (name: string) =>
      of(findings, 'Discord channels').find((one) => one.says.includes(`subscription ${name}`));
    expect(by('open')?.state).toBe('ok');
    expect(by('deaf')).toMatchObject({
      state: 'fail',
      says: expect.stringMatching(/lacks Send Messages, Embed Links/),
    });
    expect(by('hidden')?.says).toMatch(/can't be seen|lacks View Channel/);
    expect(by('gone')?.says).toMatch(/does not exist any more/);
  });

  it('reports that a key is lost, and no new key is created', { tags: 'long' }, async () => {
    const folder = await cliFolder();
    await folder.run(['subscriptions', 'add', '--id', 'a', '--to', 'console']);
    const { rm } = await import('node:fs/promises');
    await rm(join(folder.dir, 'data', 'secret.key'));
    const { findings } = await examine(folder);
    expect(of(findings, 'store')).toMatchObject([
      { state: 'fail', says: expect.stringContaining('secret.key is missing') },
    ]);
    await expect(readFile(join(folder.dir, 'data', 'secret.key'))).rejects.toThrow();
  });

  it('reports that the relay refuses user and password', { tags: 'long' }, async () => {
    const smtp = await startSmtp({ login: true });
    later(() => smtp.close());
    smtp.script.auth.push({ code: 535, text: '5.7.8 no' });
    const folder = await cliFolder({ SMTP_URL: smtp.url, MAIL_FROM: 'a@localhost' });
    const { findings } = await examine(folder);
    expect(of(findings, 'mail relay')).toMatchObject([
      { state: 'fail', says: expect.stringContaining('refuses user or password, answer 535') },
    ]);
  });

  it('answers in time when other services hang', { tags: 'long', timeout: 180_000 }, async () => {
    const port = await silentServer();
    const there = `127.0.0.1:${port}`;
    const folder = await cliFolder({
      JOBS_API_URL: `http://${there}`,
      JOBS_API_TOKEN: 'x',
      DISCORD_TOKEN: 'x',
      DISCORD_API_URL: `http://${there}/api`,
      SMTP_URL: `smtp://${there}`,
      MAIL_FROM: 'a@localhost',
      PUBLIC_URL: `http://${there}`,
    });
    const { code, findings } = await examine(folder);
    expect(code).toBe(1);
    for (const check of ['jobs API', 'Discord', 'mail relay'])
      expect(of(findings, check), check).toMatchObject([{ state: 'fail' }]);
  });
});

describe('--report', () => {
  it('contains findings and the names of the settings, but no secret, address, host or id', {
    tags: 'long',
  }, async () => {
    const folder = await cliFolder({
      JOBS_API_URL: 'http://canary-host.invalid:1',
      JOBS_API_TOKEN: CANARY,
      DISCORD_TOKEN: CANARY,
      DISCORD_API_URL: 'http://127.0.0.1:1/api',
      SMTP_URL: `smtp://user:${CANARY}@canary-relay.invalid:1`,
      MAIL_FROM: 'Crier <someone@canary-domain.invalid>',
    });
    await folder.run(['subscriptions', 'add', '--id', 'a', '--to', 'discord:123456789012345678']);
    const { code } = await folder.spawn(['doctor', '--report', 'report.json']);
    expect(code).toBe(1);
    const text = await readFile(join(folder.dir, 'report.json'), 'utf8');
    const report = JSON.parse(text);
    expect(report.findings.length).toBeGreaterThan(10);
    expect(report.settings).toContainEqual({ name: 'JOBS_API_TOKEN', given: true, from: 'environment' });
    expect(text).not.toMatch(/canary|someone|123456789012345678/);
    expect(text).not.toContain(folder.dir);
  });

  it('names none of the hosts of the store', async () => {
    const { run, dir } = await cliFolder({
      JOBS_API_URL: 'http://127.0.0.1:1',
      STORE_URL: 'postgres://user@canary-one.invalid:5432,canary-two.invalid:5433/jobs?connect_timeout=1',
    });
    const file = join(dir, 'report.json');
    expect(await run(['doctor', '--report', file])).toMatchObject({ code: 1 });
    const text = await readFile(file, 'utf8');
    expect(JSON.parse(text).findings.length).toBeGreaterThan(5);
    expect(text).not.toContain('canary');
  });

  it.each(['/', ''])('reads well where a container has no home but "%s"', { tags: 'long' }, async (HOME) => {
    const { dir } = await cliFolder();
    const env = { JOBS_API_URL: 'http://127.0.0.1:1', JOBS_API_TOKEN: 'x', HOME };
    const program = startProgram(['doctor', '--report', 'report.json'], { cwd: dir, env });
    expect(await program.ended).toBe(1);
    const text = await readFile(join(dir, 'report.json'), 'utf8');
    expect(JSON.parse(text).findings.length).toBeGreaterThan(5);
    expect(text).not.toContain('~');
  });
});
