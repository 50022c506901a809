// `jobcrier subscriptions add`: turns the options into an entry in the form of the subscriptions file, so that the same
// code checks both.

import { parse } from 'yaml';
import { defined } from '../../domain/defined.js';
import { UserError } from '../../domain/errors.js';
import { OPERATOR, parseSubscription } from '../../domain/subscription.js';
import { subscriptionEntry } from '../../subscriptions-file.js';
import type { CommandContext } from '../context.js';
import { withEntryContext, withStores } from '../session.js';
import { type FilterOptions, filterEntry, reportLines } from './filter-options.js';

export interface AddOptions extends FilterOptions {
  readonly id: string;
  readonly account: string;
  readonly schedule?: string;
  readonly timezone: string;
  readonly to: readonly string[];
  readonly cadence: string;
  readonly consented?: boolean;
  readonly json?: boolean;
}

/** Reads a cadence: `daily@09:00`, `weekly:monday@09:00`, a plain word, or the file's form in braces. */
export function cadenceOption(text: string): unknown {
  const short = /^(daily|weekly)(?::([a-z]+))?(?:@([\d:]+))?$/iu.exec(text.trim());
  if (!short) return text.trim().startsWith('{') ? yamlValue(text) : text.trim();
  const [, every, day, at = '09:00'] = short;
  if (every?.toLowerCase() === 'weekly') return { weekly: day ?? 'monday', at };
  return day === undefined ? { daily: at } : text.trim();
}

function yamlValue(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** Splits `sink:target`; a sink that needs no target has no colon. */
export function targetOption(text: string): { sink: string; target?: string } {
  const colon = text.indexOf(':');
  return colon < 0 ? { sink: text } : { sink: text.slice(0, colon), target: text.slice(colon + 1) };
}

function entryOf(options: AddOptions): unknown {
  const { id, account, schedule, timezone } = options;
  const cadence = cadenceOption(options.cadence);
  return {
    id,
    account,
    filter: filterEntry(options),
    ...defined({ schedule }),
    timezone,
    destinations: options.to.map((text) => ({
      ...targetOption(text),
      cadence,
      ...defined({ consented: (options.consented && text.startsWith('email:')) || undefined }),
    })),
  };
}

export async function addCommand(options: AddOptions, context: CommandContext): Promise<void> {
  const config = context.config();
  const subscription = await withEntryContext(config, 'cli', context, (reading) =>
    parseSubscription(entryOf(options), reading),
  );
  await withStores(context, 'create', async ({ stores }) => {
    await stores.subscriptions.update(subscription.id, (before) => {
      if (!before) return subscription;
      throw new UserError(
        `There is a subscription "${subscription.id}" already; choose another id, or change it by export and import.`,
      );
    });
    const { account, filter } = subscription;
    if (options.want !== undefined)
      for (const line of await reportLines(options, filter, account, stores, context.clock))
        context.io.say(line);
    if (options.json) context.io.json(subscriptionEntry(subscription));
    else
      context.io.say(`Added ${subscription.id}. Its first poll records what there is and announces nothing.`);
    const hasToken =
      (account === OPERATOR && config.jobsApi.token) || (await stores.accounts.get(account))?.token;
    if (!hasToken)
      context.io.say(
        `warning: account ${account} has no API token yet; set it with: jobcrier token set --account ${account}`,
      );
  });
}
