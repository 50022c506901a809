// An account's standing request: filter + schedule + destinations. This file reads it from any form (file, command
// line, slash command) into one shape, and reports all faults together.

import { hash } from 'node:crypto';
import * as v from 'valibot';
import { ACCOUNT } from './account.js';
import { CADENCE, type Cadence, cadenceEntry, QUIET, type QuietHours } from './cadence.js';
import { defined } from './defined.js';
import { UserError } from './errors.js';
import { FILTER, type Filter } from './filter.js';
import { type Fault, faultOf, fields, TEXT, whole } from './input.js';
import { CRON, type Schedule, TIMEZONE } from './schedule.js';

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
  /** Highest number of postings sent at once on one day of the cadence's time zone. It does not limit digests. */
  readonly perDay?: number;
  /** Postings with a fit of at least this, 1 to 100, do not wait for the digest. */
  readonly immediateFit?: number;
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
  /** When a pause ends by itself, milliseconds since the epoch. Absent for a pause until its owner resumes. */
  readonly pausedUntil?: number;
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

/**
 * Returns the name under which the marks of a destination's reader are stored: the account. Readers of the operator's
 * subscriptions share one account, so each of their destinations (an id) has a name that no account can have.
 */
export function readerOf(account: string, destination: string): string {
  return account === OPERATOR ? `${OPERATOR}/${destination}` : account;
}

/** The destination whose reader has this name; undefined for the name of an account. */
export function destinationOfReader(reader: string): string | undefined {
  return reader.startsWith(`${OPERATOR}/`) ? reader.slice(OPERATOR.length + 1) : undefined;
}

/** True when the subscription was paused and not resumed since. */
export function isPaused(subscription: Pick<Subscription, 'pausedAt' | 'resumedAt'>): boolean {
  return subscription.pausedAt !== undefined && subscription.pausedAt > (subscription.resumedAt ?? 0);
}

/**
 * Returns the subscription paused, until `until` (milliseconds since the epoch) or until it is resumed. The pause is
 * always later than the last resume, even if the clock was set back; otherwise it would have no effect.
 */
export function pausedFrom(subscription: Subscription, now: number, until?: number): Subscription {
  const { pausedUntil: former, ...rest } = subscription;
  if (isPaused(subscription) && former === until) return subscription;
  const pausedAt = isPaused(subscription) ? rest.pausedAt : Math.max(now, (rest.resumedAt ?? 0) + 1);
  return { ...rest, ...defined({ pausedAt, pausedUntil: until }) };
}

/** True for a pause that should have ended. A subscription whose server the bot left waits for the bot instead. */
export function isPauseOver(subscription: Subscription, now: number): boolean {
  const { pausedUntil, leftGuildAt } = subscription;
  return (
    isPaused(subscription) && leftGuildAt === undefined && pausedUntil !== undefined && pausedUntil <= now
  );
}

/**
 * Returns the subscription resumed, even if it was not paused, which frees everything parked before. Every resume has
 * a different time.
 */
export function resumedFrom(subscription: Subscription, now: number): Subscription {
  const { leftGuildAt: _isBack, pausedUntil: _over, ...rest } = subscription;
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
  return hash('sha256', `${sink}\n${target}`, 'base64url').slice(0, 12);
}

/** Highest allowed cap of an edition. */
export const MOST_POSTINGS = 500;
export const CAP = whole(1, MOST_POSTINGS);

/** Returns a destination in the form of the subscriptions file, always with its time zone. */
export function destinationEntry({ id: _id, cadence, quiet, ...rest }: Destination) {
  return {
    ...rest,
    cadence: cadenceEntry(cadence),
    timezone: cadence.timezone,
    ...defined({ quiet: quiet ? { from: quiet.from, to: quiet.to } : undefined }),
  };
}

/** All faults of one entry. `message` has one line per fault, each starting with the entry's id. */
export class EntryError extends UserError {
  readonly id: string;
  readonly faults: readonly Fault[];
  constructor(id: string, faults: readonly Fault[]) {
    // Destinations may have the same fault, such as a cadence they share.
    const lines = new Set(faults.map(({ says }) => `subscription ${id || '(without id)'}: ${says}`));
    super([...lines].join('\n'), 2);
    this.id = id;
    this.faults = faults;
  }
}

/** What {@link parseSubscription} needs besides the entry. */
export interface SubscriptionContext {
  readonly origin: Subscription['origin'];
  readonly now: number;
  /** The schedule of entries that name none, or name `live`. */
  readonly liveSchedule: string;
  readonly defaultTimezone: string;
  readonly parseTarget: (sink: string, target: unknown) => string;
  /** Two-letter codes of the languages an entry may name. Left out where the language comes from the person's device. */
  readonly languages?: readonly string[];
}

/** A locale such as "de" or "de-AT" whose language there is. */
function language(codes: readonly string[]) {
  const wanted = `one of ${codes.join(', ')}`;
  return v.pipe(
    v.string(wanted),
    v.check((given) => codes.includes(given.split(/[-_]/u, 1)[0]?.toLowerCase() ?? ''), wanted),
  );
}

const FLAG = v.optional(v.boolean('true or false'), false);
const ID_WANTED = '1 to 64 letters, digits, dots, dashes or underscores';
const ID = v.pipe(
  v.union([v.string(), v.number()], ID_WANTED),
  v.transform(String),
  v.regex(/^[\w.-]{1,64}$/u, ID_WANTED),
);

/** Options of a sink. The fault leaves out the values, because they may contain a secret. */
const OPTIONS = v.custom<Readonly<Record<string, string | boolean>>>(
  (given) =>
    typeof given === 'object' &&
    !Array.isArray(given) &&
    Object.values(Object(given)).every((one) => typeof one === 'string' || typeof one === 'boolean'),
  'wanted names, each with text (in quotes) or true or false.',
);

/** A destination, whose sink can use its target. */
function destinationSchema({ parseTarget }: SubscriptionContext) {
  const targetFault = ({ sink, target }: { sink: string; target?: unknown }): string | undefined => {
    try {
      parseTarget(sink, target);
      return undefined;
    } catch (error) {
      if (error instanceof UserError) return error.message;
      throw error;
    }
  };
  return v.pipe(
    fields(
      'destination',
      {
        sink: TEXT,
        target: v.exactOptional(v.unknown()),
        cadence: v.optional(CADENCE, 'immediate'),
        quiet: v.exactOptional(QUIET),
        cap: v.exactOptional(CAP),
        perDay: v.exactOptional(CAP),
        immediateFit: v.exactOptional(whole(1, 100)),
        consented: FLAG,
        options: v.exactOptional(OPTIONS),
        timezone: v.exactOptional(TIMEZONE),
      },
      'destination: wanted { sink, target, cadence }.',
    ),
    v.partialCheck(
      [['sink'], ['target']],
      (place) => targetFault(place) === undefined,
      ({ input }) => targetFault(input) ?? '',
    ),
    v.transform(({ consented, ...rest }) => {
      const target = parseTarget(rest.sink, rest.target);
      return {
        id: destinationId(rest.sink, target),
        ...rest,
        target,
        ...defined({ consented: consented || undefined }),
      };
    }),
  );
}

const NO_DESTINATION = 'wanted a list of at least one { sink, target, cadence }.';
const PRESETS = { hourly: '0 * * * *', daily: '0 9 * * *', weekly: '0 9 * * 1' };

function entrySchema(context: SubscriptionContext) {
  const presets = new Map<unknown, string>(Object.entries({ ...PRESETS, live: context.liveSchedule }));
  return fields(
    'entry',
    {
      id: v.optional(ID, ''),
      account: v.optional(ACCOUNT, OPERATOR),
      filter: v.optional(FILTER, {}),
      schedule: v.optional(
        v.pipe(
          v.unknown(),
          v.transform((given) => presets.get(given) ?? given),
          CRON,
        ),
        'live',
      ),
      timezone: v.optional(TIMEZONE, context.defaultTimezone),
      destinations: v.pipe(
        v.optional(v.array(destinationSchema(context), NO_DESTINATION), []),
        v.minLength(1, NO_DESTINATION),
        v.check(
          (list) => twice(list) === undefined,
          ({ input }) => `${twice(input)} with the same target is listed twice.`,
        ),
      ),
      newest: v.optional(whole(0, 100), 0),
      reposts: FLAG,
      paused: FLAG,
      locale: v.exactOptional(context.languages ? language(context.languages) : TEXT),
    },
    'wanted an entry with id, filter, schedule and destinations.',
  );
}

/** The sink of a destination that a list has twice. */
function twice(list: readonly Pick<Destination, 'id' | 'sink'>[]): string | undefined {
  return list.find((one, index) => list.findIndex(({ id }) => id === one.id) !== index)?.sink;
}

/** The schema of each context, because making one costs more than reading an entry with it. */
const schemas = new WeakMap<SubscriptionContext, ReturnType<typeof entrySchema>>();

/** Reads one entry in the form of the subscriptions file. Throws an {@link EntryError} with every fault. */
export function parseSubscription(value: unknown, context: SubscriptionContext): Subscription {
  const schema = schemas.get(context) ?? entrySchema(context);
  schemas.set(context, schema);
  const result = v.safeParse(schema, value);
  if (!result.success) {
    const id = v.safeParse(ID, Object(value).id);
    throw new EntryError(
      id.success ? id.output : '',
      result.issues.map((issue) => faultOf(issue, '')),
    );
  }
  const { schedule, timezone, paused, destinations, ...rest } = result.output;
  return {
    ...rest,
    origin: context.origin,
    schedule: { cron: schedule, timezone },
    destinations: destinations.map((one) => inZone(one, timezone)),
    createdAt: context.now,
    ...defined({
      pausedAt: paused ? context.now : undefined,
      pausedInFile: (paused && context.origin === 'file') || undefined,
    }),
  };
}

type Unzoned = v.InferOutput<ReturnType<typeof destinationSchema>>;

/** The destination in its own time zone, or else in that of the subscription. */
function inZone({ timezone: own, cadence, quiet, ...rest }: Unzoned, zone: string): Destination {
  const zoned = { timezone: own ?? zone, ...cadence };
  return {
    ...rest,
    cadence: zoned,
    ...defined({ quiet: quiet ? { ...quiet, timezone: zoned.timezone } : undefined }),
  };
}
