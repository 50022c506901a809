// `jobcrier token`: sets, shows and removes the API tokens of accounts. A token is read from standard input, tried once
// and stored encrypted. Only its last four characters are shown again.

import { text } from 'node:stream/consumers';
import type { Config } from '../config.js';
import { ACCOUNT, withoutToken } from '../domain/account.js';
import { FeedError, UserError } from '../domain/errors.js';
import { read } from '../domain/input.js';
import { fingerprint, lastFour, type Secret, secret } from '../domain/secret.js';
import { OPERATOR } from '../domain/subscription.js';
import type { Table } from '../ports/stores.js';
import type { Log } from '../ports/system.js';
import { createFeedClient } from '../sources/jobs-api/client.js';
import { NO_METRICS } from '../wiring/store.js';
import type { CommandContext } from './context.js';
import type { Io } from './io.js';
import { openPrompt } from './prompt.js';
import { noStoreYet, withStores } from './session.js';

interface SetOptions {
  readonly account: string;
  /** False with --no-check. */
  readonly check: boolean;
}

interface AccountOptions {
  readonly account: string;
  readonly json?: boolean;
}

/** Asks the API for one posting with the token. Resolves with the error when it gives none, without one when it does. */
export async function tryToken(
  { jobsApi }: Pick<Config, 'jobsApi'>,
  { account, token }: { readonly account: string; readonly token: Secret },
  {
    clock,
    cache,
    log,
  }: Pick<CommandContext, 'clock'> & { readonly cache: Table<unknown>; readonly log: Log },
): Promise<FeedError | undefined> {
  const feed = createFeedClient({
    baseUrl: jobsApi.url as string,
    cache,
    spacingMs: jobsApi.spacingMs,
    cacheMs: 1,
    attemptTimeoutMs: jobsApi.attemptTimeoutMs,
    maxBytes: jobsApi.maxBytes,
    format: jobsApi.format,
    clock,
    log,
    metrics: NO_METRICS,
  });
  try {
    await feed.fetch({ account, token, query: { limit: 1 }, fresh: true });
    return undefined;
  } catch (error) {
    if (error instanceof FeedError) return error;
    throw error;
  } finally {
    await feed.close();
  }
}

function overruled(config: Config, account: string): boolean {
  return account === OPERATOR && config.jobsApi.token !== undefined;
}

export async function setCommand({ account, check }: SetOptions, context: CommandContext): Promise<void> {
  const id = read(ACCOUNT, account, '--account');
  const token = await readToken(context.io);
  await withStores(context, 'create', async ({ config, stores, log }) => {
    const { accounts, rejections, cache } = stores;
    const isTried = check && config.jobsApi.url !== undefined;
    const error = isTried
      ? await tryToken(config, { account: id, token }, { clock: context.clock, cache, log })
      : undefined;
    if (error?.fault === 'rejected')
      throw new UserError(
        `The jobs API does not accept this token (${error.message}). Nothing was stored; copy a new one from its token page, or store it untried with --no-check.`,
      );
    if (error) context.io.say(`warning: the token could not be tried (${error.message}).`);
    // First, so that a service that follows the new token does not find it refused.
    await rejections.delete(id);
    await accounts.update(id, (before = { id, createdAt: context.clock.now() }) => ({ ...before, token }));
    context.io.say(
      `Stored the token of ${id}${isTried && !error ? '; the jobs API accepts it' : ', untried'}. It ends in ${lastFour(token)}.`,
    );
    if (overruled(config, id))
      context.io.say(
        'warning: JOBS_API_TOKEN is set and is used for this account; unset it to use the stored token.',
      );
  });
}

export async function statusCommand(
  { account, json }: AccountOptions,
  context: CommandContext,
): Promise<void> {
  const id = read(ACCOUNT, account, '--account');
  await withStores(context, 'look', async ({ config, stores }) => {
    const own = overruled(config, id);
    const stored = own ? undefined : await stores.accounts.get(id);
    const token = own ? config.jobsApi.token : stored?.token;
    if (!token) {
      const noStore = noStoreYet(stores);
      if (noStore) context.io.say(noStore);
      const locked = stored?.unreadable?.includes('token') === true;
      if (json) context.io.json({ account: id, state: locked ? 'unreadable' : 'missing' });
      else if (locked)
        context.io.print(
          `${id}: the stored token can't be read, its key is not in SECRET_KEY; add the key after the others, or set the token again: jobcrier token set --account ${id}`,
        );
      else context.io.print(`${id}: no token; set it with: jobcrier token set --account ${id}`);
      return;
    }
    const rejection = await stores.rejections.get(id);
    const rejected = rejection?.fingerprint === fingerprint(token) ? rejection : undefined;
    const ending = lastFour(token);
    const from = own ? 'JOBS_API_TOKEN' : 'store';
    if (json)
      context.io.json({
        account: id,
        state: rejected ? 'rejected' : 'ok',
        lastFour: ending,
        from,
        ...(rejected ? { why: rejected.why, at: new Date(rejected.at).toISOString() } : {}),
      });
    else
      context.io.print(
        `${id}: token ends in ${ending}${own ? ', from JOBS_API_TOKEN' : ''}${rejected ? `; rejected on ${new Date(rejected.at).toISOString()} (${rejected.why}); set a new one` : ''}`,
      );
  });
}

export async function removeTokenCommand(
  { account }: AccountOptions,
  context: CommandContext,
): Promise<void> {
  const id = read(ACCOUNT, account, '--account');
  await withStores(context, 'repair', async ({ config, stores }) => {
    await stores.accounts.update(id, (before) => {
      const bare = before && withoutToken(before);
      if (!bare) throw new UserError(`${id} has no stored token.`);
      return bare;
    });
    await stores.rejections.delete(id);
    context.io.say(`Removed the token of ${id}.`);
    if (overruled(config, id)) context.io.say('warning: JOBS_API_TOKEN is set and is still used.');
  });
}

// Reads a secret without showing it: from a pipe or, at a terminal, from a prompt that echoes nothing. It never reads it
// from an argument, which every user of the machine could see.

const LONGEST = 512;

/** Reads one line. Throws a {@link UserError} (exit 2) when it can't be an API token. */
async function readToken(io: Io): Promise<Secret> {
  const given = (io.stdin.isTTY ? await prompted(io) : await text(io.stdin)).trim();
  if (given === '')
    throw new UserError(
      'No token was given; pipe it in, for example: jobcrier token set --account operator < token.txt',
      2,
    );
  return tokenOf(given);
}

/** Throws a {@link UserError} (exit 2) for a text that can't be an API token (jobs API, Authentication 1). */
export function tokenOf(given: string): Secret {
  if (given === '' || given.length > LONGEST || /[^\x21-\x7e]/u.test(given))
    throw new UserError(
      'That is not an API token: wanted one line without spaces, as the token page of the jobs API shows it.',
      2,
    );
  return secret(given);
}

async function prompted(io: Io): Promise<string> {
  const prompt = openPrompt(io);
  try {
    return await prompt.askHidden('API token (not shown): ');
  } finally {
    prompt.close();
  }
}
