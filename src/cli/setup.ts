// The set-up page of a first start: when it is served, and what its answers do.
import { randomInt } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../domain/defined.js';
import { UserError } from '../domain/errors.js';
import { parseFilter } from '../domain/filter.js';
import type { Secret } from '../domain/secret.js';
import { readSubscriptionsFile } from '../subscriptions-file.js';
import { createSetupWeb, type SetupAnswers } from '../web/setup-page.js';
import { templatesOnDemand } from '../wiring/templates.js';
import type { CommandContext } from './context.js';
import {
  type Answers,
  apiAddress,
  configWith,
  firstSubscription,
  matchesOf,
  tokenFault,
  writeEnv,
  writeFirst,
} from './first-setup.js';
import { tokenOf } from './token.js';

/** Letters and digits that can't be mistaken for each other. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 8;

/** True for a start by a person at a terminal, in a folder without any setting and without a subscriptions file. */
export async function isFirstStart(context: CommandContext): Promise<boolean> {
  const { io, cwd } = context;
  if (!io.stdin.isTTY || !io.stdout.isTTY) return false;
  const { shown, faults, dirs } = configWith({}, context);
  if (faults.length > 0 || shown.some(({ from }) => from === 'environment' || /^(?:\.env|file )/u.test(from)))
    return false;
  const hasEnv = await access(join(cwd, '.env')).then(
    () => true,
    () => false,
  );
  return !hasEnv && (await readSubscriptionsFile(dirs.config)).text === undefined;
}

/**
 * Serves the set-up page until the files are written. False when the person stopped it. Throws a {@link UserError}
 * (exit 2) after too many wrong codes. `port`: HTTP_PORT when left out.
 */
export async function serveSetup(context: CommandContext, port?: number): Promise<boolean> {
  const { io, clock, signal } = context;
  const config = configWith({}, context);
  const log = context.log('stderr', 'error');
  const code = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  let kept: { readonly token: Secret; readonly url: string } | undefined;

  /** The answers as settings, once the API has accepted the token. */
  async function tested(given: SetupAnswers): Promise<Answers> {
    const url = apiAddress(given.url, context);
    const isKept = given.token === '' && kept?.url === url;
    const token = isKept && kept ? kept.token : tokenOf(given.token);
    if (!isKept) {
      const error = await tokenFault(url, token, context);
      if (error?.fault === 'rejected')
        throw new UserError(`The jobs API does not accept this token (${error.message}).`);
      if (error) throw new UserError(`The token could not be tried (${error.message}).`);
      kept = { token, url };
    }
    return {
      JOBS_API_URL: url,
      JOBS_API_TOKEN: token.reveal(),
      ...(given.discordToken ? { DISCORD_TOKEN: given.discordToken } : {}),
    };
  }

  const filterOf = ({ tags, include, country, remote }: SetupAnswers) => {
    const filter = defined({
      tags: tags || undefined,
      include: include || undefined,
      country: country || undefined,
      remote: remote || undefined,
    });
    parseFilter(filter);
    return filter;
  };

  let end: (saved: boolean) => void = () => undefined;
  const ended = new Promise<boolean>((resolve) => {
    end = resolve;
  });
  const web = createSetupWeb({
    port: port ?? config.http.port,
    code,
    templates: templatesOnDemand(config, log),
    clock,
    log,
    isTried: () => kept !== undefined,
    async check(given) {
      const filter = filterOf(given);
      return matchesOf(filter, await tested(given), context);
    },
    async save(given) {
      const filter = filterOf(given);
      const answers = await tested(given);
      const subscription = await firstSubscription(filter, given.destination, answers, context);
      await writeFirst(subscription, answers, context);
      await writeEnv(answers, context);
    },
    done: (saved) => end(saved),
  });
  await web.start();
  signal.addEventListener('abort', () => end(false), { once: true });
  io.say(
    'There are no settings yet. To set jobcrier up, open this page on this machine, or use: jobcrier init',
  );
  io.say(`  ${web.url()}/`);
  io.say(`  code: ${code}`);
  try {
    const isSaved = await ended;
    if (!isSaved && !signal.aborted)
      throw new UserError('Too many wrong codes. Nothing was stored; start again for a new code.', 2);
    return isSaved;
  } finally {
    await web.stop();
  }
}
