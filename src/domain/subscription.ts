// An account's standing request: filter + schedule + destinations. This file reads it from any form (file, command
// line, slash command) into one shape, and reports all faults together.
import { createHash } from 'node:crypto';
import { accountFaults } from './account.js';
import { type Cadence, cadenceEntry, parseCadence, parseQuietHours, type QuietHours } from './cadence.js';
import { reasonOf, UserError } from './errors.js';
import { type Filter, parseFilter } from './filter.js';
import { flag, shown, unknownFields, whole, words } from './form-value.js';
import { parseSchedule, type Schedule } from './schedule.js';

/** A place that editions are sent to. `id` is the same for a sink + target in all subscriptions of an account. */
export interface Destination {
  readonly id: string;
  readonly sink: string;
  /** The sink's own form of address: channel id, e-mail address, URL; empty if the sink needs none. */
  readonly target: string;
  readonly cadence: Cadence;
  readonly quiet?: QuietHours;
  /** Highest number of postings shown per edition. Postings above it are counted. */
  readonly cap?: number;
  /** The operator states that the reader agreed to e-mail. */
  readonly consented?: true;
  /** Options of the sink, such as a role to mention. Strings and booleans only. */
  readonly options?: Readonly<Record<string, string | boolean>>;
}

/**
 * `origin` says where the record is maintained: subscriptions from the file are reconciled with it, the others are
 * edited in place.
 */
export interface Subscription {
  readonly id: string;
  readonly account: string;
  readonly origin: 'file' | 'cli' | 'discord';
  readonly filter: Filter;
  readonly schedule: Schedule;
  readonly destinations: readonly Destination[];
  /** How many of the newest postings are sent at the baseline. Defaults to 0. */
  readonly newest: number;
  /** Whether reposts are announced too. */
  readonly reposts: boolean;
  readonly pausedAt?: number;
  /** The last resume. It ends a pause and frees destinations that were parked before it. */
  readonly resumedAt?: number;
  /** Paused by the entry in the file, as opposed to a pause made by command. */
  readonly pausedInFile?: true;
  readonly createdAt: number;
  readonly guild?: string;
  /** When the bot left the server. The record is deleted after the configured time unless it is resumed. */
  readonly leftGuildAt?: number;
  readonly locale?: string;
}

/** The account of config/subscriptions.yaml, polled with the operator's token. */
export const OPERATOR = 'operator';

/** True when the subscription was paused and not resumed since. */
export function isPaused(subscription: Pick<Subscription, 'pausedAt' | 'resumedAt'>): boolean {
  return subscription.pausedAt !== undefined && subscription.pausedAt > (subscription.resumedAt ?? 0);
}

/**
 * Returns the subscription paused. The pause is always later than the last resume, even if the clock was set back;
 * otherwise it would have no effect.
 */
export function pausedFrom(subscription: Subscription, now: number): Subscription {
  if (isPaused(subscription)) return subscription;
  return { ...subscription, pausedAt: Math.max(now, (subscription.resumedAt ?? 0) + 1) };
}

/**
 * Returns the subscription resumed, even if it was not paused, which frees everything parked before. Every resume has
 * a different time.
 */
export function resumedFrom(subscription: Subscription, now: number): Subscription {
  const { leftGuildAt: _isBack, ...rest } = subscription;
  return { ...rest, resumedAt: Math.max(now, (rest.pausedAt ?? 0) + 1, (rest.resumedAt ?? 0) + 1) };
}

/**
 * Returns the subscription stopped because the bot left its server, until the bot returns or the record is deleted.
 */
export function leftFrom(subscription: Subscription, now: number): Subscription {
  if (subscription.leftGuildAt !== undefined) return subscription;
  const { pausedAt = 0 } = subscription;
  // If this is not the time of the pause, the owner had paused the subscription before.
  if (isPaused(subscription)) return { ...subscription, leftGuildAt: Math.max(now, pausedAt + 1) };
  const paused = pausedFrom(subscription, now);
  return { ...paused, leftGuildAt: paused.pausedAt as number };
}

/**
 * Returns the subscription after the bot's return, or after a move to another place. It resumes, unless its owner had
 * paused it before.
 */
export function backFrom(subscription: Subscription, now: number): Subscription {
  const { leftGuildAt, ...rest } = subscription;
  if (leftGuildAt === undefined) return subscription;
  return rest.pausedAt === leftGuildAt ? resumedFrom(rest, now) : rest;
}

/** Returns the id of a destination: the same in every subscription that names the same sink and target. */
export function destinationId(sink: string, target: string): string {
  return createHash('sha256').update(`${sink}\n${target}`).digest('base64url').slice(0, 12);
}

/** Highest allowed cap of an edition. */
export const MOST_POSTINGS = 500;
const DESTINATION_FIELDS = ['sink', 'target', 'cadence', 'quiet', 'cap', 'consented', 'options', 'timezone'];

/**
 * Reads one destination. `parseTarget` asks the sink and throws a {@link UserError} for a target the sink can't use.
 */
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

/** Returns a destination in the form of the subscriptions file, always with its time zone. */
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
  // The value is left out, because it may contain a secret.
  faults.push('options: wanted names, each with text (in quotes) or true or false.');
  return undefined;
}

/** Runs parsers and collects their faults, so that the first fault does not hide the others. */
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

/** A fault of an entry and its place in the entry, such as `['destinations', 1]`. */
export interface EntryFault {
  readonly path: readonly (string | number)[];
  readonly says: string;
}

/** All faults of one entry. `message` has one line per fault, each starting with the entry's id. */
export class EntryError extends UserError {
  readonly id: string;
  readonly faults: readonly EntryFault[];
  constructor(id: string, faults: readonly EntryFault[]) {
    // Destinations may have the same fault, such as a cadence they share.
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

/** What {@link parseSubscription} needs besides the entry. */
export interface SubscriptionContext {
  readonly origin: Subscription['origin'];
  readonly now: number;
  /** The schedule of entries that name none, or name `live`. */
  readonly liveSchedule: string;
  readonly defaultTimezone: string;
  readonly parseTarget: (sink: string, target: unknown) => string;
}

/** Reads one entry in the form of the subscriptions file. Throws an {@link EntryError} with every fault. */
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

/** True for a destination whose reader gets mails. Links in mails lead to pages about it. */
export function isMail({ sink }: Pick<Destination, 'sink'>): boolean {
  return sink === 'email';
}
