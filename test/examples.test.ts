// The files that people copy work unchanged: settings and subscriptions in the program's parsers, compose and unit
// files by the settings they pass on, and the proxy's list of paths compared with the routes.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../src/config/settings.js';
import { loadConfig, requirements } from '../src/config.js';
import type { Role } from '../src/domain/role.js';
import { cliFolder } from './helpers/cli.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const ENV_EXAMPLE = read('.env.example');

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'jobcrier-examples-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const load = (env: Record<string, string>, role: Role = 'all') =>
  loadConfig({ env, cwd, programDir: ROOT, role });
/** Folders of the image and of a server do not exist on this machine. */
const warningsOf = ({ warnings }: ReturnType<typeof load>) =>
  warnings.filter((warning) => !/^(?:CONFIG|TEMPLATES)_DIR: there is no folder/u.test(warning));
/** The result of docker's --env-file and compose's env_file for a file of plain lines. */
const plainLines = (text: string) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => /^[A-Z]/u.test(line))
      .map((line) => line.split(/=(.*)/su).slice(0, 2) as [string, string]),
  );

describe('.env.example', () => {
  test('is valid unchanged', () => {
    writeFileSync(join(cwd, '.env'), ENV_EXAMPLE);
    const config = load({});
    expect([warningsOf(config), config.faults]).toEqual([[], []]);
    expect(config.jobsApi.url).toBe('https://jobs.example.org');
  });

  test('has every setting, with valid example values', () => {
    const lines = [...ENV_EXAMPLE.matchAll(/^#?([A-Z_]+)=(.*)$/gmu)];
    const shown = new Map(lines.map(([, name = '', value = '']) => [name, parseEnv(`V=${value}`).V ?? '']));
    for (const { name, schema } of SETTINGS) {
      expect([name, shown.has(name) || shown.has(`${name}_FILE`)]).toEqual([name, true]);
      const value = shown.get(name);
      if (value) expect([name, value, v.is(schema, value)]).toEqual([name, value, true]);
    }
    const names = new Set(SETTINGS.flatMap(({ name }) => [name, `${name}_FILE`]));
    expect([...shown.keys()].filter((name) => !names.has(name as never))).toEqual([]);
  });
});

test('ignores quotes that --env-file keeps, with a warning; others are part of the value', () => {
  const config = load({
    LIVE_SCHEDULE: '"*/15 * * * *"',
    SOURCE_NAME: "'Example Jobs'",
    ADMIN_TOKEN: 'a"b"cdefghijklmnop',
  });
  expect([config.liveSchedule, config.sourceName]).toEqual(['*/15 * * * *', 'Example Jobs']);
  expect(config.adminToken?.reveal()).toBe('a"b"cdefghijklmnop');
  expect(config.warnings).toEqual([
    "LIVE_SCHEDULE, SOURCE_NAME: the quotes around the value are ignored; docker's --env-file keeps them, so write the value without quotes.",
  ]);
  writeFileSync(join(cwd, '.env'), 'LIVE_SCHEDULE="0 * * * *"\n');
  expect(load({}).warnings).toEqual([]);
});

describe('config/subscriptions.example.yaml', () => {
  const text = read('config/subscriptions.example.yaml');
  const check = async (yaml: string, env: Record<string, string> = {}) => {
    const { run, dir } = await cliFolder(env);
    writeFileSync(join(dir, '.env'), ENV_EXAMPLE);
    mkdirSync(join(dir, 'config'));
    writeFileSync(join(dir, 'config', 'subscriptions.yaml'), yaml);
    return run(['config', 'check']);
  };

  test('is valid unchanged, with .env.example', async () => {
    const { code, out, err } = await check(text);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('subscriptions.yaml with 1 entry');
  });

  test('is valid with all commented lines', async () => {
    const uncommented = text
      .replace(/^( *)# (- \{ sink: )/gmu, '$1$2')
      .replace(/^# ((?:- id:| {2}).*)$/gmu, '$1');
    const { code, out, err } = await check(uncommented, {
      DISCORD_TOKEN: 'a.bot.token',
      SMTP_URL: 'smtp://127.0.0.1:2525',
      MAIL_FROM: 'jobs@example.org',
      PUBLIC_URL: 'https://crier.example.org',
    });
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('subscriptions.yaml with 2 entries');
  });
});

interface Compose {
  readonly services: Record<
    string,
    {
      readonly command?: readonly string[];
      readonly restart?: string;
      readonly environment?: Record<string, string>;
      readonly secrets?: readonly string[];
      readonly volumes?: readonly string[];
      readonly ports?: readonly string[];
      readonly networks?: Record<string, { readonly ipv4_address: string }>;
    }
  >;
  readonly secrets?: Record<string, { readonly file: string }>;
}

/** ENV of the image, as set in the Dockerfile. */
const imageEnv = Object.fromEntries(
  [...(/^ENV ((?:.*\\\n)*.*)$/mu.exec(read('Dockerfile'))?.[1] ?? '').matchAll(/([A-Z_]+)=(\S+)/gu)].map(
    ([, name, value]) => [name as string, value as string],
  ),
);

describe.each(['compose.yaml', 'deploy/compose.larger.yaml'])('%s', (file) => {
  const { services, secrets = {} } = parse(read(file)) as Compose;
  const service = services.jobcrier;

  test('passes valid settings to the program', () => {
    const environment = { ...service?.environment };
    for (const [name, value] of Object.entries(environment)) {
      const secret = /^\/run\/secrets\/(\w+)$/u.exec(value)?.[1];
      if (!secret) continue;
      expect(service?.secrets).toContain(secret);
      // As the steps at the top of the file make it.
      writeFileSync(join(cwd, secret), 'postgres://jobcrier:0123456789abcdef@postgres/jobcrier\n');
      environment[name] = join(cwd, secret);
    }
    const config = load({ ...imageEnv, ...plainLines(ENV_EXAMPLE), ...environment });
    expect([warningsOf(config), config.faults]).toEqual([[], []]);
    expect(config.http).toEqual({ host: '0.0.0.0', port: 8080 });
    expect(config.store.url).toBe(
      file === 'compose.yaml'
        ? 'sqlite:///data/jobcrier.sqlite'
        : 'postgres://jobcrier:0123456789abcdef@postgres/jobcrier',
    );
  });

  test('does not restart endlessly with wrong settings, and is open only to this machine', () => {
    expect([service?.restart, service?.command]).toEqual(['unless-stopped', ['run', '--stay']]);
    expect(service?.ports).toEqual(['127.0.0.1:8080:8080']);
  });

  test('says how to create each secret, and mounts files that exist', () => {
    const used = Object.values(services).flatMap((one) => one.secrets ?? []);
    expect(Object.keys(secrets).sort()).toEqual([...new Set(used)].sort());
    for (const { file: path } of Object.values(secrets))
      expect(read(file)).toContain(`> ${path.replace('./', '')}\n`);
    const mounted = Object.values(services).flatMap((one) => one.volumes ?? []);
    for (const path of mounted
      .filter((one) => one.startsWith('./'))
      .map((one) => one.split(':')[0] as string))
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  });
});

describe('deploy/compose.scale.yaml', () => {
  const file = 'deploy/compose.scale.yaml';
  const { services, secrets = {} } = parse(read(file), { merge: true }) as Compose;
  const roles = { 'control-1': 'control', 'control-2': 'control', worker: 'worker' } as const;

  test.each(Object.entries(roles))('%s is a %s with valid settings', (name, role) => {
    const service = services[name];
    expect([service?.restart, service?.command]).toEqual([
      'unless-stopped',
      ['run', '--role', role, '--stay'],
    ]);
    const environment = { ...service?.environment };
    const made: Record<string, string> = {
      store_url: 'postgres://jobcrier:0123456789abcdef@postgres/jobcrier\n',
      secret_key: `${Buffer.alloc(32, 5).toString('base64')}\n`,
    };
    for (const [setting, value] of Object.entries(environment)) {
      const secret = /^\/run\/secrets\/(\w+)$/u.exec(value)?.[1];
      if (!secret) continue;
      expect(service?.secrets).toContain(secret);
      writeFileSync(join(cwd, secret), made[secret] as string);
      environment[setting] = join(cwd, secret);
    }
    const config = load({ ...imageEnv, ...plainLines(ENV_EXAMPLE), ...environment }, role);
    expect([warningsOf(config), config.faults, requirements(config, 'run')]).toEqual([[], [], []]);
    for (const port of service?.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:808[01]:8080$/u);
  });

  test('says how to create each secret, and mounts files that exist', () => {
    for (const { file: path } of Object.values(secrets))
      expect(read(file)).toContain(`> ${path.replace('./', '')}\n`);
    for (const path of Object.values(services).flatMap((one) => one.volumes ?? []))
      if (path.startsWith('./'))
        expect([path, existsSync(join(ROOT, path.split(':')[0] as string))]).toEqual([path, true]);
  });

  test('has a proxy that knows both controls and passes their requests on', () => {
    expect(services.worker?.environment?.TRUSTED_PROXIES).toBe(
      services.proxy?.networks?.default?.ipv4_address,
    );
    const readers = (caddy: string) => /@readers path .*$/mu.exec(read(caddy))?.[0];
    expect(readers('deploy/Caddyfile.scale')).toBe(readers('deploy/Caddyfile'));
    for (const name of ['control-1', 'control-2'])
      expect(read('deploy/Caddyfile.scale')).toContain(`${name}:8080`);
  });

  test('has a Redis that evicts nothing', () => {
    expect(services.redis?.command?.join(' ')).toContain('--maxmemory-policy noeviction');
  });
});

test('the proxy of the larger set-up is the trusted one, and it passes on only the pages of readers', () => {
  const { services } = parse(read('deploy/compose.larger.yaml')) as Compose;
  expect(services.jobcrier?.environment?.TRUSTED_PROXIES).toBe(
    services.proxy?.networks?.default?.ipv4_address,
  );
  const passed = /@readers path (.*)$/mu.exec(read('deploy/Caddyfile'))?.[1]?.split(' ').sort();
  const routes = (readdirSync(join(ROOT, 'src/web'), { recursive: true, encoding: 'utf8' }) as string[])
    // The set-up page is never behind a proxy.
    .filter((name) => name.endsWith('.ts') && name !== 'setup-page.ts')
    .flatMap((name) => [
      ...read(join('src/web', name)).matchAll(/\bapp\.(?:get|post|all|on)\(\s*'([^']+)'/gu),
    ])
    .map(([, path = '']) => path.replace(/:\w+$/u, '*'))
    // `/manage/*` passes on the pages below it.
    .filter(
      (path, _index, all) =>
        !all.some((one) => one !== path && one.endsWith('/*') && path.startsWith(one.slice(0, -1))),
    );
  const inside = /^\/(?:admin(?:\/|$)|assets\/admin|metrics$|readyz$)/u;
  expect(routes).toContain('/metrics');
  expect(passed).toEqual(
    [...new Set(routes)].filter((path) => path.startsWith('/') && !inside.test(path)).sort(),
  );
});

test('the systemd unit and its command pass the same valid settings', () => {
  const files = (text: string) => [...text.matchAll(/EnvironmentFile=-?(\S+)/gu)].map(([, path]) => path);
  const unit = read('deploy/jobcrier.service');
  expect(files(unit)).toEqual(['/opt/jobcrier/deploy/service.env', '/etc/jobcrier/env']);
  expect(files(read('deploy/jobcrier'))).toEqual(files(unit));
  for (const text of [unit, read('deploy/jobcrier')]) {
    expect(text).toMatch(/\bUser=jobcrier$|--property=User=jobcrier /mu);
    expect(text).toContain('/opt/jobcrier/dist/main.js');
  }
  const config = load({ ...plainLines(ENV_EXAMPLE), ...plainLines(read('deploy/service.env')) });
  expect([warningsOf(config), config.faults]).toEqual([[], []]);
  expect(config.store.url).toBe('sqlite:///var/lib/jobcrier/jobcrier.sqlite');
  expect(unit).toMatch(/^RestartPreventExitStatus=2$/mu);
});

test('the actions of the workflows are pinned by commit', () => {
  for (const name of readdirSync(join(ROOT, '.github/workflows')))
    for (const [line, pinned] of read(`.github/workflows/${name}`).matchAll(
      /uses: \S+?@(\S+)(?: # v[\d.]+)?/gu,
    ))
      expect([line, /^[0-9a-f]{40}$/u.test(pinned ?? '')]).toEqual([line, true]);
});
