// An account's standing request: filter + schedule + destinations. Whatever form it arrives in (file, command
// line, slash command), it becomes this shape here, with every fault named at once.
import { createHash } from 'node:crypto';
import { accountFaults } from './account.js';
import { type Cadence, cadenceEntry, parseCadence, parseQuietHours, type QuietHours } from './cadence.js';
import { reasonOf, UserError } from './errors.js';
import { type Filter, parseFilter } from './filter.js';
import { flag, shown, unknownFields, whole, words } from './form-value.js';
import { parseSchedule, type Schedule } from './schedule.js';

/** Where editions go. `id` is stable for a sink + target, across subscriptions of one account. */
export interface Destination {
  readonly id: string;
  readonly sink: string;
  /** The sink's own address: channel id, e-mail address, URL; empty where the sink needs none. */
  readonly target: string;
  readonly cadence: Cadence;
  readonly quiet?: QuietHours;
  /** Postings shown per edition, at most; the rest is counted. */
  readonly cap?: number;
  /** The operator states that the reader agreed to e-mail. */
  readonly consented?: true;
  /** Sink-specific wishes, e.g. a role to mention. Strings and booleans only. */
  readonly options?: Readonly<Record<string, string | boolean>>;
}

/** `origin` says who owns the record: the file is reconciled, the others are edited in place. */
export interface Subscription {
  readonly id: string;
  readonly account: string;
  readonly origin: 'file' | 'cli' | 'discord';
  readonly filter: Filter;
  readonly schedule: Schedule;
  readonly destinations: readonly Destination[];
  /** Newest postings sent at the baseline, 0 by default. */
  readonly newest: number;
  /** Announce reposts too. */
  readonly reposts: boolean;
  readonly pausedAt?: number;
  /** The last resume: it ends a pause, and frees what was parked before it. */
  readonly resumedAt?: number;
  /** The file's entry says so, which is not the same as a pause made by command. */
  readonly pausedInFile?: true;
  readonly createdAt: number;
  readonly guild?: string;
  /** When the bot left the server; the record is deleted after the stated time unless it is resumed. */
  readonly leftGuildAt?: number;
  readonly locale?: string;
}

/** The account of config/subscriptions.yaml, polled with the operator's own token. */
export const OPERATOR = 'operator';

/** Paused by its owner and not resumed since. */
export function isPaused(subscription: Pick<Subscription, 'pausedAt' | 'resumedAt'>): boolean {
  return subscription.pausedAt !== undefined && subscription.pausedAt > (subscription.resumedAt ?? 0);
}

/** The subscription with a pause. Later than the last resume even when the clock went back, or it would not hold. */
export function pausedFrom(subscription: Subscription, now: number): Subscription {
  if (isPaused(subscription)) return subscription;
  return { ...subscription, pausedAt: Math.max(now, (subscription.resumedAt ?? 0) + 1) };
}

/** The subscription resumed, also when it was not paused: what was parked before is free then. Every resume has a time of its own. */
export function resumedFrom(subscription: Subscription, now: number): Subscription {
  const { leftGuildAt: _isBack, ...rest } = subscription;
  return { ...rest, resumedAt: Math.max(now, (rest.pausedAt ?? 0) + 1, (rest.resumedAt ?? 0) + 1) };
}

/** Stopped because the bot left its server, until it is back there or the record is deleted. */
export function leftFrom(subscription: Subscription, now: number): Subscription {
  if (subscription.leftGuildAt !== undefined) return subscription;
  const { pausedAt = 0 } = subscription;
  // A time other than that of a pause tells that the owner had paused it before.
  if (isPaused(subscription)) return { ...subscription, leftGuildAt: Math.max(now, pausedAt + 1) };
  const paused = pausedFrom(subscription, now);
  return { ...paused, leftGuildAt: paused.pausedAt as number };
}

/** The bot is back, or the subscription has gone elsewhere: it goes on, unless its owner had paused it before. */
export function backFrom(subscription: Subscription, now: number): Subscription {
  const { leftGuildAt, ...rest } = subscription;
  if (leftGuildAt === undefined) return subscription;
  return rest.pausedAt === leftGuildAt ? resumedFrom(rest, now) : rest;
}

/** The identity of a destination: the same for every subscription of an account that names the same place. */
export function destinationId(sink: string, target: string): string {
  return createHash('sha256').update(`${sink}\n${target}`).digest('base64url').slice(0, 12);
}

/** Highest cap of an edition. */
export const MOST_POSTINGS = 500;
const DESTINATION_FIELDS = ['sink', 'target', 'cadence', 'quiet', 'cap', 'consented', 'options', 'timezone'];

/** Reads one destination. `parseTarget` asks the sink; it throws a {@link UserError} for a target it can't use. */
function parseDestination(
  value: unknown,
  timezone: string,
  parseTarget: (sink: string, target: unknown) => string,
): Destination {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UserError('destination: wanted { sink, target, cadence }.', 2);
  const raw = value as Record<string, unknown>;
  const faults = unknownFields(raw, DESTINATION_FIELDS, 'destination');
  const collect = collector(faults);
  const sink = words(raw.sink, 'sink', faults) ?? '';
  const cadence = collect(() => parseCadence(raw.cadence, raw.timezone ?? timezone));
  const quiet = collect(() => parseQuietHours(raw.quiet, cadence?.timezone ?? timezone));
  const target = collect(() => parseTarget(sink, raw.target));
  const cap = whole(raw.cap, 'cap', 1, MOST_POSTINGS, faults);
  const consented = flag(raw.consented, 'consented', faults);
  const options = optionsOf(raw.options, faults);
  if (faults.length > 0 || !cadence || target === undefined) throw new UserError(faults.join('\n'), 2);
  return {
    id: destinationId(sink, target),
    sink,
    target,
    cadence,
    ...(quiet ? { quiet } : {}),
    ...(cap ? { cap } : {}),
    ...(consented ? { consented: true as const } : {}),
    ...(options ? { options } : {}),
  };
}

/** A destination in the form it is read in, its time zone always named. */
export function destinationEntry({ id: _id, cadence, quiet, ...rest }: Destination) {
  return {
    ...rest,
    cadence: cadenceEntry(cadence),
    timezone: cadence.timezone,
    ...(quiet ? { quiet: { from: quiet.from, to: quiet.to } } : {}),
  };
}

function optionsOf(value: unknown, faults: string[]): Destination['options'] {
  if (value === undefined || value === null) return undefined;
  const isMap = typeof value === 'object' && !Array.isArray(value);
  if (isMap && Object.values(value).every((one) => typeof one === 'string' || typeof one === 'boolean'))
    return value as Record<string, string | boolean>;
  // Not the value itself: a secret may stand in there.
  faults.push('options: wanted names, each with text (in quotes) or true or false.');
  return undefined;
}

/** Runs a parser and keeps its faults instead of letting the first one hide the others. */
function collector(faults: string[]): <T>(read: () => T) => T | undefined {
  return (read) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      faults.push(...reasonOf(error).split('\n'));
      return undefined;
    }
  };
}

/** A fault of an entry and where in it: `['destinations', 1]`. */
export interface EntryFault {
  readonly path: readonly (string | number)[];
  readonly says: string;
}

/** All faults of one entry; `message` has them as lines, each led by the entry's id. */
export class EntryError extends UserError {
  readonly id: string;
  readonly faults: readonly EntryFault[];
  constructor(id: string, faults: readonly EntryFault[]) {
    // Destinations may share a fault, such as the cadence they were all given.
    const lines = new Set(faults.map(({ says }) => `subscription ${id || '(without id)'}: ${says}`));
    super([...lines].join('\n'), 2);
    this.id = id;
    this.faults = faults;
  }
}

const FIELDS = [
  'id',
  'account',
  'filter',
  'schedule',
  'timezone',
  'destinations',
  'newest',
  'reposts',
  'paused',
  'locale',
];

/** What {@link parseSubscription} needs to know besides the entry itself. */
export interface SubscriptionContext {
  readonly origin: Subscription['origin'];
  readonly now: number;
  /** Schedule of entries that name none, or `live`. */
  readonly liveSchedule: string;
  readonly defaultTimezone: string;
  readonly parseTarget: (sink: string, target: unknown) => string;
}

/** Reads one entry of the subscriptions file's form. Throws an {@link EntryError} with every fault. */
export function parseSubscription(value: unknown, context: SubscriptionContext): Subscription {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new EntryError('', [
      { path: [], says: 'wanted an entry with id, filter, schedule and destinations.' },
    ]);
  const raw = value as Record<string, unknown>;
  const id = typeof raw.id === 'string' || typeof raw.id === 'number' ? String(raw.id) : '';
  const faults = unknownFields(raw, FIELDS, 'entry');
  if (!isId(id))
    faults.push(`id: wanted 1 to 64 letters, digits, dots, dashes or underscores, got ${shown(raw.id)}.`);
  const placed: EntryFault[] = [];
  const collect = <T>(path: EntryFault['path'], read: () => T): T | undefined => {
    const found: string[] = [];
    const value = collector(found)(read);
    placed.push(...found.map((says) => ({ path, says })));
    return value;
  };
  const zone = raw.timezone ?? context.defaultTimezone;
  const filter = collect(['filter'], () => parseFilter(raw.filter));
  const cron =
    raw.schedule === undefined || raw.schedule === 'live' ? context.liveSchedule : preset(raw.schedule);
  const schedule = collect([], () => parseSchedule(cron, zone));
  const list = Array.isArray(raw.destinations) ? raw.destinations : [];
  if (list.length === 0)
    faults.push('destinations: wanted a list of at least one { sink, target, cadence }.');
  const destinations = list
    .map((entry, index) =>
      collect(['destinations', index], () =>
        parseDestination(entry, schedule?.timezone ?? 'UTC', context.parseTarget),
      ),
    )
    .filter((entry) => entry !== undefined);
  const twice = destinations.find(
    (one, index) => destinations.findIndex((other) => other.id === one.id) !== index,
  );
  if (twice) faults.push(`destinations: ${twice.sink} with the same target is listed twice.`);
  const newest = whole(raw.newest, 'newest', 0, 100, faults) ?? 0;
  const account = words(raw.account, 'account', faults) ?? OPERATOR;
  faults.push(...accountFaults(account));
  const reposts = flag(raw.reposts, 'reposts', faults);
  const isPausedHere = flag(raw.paused, 'paused', faults);
  const locale = words(raw.locale, 'locale', faults);
  const all = [...faults.map((says) => ({ path: [], says })), ...placed];
  if (all.length > 0 || !filter || !schedule) throw new EntryError(isId(id) ? id : '', all);
  return {
    id,
    account,
    origin: context.origin,
    filter,
    schedule,
    destinations,
    newest,
    reposts,
    createdAt: context.now,
    ...(isPausedHere ? { pausedAt: context.now } : {}),
    ...(isPausedHere && context.origin === 'file' ? { pausedInFile: true as const } : {}),
    ...(locale ? { locale } : {}),
  };
}

function isId(text: string): boolean {
  return /^[\w.-]{1,64}$/u.test(text);
}

const PRESETS: Record<string, string> = { hourly: '0 * * * *', daily: '0 9 * * *', weekly: '0 9 * * 1' };

function preset(value: unknown): unknown {
  return typeof value === 'string' ? (PRESETS[value] ?? value) : value;
}
