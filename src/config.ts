// Reads the environment, .env and config/default.json into one frozen value, once, before anything starts. Reports all
// faults together, so that you don't have to start again for each one.

import { isAbsolute, resolve } from 'node:path';
import { pairFaults, risks } from './config/checks.js';
import { type Environment, gather } from './config/environment.js';
import { type FileValues, flatten, readSettingsFile } from './config/file.js';
import { missingFolders } from './config/folders.js';
import { isFormerStore, withoutPassword } from './config/kinds.js';
import { readSettings } from './config/setting.js';
import { ENVIRONMENT, SETTINGS, type Values } from './config/settings.js';
import { defined } from './domain/defined.js';
import { throwFaults } from './domain/errors.js';
import { brief } from './domain/input.js';
import type { Role } from './domain/role.js';
import type { Secret } from './domain/secret.js';

/** One setting as `config dump` shows it; never holds a secret. */
interface ShownSetting {
  readonly name: string;
  /** Undefined when not set. */
  readonly value: string | undefined;
  /** Where the value comes from: environment, .env, file …, CONFIG_DIR/default.json or default. */
  readonly from: string;
  /** What applies when it is not set, in words. */
  readonly otherwise?: string;
}

interface MailConfig {
  readonly smtpUrl: Secret;
  readonly from: string;
  readonly dkim?: { readonly domain: string; readonly selector: string; readonly key: Secret };
  /** Absolute path of the Maildir that receives bounces. */
  readonly bounceMaildir?: string;
}

/** All settings. Paths are absolute, addresses have no slash at the end, and an absent field means off. */
export interface Config {
  /** The settings of the environment by name. Fields below group them for the parts that use them. */
  readonly values: Values;
  readonly jobsApi: Readonly<FileValues['jobsApi']> & {
    readonly url?: string;
    readonly token?: Secret;
    readonly spacingMs: number;
  };
  readonly sourceName: string;
  readonly store: { readonly url: string };
  readonly queueUrl?: string;
  readonly secretKey?: Secret;
  readonly discord: { readonly token?: Secret; readonly apiUrl?: string; readonly guildId?: string };
  readonly mail?: MailConfig;
  readonly telegram: { readonly token?: Secret; readonly apiUrl?: string };
  readonly publicUrl?: string;
  readonly http: { readonly host: string; readonly port: number };
  readonly adminToken?: Secret;
  /** Addresses and networks (CIDR) of the proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. */
  readonly trustedProxies: readonly string[];
  readonly minPollSeconds: number;
  readonly liveSchedule: string;
  readonly dirs: { readonly config: string; readonly data: string; readonly templates: string };
  /** The folders that ship with the program; each file is used when `dirs` has no file of that name. */
  readonly programDirs: { readonly config: string; readonly templates: string };
  readonly webhook: { readonly secret?: Secret; readonly allowPrivate: boolean };
  /** Modules of further sinks, as given: package names and paths. */
  readonly sinks: readonly string[];
  readonly bounceSecret?: Secret;
  readonly backupKeep: number;
  readonly logLevel: NonNullable<Values['LOG_LEVEL']>;
  readonly limits: Readonly<FileValues['limits']>;
  readonly role: Role;
  /** Sentences about misspelt names, incomplete pairs, missing folders and risky values. */
  readonly warnings: readonly string[];
  /** The warnings about names that are not settings; they are also shown next to faults. */
  readonly misspelt: readonly string[];
  /** The warnings about folders that the settings name and that do not exist. */
  readonly missingFolders: readonly string[];
  readonly shown: readonly ShownSetting[];
  /** Always empty, except with `tolerant`. */
  readonly faults: readonly string[];
}

export interface ConfigSources {
  readonly env: Environment;
  /** The folder of .env, and the base of relative paths. */
  readonly cwd: string;
  /** The folder of the program's own config/ and templates/. */
  readonly programDir: string;
  readonly role?: Role;
  /** For checks that must continue: a faulty setting counts as not set, and its fault goes to `faults`. */
  readonly tolerant?: boolean;
  /** For `store copy`: also accepts a STORE_URL of a kind that the service no longer runs on (Redis). */
  readonly formerStore?: boolean;
}

/** Reads all settings. Throws one {@link UserError} (exit 2) with a line per fault, except with `tolerant`. */
export function loadConfig({
  env,
  cwd,
  programDir,
  role = 'all',
  tolerant = false,
  formerStore = false,
}: ConfigSources): Config {
  const { given, faults, warnings } = gather(env, cwd);
  const shown: ShownSetting[] = SETTINGS.map(({ name, default: standard, secret, address, otherwise }) => {
    const text = given[name]?.text ?? standard;
    return {
      name,
      value: text && (secret ? '[secret]' : address ? withoutPassword(text) : text),
      from: given[name]?.from ?? 'default',
      ...defined({ otherwise: otherwise || undefined }),
    };
  });
  const texts = Object.fromEntries(Object.entries(given).map(([name, { text }]) => [name, text]));
  const former = formerStore && isFormerStore(texts.STORE_URL ?? '') ? texts.STORE_URL : undefined;
  if (former) delete texts.STORE_URL;
  const read = readSettings(ENVIRONMENT, texts, (name, wanted, text) =>
    faults.push(`${name}: ${refusal(name, String(text), wanted)}`),
  );
  const values: Values = former ? { ...read, STORE_URL: former } : read;
  const path = (dir: string) => resolve(cwd, dir);
  const programDirs = { config: resolve(programDir, 'config'), templates: resolve(programDir, 'templates') };
  const dirs = {
    config: path(values.CONFIG_DIR),
    data: path(values.DATA_DIR),
    templates: path(values.TEMPLATES_DIR),
  };
  const file = readSettingsFile({ own: programDirs.config, given: dirs.config }, faults);
  const { jobsApi, limits, mail } = file.values;
  for (const [name, value] of flatten(file.values))
    shown.push({ name, value: JSON.stringify(value), from: file.from(name) });
  faults.push(...pairFaults((name) => given[name] !== undefined));
  // Shown with the faults: a setting that seems to be missing is often misspelt.
  const misspelt = [...warnings, ...file.warnings];
  if (faults.length > 0 && !tolerant)
    throwFaults([...faults, ...misspelt.map((warning) => `warning: ${warning}`)]);
  const store = values.STORE_URL ?? `sqlite://${resolve(dirs.data, 'jobcrier.sqlite')}`;
  const missing = missingFolders(
    {
      CONFIG_DIR: given.CONFIG_DIR && dirs.config,
      TEMPLATES_DIR: given.TEMPLATES_DIR && dirs.templates,
      'mail.bounceMaildir': mail.bounceMaildir === '' ? undefined : path(mail.bounceMaildir),
    },
    { CONFIG_DIR: ', or none for "config"', TEMPLATES_DIR: ', or none for "templates"' },
  );
  return frozen({
    values,
    jobsApi: {
      ...defined({ url: values.JOBS_API_URL, token: values.JOBS_API_TOKEN }),
      spacingMs: values.API_SPACING_MS,
      ...jobsApi,
    },
    sourceName:
      values.SOURCE_NAME ?? (values.JOBS_API_URL ? new URL(values.JOBS_API_URL).hostname : 'the jobs API'),
    store: { url: absoluteSqlite(store, cwd) },
    discord: defined({
      token: values.DISCORD_TOKEN,
      apiUrl: values.DISCORD_API_URL,
      guildId: values.DISCORD_GUILD_ID,
    }),
    telegram: defined({ token: values.TELEGRAM_TOKEN, apiUrl: values.TELEGRAM_API_URL }),
    ...defined({
      queueUrl: values.QUEUE_URL,
      secretKey: values.SECRET_KEY,
      mail: mailOf(values, mail.bounceMaildir === '' ? undefined : path(mail.bounceMaildir)),
      publicUrl: values.PUBLIC_URL,
      adminToken: values.ADMIN_TOKEN,
      bounceSecret: values.BOUNCE_SECRET,
    }),
    http: { host: values.HTTP_HOST, port: values.HTTP_PORT },
    trustedProxies: values.TRUSTED_PROXIES ?? [],
    minPollSeconds: values.MIN_POLL_SECONDS,
    liveSchedule: values.LIVE_SCHEDULE,
    dirs,
    programDirs,
    webhook: {
      ...defined({ secret: values.WEBHOOK_SECRET }),
      allowPrivate: values.WEBHOOK_ALLOW_PRIVATE,
    },
    sinks: values.SINKS ?? [],
    backupKeep: values.BACKUP_KEEP,
    logLevel: values.LOG_LEVEL,
    limits,
    role,
    warnings: [...misspelt, ...missing, ...risks(values)],
    misspelt,
    missingFolders: missing,
    shown,
    faults,
  });
}

/** The fault of a value, after its name. The value is shortened: it may be a secret that was put into the wrong setting. */
function refusal(name: string, text: string, wanted: string): string {
  const { secret, address, example } = SETTINGS.find((one) => one.name === name) ?? {};
  if (wanted.endsWith('.')) return wanted;
  const [scheme] = (address && /^[a-z]{2,12}:\/\//u.exec(text)) || [];
  const shown = secret ? '[secret]' : scheme ? `an address that begins with ${scheme}` : brief(text);
  return `given ${shown}; wanted ${wanted}, for example ${name}=${example}.`;
}

/** Makes a SQLite path absolute, relative to `cwd` like every other path; other addresses stay as they are. */
function absoluteSqlite(url: string, cwd: string): string {
  const path = /^sqlite:\/\/(.+)$/u.exec(url)?.[1];
  if (path === undefined || isAbsolute(path)) return url;
  return `sqlite://${resolve(cwd, path)}`;
}

function mailOf(values: Values, bounceMaildir: string | undefined): MailConfig | undefined {
  const { SMTP_URL, MAIL_FROM, DKIM_DOMAIN, DKIM_SELECTOR, DKIM_KEY } = values;
  if (!SMTP_URL || !MAIL_FROM) return undefined;
  const dkim =
    DKIM_DOMAIN && DKIM_SELECTOR && DKIM_KEY
      ? { domain: DKIM_DOMAIN, selector: DKIM_SELECTOR, key: DKIM_KEY }
      : undefined;
  return { smtpUrl: SMTP_URL, from: MAIL_FROM, ...defined({ dkim, bounceMaildir }) };
}

function frozen<T extends object>(value: T): T {
  for (const inner of Object.values(value))
    if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner)) frozen(inner);
  return Object.freeze(value);
}

/** One sentence for each setting that the command needs and that is not given. */
export function requirements(config: Config, command: 'run' | 'poll'): readonly string[] {
  const faults: string[] = [];
  if (!config.jobsApi.url)
    faults.push(
      `JOBS_API_URL: not given, and ${command} needs it; wanted the base address of the jobs API, for example JOBS_API_URL=https://jobs.example.org. "jobcrier init" asks for it.`,
    );
  return command === 'run' ? [...faults, ...sharingFaults(config)] : faults;
}

/** One sentence for each setting that processes sharing the work need and that is missing or unsuitable. */
export function sharingFaults({ role, queueUrl, secretKey, store }: Config): readonly string[] {
  if (role === 'all' && !queueUrl) return [];
  const why = role === 'all' ? 'with QUEUE_URL' : `with --role ${role}`;
  const faults: string[] = [];
  if (!queueUrl)
    faults.push(
      `QUEUE_URL: not given, and --role ${role} needs it; wanted the address of Redis or Valkey, for example QUEUE_URL=redis://127.0.0.1:6379.`,
    );
  if (!secretKey)
    faults.push(
      `SECRET_KEY: not given, and ${why} every process needs the same one; wanted the output of: openssl rand -base64 32`,
    );
  if (store.url.startsWith('sqlite:'))
    faults.push(
      `STORE_URL: is a SQLite file, and ${why} several processes use the store; wanted PostgreSQL, for example STORE_URL=postgres://jobcrier:password@127.0.0.1/jobcrier. "jobcrier store copy" moves what is stored.`,
    );
  return faults;
}
