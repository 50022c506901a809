// `jobcrier init`: asks the few questions of a first set-up in a terminal, tests the API token, shows what matches now,
// and writes .env and the subscriptions file.
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ATTRIBUTION_NOTE, attributionFaults } from '../domain/attribution.js';
import { defined } from '../domain/defined.js';
import { UserError } from '../domain/errors.js';
import { withFileFaults } from '../domain/file-fault.js';
import { parseFilter } from '../domain/filter.js';
import { lastFour, type Secret } from '../domain/secret.js';
import type { Subscription } from '../domain/subscription.js';
import { renderTerminalEdition } from '../render/terminal-edition.js';
import { BUILT_IN } from '../sinks/index.js';
import { readSubscriptionsFile } from '../subscriptions-file.js';
import type { Command, CommandContext } from './context.js';
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
import { openPrompt, type Prompt } from './prompt.js';
import { targetOption } from './subscriptions/add.js';
import { tokenOf } from './token.js';

/** Postings that the preview shows. */
const SHOWN = 5;

export const initCommand: Command<Record<string, never>> = async (_options, context) => {
  const { io, cwd } = context;
  if (!io.stdin.isTTY)
    throw new UserError(
      'init asks questions, so it needs a terminal. Without one, copy .env.example to .env and set JOBS_API_URL and JOBS_API_TOKEN.',
      2,
    );
  const prompt = openPrompt(io);
  try {
    const env = join(cwd, '.env');
    const former = await keptName(env, prompt, context);
    const url = await askUrl(prompt, context);
    const token = await askToken(prompt, url, context);
    const answers: Answers = { JOBS_API_URL: url, JOBS_API_TOKEN: token.reveal() };
    const entries = await askSubscription(prompt, answers, context);
    if (entries) {
      const file = await writeFirst(entries.subscription, answers, context);
      io.say(
        `Wrote ${file}. Postings that match already are not sent; the first new one comes after a check.`,
      );
    }
    if (former) await withFileFaults('write', former, () => rename(env, former));
    await writeEnv({ ...answers, ...entries?.more }, context);
    io.say(`Wrote ${env}. The API token in it ends in ${lastFour(token)}.`);
    io.say('Start the service with: jobcrier run');
    io.say('ADMIN_TOKEN in .env is the password of the operator page, http://127.0.0.1:8080/admin');
  } finally {
    prompt.close();
  }
};

/**
 * The name that an existing .env gets; undefined when there is none. Throws a {@link UserError} when it must stay as it
 * is.
 */
async function keptName(env: string, prompt: Prompt, { clock }: CommandContext): Promise<string | undefined> {
  const exists = await stat(env).then(
    () => true,
    () => false,
  );
  if (!exists) return undefined;
  const stamp = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '-');
  const former = `${env}.${stamp}`;
  if (!(await prompt.confirm(`There is a .env already. Replace it, and keep it as ${former}?`, 'no')))
    throw new UserError('Nothing was changed.');
  return former;
}

function askUrl(prompt: Prompt, context: CommandContext): Promise<string> {
  return prompt.askFor('Address of the jobs API, such as https://jobs.example.org: ', (answer) =>
    apiAddress(answer, context),
  );
}

/** Asks until the API accepts a token, or until it could not be tried and the answer is to continue. */
async function askToken(prompt: Prompt, url: string, context: CommandContext): Promise<Secret> {
  const { io } = context;
  for (;;) {
    const given = await prompt.askHidden('API token (not shown): ');
    const token = readable(given, io.say);
    if (!token) continue;
    const error = await tokenFault(url, token, context);
    if (!error) {
      io.say('The jobs API accepts this token.');
      return token;
    }
    if (error.fault === 'rejected') io.say(`The jobs API does not accept this token (${error.message}).`);
    else if (await prompt.confirm(`The token could not be tried (${error.message}). Use it anyway?`, 'no'))
      return token;
  }
}

function readable(given: string, say: (line: string) => void): Secret | undefined {
  try {
    return tokenOf(given);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    say(error.message);
    return undefined;
  }
}

/**
 * Asks for the first subscription. `more`: further settings that it needs. Undefined when there is a subscriptions file
 * already, which stays as it is.
 */
async function askSubscription(
  prompt: Prompt,
  answers: Answers,
  context: CommandContext,
): Promise<{ readonly subscription: Subscription; readonly more: Answers } | undefined> {
  const { io } = context;
  const { file, text } = await readSubscriptionsFile(configWith(answers, context).dirs.config);
  if (text !== undefined) {
    io.say(`${file} stays as it is.`);
    return undefined;
  }
  const filter = await askFilter(prompt, answers, context);
  io.say('New postings can go to this terminal (console), to a Discord channel (discord:CHANNEL_ID) or to a');
  io.say('webhook (webhook:https://…).');
  return prompt.askFor('Destination [console]: ', async (answer) => {
    const to = answer || 'console';
    const name = BUILT_IN[targetOption(to).sink]?.token;
    const more: Answers = name
      ? { [name]: await prompt.askHidden(`${name}, the token of your bot (not shown): `) }
      : {};
    return { subscription: await firstSubscription(filter, to, { ...answers, ...more }, context), more };
  });
}

/** Asks for a filter, shows what it finds now, and asks again until the answer is to use it. */
async function askFilter(prompt: Prompt, answers: Answers, context: CommandContext): Promise<object> {
  for (;;) {
    const part = (question: string, name: 'tags' | 'country' | 'include') =>
      prompt.askFor(question, (answer) => {
        const given = defined({ [name]: answer || undefined });
        parseFilter(given);
        return given;
      });
    const filter = {
      ...(await part('Tags, separated by commas, such as rust, solidity (empty: all): ', 'tags')),
      ...(await part('Words, one of which must appear, separated by commas (empty: any): ', 'include')),
      ...(await part('Country (empty: anywhere): ', 'country')),
      ...((await prompt.confirm('Remote jobs only?', 'no')) ? { remote: true } : {}),
    };
    await showMatches(filter, answers, context);
    if (await prompt.confirm('Use this filter?', 'yes')) return filter;
  }
}

/** Shows what the filter finds now. An API that gives no answer is no reason to stop. */
async function showMatches(filter: object, answers: Answers, context: CommandContext): Promise<void> {
  const { io, clock } = context;
  try {
    const { matches, looked, about } = await matchesOf(filter, answers, context);
    const postings = matches.slice(0, SHOWN);
    const text = renderTerminalEdition({
      postings,
      more: matches.length - postings.length,
      source: configWith(answers, context).sourceName,
      about,
      locale: 'en',
      timezone: 'UTC',
      now: clock.now(),
      columns: io.stdout.columns || 80,
      color: io.isTTY,
    });
    const faults = attributionFaults({ format: 'text', body: text, note: ATTRIBUTION_NOTE }, postings);
    if (faults.length > 0) throw new Error(`the postings break the link rules: ${faults.join('; ')}`);
    io.say(`${matches.length} of ${looked} postings match now.`);
    if (postings.length > 0) io.print(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    io.say(`warning: ${error.message}`);
  }
}
