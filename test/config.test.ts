// The settings as people write them: what is read, which source takes precedence, and that all faults are reported
// together without secrets.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { misspelt } from '../src/config/environment.js';
import { FILE, FILE_SETTINGS } from '../src/config/file.js';
import { withoutPassword } from '../src/config/kinds.js';
import { secretsOf } from '../src/config/secrets.js';
import { SETTINGS } from '../src/config/settings.js';
import { type Config, loadConfig, requirements } from '../src/config.js';
import { UserError } from '../src/domain/errors.js';
import { LOGO } from './helpers/logo.js';

const programDir = fileURLToPath(new URL('..', import.meta.url));
const KEY = Buffer.alloc(32, 7).toString('base64');
let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'jobcrier-config-'));
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function load(env: Record<string, string>, more: { tolerant?: boolean } = {}): Config {
  return loadConfig({ env, cwd, programDir, ...more });
}

function faultsOf(env: Record<string, string>): string[] {
  try {
    load(env);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    expect(error.exitCode).toBe(2);
    return error.message.split('\n');
  }
  throw new Error('no fault was found');
}

function file(name: string, text: string): string {
  const path = join(cwd, name);
  writeFileSync(path, text);
  return path;
}

describe('defaults', () => {
  it('uses every default of the contract when nothing is set', () => {
    const config = load({});
    expect(config.jobsApi).toEqual({
      spacingMs: 500,
      format: 'rss',
      attemptTimeoutMs: 15_000,
      interactiveTimeoutMs: 10_000,
      maxBytes: 8_388_608,
    });
    expect(config.store.url).toBe(`sqlite://${join(cwd, 'data', 'jobcrier.sqlite')}`);
    expect(config.http).toEqual({ host: '127.0.0.1', port: 8080 });
    expect(config.minPollSeconds).toBe(300);
    expect(config.liveSchedule).toBe('*/15 * * * *');
    expect(config.backupKeep).toBe(7);
    expect(config.logLevel).toBe('info');
    expect(config.webhook).toEqual({ allowPrivate: false });
    expect(config.dirs).toEqual({
      config: join(cwd, 'config'),
      data: join(cwd, 'data'),
      templates: join(cwd, 'templates'),
    });
    expect(config.limits).toMatchObject({ immediateCap: 100, digestCap: 50, subscriptionsPerAccount: 25 });
    expect(config.mail).toBeUndefined();
    expect(config.discord).toEqual({});
    expect(config.warnings).toEqual([]);
  });

  it('keeps the store in DATA_DIR when only that is changed', () => {
    expect(load({ DATA_DIR: '/var/lib/crier' }).store.url).toBe('sqlite:///var/lib/crier/jobcrier.sqlite');
  });

  it("can't be changed afterwards", () => {
    const config = load({});
    expect(() => {
      (config.limits as { digestCap: number }).digestCap = 1;
    }).toThrow(TypeError);
  });
});

describe('the brand', () => {
  const logo = (bytes: Buffer, name = 'logo.png') => {
    writeFileSync(join(cwd, name), bytes);
    return name;
  };
  const PNG = Buffer.from(LOGO.png, 'base64');

  it('has a name, a logo and a colour; the name is by default that of the sender', () => {
    const mail = { SMTP_URL: 'smtp://localhost', MAIL_FROM: '"Rust Jobs" <jobs@example.org>' };
    expect(load({}).brand).toEqual({ name: 'jobcrier', color: '#3f4fd6' });
    expect(load(mail).brand.name).toBe('Rust Jobs');
    expect(load({ ...mail, MAIL_FROM: 'jobs@example.org' }).brand.name).toBe('jobcrier');
    const given = { ...mail, BRAND_NAME: 'Jobs!', BRAND_COLOR: '#0F766E', BRAND_LOGO: logo(PNG) };
    expect(load(given).brand).toEqual({ name: 'Jobs!', color: '#0f766e', logo: LOGO });
  });

  it('needs a colour on which white text is readable', () => {
    for (const BRAND_COLOR of ['0f766e', '#fff', 'teal', '#0f766e80'])
      expect(faultsOf({ BRAND_COLOR })[0]).toMatch(
        /^BRAND_COLOR: given .+; wanted a colour as # and six hexadecimal digits, for example BRAND_COLOR="#3f4fd6"\.$/u,
      );
    expect(faultsOf({ BRAND_COLOR: '#ffb000' })[0]).toMatch(
      /wanted a darker colour: white text on it has a contrast of 1\.8, and needs 4\.5, for example/u,
    );
  });

  it('needs a logo that is a PNG file of at most 32 KB', () => {
    const fault =
      /^BRAND_LOGO: given .+; wanted the path of a PNG file of at most 32 KB, for example BRAND_LOGO=/u;
    const svg = logo(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'logo.svg');
    const large = logo(Buffer.concat([PNG, Buffer.alloc(32_768)]), 'large.png');
    const cut = logo(PNG.subarray(0, 20), 'cut.png');
    for (const BRAND_LOGO of [svg, large, cut, 'none.png', '.'])
      expect(faultsOf({ BRAND_LOGO })[0]).toMatch(fault);
  });
});

describe('sources', () => {
  it('prefers the environment to .env', () => {
    file('.env', 'HTTP_PORT=1111\nLOG_LEVEL=debug # a comment\n');
    const config = load({ HTTP_PORT: '2222' });
    expect(config.http.port).toBe(2222);
    expect(config.logLevel).toBe('debug');
  });

  it('reads NAME_FILE and removes the line end', () => {
    const config = load({ JOBS_API_TOKEN_FILE: file('token', 'abc123\n') });
    expect(config.jobsApi.token?.reveal()).toBe('abc123');
  });

  it('refuses NAME together with NAME_FILE, but prefers the environment to the .env form of a name', () => {
    const path = file('token', 'from-file');
    expect(faultsOf({ JOBS_API_TOKEN: 'a', JOBS_API_TOKEN_FILE: path })[0]).toMatch(
      /JOBS_API_TOKEN: given twice/,
    );
    file('.env', 'JOBS_API_TOKEN=from-dotenv\n');
    expect(load({ JOBS_API_TOKEN_FILE: path }).jobsApi.token?.reveal()).toBe('from-file');
  });

  it('names a file that is missing, unreadable or empty', () => {
    expect(faultsOf({ HTTP_HOST_FILE: '/nope' })[0]).toMatch(/HTTP_HOST_FILE.*"\/nope".*ENOENT.*for example/);
    // Sometimes the secret itself is given as the path.
    expect(faultsOf({ ADMIN_TOKEN_FILE: '/nope' })[0]).toMatch(
      /ADMIN_TOKEN_FILE: given a path that is not shown, which can't be read \(ENOENT\).*for example/,
    );
    expect(faultsOf({ ADMIN_TOKEN_FILE: file('empty', '\n') })[0]).toMatch(/which is empty/);
  });

  it('treats an empty value as not set, because compose files pass it on', () => {
    expect(load({ PUBLIC_URL: '', HTTP_PORT: ' ' }).http.port).toBe(8080);
  });

  it('prefers CONFIG_DIR/default.json key by key to the defaults of the program', () => {
    mkdirSync(join(cwd, 'config'));
    file('config/default.json', '{ "limits": { "digestCap": 20 }, "jobsApi": { "format": "json" } }');
    const config = load({});
    expect(config.limits.digestCap).toBe(20);
    expect(config.limits.immediateCap).toBe(100);
    expect(config.jobsApi.format).toBe('json');
  });

  it('reports faults and unknown names of that file', () => {
    mkdirSync(join(cwd, 'config'));
    file('config/default.json', '{ "limits": { "digestCapp": 20, "immediateCap": "many" } }');
    const faults = faultsOf({});
    expect(faults.join('\n')).toMatch(/limits\.immediateCap: given "many".*whole number/);
    expect(faults.join('\n')).toMatch(/"limits\.digestCapp".*did you mean limits\.digestCap\?/);
    file('config/default.json', '{ nonsense');
    expect(faultsOf({})[0]).toMatch(/default\.json: is not JSON/);
  });
});

describe('faults', () => {
  it('are reported together, each with its name, the given value, the wanted form and an example', () => {
    const faults = faultsOf({
      HTTP_PORT: '80a',
      JOBS_API_URL: 'ftp://jobs.example.org',
      LIVE_SCHEDULE: 'now and then',
      WEBHOOK_ALLOW_PRIVATE: 'perhaps',
      STORE_URL: 'mysql://db/x',
      DISCORD_GUILD_ID: '12',
      SECRET_KEY: 'too short',
    });
    expect(faults).toHaveLength(7);
    for (const fault of faults)
      expect(fault).toMatch(/^[A-Z_]+: given .+; wanted .+, for example [A-Z_]+=.+\.$/);
    expect(faults.find((fault) => fault.startsWith('HTTP_PORT'))).toContain('given "80a"');
  });

  it('contain no secret and no password', () => {
    const text = faultsOf({
      SECRET_KEY: 'canary-key',
      SMTP_URL: 'ftp://user:canary-smtp@host',
      STORE_URL: 'mysql://user:canary-store@db/x',
      JOBS_API_URL: 'http://user:canary-user@jobs/?token=canary-query',
      DKIM_KEY: 'canary-dkim',
      WEBHOOK_SECRET: 'canary webhook',
      JOBS_API_TOKEN: 'canary token',
    }).join('\n');
    expect(text).not.toContain('canary');
    expect(text).toContain('[secret]');
    expect(text).toContain('an address that begins with mysql://');
  });

  it('name the missing half of a pair', () => {
    expect(faultsOf({ SMTP_URL: 'smtp://localhost' })[0]).toMatch(
      /^MAIL_FROM: not given although SMTP_URL is/,
    );
    expect(faultsOf({ DKIM_DOMAIN: 'example.org' })[0]).toMatch(/^DKIM_SELECTOR and DKIM_KEY: not given/);
  });

  it('include misspelt names, because one of those is often the missing one', () => {
    expect(faultsOf({ JOBS_API_UR: 'https://x.example', HTTP_PORT: 'x' }).at(-1)).toBe(
      'warning: JOBS_API_UR is not a setting and is ignored; did you mean JOBS_API_URL?',
    );
  });

  it('can be replaced by the default for doctor', () => {
    const config = load({ HTTP_PORT: 'x', PUBLIC_URL: 'nope' }, { tolerant: true });
    expect(config.http.port).toBe(8080);
    expect(config.publicUrl).toBeUndefined();
    expect(config.faults).toHaveLength(2);
  });

  it.runIf(process.getuid?.() !== 0)("include an .env that can't be read", () => {
    chmodSync(file('.env', 'HTTP_PORT=1'), 0);
    expect(faultsOf({})[0]).toMatch(/^\.env: can't be read \(EACCES\)/);
  });
});

describe('values', () => {
  it.each([
    ['JOBS_API_URL', 'https://jobs.example.org/', (c: Config) => c.jobsApi.url, 'https://jobs.example.org'],
    ['DISCORD_API_URL', 'http://127.0.0.1:1/api/', (c: Config) => c.discord.apiUrl, 'http://127.0.0.1:1/api'],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes', (c: Config) => c.webhook.allowPrivate, true],
    ['SINKS', './a.js, some-package', (c: Config) => c.sinks, ['./a.js', 'some-package']],
    ['BACKUP_KEEP', '0', (c: Config) => c.backupKeep, 0],
    [
      'TRUSTED_PROXIES',
      '127.0.0.1, 10.0.0.0/8,fd00::/8,::1',
      (c: Config) => c.trustedProxies,
      ['127.0.0.1', '10.0.0.0/8', 'fd00::/8', '::1'],
    ],
    ['STORE_URL', 'postgres://u:p@db/jobs', (c: Config) => c.store.url, 'postgres://u:p@db/jobs'],
  ] as const)('%s=%s', (name, given, read, wanted) => {
    expect(read(load({ [name]: given }))).toEqual(wanted);
  });

  it('refuses an address that already ends in the path that is added to it', () => {
    expect(faultsOf({ JOBS_API_URL: 'https://jobs.example.org/api/v1' })).toHaveLength(1);
    expect(faultsOf({ DISCORD_API_URL: 'https://discord.com/api/v10' })).toHaveLength(1);
  });

  it.each([
    'proxy.internal',
    '10.0.0.0/33',
    '10.0.0/8',
    '::1/129',
    '127.0.0.1,',
    '::ffff:10.0.0.1',
    '1.2.3.4/x',
  ])('refuses %s as a trusted proxy', (TRUSTED_PROXIES) => {
    expect(faultsOf({ TRUSTED_PROXIES })[0]).toMatch(/^TRUSTED_PROXIES: given .+; wanted a comma list/);
  });

  it('warns of trusted proxies that include everyone', () => {
    expect(load({ TRUSTED_PROXIES: '0.0.0.0/0' }).warnings.join()).toMatch(
      /TRUSTED_PROXIES contains every address/,
    );
  });

  it('names the source after the host of the jobs API', () => {
    expect(load({ JOBS_API_URL: 'https://jobs.example.org' }).sourceName).toBe('jobs.example.org');
    expect(load({ JOBS_API_URL: 'https://jobs.example.org', SOURCE_NAME: 'Jobs' }).sourceName).toBe('Jobs');
  });

  const DKIM = {
    SMTP_URL: 'smtp://localhost',
    MAIL_FROM: 'Crier <jobs@example.org>',
    DKIM_DOMAIN: 'example.org',
    DKIM_SELECTOR: 's1',
  };
  const pemOf = (key: KeyObject, more = {}) =>
    key.export({ type: 'pkcs8', format: 'pem', ...more }) as string;

  it('accepts several keys, and a DKIM key written on one line', () => {
    const pem = pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey);
    const config = load({ ...DKIM, SECRET_KEY: `${KEY}, ${KEY}`, DKIM_KEY: pem.replaceAll('\n', '\\n') });
    expect(config.secretKey?.reveal()).toBe(`${KEY},${KEY}`);
    expect(config.mail?.dkim?.key.reveal()).toBe(pem);
  });

  it.each([
    ['of another kind', pemOf(generateKeyPairSync('ed25519').privateKey)],
    [
      'under a password',
      pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey, {
        cipher: 'aes-256-cbc',
        passphrase: 'x',
      }),
    ],
    ['that is too short', pemOf(generateKeyPairSync('rsa', { modulusLength: 512 }).privateKey)],
    ['that is broken', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
  ])('refuses a DKIM key %s: mails would go out unsigned', (_what, pem) => {
    expect(faultsOf({ ...DKIM, DKIM_KEY: pem })).toEqual([
      expect.stringMatching(/^DKIM_KEY: given \[secret\]; wanted an RSA private key/),
    ]);
  });

  it('warns of settings that work but are not recommended', () => {
    const { warnings } = load({
      JOBS_API_URL: 'http://jobs.example.org',
      MIN_POLL_SECONDS: '5',
      ADMIN_TOKEN: 'short',
      MAIL_FROM: 'a@example.org',
    });
    expect(warnings.join('\n')).toMatch(
      /JOBS_API_URL is plain http[\s\S]*MAIL_FROM[\s\S]*MIN_POLL_SECONDS[\s\S]*ADMIN_TOKEN/,
    );
    expect(load({ JOBS_API_URL: 'http://127.0.0.1:4000' }).warnings).toEqual([]);
  });

  it('prints no secret in any way', () => {
    const config = load({
      JOBS_API_TOKEN: 'canary-1',
      DISCORD_TOKEN: 'canary-2',
      STORE_URL: 'postgres://:canary-3@h',
    });
    expect(JSON.stringify(config.shown)).not.toContain('canary');
    const values = { ...config.values, STORE_URL: undefined };
    expect(JSON.stringify({ ...config, store: undefined, values })).not.toContain('canary');
  });
});

it('the secrets to remove from output include the passwords in addresses, also with several hosts', () => {
  const secrets = secretsOf(
    load({
      STORE_URL: 'postgres://u:canary%2Fstore@one:5432,two:5433/jobs',
      QUEUE_URL: 'redis://:canary-queue@h:6379',
      SMTP_URL: 'smtp://u:canary%40mail@h',
      MAIL_FROM: 'jobs@example.org',
    }),
  );
  for (const one of ['canary%2Fstore', 'canary/store', 'canary-queue', 'canary%40mail', 'canary@mail'])
    expect(secrets).toContain(one);
});

it('refuses a store in Redis with the way to keep its data, and without its password', () => {
  for (const url of ['redis://:canary@h:1/0', 'rediss://u:canary@h'])
    expect(() => load({ STORE_URL: url })).toThrow(
      /^(?!.*canary)STORE_URL: Redis is no longer a store\. .*jobcrier store copy --to/u,
    );
});

it('repeats no value that may be a misplaced secret, in any setting', () => {
  mkdirSync(join(cwd, 'config'));
  const secrets = [
    'jb_live_9f8e7d6c5b4a3f2e1d',
    'K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols=',
    'correct horse battery',
  ];
  for (const canary of secrets) {
    for (const { name } of SETTINGS)
      for (const variable of [name, `${name}_FILE`])
        expect(load({ [variable]: canary }, { tolerant: true }).faults.join('\n'), variable).not.toContain(
          canary,
        );
    file('config/default.json', '{}');
    expect(faultsOf({ LOG_LEVEL: canary })).toHaveLength(1);
    file('config/default.json', JSON.stringify({ limits: { digestCap: canary } }));
    expect(faultsOf({})).toEqual([expect.stringMatching(/^limits\.digestCap: given a text of/u)]);
    file('config/default.json', `{ "limits": ${canary} }`);
    expect(faultsOf({})).toEqual([expect.stringContaining('is not JSON')]);
    expect(faultsOf({}).join()).not.toContain(canary.slice(0, 12));
  }
  file('config/default.json', '{}');
  expect(faultsOf({ HTTP_HOST: '999.1.1.1', LOG_LEVEL: 'verbose' })).toEqual([
    expect.stringContaining('HTTP_HOST: given "999.1.1.1"'),
    expect.stringContaining('LOG_LEVEL: given "verbose"'),
  ]);
  for (const HTTP_HOST of ['::', '127.0.0.1', 'localhost', 'host-7.example.org']) load({ HTTP_HOST });
});

describe('misspelt names', () => {
  it.each([
    ['JOBS_API_TOKN', 'JOBS_API_TOKEN'],
    ['SMTP_UR', 'SMTP_URL'],
    ['JOBCRIER_LOG_LEVEL', 'LOG_LEVEL'],
    ['JOBCRIER_LOG', 'LOG_LEVEL'],
    ['MAIL_FORM', 'MAIL_FROM'],
    ['JOBS_API_TOKEN_FIL', 'JOBS_API_TOKEN'],
    ['SECRET_KEYS_FILE', 'SECRET_KEY_FILE'],
    ['JOBCRIER_WHATEVER', ''],
  ])('%s', (name, right) => {
    const [warning = ''] = misspelt([name]);
    expect(warning).toContain(name);
    expect(warning).toContain(right);
  });

  it('ignores names of other programs', () => {
    const usual =
      'PATH HOME USER SHELL LANG PWD TERM LOGNAME MAIL SHLVL HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_ENV TZ HOSTNAME LINES ' +
      'COLUMNS EDITOR XDG_CONFIG_DIRS XDG_DATA_DIRS GITHUB_TOKEN CI NO_COLOR DATABASE_URL PORT HOST npm_config_cache JOBS_API_URL';
    expect(misspelt(usual.split(' '))).toEqual([]);
  });
});

describe('the tables', () => {
  it('have an example that their schema accepts, and a default too', () => {
    for (const { name, schema, example = '', default: value } of SETTINGS) {
      if (value !== undefined) expect(v.is(schema, value), name).toBe(true);
      if (!/the output of|the token of|…/.test(example))
        expect(v.is(schema, example.replaceAll('"', '')), name).toBe(true);
    }
    for (const { name, schema, example = '' } of FILE_SETTINGS)
      expect(v.is(schema, JSON.parse(example)), name).toBe(true);
  });

  it('are in .env.example by name, with values that load', () => {
    const text = readFileSync(join(programDir, '.env.example'), 'utf8');
    for (const { name } of SETTINGS) expect(text).toMatch(new RegExp(`^#?${name}(?:_FILE)?=`, 'mu'));
    file('.env', text);
    expect(load({}).jobsApi.url).toBe('https://jobs.example.org');
  });

  it('are in docs/settings.md, word for word', () => {
    const page = readFileSync(join(programDir, 'docs/settings.md'), 'utf8');
    const rows = SETTINGS.map(({ name, default: value, otherwise, meaning }) => {
      const standard = value === undefined ? (otherwise ?? 'none') : `\`${value}\``;
      return `| \`${name}\` | ${standard} | ${meaning} |`;
    });
    expect(page).toContain(['| name | default | meaning |', '|---|---|---|', ...rows].join('\n'));
  });

  it('are the same as config/default.json', () => {
    const json = JSON.parse(readFileSync(join(programDir, 'config/default.json'), 'utf8'));
    expect(v.parse(FILE, { jobsApi: {}, mail: {}, limits: {} })).toEqual(json);
  });
});

describe('settings that a command needs', () => {
  it('are reported before it starts', () => {
    expect(requirements(load({}), 'run').join('\n')).toMatch(/JOBS_API_URL: not given, and run needs it/);
    const queue = { JOBS_API_URL: 'https://x.example', QUEUE_URL: 'redis://127.0.0.1' };
    expect(requirements(load(queue), 'run').map((fault) => fault.split(':')[0])).toEqual([
      'SECRET_KEY',
      'STORE_URL',
    ]);
    expect(requirements(load(queue), 'poll')).toEqual([]);
    expect(requirements(load({ JOBS_API_URL: 'https://x.example' }), 'poll')).toEqual([]);
  });
});

describe('withoutPassword', () => {
  it.each([
    ['postgres://u:p@w@h/db?password=s', 'postgres://u:***@h/db?password=***'],
    ['redis://:pw@h:1', 'redis://:***@h:1'],
    ['redis://pw@h:1', 'redis://:***@h:1'],
    ['postgres://u:p/w#x@h/db', 'postgres://u:***@h/db'],
    ['postgres://u:1234/w@h/db', 'postgres://u:***@h/db'],
    ['https:/u:p/w@h', 'https:/u:***@h'],
    ['u:p/w@h', 'u:***@h'],
    ['postgres://u:p?w@h/db', 'postgres://***'],
    ['https://h/x?token=a@b', 'https://***'],
    ['sqlite:///srv/me@home/x', 'sqlite:///srv/me@home/x'],
    ['sqlite://data/x', 'sqlite://data/x'],
    ['not an address', 'not an address'],
  ])('%s', (given, shown) => expect(withoutPassword(given)).toBe(shown));
});
