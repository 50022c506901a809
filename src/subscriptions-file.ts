// config/subscriptions.yaml and everything in its form (import, export): read whole or not at all, with every fault
// of every entry named at once.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { reasonOf, UserError } from './domain/errors.js';
import {
  destinationEntry,
  isPaused,
  OPERATOR,
  parseSubscription,
  type Subscription,
  type SubscriptionContext,
} from './domain/subscription.js';

/** The file in CONFIG_DIR with its text, undefined when there is none. Throws a {@link UserError} (exit 2) for one that can't be read. */
export async function readSubscriptionsFile(
  dir: string,
): Promise<{ readonly file: string; readonly text: string | undefined }> {
  const file = join(dir, 'subscriptions.yaml');
  try {
    return { file, text: await readFile(file, 'utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { file, text: undefined };
    throw new UserError(`${file} can't be read (${code}); make it a file that this user can read.`, 2);
  }
}

/** Why subscriptions go on that came from a file which is absent, or names none. */
export function noEntries(file: string, text: string | undefined, kept: number): string {
  return `${file} is ${text === undefined ? 'not there' : 'empty'}, so the ${kept} subscriptions it brought before go on; put it back, or write [] into it to remove them`;
}

/** Why subscriptions go on that are no longer in the file. */
export function massRemoval(file: string, gone: number, all: number): string {
  return `${gone} of ${all} subscriptions are no longer in ${file}, which looks like a mistake, so they go on; "jobcrier subscriptions reconcile --allow-removal" removes them`;
}

/** Reads a list of entries; undefined for a text without any value, which is no empty list. Throws a {@link UserError} (exit 2) with all faults, including ids listed twice. */
export function parseSubscriptions(
  text: string,
  context: SubscriptionContext,
  file = 'The subscriptions file',
): readonly Subscription[] | undefined {
  const entries = readYaml(text, file);
  if (!entries) return undefined;
  const faults: string[] = [];
  const read = entries.flatMap((entry) => {
    try {
      return parseSubscription(entry, context);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      faults.push(reasonOf(error));
      return [];
    }
  });
  const ids = new Set<string>();
  for (const { id } of read) {
    if (ids.has(id))
      faults.push(`subscription ${id}: the id is listed twice; wanted one of its own for each entry.`);
    ids.add(id);
  }
  if (faults.length > 0) throw new UserError(faults.join('\n'), 2);
  return read;
}

function readYaml(text: string, file: string): readonly unknown[] | undefined {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new UserError(`${file} is not YAML: ${reasonOf(error).split('\n')[0]?.replace(/:$/u, '.')}`, 2);
  }
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value;
  throw new UserError(`${file}: wanted a list of entries, each beginning with "- id: …".`, 2);
}

/** Writes subscriptions in the form {@link parseSubscriptions} reads; reading it back gives the same subscriptions. */
export function renderSubscriptions(subscriptions: readonly Subscription[]): string {
  return stringify(subscriptions.map(subscriptionEntry));
}

/** One subscription in the file's form. */
export function subscriptionEntry(subscription: Subscription): Record<string, unknown> {
  const { id, account, filter, schedule, destinations, newest, reposts, locale } = subscription;
  const { tags, country, remote, include, exclude, minSalary, payUnknown, limit } = filter;
  const some = (list: readonly unknown[]) => (list.length > 0 ? list : undefined);
  return compact({
    id,
    account: account === OPERATOR ? undefined : account,
    filter: compact({
      tags: some(tags),
      country,
      remote,
      include: some(include),
      exclude: some(exclude),
      minSalary,
      payUnknown: payUnknown === 'keep' ? undefined : payUnknown,
      limit,
    }),
    schedule: schedule.cron,
    timezone: schedule.timezone,
    newest: newest || undefined,
    reposts: reposts || undefined,
    paused: isPaused(subscription) || undefined,
    locale,
    destinations: destinations.map((one) => {
      const { timezone } = one.cadence;
      const own = timezone === schedule.timezone ? undefined : timezone;
      return compact({ ...destinationEntry(one), timezone: own });
    }),
  });
}

function compact(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}
