// `config check` and `config dump` through the real program: all faults together, and no secret in any output.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliFolder } from '../helpers/cli.js';

const CANARY = 'canary-7f3a91';

describe('config check', () => {
  it('ends with 2 and writes every fault on a separate line', async () => {
    const { run } = await cliFolder({ JOBS_API_URL: 'https://jobs.example.org' });
    const { code, out, err } = await run(['config', 'check'], {
      env: {
        HTTP_PORT: 'x',
        BACKUP_KEEP: '-1',
        SMTP_URL: `http://u:${CANARY}@mail`,
        JOBS_API_TOKEN_FILE: '/nope',
        JOBCRIER_DISCORD_TOKEN: CANARY,
      },
    });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err.split('\n').map((line) => line.split(':')[0])).toEqual([
      'JOBS_API_TOKEN_FILE',
      'SMTP_URL',
      'HTTP_PORT',
      'BACKUP_KEEP',
      'MAIL_FROM',
      'warning',
    ]);
    expect(err).not.toContain(CANARY);
  });

  it('writes the faults for programs as JSON, one element each', async () => {
    const { run } = await cliFolder({ JOBS_API_URL: 'https://jobs.example.org' });
    const { code, json } = await run(['config', 'check', '--json'], {
      env: { HTTP_PORT: 'x', LOG_LEVEL: 'y' },
    });
    expect(code).toBe(2);
    expect(json()).toEqual({
      ok: false,
      faults: [expect.stringMatching(/^HTTP_PORT: /u), expect.stringMatching(/^LOG_LEVEL: /u)],
    });
  });

  it('loads the modules of SINKS, also without a subscriptions file', async () => {
    const { run } = await cliFolder({ JOBS_API_URL: 'https://jobs.example.org', SINKS: './nope.mjs' });
    const { code, err } = await run(['config', 'check']);
    expect(code).toBe(2);
    expect(err).toMatch(/^SINKS: .*nope\.mjs/u);
  });

  it('warns of misspelt names and continues', async () => {
    const { run } = await cliFolder({ JOBS_API_URL: 'https://jobs.example.org' });
    const { code, err } = await run(['config', 'check'], { env: { JOBS_API_TOKN: 'x' } });
    expect(code).toBe(0);
    expect(err).toBe('warning: JOBS_API_TOKN is not a setting and is ignored; did you mean JOBS_API_TOKEN?');
  });

  it('reports the faults of every entry of the subscriptions file', async () => {
    const { run, dir } = await cliFolder();
    await mkdir(join(dir, 'config'));
    await writeFile(
      join(dir, 'config', 'subscriptions.yaml'),
      `- { id: a, filter: { tags: [solidty], country: Atlantis }, destinations: [{ sink: console }] }
- { id: b, schedule: "* *", destinations: [{ sink: email, target: me@example.org }] }
- { id: a, destinations: [{ sink: console }] }
`,
    );
    const { code, err } = await run(['config', 'check']);
    expect(code).toBe(2);
    expect(err).toMatch(/subscription a: .*"solidty" is not a tag.*solidity/);
    expect(err).toMatch(/subscription a: country: "Atlantis"/);
    expect(err).toMatch(/subscription b: schedule/);
    expect(err).toMatch(/subscription b: sink: e-mail is off: set SMTP_URL/);
    expect(err).toMatch(/yaml:3:5: entry 3, subscription a: id: it is listed twice/);
  });

  it('reports all faults in one run with their place, like a start, and no secret', async () => {
    const { run, dir } = await cliFolder({ SINKS: './nope.mjs,./neither.mjs', HTTP_HOST: '999.1.1.1' });
    await mkdir(join(dir, 'config'));
    const token = 'jb_live_9f8e7d6c5b4a3f2e1d';
    await writeFile(
      join(dir, 'config', 'subscriptions.yaml'),
      `- id: a
  filter:
    tags: [rust]
    country: ${token}
  schedule: ${token}
  destinations:
    - sink: console
    - sink: discord
      target: ${token}
    - sink: email
      target: me@example.org
      cadence: { weekly: ${token} }
- id: b
  ${token}: 1
  destinations: [{ sink: console }]
- ${token}
`,
    );
    await writeFile(join(dir, 'data'), 'a file in the way');
    const env = { SMTP_URL: token, LOG_LEVEL: token };
    const checked = await run(['config', 'check'], { env });
    const lines = [
      /^SMTP_URL: given \[secret\]/,
      /^HTTP_HOST: given "999\.1\.1\.1"/,
      /^LOG_LEVEL: given a text of 26 characters/,
      /^MAIL_FROM: not given/,
      /^JOBS_API_URL: not given, and run needs it/,
      /^DATA_DIR: there is a file where the folder should be/,
      /^SINKS: \.\/nope\.mjs: no such file/,
      /^SINKS: \.\/neither\.mjs: no such file/,
      /subscriptions\.yaml:5:3: entry 1, subscription a: schedule: a text of 26/,
      /subscriptions\.yaml:4:5: entry 1, subscription a: country: a text of 26/,
      /subscriptions\.yaml:8:7: entry 1, subscription a: sink: Discord is off/,
      /subscriptions\.yaml:12:18: entry 1, subscription a: weekly: a text of 26/,
      /subscriptions\.yaml:14:3: entry 2, subscription b: entry: a text of 26 characters is not a field/,
      /subscriptions\.yaml:16:3: entry 3, subscription \(without id\): wanted an entry/,
    ];
    expect(checked.code).toBe(2);
    for (const line of lines) expect(checked.err).toMatch(new RegExp(line.source, 'mu'));
    expect(checked.err).not.toContain(token);
    expect(checked.err.split('\n')).toHaveLength(lines.length);
    expect(await run(['run'], { env })).toMatchObject({ code: 2, err: checked.err });
    await writeFile(join(dir, 'config', 'subscriptions.yaml'), `- id: a\n  filter: { tags: [${token}\n- "\n`);
    const broken = (await run(['config', 'check'], { env })).err;
    expect(broken).toMatch(/subscriptions\.yaml:3:\d+: this is not YAML/u);
    expect(new Set(broken.split('\n')).size).toBe(broken.split('\n').length);
    expect(broken).not.toContain(token);
  }, 300_000);

  it('treats a configured folder that is missing as a fault, although a start only warns', async () => {
    const { run, dir } = await cliFolder({ JOBS_API_URL: 'http://127.0.0.1:1', API_SPACING_MS: '0' });
    await writeFile(join(dir, 'file'), 'not a folder');
    const env = { CONFIG_DIR: '/nowhere/config', TEMPLATES_DIR: 'file' };
    const { code, err } = await run(['config', 'check'], { env });
    expect([code, err.split('\n').map((line) => line.split(':')[0])]).toEqual([
      2,
      ['CONFIG_DIR', 'TEMPLATES_DIR'],
    ]);
    const polled = await run(['poll'], { env });
    expect(polled).toMatchObject({ code: 0, err: expect.stringContaining('warning: CONFIG_DIR: ') });
  }, 300_000);

  it('accepts the example file when its sinks are on', async () => {
    const { run, dir } = await cliFolder({
      JOBS_API_URL: 'https://jobs.example.org',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'a@example.org',
      PUBLIC_URL: 'http://127.0.0.1',
    });
    await mkdir(join(dir, 'config'));
    const { readFile } = await import('node:fs/promises');
    const example = await readFile(
      new URL('../../config/subscriptions.example.yaml', import.meta.url),
      'utf8',
    );
    await writeFile(join(dir, 'config', 'subscriptions.yaml'), example);
    const { code, err, json } = await run(['config', 'check', '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(json()).toMatchObject({ ok: true, subscriptions: 1 });
  });
});

describe('config dump', () => {
  it('shows where each value comes from and hides secrets', async () => {
    const { run, dir } = await cliFolder();
    await writeFile(join(dir, '.env'), 'HTTP_PORT=9000\n');
    await writeFile(join(dir, 'token'), `${CANARY}\n`);
    const env = {
      JOBS_API_TOKEN_FILE: 'token',
      STORE_URL: `postgres://u:${CANARY}@db/x`,
      ADMIN_TOKEN: `${CANARY}-${CANARY}`,
    };
    const { code, out, json } = await run(['config', 'dump', '--json'], { env });
    expect(code).toBe(0);
    const rows = new Map(
      json<{ name: string; value: string | null; from: string }[]>().map((row) => [row.name, row]),
    );
    expect(rows.get('JOBS_API_TOKEN')).toMatchObject({ value: '[secret]', from: 'file token' });
    expect(rows.get('HTTP_PORT')).toMatchObject({ value: '9000', from: '.env' });
    expect(rows.get('STORE_URL')).toMatchObject({ value: 'postgres://u:***@db/x', from: 'environment' });
    expect(rows.get('SMTP_URL')).toMatchObject({ value: null });
    expect(rows.get('limits.digestCap')).toMatchObject({ value: '50', from: 'default' });
    expect(out).not.toContain(CANARY);
    const plain = await run(['config', 'dump'], { env });
    expect(plain.out).toMatch(/^JOBS_API_TOKEN +\[secret\] +file token$/m);
    expect(plain.out + plain.err).not.toContain(CANARY);
  });
});
