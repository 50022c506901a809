// config/subscriptions.yaml and everything in its form (import, export): read whole or not at all, with every fault
// of every entry named at once.
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

/** Reads a list of entries. Throws a {@link UserError} (exit 2) with all faults, including ids listed twice. */
export function parseSubscriptions(text: string, context: SubscriptionContext): readonly Subscription[] {
  const entries = readYaml(text);
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

function readYaml(text: string): readonly unknown[] {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new UserError(
      `The subscriptions file is not YAML: ${reasonOf(error).split('\n')[0]?.replace(/:$/u, '.')}`,
      2,
    );
  }
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new UserError('The subscriptions file: wanted a list of entries, each beginning with "- id: …".', 2);
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
