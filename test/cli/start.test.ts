// What a start loads, and what it reports when something it loads is broken. Libraries are loaded when they are used,
// so that a command answers quickly and a small service stays small.
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hasBuiltIn } from '../../src/store/sqlite/built-in.js';
import { cliFolder } from '../helpers/cli.js';
import { recordLoaded } from '../helpers/loaded.js';
import { startProgram } from '../helpers/process.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** An address where nothing listens. */
const NOWHERE = 'http://127.0.0.1:1';

/** Runs the service in a new folder until it is ready, shows it to `look`, and stops it. */
async function runOnce(
  env: Record<string, string> = {},
  look: (url: string) => Promise<void> = async () => undefined,
  prepare: (dir: string) => Promise<void> = async () => undefined,
) {
  const { dir } = await cliFolder();
  await prepare(dir);
  const record = await recordLoaded(dir);
  const program = startProgram(['run'], {
    cwd: dir,
    env: { JOBS_API_URL: NOWHERE, HTTP_PORT: '0', ...record.env, ...env },
  });
  await program.until('the start', () => program.json().some(({ msg }) => msg === 'running'));
  const url = String(program.json().find(({ msg }) => msg === 'web pages are up')?.url);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  await look(url);
  program.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  return { ...(await record.read()), lines: program.json() };
}

/**
 * Libraries that a service without Discord, mail, PostgreSQL and queue does not use, and those of pages until one is
 * requested.
 */
const UNUSED = [
  '@discordjs/rest',
  '@keyv/postgres',
  '@modelcontextprotocol/sdk',
  '@resvg/resvg-js',
  '@valibot/to-json-schema',
  'bullmq',
  'discord.js',
  'ioredis',
  'liquidjs',
  'nodemailer',
  'pg',
  'pino-pretty',
  'zod',
];

describe('a start loads', () => {
  it('only the command line for --version and --help', async () => {
    for (const args of [['--version'], ['--help'], ['run', '--help']]) {
      const { dir, spawn } = await cliFolder();
      const record = await recordLoaded(dir);
      expect((await spawn(args, { env: record.env })).code).toBe(0);
      const { packages, files } = await record.read();
      expect([...packages].toSorted()).toEqual([
        'commander',
        'fastest-levenshtein',
        'nanospinner',
        'picocolors',
      ]);
      expect([...files].toSorted()).toEqual([
        'cli/command-entry',
        'cli/command-line',
        'cli/commands',
        'cli/commands-upkeep',
        'cli/io',
        'domain/defined',
        'domain/errors',
        'domain/tags',
        'domain/typos',
        'main',
        'program',
      ]);
    }
  });

  it('no library that the settings do not need, and those of pages with the first page', async () => {
    const idle = await runOnce();
    expect(idle.packages).toContain('undici');
    expect(UNUSED.filter((name) => idle.packages.has(name))).toEqual([]);
    expect(
      [...idle.files].filter((file) => /^(?:bot\/bot|bot\/actions\/|store\/postgres$)/u.test(file)),
    ).toEqual([]);
    const asked = await runOnce({}, async (url) => {
      expect(await (await fetch(`${url}/unsubscribe/none`)).text()).toContain('<html');
    });
    expect(asked.packages).toContain('liquidjs');
  });

  it('the mail libraries with mail, and the bot with Discord', async () => {
    const { packages, files } = await runOnce({
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'jobs@example.org',
      DISCORD_TOKEN: 'no-token',
      DISCORD_API_URL: `${NOWHERE}/api`,
    });
    for (const name of ['nodemailer', 'liquidjs', '@resvg/resvg-js', 'discord.js'])
      expect(packages).toContain(name);
    expect(files).toContain('bot/bot');
  });
});

describe('a start reports what is broken before it is used', () => {
  it("in the operator's templates", async () => {
    const { lines, packages } = await runOnce({}, undefined, async (dir) => {
      await mkdir(join(dir, 'templates/page'), { recursive: true });
      await writeFile(join(dir, 'templates/page/message.html.liquid'), 'ok\n{{ titel }}');
    });
    expect(packages).toContain('liquidjs');
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        msg: 'template is broken, the last good one stays',
        file: 'page/message.html.liquid',
        line: 2,
      }),
    );
  });
});

/**
 * The program as it is installed, without the `missing` packages and, of the SQLite binding, without its compiled part.
 * Packages are links to the real ones, except those on the way to the binding, which would find it from their real place.
 */
async function installWithout(dir: string, missing: readonly string[]): Promise<string> {
  const home = join(dir, 'program');
  for (const part of ['dist', 'config', 'templates', 'package.json'])
    await cp(join(ROOT, part), join(home, part), { recursive: true });
  const modules = join(ROOT, 'node_modules');
  const names = (await readdir(modules)).filter((name) => !name.startsWith('.'));
  const inScopes = await Promise.all(
    names
      .filter((name) => name.startsWith('@'))
      .map(async (scope) => (await readdir(join(modules, scope))).map((name) => `${scope}/${name}`)),
  );
  const packages = [...names.filter((name) => !name.startsWith('@')), ...inScopes.flat()];
  for (const name of packages.filter((name) => !missing.includes(name))) {
    const place = join(home, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    if (name === '@keyv/sqlite' || name === 'sqlite3')
      await cp(join(modules, name), place, {
        recursive: true,
        filter: (path) => !/\/sqlite3\/(?:build|deps|src)$/u.test(path),
      });
    else await symlink(join(modules, name), place);
  }
  return join(home, 'dist/main.js');
}

/** Runs commands of such a program in `dir`. */
async function commandsWithout(dir: string, missing: readonly string[]) {
  const main = await installWithout(dir, missing);
  return async (...args: string[]) => {
    const { ended, stdout, stderr } = startProgram(args, {
      cwd: dir,
      main,
      env: { JOBS_API_URL: NOWHERE },
    });
    return { code: await ended, out: stdout.join('\n'), err: stderr };
  };
}

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly says: string;
  readonly fix?: string;
}

const storeIn = (doctor: string) =>
  (JSON.parse(doctor) as { findings: Finding[] }).findings.find(({ check }) => check === 'store');

const MISSING: readonly (readonly [string, readonly string[], string])[] = [
  ['the package', ['@keyv/sqlite'], 'MODULE_NOT_FOUND'],
  ['its binding', ['sqlite3'], 'MODULE_NOT_FOUND'],
  ['the compiled part of it', [], 'its compiled part is missing'],
];

describe.skipIf(hasBuiltIn())(
  'on a Node without SQLite, a store says in one sentence what is missing and what to do',
  () => {
    it.each(MISSING)('without %s', async (_what, missing, why) => {
      const sentence = new RegExp(
        `^The store is a SQLite file, and the optional package @keyv/sqlite that opens it can't be loaded \\(${why}\\): use Node\\.js 22\\.13 .*STORE_URL\\.$`,
        'u',
      );
      const { dir } = await cliFolder();
      const run = await commandsWithout(dir, missing);
      // Commands that need no store work.
      expect(await run('config', 'check')).toMatchObject({ code: 0 });
      for (const args of [['run'], ['subscriptions', 'add', '--id', 'a', '--to', 'console']]) {
        const { code, err } = await run(...args);
        expect(code).toBe(1);
        expect(err.filter((line) => sentence.test(line))).toHaveLength(1);
      }
      const { code, out } = await run('doctor', '--json');
      expect(code).toBe(1);
      expect(storeIn(out)).toMatchObject({ state: 'fail', fix: expect.stringMatching(sentence) });
    });
  },
);

describe.skipIf(!hasBuiltIn())('on a Node with SQLite, a store is opened', () => {
  it.each(MISSING)('without %s, and doctor names what it uses', async (_what, missing, why) => {
    const { dir } = await cliFolder();
    const run = await commandsWithout(dir, missing);
    expect(await run('subscriptions', 'add', '--id', 'a', '--to', 'console')).toMatchObject({ code: 0 });
    expect(await run('poll')).toMatchObject({
      code: 1,
      err: expect.arrayContaining([expect.stringMatching(/^a: /u)]),
    });
    expect(await run('backup', 'copy.sqlite')).toMatchObject({ code: 0 });
    const listed = await run('subscriptions', 'list', '--json');
    expect(listed.err).toEqual([]);
    expect(listed.out).toContain('"id":"a"');
    expect(storeIn((await run('doctor', '--json')).out)).toMatchObject({
      state: 'ok',
      says: expect.stringContaining(`the SQLite of Node, since @keyv/sqlite can't be loaded (${why})`),
    });
  });
});
