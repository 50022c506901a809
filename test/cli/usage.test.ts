// The command line itself: useful help for each command, and exit codes for scripts.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MAIN_COMMANDS } from '../../src/cli/commands.js';
import { UPKEEP_COMMANDS } from '../../src/cli/commands-upkeep.js';
import { startBoard } from '../helpers/board.js';
import { cliFolder } from '../helpers/cli.js';
import { startProgram } from '../helpers/process.js';

const COMMANDS = [...MAIN_COMMANDS, ...UPKEEP_COMMANDS];

describe('help', () => {
  it.each(COMMANDS.map((entry) => entry.name))(
    '%s --help shows usage, examples and exit codes',
    async (name) => {
      const { run } = await cliFolder();
      const { code, out, err } = await run([...name.split(' '), '--help']);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain(`Usage: jobcrier ${name}`);
      expect(out).toMatch(/Examples:\n {2}jobcrier /);
      expect(out).toMatch(/Exit codes: 0 /);
    },
  );

  it('lists every command', () => {
    const names = COMMANDS.map((entry) => entry.name.split(' ')[0]);
    expect([...new Set(names)].sort()).toEqual(
      'backup board config demo digest doctor health init keys mail mcp poll restore run store subscriptions token why'.split(
        ' ',
      ),
    );
  });

  it('needs no setting and reads none', async () => {
    const { run } = await cliFolder({ HTTP_PORT: 'nonsense' });
    expect((await run(['--help'])).code).toBe(0);
    expect((await run(['run', '--help'])).code).toBe(0);
  });

  it('prints the version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const { run } = await cliFolder();
    expect(await run(['--version'])).toMatchObject({ code: 0, out: version });
  });
});

it('run sets only flags that this V8 knows', async () => {
  const { dir } = await cliFolder();
  const program = startProgram(['run'], { cwd: dir, env: { HTTP_PORT: 'nonsense' } });
  expect(await program.ended).toBe(2);
  expect(program.stderr.filter((line) => line.includes('flag'))).toEqual([]);
});

describe('run --stay', () => {
  it('reports wrong settings once and waits to be stopped, for containers that always restart', {
    tags: 'long',
  }, async () => {
    const { dir } = await cliFolder();
    const program = startProgram(['run', '--stay'], { cwd: dir, env: { HTTP_PORT: 'nonsense' } });
    await program.until('the word', () => program.stderr.some((line) => line.startsWith('Nothing runs.')));
    expect(program.stderr.filter((line) => line.startsWith('HTTP_PORT: given '))).toHaveLength(1);
    program.kill('SIGTERM');
    expect(await program.ended).toBe(2);
  });
});

describe('an old Node', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

  it.each(['12.22.12', '18.20.8', '20.18.3'])(
    '%s is reported in one sentence, before the rest is loaded',
    async (version) => {
      const { dir } = await cliFolder();
      const old = join(dir, 'old.cjs');
      await writeFile(
        old,
        `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
       Object.defineProperty(process, 'version', { value: 'v${version}' });`,
      );
      const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', old, main, 'run'], {
        cwd: dir,
        encoding: 'utf8',
      });
      expect([status, stdout, stderr]).toEqual([
        2,
        '',
        `jobcrier needs Node.js 20.19 or later and this is v${version}: install a newer one.\n`,
      ]);
    },
  );

  it("is any before that in package.json, and the file that checks it loads nothing an old Node can't read", () => {
    expect(JSON.parse(read('package.json')).engines.node).toBe('>=20.19');
    const main = read('src/main.ts');
    expect(main.match(/^import |import\(/gmu)).toEqual(['import(']);
    expect(main).not.toMatch(/\bawait\b|\?\.|\?\?/u);
  });
});

describe('wrong usage ends with 2', () => {
  it.each([
    [[], 'Usage: jobcrier'],
    [['nope'], "unknown command 'nope'"],
    [['rnu'], 'Did you mean run?'],
    [['subscriptions'], 'Usage: jobcrier subscriptions'],
    [['subscriptions', 'nope'], "unknown command 'nope'"],
    [['run', '--nope'], "unknown option '--nope'"],
    [['run', '--role', 'king'], 'Allowed choices are all, control, worker'],
    [['board', '--jobs', 'x'], "required option '--tokens <file>'"],
    [['board', '--jobs', 'x', '--tokens', 'y', '--port', '99999'], 'whole number from 0 to 65535'],
    [['why', '--subscription', 'x'], "required option '--posting <key>'"],
    [['why'], "'--subscription <id>' not specified\nerror: required option '--posting <key>' not specified"],
    [['backup'], "missing required argument 'file'"],
  ])('%j', async (args, says) => {
    const { run } = await cliFolder();
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
  });

  const shared = {
    QUEUE_URL: 'redis://127.0.0.1:1',
    SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
    STORE_URL: 'postgres://tester@127.0.0.1:1/jobs',
  };
  it.each([
    ['QUEUE_URL', 'control'],
    ['QUEUE_URL', 'worker'],
    ['SECRET_KEY', 'control'],
    ['SECRET_KEY', 'worker'],
    ['SECRET_KEY', 'all'],
    ['STORE_URL', 'control'],
    ['STORE_URL', 'worker'],
    ['STORE_URL', 'all'],
  ])('without %s run --role %s says in one line what it needs', async (name, role) => {
    const { run } = await cliFolder({ JOBS_API_URL: 'http://127.0.0.1:1' });
    const { [name]: _missing, ...env } = shared as Record<string, string>;
    const { code, err } = await run(['run', '--role', role], { env });
    expect(code).toBe(2);
    expect(err.trim().split('\n')).toEqual([expect.stringMatching(new RegExp(`^${name}: .*wanted `, 'u'))]);
  });

  it('reports all missing options together', async () => {
    const { run } = await cliFolder();
    const { code, err } = await run(['run', '--role', 'worker']);
    expect(code).toBe(2);
    expect(err.match(/^[A-Z_]+(?=: )/gmu)).toEqual(['JOBS_API_URL', 'QUEUE_URL', 'SECRET_KEY', 'STORE_URL']);
  });
});

describe('signals', () => {
  it('a graceful command ends with 0', { tags: 'long' }, async () => {
    const { dir } = await cliFolder();
    await writeFile(join(dir, 'jobs.json'), '[]');
    await writeFile(join(dir, 'tokens.json'), '[]');
    const program = startProgram(['board', '--jobs', 'jobs.json', '--tokens', 'tokens.json', '--json'], {
      cwd: dir,
    });
    await program.until('the address', () => program.json().some((line) => line.event === 'listening'));
    program.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it('a second signal ends it immediately with 1', { tags: 'long' }, async () => {
    let calls = 0;
    const silent = createServer((socket) => {
      calls++;
      socket.on('error', () => undefined);
    });
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', () => done()));
    const { port } = silent.address() as AddressInfo;
    const board = await startBoard({
      jobs: [{ id: '1', title: 'A', apply_url: 'https://jobs.example/r/x1' }],
    });
    const env = {
      JOBS_API_URL: board.url,
      JOBS_API_TOKEN: board.token,
      HTTP_PORT: '0',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    };
    const { run, dir } = await cliFolder(env);
    try {
      const entry = `- { id: a, newest: 1, destinations: [{ sink: webhook, target: "http://127.0.0.1:${port}/" }] }`;
      expect(await run(['subscriptions', 'import'], { input: entry })).toMatchObject({ code: 0 });
      const program = startProgram(['run'], { cwd: dir, env });
      await program.until('a delivery that hangs', () => calls > 0);
      program.kill('SIGTERM');
      await program.until('it stops', () => program.json().some((line) => line.msg === 'stopping'));
      // Repeated, because the first one may count as an echo of the former signal.
      const again = setInterval(() => program.kill('SIGTERM'), 50);
      expect(await program.ended).toBe(1);
      clearInterval(again);
    } finally {
      await board.close();
      silent.close();
    }
  });

  it('a command without a graceful end stops immediately', async () => {
    const { dir } = await cliFolder();
    const program = startProgram(['subscriptions', 'import'], { cwd: dir, keepStdin: true });
    await program.until('it runs', () => program.child.pid !== undefined);
    program.kill('SIGINT');
    expect(await program.ended).not.toBe(0);
  });
});

describe('output', () => {
  it('is no failure when its reader has ended', { tags: 'long' }, async () => {
    const { dir } = await cliFolder();
    const program = startProgram(['config', 'dump'], { cwd: dir });
    program.child.stdout?.destroy();
    expect(await program.ended).toBe(0);
  });

  it('says in one line that the path of the store is a folder', async () => {
    const { run, dir } = await cliFolder();
    const { code, err } = await run(['subscriptions', 'list'], { env: { STORE_URL: `sqlite://${dir}` } });
    expect(code).toBe(2);
    expect(err).toContain(dir);
    expect(err).not.toMatch(/^ +at /m);
  });
});

describe('a secret in the wrong variable', () => {
  // As a process, because Node words this error differently under the test runner.
  it.each([
    ['SINKS', 'K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols=', 2],
    ['SINKS', '-----BEGIN PRIVATE KEY-----\\nMIGHAgEAMBMGByqGSM49', 2],
    ['HTTP_HOST', 'MTIzNDU2Nzg5.GaBcDe.f9x8w7v6u5t4s3r2q1p0_AB', 1],
  ])(
    '%s is named, and its value is not',
    async (name, value, code) => {
      const { dir } = await cliFolder();
      const env = { JOBS_API_URL: 'http://127.0.0.1:1', JOBS_API_TOKEN: 'x', HTTP_PORT: '0', [name]: value };
      const program = startProgram(['run'], { cwd: dir, env });
      expect(await program.ended).toBe(code);
      const said = [...program.stdout, ...program.stderr].join('\n');
      expect(said).toContain(`${name}: `);
      expect(said).not.toMatch(/K7gNU3sdo|MIGHAgEA|GaBcDe|f9x8w7v6/u);
    },
    60_000,
  );
});
