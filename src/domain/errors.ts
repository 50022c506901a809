// The kinds of failure the program distinguishes. Each error has one sentence for the log and, if a person will read
// it, one sentence for that person. Unknown errors are bugs and are not converted.
import { defined } from './defined.js';

/**
 * Faults that people can get through any adapter. Each adapter has a text for each of them in the person's language.
 */
export type FaultName =
  | 'address'
  | 'boardAway'
  | 'boardBusy'
  | 'capAccount'
  | 'capServer'
  | 'cardGone'
  | 'dmClosed'
  | 'dmNoServer'
  | 'erased'
  | 'fromFile'
  | 'mailAway'
  | 'notAToken'
  | 'noSuch'
  | 'noToken'
  | 'notYourRule'
  | 'oldButton'
  | 'ownersMove'
  | 'restarting'
  | 'ruleChanged'
  | 'ruleInFile'
  | 'sinkOff'
  | 'testTooSoon'
  | 'tokenRefused'
  | 'tokenRejected'
  | 'tokenTries';

/** A fault a person can fix. `message` is written for that person. `exitCode` is the exit code of a command. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly exitCode: 1 | 2;
  /** For adapters that show it in another language than `message`. */
  readonly fault: { readonly name: FaultName; readonly count?: number } | undefined;
  constructor(message: string, exitCode: 1 | 2 = 1, fault?: { name: FaultName; count?: number }) {
    super(message);
    this.exitCode = exitCode;
    this.fault = fault;
  }
}

/** Returns a {@link UserError} with a fault name. `count` is the number that its text mentions. */
export function refusal(name: FaultName, message: string, count?: number): UserError {
  return new UserError(message, 1, count === undefined ? { name } : { name, count });
}

/** Throws one {@link UserError} that lists all faults; returns if there are none. */
export function throwFaults(faults: readonly string[], exitCode: 1 | 2 = 2): void {
  if (faults.length > 0) throw new UserError(faults.join('\n'), exitCode);
}

/**
 * Why a request to the jobs API returned no postings (jobs API, Errors).
 * rejected: 401, 403 or a redirect, so the token does not work; throttled: 429; unavailable: 5xx, timeout, reset;
 * refused: another 4xx; malformed: a body that is not a feed (never the same as an empty feed); aborted: the caller's
 * signal ended the request.
 */
export type FeedFault = 'rejected' | 'throttled' | 'unavailable' | 'refused' | 'malformed' | 'aborted';

/**
 * A failed request to the jobs API. `message` never contains an address or a token. `retryAfterMs` in milliseconds.
 */
export class FeedError extends Error {
  override readonly name = 'FeedError';
  readonly fault: FeedFault;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(fault: FeedFault, message: string, more: { status?: number; retryAfterMs?: number } = {}) {
    super(message);
    this.fault = fault;
    this.status = more.status;
    this.retryAfterMs = more.retryAfterMs;
  }
}

/** The group of a job takes no turn for `ms` milliseconds, which is longer than the caller would wait. */
export class GroupRests extends Error {
  readonly ms: number;
  constructor(ms: number) {
    super(`the group rests for ${Math.ceil(ms / 1000)} s`);
    this.name = 'GroupRests';
    this.ms = ms;
  }
}

/**
 * Why a delivery failed, by what is at fault.
 * target: this destination can't be reached until its owner acts (the destination is parked).
 * content: the receiving service refused these postings as they are (uses up an attempt; a single posting parks after
 * five).
 * outage: the receiving service is unavailable or busy (uses up no attempt; expires after the stated time).
 * program: this program or a sink made output that must not be sent, or failed in its own code (uses up no attempt
 * and never expires: the operator is alerted, and the delivery is sent once that is fixed).
 */
export type DeliveryFault = 'target' | 'content' | 'outage' | 'program';

/** What the owner of a destination must do, by name: a key of `notice.fix` in the texts, which have the sentence. */
export type FixName = string;

/**
 * A failed delivery. `message` goes into the log, `forOwner` to the owner. Neither contains a secret or an e-mail
 * address.
 */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly fault: DeliveryFault;
  readonly forOwner: string;
  readonly fix: FixName | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(
    fault: DeliveryFault,
    message: string,
    more: { forOwner?: string; fix?: FixName; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.fault = fault;
    this.forOwner = more.forOwner ?? message;
    this.fix = more.fix;
    this.retryAfterMs = more.retryAfterMs;
  }
}

const DELIVERY_FAULTS: ReadonlySet<unknown> = new Set<DeliveryFault>(['target', 'content', 'outage']);

/**
 * Returns an error as a {@link DeliveryError}, recognised by its name and fault, because a sink from outside can't
 * use this program's classes. Undefined for any other error.
 */
export function asDeliveryError(error: unknown): DeliveryError | undefined {
  if (error instanceof DeliveryError) return error;
  const { name, fault, message, forOwner, retryAfterMs } = Object(error) as Record<string, unknown>;
  if (name !== 'DeliveryError' || !DELIVERY_FAULTS.has(fault)) return undefined;
  return new DeliveryError(fault as DeliveryFault, String(message), {
    ...defined({
      forOwner: typeof forOwner === 'string' ? forOwner : undefined,
      retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    }),
  });
}

/**
 * Why an operation of the store failed.
 * full: no space on its disk; locked: another process keeps it busy; corrupt: its data can't be trusted; newer:
 * written by a later version of the program; lost: another process holds the lease, so this one may not write; taken:
 * another process took over the lane whose turn wrote; unsure: the connection broke during the write, so it may or
 * may not be stored (after every other fault it is not); unavailable: any other temporary fault (server unavailable,
 * no permission).
 */
export type StoreFault =
  | 'full'
  | 'locked'
  | 'corrupt'
  | 'newer'
  | 'lost'
  | 'taken'
  | 'unsure'
  | 'unavailable';

/**
 * A failed operation of the store. `message` is one or two sentences with the fix. It contains no address and no
 * value.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly fault: StoreFault;
  constructor(fault: StoreFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** Returns one line for a log: the message, without stack, cause or fields that a library added. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
