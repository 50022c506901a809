// The kinds of failure the program tells apart. Each error carries one sentence for the log and,
// where a person will read it, one sentence for the person; unknown errors are bugs and stay unknown.

/** Faults people meet whichever way they ask; whoever speaks their language has words for each. */
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
  | 'oldButton'
  | 'ownersMove'
  | 'restarting'
  | 'sinkOff'
  | 'tokenRefused'
  | 'tokenRejected'
  | 'tokenTries';

/** A fault a person can fix. `message` is written for that person; `exitCode` is what a command ends with. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly exitCode: 1 | 2;
  /** For those who say it in another language than the message. */
  readonly fault: { readonly name: FaultName; readonly count?: number } | undefined;
  constructor(message: string, exitCode: 1 | 2 = 1, fault?: { name: FaultName; count?: number }) {
    super(message);
    this.exitCode = exitCode;
    this.fault = fault;
  }
}

/** A {@link UserError} with a name, `count` being the number its words are about. */
export function refusal(name: FaultName, message: string, count?: number): UserError {
  return new UserError(message, 1, count === undefined ? { name } : { name, count });
}

/** Collects faults so that all are reported at once; throws one {@link UserError} when there are any. */
export function throwFaults(faults: readonly string[], exitCode: 1 | 2 = 2): void {
  if (faults.length > 0) throw new UserError(faults.join('\n'), exitCode);
}

/**
 * Why a request to the jobs API gave no postings (jobs API, Errors).
 * rejected: 401, 403 or a redirect, the token is of no use; throttled: 429; unavailable: 5xx, timeout, reset;
 * refused: another 4xx; malformed: a body that is not a feed (never the same as an empty feed).
 */
export type FeedFault = 'rejected' | 'throttled' | 'unavailable' | 'refused' | 'malformed' | 'aborted';

/** A failed request to the jobs API. `message` never holds an address or a token. `retryAfterMs` in milliseconds. */
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

/** The group of a job takes no turn for `ms` milliseconds, longer than its caller would wait. */
export class GroupRests extends Error {
  readonly ms: number;
  constructor(ms: number) {
    super(`the group rests for ${Math.ceil(ms / 1000)} s`);
    this.name = 'GroupRests';
    this.ms = ms;
  }
}

/**
 * Why a delivery did not succeed, by whose fault it is:
 * target: this destination can't be reached until its owner acts (park the destination);
 * content: the far side refused these postings as they are (uses up an attempt; one posting alone parks after five);
 * outage: the far side is away or busy (uses up no attempt; expires by the stated rule);
 * program: this program or a sink made output that must not be sent, or failed over its own code (uses up no attempt
 * and never expires: the operator is alerted, and it goes out once that is fixed).
 */
export type DeliveryFault = 'target' | 'content' | 'outage' | 'program';

/** What the owner of a place has to do about it, by name; the texts have the sentence in every language. */
export type FixName =
  | 'addressBounces'
  | 'channelGone'
  | 'channelHidden'
  | 'dmClosed'
  | 'forumTag'
  | 'mailPaused'
  | 'mailUnconfirmed'
  | 'mailUnsubscribed'
  | 'mayNotPost'
  | 'noMessages'
  | 'noSharedServer'
  | 'refused'
  | 'serverLeft'
  | 'sinkOff'
  | 'threadArchived'
  | 'threadLocked'
  | 'userGone';

/** A failed delivery. `message` goes into the log, `forOwner` to the person; neither holds a secret or an e-mail address. */
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

/** The {@link DeliveryError} an error is by its name and fault: a sink from outside has no class of this program. */
export function asDeliveryError(error: unknown): DeliveryError | undefined {
  if (error instanceof DeliveryError) return error;
  const { name, fault, message, forOwner, retryAfterMs } = Object(error) as Record<string, unknown>;
  if (name !== 'DeliveryError' || !DELIVERY_FAULTS.has(fault)) return undefined;
  return new DeliveryError(fault as DeliveryFault, String(message), {
    ...(typeof forOwner === 'string' ? { forOwner } : {}),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  });
}

/**
 * Why the store did not do what was asked.
 * full: no room on its disk; locked: another process keeps it busy; corrupt: what it holds can't be trusted;
 * newer: written by a later version of the program; lost: another process holds the lease, so this one may not
 * write; taken: another process took over the lane whose turn wrote; unsure: the connection broke while it was writing, so it may be written or not (after every other fault it is
 * not); unavailable: everything else that may pass (server away, no permission).
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

/** A failed operation of the store. `message` is one or two sentences with the fix and holds no address and no value. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly fault: StoreFault;
  constructor(fault: StoreFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** One line for a log: the message without stack, cause or anything a library hung onto the error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
