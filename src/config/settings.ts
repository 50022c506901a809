// Every setting of the environment in one table. Reading, faults, `config dump`, and the test that compares
// docs/settings.md with the program all use it.
import * as v from 'valibot';
import { oneOf, whole } from '../domain/input.js';
import { STANDARD_COLOR } from '../render/brand.js';
import * as kind from './kinds.js';
import { setting, settingsOf } from './setting.js';

const SECRET = { secret: true } as const;
const ADDRESS = { address: true } as const;
const KEY_EXAMPLE = 'the output of: openssl rand -base64 32';

export const ENVIRONMENT = v.object({
  JOBS_API_URL: setting(
    v.optional(
      kind.webAddress(
        'an http or https address without query, password and without /api/v1 at its end',
        /\/api(?:\/v\d+(?:\.xml)?)?$/u,
      ),
    ),
    {
      ...ADDRESS,
      meaning: 'Base address of the jobs API; requests go to /api/v1.xml and /api/v1 below it.',
      example: 'https://jobs.example.org',
      otherwise: 'none; required by run and poll',
    },
  ),
  JOBS_API_TOKEN: setting(v.optional(kind.hidden('a token without spaces')), {
    ...SECRET,
    meaning: "The operator's own API token, used only for the subscriptions of config/subscriptions.yaml.",
    example: 'abc123def456',
  }),
  JOBS_TOKEN_PAGE: setting(v.optional(kind.LINK), {
    ...ADDRESS,
    meaning:
      'The page of the jobs board where people get their API token; linked where a token is asked for.',
    example: 'https://jobs.example.org/account/tokens',
    otherwise: 'none: no link',
  }),
  API_SPACING_MS: setting(v.optional(whole(0, 600_000), '500'), {
    meaning: 'Shortest time between two requests with the same token, in milliseconds.',
  }),
  STORE_URL: setting(v.optional(kind.STORE_URL), {
    ...ADDRESS,
    meaning: 'The database: SQLite or PostgreSQL, also with several hosts.',
    example: 'sqlite://data/jobcrier.sqlite',
    otherwise: 'sqlite://data/jobcrier.sqlite, or that file in DATA_DIR',
  }),
  QUEUE_URL: setting(v.optional(kind.QUEUE_URL), {
    ...ADDRESS,
    meaning:
      'Redis (6.2 or later) or Valkey, which shares the work among several processes. STORE_URL must be PostgreSQL then.',
    example: 'redis://127.0.0.1:6379',
    otherwise: 'none: everything runs in one process',
  }),
  SECRET_KEY: setting(v.optional(kind.KEYS), {
    ...SECRET,
    meaning: 'Encrypts stored secrets. A comma list rotates: the first encrypts, all decrypt.',
    example: KEY_EXAMPLE,
    otherwise: 'made at the first start and kept in DATA_DIR/secret.key',
  }),
  DISCORD_TOKEN: setting(v.optional(kind.hidden('a token without spaces and without "Bot" in front')), {
    ...SECRET,
    meaning: "The bot's token.",
    example: 'the token of the Bot page in the Discord developer portal',
    otherwise: 'none: no bot',
  }),
  DISCORD_API_URL: setting(
    v.optional(kind.webAddress('an http or https address up to /api, without version', /\/v\d+$/u)),
    {
      ...ADDRESS,
      meaning: "Base of Discord's REST API, up to /api; the gateway address comes from it.",
      example: 'https://discord.com/api',
      otherwise: "Discord's own",
    },
  ),
  DISCORD_GUILD_ID: setting(v.optional(kind.SERVER_ID), {
    meaning: 'Registers the slash commands in this server only (development).',
    example: '123456789012345678',
    otherwise: 'none: commands everywhere',
  }),
  TELEGRAM_TOKEN: setting(v.optional(kind.hidden('a token as @BotFather gives it')), {
    ...SECRET,
    meaning: "The Telegram bot's token.",
    example: '123456789:the-rest-that-BotFather-gives-you',
    otherwise: 'none: no Telegram',
  }),
  TELEGRAM_API_URL: setting(v.optional(kind.webAddress()), {
    ...ADDRESS,
    meaning: "Base of Telegram's Bot API.",
    example: 'https://api.telegram.org',
    otherwise: "Telegram's own",
  }),
  SMTP_URL: setting(v.optional(kind.SMTP_URL), {
    ...SECRET,
    meaning: 'The mail relay, with user and password.',
    example: 'smtps://user:password@mail.example.org:465',
    otherwise: 'none: no e-mail',
  }),
  MAIL_FROM: setting(v.optional(kind.MAILBOX), {
    meaning: 'Sender of every mail.',
    example: 'Job crier <jobs@example.org>',
    otherwise: 'none; required with SMTP_URL',
  }),
  DKIM_DOMAIN: setting(v.optional(kind.hostName('a domain')), {
    meaning: 'Domain of the DKIM signature.',
    example: 'example.org',
    otherwise: 'none: the relay signs',
  }),
  DKIM_SELECTOR: setting(v.optional(kind.hostName('a selector, as in selector._domainkey.example.org')), {
    meaning: 'Selector of the DKIM key.',
    example: 'jobcrier',
  }),
  DKIM_KEY: setting(v.optional(kind.RSA_KEY), {
    ...SECRET,
    meaning: 'Private RSA key of DKIM in PEM.',
    example: '-----BEGIN PRIVATE KEY-----…',
  }),
  PUBLIC_URL: setting(v.optional(kind.webAddress()), {
    ...ADDRESS,
    meaning: 'Public base of the web pages; e-mail needs it for its links.',
    example: 'https://jobs.example.org',
    otherwise: 'none: no links to pages',
  }),
  HTTP_HOST: setting(v.optional(kind.LISTEN_HOST, '127.0.0.1'), {
    meaning: 'Address the web pages, health and metrics listen on.',
  }),
  HTTP_PORT: setting(v.optional(whole(0, 65_535), '8080'), {
    meaning: 'Port they listen on; 0 takes a free one.',
  }),
  TRUSTED_PROXIES: setting(v.optional(kind.NETWORKS), {
    meaning: 'Proxies in front of the pages; only their X-Forwarded-For and X-Forwarded-Proto count.',
    example: '127.0.0.1,10.1.0.0/16',
    otherwise: 'none: both headers are ignored',
  }),
  ADMIN_TOKEN: setting(v.optional(kind.hidden('a text without spaces')), {
    ...SECRET,
    meaning: 'Login of the operator page.',
    example: KEY_EXAMPLE,
    otherwise: 'none: no operator page',
  }),
  MIN_POLL_SECONDS: setting(v.optional(whole(1, 86_400), '300'), {
    meaning:
      'Shortest time between two polls of a subscription, and the lifetime of a cached response, in seconds.',
  }),
  LIVE_SCHEDULE: setting(v.optional(kind.SCHEDULE, '*/15 * * * *'), {
    meaning: 'When subscriptions that ask for "live" are polled.',
    example: '"*/15 * * * *"',
  }),
  CONFIG_DIR: setting(v.optional(kind.line('a path'), 'config'), {
    meaning: "Folder of default.json (the program's own where it is missing) and subscriptions.yaml.",
    example: '/etc/jobcrier',
  }),
  DATA_DIR: setting(v.optional(kind.line('a path'), 'data'), {
    meaning: 'Folder of the store, the generated key and the backups.',
    example: '/var/lib/jobcrier',
  }),
  TEMPLATES_DIR: setting(v.optional(kind.line('a path'), 'templates'), {
    meaning: "Folder of your own templates; a file missing there is the program's own.",
    example: '/etc/jobcrier/templates',
  }),
  WEBHOOK_SECRET: setting(v.optional(kind.WEBHOOK_SECRET), {
    ...SECRET,
    meaning: 'Signs webhook calls of destinations that have no secret set.',
    example: 'whsec_ and the output of: openssl rand -base64 32',
    otherwise: 'none: calls are not signed',
  }),
  WEBHOOK_ALLOW_PRIVATE: setting(v.optional(kind.FLAG, 'false'), {
    meaning: 'Allows webhook targets in private networks and on this machine.',
  }),
  SINKS: setting(v.optional(kind.MODULES), {
    meaning: 'Further sinks: module paths or package names, comma separated.',
    example: './my-sink.js,jobcrier-sink-matrix',
    otherwise: 'none',
  }),
  SOURCE_NAME: setting(v.optional(kind.line('a line of text')), {
    meaning: 'Name of the job board, shown with every posting.',
    example: 'Example Jobs',
    otherwise: 'the host of JOBS_API_URL',
  }),
  BRAND_NAME: setting(v.optional(kind.line('a line of text')), {
    meaning: 'Your name at the head of mails and pages.',
    example: 'Rust Jobs Berlin',
    otherwise: 'the name in MAIL_FROM, or jobcrier',
  }),
  BRAND_LOGO: setting(v.optional(kind.line('a path')), {
    meaning: 'Your logo instead of the name: a PNG file of at most 32 KB, shown at most 32 pixels high.',
    example: '/etc/jobcrier/logo.png',
    otherwise: 'none: the name is shown',
  }),
  BRAND_COLOR: setting(v.optional(kind.COLOR, STANDARD_COLOR), {
    meaning: 'Colour of buttons, links and marks in mails and pages; dark enough for white text.',
    example: `"${STANDARD_COLOR}"`,
  }),
  BOUNCE_SECRET: setting(v.optional(kind.hidden('a text without spaces')), {
    ...SECRET,
    meaning: 'Secret that the mail relay needs to post to /bounces.',
    example: KEY_EXAMPLE,
    otherwise: 'none: bounces are not accepted',
  }),
  BACKUP_KEEP: setting(v.optional(whole(0, 1000), '7'), {
    meaning: 'Daily backups kept in DATA_DIR/backups; 0 turns them off.',
  }),
  LOG_LEVEL: setting(
    v.optional(oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), 'info'),
    {
      meaning: 'Lowest level that is logged.',
    },
  ),
});

/** The settings of the environment as read. A setting with a default always has a value. */
export type Values = Readonly<v.InferOutput<typeof ENVIRONMENT>>;
export type SettingName = keyof Values;

/** The table as a list, in the order of the documentation. */
export const SETTINGS = settingsOf(ENVIRONMENT.entries);
