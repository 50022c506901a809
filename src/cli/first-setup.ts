// The steps of a first set-up that `init` and the set-up page share: they test what was answered and write the files.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { createApp } from '../app.js';
import { loadConfig } from '../config.js';
import { type FeedError, UserError } from '../domain/errors.js';
import { withFileFaults } from '../domain/file-fault.js';
import type { Secret } from '../domain/secret.js';
import { OPERATOR, parseSubscription, type Subscription } from '../domain/subscription.js';
import type { PreviewReport } from '../ports/services.js';
import type { Log } from '../ports/system.js';
import { renderSubscriptions } from '../subscriptions-file.js';
import { NO_CACHE } from '../wiring/store.js';
import type { CommandContext } from './context.js';
import { withEntryContext } from './session.js';
import { targetOption } from './subscriptions/add.js';
import { tryToken } from './token.js';

/** Nothing is logged while questions are asked: the person is told what fails. */
const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The settings that are asked for, as they are written. */
export type Answers = Readonly<Record<string, string>>;

/** The settings as they will be, with the answers so far. */
export function configWith(answers: Answers, { env, cwd, programDir }: CommandContext) {
  return loadConfig({ env: { ...env, ...answers }, cwd, programDir, tolerant: true });
}

/** The address in its final form. Throws a {@link UserError} for a text that can't be the address of the jobs API. */
export function apiAddress(answer: string, context: CommandContext): string {
  const { jobsApi, faults } = configWith({ JOBS_API_URL: answer }, context);
  if (jobsApi.url && answer !== '') return jobsApi.url;
  const fault = faults.find((one) => one.startsWith('JOBS_API_URL'));
  throw new UserError(fault ?? 'Wanted an address that begins with https:// or http://.');
}

/** Tries the token once. Resolves with the error when the API gives no posting, without one when it does. */
export function tokenFault(
  url: string,
  token: Secret,
  context: CommandContext,
): Promise<FeedError | undefined> {
  const config = configWith({ JOBS_API_URL: url }, context);
  return tryToken(
    config,
    { account: OPERATOR, token },
    {
      clock: context.clock,
      cache: NO_CACHE,
      log: SILENT,
    },
  );
}

/** What a filter finds now. Throws a {@link UserError} when the API gives no answer. Stores nothing. */
export async function matchesOf(
  filter: object,
  answers: Answers,
  context: CommandContext,
): Promise<PreviewReport> {
  const { queueUrl: _queue, ...config } = configWith(answers, context);
  // The token was just tried, and its requests need a gap.
  await sleep(config.jobsApi.spacingMs);
  const app = await createApp(config, {
    log: SILENT,
    stdout: context.io.stdout,
    dryRun: true,
    subscriptions: '[]',
  });
  try {
    return await app.services.preview({ account: OPERATOR }, filter);
  } finally {
    await app.stop();
  }
}

/** The first subscription. `to`: a destination such as `console`. Throws a {@link UserError} with a line per fault. */
export function firstSubscription(
  filter: object,
  to: string,
  answers: Answers,
  context: CommandContext,
): Promise<Subscription> {
  const entry = { id: 'first', filter, destinations: [{ ...targetOption(to), cadence: 'immediate' }] };
  return withEntryContext(configWith(answers, context), 'file', context, (reading) =>
    parseSubscription(entry, reading),
  );
}

/** Writes the subscriptions file and returns its path. Never overwrites one. */
export async function writeFirst(
  subscription: Subscription,
  answers: Answers,
  context: CommandContext,
): Promise<string> {
  const file = resolve(configWith(answers, context).dirs.config, 'subscriptions.yaml');
  const text = `# Made by jobcrier. docs/subscriptions.md lists the fields.\n${renderSubscriptions([subscription])}`;
  await withFileFaults('write', file, async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  });
  return file;
}

/** Writes .env, with a new ADMIN_TOKEN, readable only by its owner, and returns its path. Never overwrites one. */
export async function writeEnv(answers: Answers, { cwd }: CommandContext): Promise<string> {
  const file = join(cwd, '.env');
  const text = envText({ ...answers, ADMIN_TOKEN: randomBytes(32).toString('base64url') });
  await withFileFaults('write', file, () => writeFile(file, text, { mode: 0o600, flag: 'wx' }));
  return file;
}

/** The text of .env. Throws a {@link UserError} for a value that no kind of quotes can hold. */
function envText(settings: Answers): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    const forms = [value, `'${value}'`, `"${value}"`, `\`${value}\``].map((form) => `${name}=${form}`);
    const line = forms.find((form) => parseEnv(form)[name] === value);
    if (!line)
      throw new UserError(`${name}: it can't be written to .env; set it in the environment instead.`);
    return line;
  });
  return `# Made by jobcrier. docs/settings.md lists all settings.\n${lines.join('\n')}\n`;
}
