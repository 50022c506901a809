// Every setting of the environment in one table. Parsing, faults, `config dump`, and the test that compares
// docs/settings.md with the program all use it.
import { discordId } from '../domain/discord-id.js';
import * as parse from './parse.js';

const SECRET = { secret: true } as const;
const ADDRESS = { address: true } as const;
const KEY_EXAMPLE = 'the output of: openssl rand -base64 32';

const SETTINGS_BY_NAME = {
  JOBS_API_URL: setting({
    ...ADDRESS,
    meaning: 'Base address of the jobs API; requests go to /api/v1.xml and /api/v1 below it.',
    parse: parse.baseAddress(/\/api(?:\/v\d+(?:\.xml)?)?$/u),
    wanted: 'an http or https address without query, password and without /api/v1 at its end',
    example: 'https://jobs.example.org',
    otherwise: 'none; required by run and poll',
  }),
  JOBS_API_TOKEN: setting({
    ...SECRET,
    meaning: "The operator's own API token, used only for the subscriptions of config/subscriptions.yaml.",
    parse: parse.hidden,
    wanted: 'a token without spaces',
    example: 'abc123def456',
  }),
  API_SPACING_MS: setting({
    meaning: 'Shortest time between two requests with the same token, in milliseconds.',
    parse: parse.whole(0, 600_000),
    wanted: 'a whole number from 0 to 600000',
    example: '500',
    default: '500',
  }),
  STORE_URL: setting({
    ...ADDRESS,
    meaning: 'The database: SQLite or PostgreSQL, also with several hosts.',
    parse: parse.storeUrl,
    refuse: parse.refusedStore,
    wanted: 'an address that begins with sqlite:// or postgres://',
    example: 'sqlite://data/jobcrier.sqlite',
    otherwise: 'sqlite://data/jobcrier.sqlite, or that file in DATA_DIR',
  }),
  QUEUE_URL: setting({
    ...ADDRESS,
    meaning:
      'Redis (6.2 or later) or Valkey, which shares the work among several processes. STORE_URL must be PostgreSQL then.',
    parse: parse.queueUrl,
    wanted: 'an address that begins with redis:// or rediss://',
    example: 'redis://127.0.0.1:6379',
    otherwise: 'none: everything runs in one process',
  }),
  SECRET_KEY: setting({
    ...SECRET,
    meaning: 'Encrypts stored secrets. A comma list rotates: the first encrypts, all decrypt.',
    parse: parse.keyList,
    wanted: '32 bytes in base64, or a comma list of such keys',
    example: KEY_EXAMPLE,
    otherwise: 'made at the first start and kept in DATA_DIR/secret.key',
  }),
  DISCORD_TOKEN: setting({
    ...SECRET,
    meaning: "The bot's token.",
    parse: parse.hidden,
    wanted: 'a token without spaces and without "Bot" in front',
    example: 'the token of the Bot page in the Discord developer portal',
    otherwise: 'none: no bot',
  }),
  DISCORD_API_URL: setting({
    ...ADDRESS,
    meaning: "Base of Discord's REST API, up to /api; the gateway address comes from it.",
    parse: parse.baseAddress(/\/v\d+$/u),
    wanted: 'an http or https address up to /api, without version',
    example: 'https://discord.com/api',
    otherwise: "Discord's own",
  }),
  DISCORD_GUILD_ID: setting({
    meaning: 'Registers the slash commands in this server only (development).',
    parse: discordId,
    wanted: 'the id of a server, 17 to 20 digits',
    example: '123456789012345678',
    otherwise: 'none: commands everywhere',
  }),
  TELEGRAM_TOKEN: setting({
    ...SECRET,
    meaning: "The Telegram bot's token.",
    parse: parse.hidden,
    wanted: 'a token as @BotFather gives it',
    example: '123456789:the-rest-that-BotFather-gives-you',
    otherwise: 'none: no Telegram',
  }),
  TELEGRAM_API_URL: setting({
    ...ADDRESS,
    meaning: "Base of Telegram's Bot API.",
    parse: parse.webAddress,
    wanted: 'an http or https address without query and password',
    example: 'https://api.telegram.org',
    otherwise: "Telegram's own",
  }),
  SMTP_URL: setting({
    ...SECRET,
    meaning: 'The mail relay, with user and password.',
    parse: parse.smtpUrl,
    wanted:
      'an address that begins with smtp:// or smtps://; characters such as @ and / in a password as %40, %2F',
    example: 'smtps://user:password@mail.example.org:465',
    otherwise: 'none: no e-mail',
  }),
  MAIL_FROM: setting({
    meaning: 'Sender of every mail.',
    parse: parse.mailbox,
    wanted: 'a mail address, with or without a name',
    example: 'Job crier <jobs@example.org>',
    otherwise: 'none; required with SMTP_URL',
  }),
  DKIM_DOMAIN: setting({
    meaning: 'Domain of the DKIM signature.',
    parse: parse.hostName,
    wanted: 'a domain',
    example: 'example.org',
    otherwise: 'none: the relay signs',
  }),
  DKIM_SELECTOR: setting({
    meaning: 'Selector of the DKIM key.',
    parse: parse.hostName,
    wanted: 'a selector, as in selector._domainkey.example.org',
    example: 'jobcrier',
  }),
  DKIM_KEY: setting({
    ...SECRET,
    meaning: 'Private RSA key of DKIM in PEM.',
    parse: parse.rsaKey,
    wanted:
      'an RSA private key in PEM, of 1024 bits or more and without a password; DKIM_KEY_FILE is the easy way',
    example: '-----BEGIN PRIVATE KEY-----…',
  }),
  PUBLIC_URL: setting({
    ...ADDRESS,
    meaning: 'Public base of the web pages; e-mail needs it for its links.',
    parse: parse.webAddress,
    wanted: 'an http or https address without query and password',
    example: 'https://jobs.example.org',
    otherwise: 'none: no links to pages',
  }),
  HTTP_HOST: setting({
    meaning: 'Address the web pages, health and metrics listen on.',
    parse: parse.listenHost,
    wanted: 'a host name or an IP address',
    example: '127.0.0.1',
    default: '127.0.0.1',
  }),
  HTTP_PORT: setting({
    meaning: 'Port they listen on; 0 takes a free one.',
    parse: parse.whole(0, 65_535),
    wanted: 'a whole number from 0 to 65535',
    example: '8080',
    default: '8080',
  }),
  TRUSTED_PROXIES: setting({
    meaning: 'Proxies in front of the pages; only their X-Forwarded-For and X-Forwarded-Proto count.',
    parse: parse.networks,
    wanted: 'a comma list of IP addresses or networks',
    example: '127.0.0.1,10.1.0.0/16',
    otherwise: 'none: both headers are ignored',
  }),
  ADMIN_TOKEN: setting({
    ...SECRET,
    meaning: 'Login of the operator page.',
    parse: parse.hidden,
    wanted: 'a text without spaces',
    example: KEY_EXAMPLE,
    otherwise: 'none: no operator page',
  }),
  MIN_POLL_SECONDS: setting({
    meaning:
      'Shortest time between two polls of a subscription, and the lifetime of a cached response, in seconds.',
    parse: parse.whole(1, 86_400),
    wanted: 'a whole number from 1 to 86400',
    example: '300',
    default: '300',
  }),
  LIVE_SCHEDULE: setting({
    meaning: 'When subscriptions that ask for "live" are polled.',
    parse: parse.cron,
    wanted: 'a cron expression of 5 or 6 fields',
    example: '"*/15 * * * *"',
    default: '*/15 * * * *',
  }),
  CONFIG_DIR: setting({
    meaning: "Folder of default.json (the program's own where it is missing) and subscriptions.yaml.",
    parse: parse.text,
    wanted: 'a path',
    example: '/etc/jobcrier',
    default: 'config',
  }),
  DATA_DIR: setting({
    meaning: 'Folder of the store, the generated key and the backups.',
    parse: parse.text,
    wanted: 'a path',
    example: '/var/lib/jobcrier',
    default: 'data',
  }),
  TEMPLATES_DIR: setting({
    meaning: "Folder of your own templates; a file missing there is the program's own.",
    parse: parse.text,
    wanted: 'a path',
    example: '/etc/jobcrier/templates',
    default: 'templates',
  }),
  WEBHOOK_SECRET: setting({
    ...SECRET,
    meaning: 'Signs webhook calls of destinations that have no secret set.',
    parse: parse.webhookSecret,
    wanted: 'base64, with or without whsec_ in front',
    example: 'whsec_ and the output of: openssl rand -base64 32',
    otherwise: 'none: calls are not signed',
  }),
  WEBHOOK_ALLOW_PRIVATE: setting({
    meaning: 'Allows webhook targets in private networks and on this machine.',
    parse: parse.flag,
    wanted: 'true or false',
    example: 'false',
    default: 'false',
  }),
  SINKS: setting({
    meaning: 'Further sinks: module paths or package names, comma separated.',
    parse: parse.list,
    wanted: 'a comma list of module paths or package names',
    example: './my-sink.js,jobcrier-sink-matrix',
    otherwise: 'none',
  }),
  SOURCE_NAME: setting({
    meaning: 'Name of the job board, shown with every posting.',
    parse: parse.text,
    wanted: 'a line of text',
    example: 'Example Jobs',
    otherwise: 'the host of JOBS_API_URL',
  }),
  BOUNCE_SECRET: setting({
    ...SECRET,
    meaning: 'Secret that the mail relay needs to post to /bounces.',
    parse: parse.hidden,
    wanted: 'a text without spaces',
    example: KEY_EXAMPLE,
    otherwise: 'none: bounces are not accepted',
  }),
  BACKUP_KEEP: setting({
    meaning: 'Daily backups kept in DATA_DIR/backups; 0 turns them off.',
    parse: parse.whole(0, 1000),
    wanted: 'a whole number from 0 to 1000',
    example: '7',
    default: '7',
  }),
  LOG_LEVEL: setting({
    meaning: 'Lowest level that is logged.',
    parse: parse.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    wanted: 'one of trace, debug, info, warn, error, fatal, silent',
    example: 'info',
    default: 'info',
  }),
} as const;

export type SettingName = keyof typeof SETTINGS_BY_NAME;
type Row<N extends SettingName> = (typeof SETTINGS_BY_NAME)[N];
type Parsed<N extends SettingName> = Exclude<ReturnType<Row<N>['parse']>, undefined>;

/** The parsed settings of the environment; a setting with a default always has a value. */
export type Values = {
  readonly [N in SettingName]: Row<N> extends { readonly default: string }
    ? Parsed<N>
    : Parsed<N> | undefined;
};

/** The table as a list, in the order of the documentation. */
export const SETTINGS: readonly (Setting & { readonly name: SettingName })[] = Object.entries(
  SETTINGS_BY_NAME,
).map(([name, entry]) => ({ name: name as SettingName, ...(entry as Setting) }));

// The type of one row in the table of settings; the table itself is in settings.ts.

/** `T` is the value that the rest of the program gets. `default` is read by `parse`, like a given text. */
interface Setting<T = unknown> {
  readonly meaning: string;
  readonly parse: (given: string) => T | undefined;
  /** A specific message for a value that `parse` refuses; undefined for the general one. */
  readonly refuse?: (given: string) => string | undefined;
  /** What a valid value looks like, in words, for a fault: "wanted …". */
  readonly wanted: string;
  readonly example: string;
  readonly default?: string;
  /** What applies when it is not set, in words, for a setting without `default`. */
  readonly otherwise?: string;
  /** The value is never shown, not even in a fault. */
  readonly secret?: true;
  /** An address that may hold a password; it is shown without it. */
  readonly address?: true;
}

/** Returns `entry` with its own type, so that the table gives the type of each setting's value. */
function setting<T, const S extends Setting<T>>(entry: S & { parse: (given: string) => T | undefined }): S {
  return entry;
}
