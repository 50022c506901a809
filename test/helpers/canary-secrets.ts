// One recognizable secret for every setting and account that has one, new in every run.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Canary } from './canaries.js';
import { HOSTILE_ANSWERS } from './hostile-answers.js';

/** With characters that addresses, JSON and base64 encode. */
function canary(name: string): Canary {
  const value = `canary+${name.replaceAll(' ', '-')}/${randomBytes(12).toString('hex')}==`;
  return { name, value };
}

/** 32 readable bytes. */
const key = (name: string) => `canary-${name}-`.padEnd(32, randomBytes(16).toString('hex'));
const base64 = (text: string) => Buffer.from(text).toString('base64');

const KEY_BYTES = key('key');
const HOOK_BYTES = key('hook');
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

export const SECRETS = {
  operator: canary('API token of the operator'),
  person: canary('API token of a person'),
  refused: canary('API token that is refused'),
  admin: canary('ADMIN_TOKEN'),
  bounce: canary('BOUNCE_SECRET'),
  mail: canary('password of SMTP_URL'),
  /** Without special characters, because it is a part of a path. */
  telegram: { name: 'TELEGRAM_TOKEN', value: `4711:canary-telegram-${randomBytes(12).toString('hex')}` },
  /** Used in wrong settings. */
  faulty: canary('secret in a faulty setting'),
} as const;

/** Accounts by the answer of the API for each. */
export const ACCOUNTS: Readonly<Record<string, Canary>> = Object.fromEntries(
  Object.keys(HOSTILE_ANSWERS).map((name) => [name, canary(`API token of account ${name}`)]),
);

export const SECRET_KEY = base64(KEY_BYTES);
export const NEXT_SECRET_KEY = randomBytes(32).toString('base64');
export const WEBHOOK_SECRET = `whsec_${base64(HOOK_BYTES)}`;
/** On one line, as an environment variable needs it. */
export const DKIM_KEY = privateKey.replaceAll('\n', '\\n');

export const CANARIES: readonly Canary[] = [
  ...Object.values(SECRETS),
  ...Object.values(ACCOUNTS),
  { name: 'SECRET_KEY', value: SECRET_KEY },
  { name: 'SECRET_KEY, decoded', value: KEY_BYTES },
  { name: 'SECRET_KEY, the next one', value: NEXT_SECRET_KEY },
  { name: 'WEBHOOK_SECRET', value: WEBHOOK_SECRET.slice('whsec_'.length) },
  { name: 'WEBHOOK_SECRET, decoded', value: HOOK_BYTES },
  ...privateKey
    .split('\n')
    .slice(1, -2)
    .map((value, line) => ({ name: `DKIM_KEY, line ${line + 1}`, value })),
];

/** Every setting that may contain a secret, each with a fault. */
export function faultySettings(): Record<string, string> {
  const { value } = SECRETS.faulty;
  return {
    JOBS_API_URL: `https://user:${value}@board.example?token=${value}`,
    STORE_URL: `mysql://user:${value}@db/x?password=${value}`,
    QUEUE_URL: `${value}@queue.example`,
    PUBLIC_URL: `https://pages.example/?key=${value}`,
    SMTP_URL: `http://user:${encodeURIComponent(value)}@mail.example`,
    DISCORD_TOKEN: `Bot ${value}`,
    BOUNCE_SECRET_FILE: value,
    JOBS_API_TOKN: value,
    JOBCRIER_TOKEN: value,
    SECRET_KEY: value,
    WEBHOOK_SECRET: `whsec_${value}`,
    DKIM_KEY: `-----BEGIN KEY-----\n${value}`,
    ADMIN_TOKEN: `two ${value}`,
    HTTP_PORT: 'eighty',
  };
}
