// The interfaces the floors talk through. The pipeline knows these and the domain, nothing else; each adapter
// fulfils one of them and is checked by a contract test, so a store, a sink or an engine can be exchanged.
import type { Account, Mark, Rejection } from './domain/account.js';
import type { Output } from './domain/attribution.js';
import type { Cadence } from './domain/cadence.js';
import type { EditionPosting } from './domain/edition.js';
import type { Query } from './domain/filter.js';
import type { Ledger } from './domain/ledger.js';
import type { LinkClaim, LinkPurpose, Links } from './domain/link-token.js';
import type { Posting, ReadPosting } from './domain/posting.js';
import type { Secret } from './domain/secret.js';
import type { Destination, Subscription } from './domain/subscription.js';

/** The time of day in milliseconds since the epoch; a port so that tests can live through a year. */
export interface Clock {
  now(): number;
}

/** pino's calling convention: fields first, a static message second. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A line of the log that told of trouble, as it was written: searched for secrets already. */
export interface LogLine {
  /** ISO 8601. */
  readonly at: string;
  readonly level: 'warn' | 'error' | 'fatal';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What can be asked of the log while it runs; a log without either can still be written to. */
export interface LogControl {
  level?: string;
  /** Newest first. */
  recent?(): readonly LogLine[];
}

/** Counters and histograms by name (without the `jobcrier_` prefix); labels never name a person. */
export interface Metrics {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Seconds. */
  observe(name: string, seconds: number, labels?: Readonly<Record<string, string>>): void;
}

// ── Feed ───────────────────────────────────────────────────────────────────────────────────────────────

/** What identifies a version of a response; the caller keeps it only once what it said is recorded. */
export interface Validator {
  readonly etag?: string;
  readonly lastModified?: string;
  /** Of the decoded body. */
  readonly hash: string;
}

/** One request to the jobs API. `known`: the version the caller has recorded; `format`: rss unless asked otherwise. */
export interface FeedRequest {
  readonly account: string;
  readonly token: Secret;
  readonly query: Query;
  readonly known?: Validator;
  readonly format?: 'rss' | 'json';
  /** Answer from the network even when the cache could. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal;
}

/** `unchanged`: the same version the caller said it knew; nothing was parsed. */
export type FeedAnswer =
  | { readonly kind: 'unchanged'; readonly validator: Validator }
  | { readonly kind: 'postings'; readonly postings: readonly ReadPosting[]; readonly validator: Validator };

/** Current postings for a query and a token. Fails with a FeedError only. */
export interface Feed {
  fetch(request: FeedRequest): Promise<FeedAnswer>;
  /** Deletes what is cached for an account. */
  forget(account: string): Promise<void>;
  close(): Promise<void>;
}

// ── Sinks ──────────────────────────────────────────────────────────────────────────────────────────────

/** One message's worth of an edition, as a sink gets it. Times in milliseconds since the epoch. */
export interface Delivery {
  /** The edition's id: the same on every attempt. */
  readonly edition: string;
  readonly subscription: string;
  readonly account: string;
  readonly destination: Destination;
  readonly every: Cadence['every'];
  readonly from: number;
  readonly slot: number;
  /** 0-based part and number of parts; a part is one message and keeps its number for good. */
  readonly part: number;
  readonly parts: number;
  readonly postings: readonly EditionPosting[];
  /** Postings of the edition over its cap; given with the last part, else 0. */
  readonly more: number;
  /** Where the whole edition can be read, when there are web pages. */
  readonly moreUrl?: string;
  /** The board's name, shown as "via …". */
  readonly source: string;
  /** The subscription in words. */
  readonly about: string;
  readonly locale: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** What a sink is handed besides the delivery. `guard` throws unless the finished output keeps the link rules. */
export interface DeliveryContext {
  readonly signal: AbortSignal;
  guard(output: Output): void;
}

/** Where editions go. See CONTRIBUTING for how to add one. */
export interface Sink {
  readonly name: string;
  /** The target in its one written form, or a UserError that says what is wanted. */
  parseTarget(target: unknown): string;
  /** Splits an edition's postings into messages, in order; one message when left out. */
  pack?(postings: readonly Posting[], destination: Destination): readonly (readonly Posting[])[];
  /** Returns once the far side has accepted the message; a DeliveryError otherwise. */
  deliver(delivery: Delivery, target: string, context: DeliveryContext): Promise<void>;
  start?(): Promise<void>;
  close?(): Promise<void>;
}

// ── Stores ─────────────────────────────────────────────────────────────────────────────────────────────

export interface AccountStore {
  get(id: string): Promise<Account | undefined>;
  put(account: Account): Promise<void>;
  remove(id: string): Promise<void>;
  /** Everything but the secrets. */
  list(): AsyncIterable<Omit<Account, 'token'> & { readonly hasToken: boolean }>;
}

export interface SubscriptionStore {
  get(id: string): Promise<Subscription | undefined>;
  put(subscription: Subscription): Promise<void>;
  remove(id: string): Promise<void>;
  list(): AsyncIterable<Subscription>;
}

/** One record per subscription; written whole, durable when the promise resolves. */
export interface LedgerStore {
  read(id: string): Promise<Ledger | undefined>;
  write(id: string, ledger: Ledger): Promise<void>;
  remove(id: string): Promise<void>;
}

/** What the scheduler and the feed need to know about a subscription without opening its ledger. */
export interface PollState {
  readonly polledAt?: number;
  /** Polls in a row that failed. */
  readonly failures: number;
  readonly outcome?: string;
  /** Versions recorded, by query key. */
  readonly validators: Readonly<Record<string, Validator>>;
  /** The ledger may owe something: set before a ledger write that makes it so, cleared after one that pays it off. */
  readonly owes: boolean;
  /** A gap was suspected: until then ask for the most and poll sooner. */
  readonly watchUntil?: number;
  /** The ledger's note of the last pause, so that it need not be opened to see it. */
  readonly pause?: number;
  /** When something last matched, for the "nothing matched" notice. */
  readonly matchedAt?: number;
}

export interface PollStateStore {
  read(id: string): Promise<PollState | undefined>;
  write(id: string, state: PollState): Promise<void>;
  remove(id: string): Promise<void>;
  all(): AsyncIterable<readonly [string, PollState]>;
}

/** A table of JSON values with an optional life in milliseconds; expired rows are really deleted by `purge`. */
export interface Table<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T, ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  entries(): AsyncIterable<readonly [string, T]>;
}

/** One line of what happened to a subscription. */
export interface HistoryEvent {
  readonly at: number;
  readonly kind: 'baseline' | 'sent' | 'failed' | 'parked' | 'expired' | 'gap' | 'rejected' | 'resumed';
  readonly destination?: string;
  readonly edition?: string;
  readonly count?: number;
  readonly why?: string;
}

/** An edition with its postings, kept for its web page, feed and history. */
export interface EditionRecord {
  readonly id: string;
  readonly subscription: string;
  readonly account: string;
  readonly destination: Destination;
  readonly every: Cadence['every'];
  readonly from: number;
  readonly slot: number;
  readonly about: string;
  readonly locale: string;
  readonly postings: readonly EditionPosting[];
  readonly rest: readonly EditionPosting[];
}

/** A posting as an account's polls found it, for previews and charts. */
export interface ArchivedPosting {
  readonly at: number;
  readonly subscription: string;
  readonly posting: Posting;
}

export interface History {
  note(subscription: string, event: HistoryEvent): Promise<void>;
  /** Newest first, at most 50. */
  events(subscription: string): Promise<readonly HistoryEvent[]>;
  keepEdition(record: EditionRecord): Promise<void>;
  edition(id: string): Promise<EditionRecord | undefined>;
  archive(account: string, postings: readonly ArchivedPosting[]): Promise<void>;
  /** First seen within the last `days` (at most 90), oldest first. */
  archived(account: string, days: number, now: number): Promise<readonly ArchivedPosting[]>;
  forgetSubscription(subscription: string): Promise<void>;
  forgetAccount(account: string): Promise<void>;
}

/** A change another process (the command line) made, so that a running service reloads the record. */
export interface Change {
  readonly kind: 'account' | 'subscription';
  readonly id: string;
}

export interface Changes {
  announce(change: Change): Promise<void>;
  /** Changes not yet handed out by this object. */
  fresh(): Promise<readonly Change[]>;
}

/** The right to act on a store; `fence` grows with every holder. */
export interface Lease {
  /** The holder's number, or undefined while another process holds it. `holder` describes who, for a person. */
  acquire(): Promise<{ readonly fence: number } | { readonly holder: string }>;
  /** True while the lease is ours; asks the store when the last renewal is not fresh enough to be sure. */
  held(): Promise<boolean>;
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/** What a person marked: saved, applied or dismissed postings, hidden companies and tags, per account. */
export interface Marks {
  readonly postings: Readonly<
    Record<string, { readonly mark: Mark; readonly at: number; readonly posting: Posting }>
  >;
  readonly hiddenCompanies: readonly string[];
  readonly hiddenTags: readonly string[];
}

/** Everything that is kept. One table per kind. */
export interface Stores {
  readonly accounts: AccountStore;
  readonly subscriptions: SubscriptionStore;
  readonly ledgers: LedgerStore;
  readonly polls: PollStateStore;
  readonly rejections: Table<Rejection>;
  readonly notices: Table<Notice & { readonly toldAt: number }>;
  readonly marks: Table<Marks>;
  readonly cache: Table<unknown>;
  /** Small records of the adapters: command hashes, confirm requests, suppressions. Keys are prefixed by the adapter. */
  readonly misc: Table<unknown>;
  readonly history: History;
  readonly changes: Changes;
  readonly lease: Lease;
  /** A real write and read, for readiness. Throws when the store does not work. */
  probe(): Promise<void>;
  /** Deletes expired rows; the number deleted. */
  purge(): Promise<number>;
  close(): Promise<void>;
}

// ── Owners ─────────────────────────────────────────────────────────────────────────────────────────────

/** Something an owner must know. Told once per `kind` and `subject` until it is cleared. */
export interface Notice {
  readonly kind: 'token' | 'destination' | 'posting' | 'gap' | 'expired' | 'silence' | 'store' | 'mail';
  /** What it is about: a subscription, destination or account id. */
  readonly subject: string;
  readonly account: string;
  readonly subscription?: string;
  readonly destination?: string;
  /** One sentence with the mend, English; `data` lets a translation say the same. */
  readonly text: string;
  readonly data?: Readonly<Record<string, string | number>>;
}

/** Carries a notice to its owner; true when someone was reached. The pipeline asks each in turn. */
export type Messenger = (notice: Notice) => Promise<boolean>;

// ── Engine ─────────────────────────────────────────────────────────────────────────────────────────────

/** A piece of work by reference: ids only, the truth is in the store. */
export interface Job {
  readonly queue: string;
  /** A job put again while it waits is one job, at the earlier of both times. */
  readonly id: string;
  /** Jobs of one group run one at a time, in order. */
  readonly group: string;
  /** Milliseconds since the epoch; at once when left out. */
  readonly at?: number;
}

/** Nothing: done. `again`: milliseconds until the next run; `deferred`: without using up an attempt. */
export type Outcome = undefined | { readonly again: number; readonly deferred?: boolean };

/** A handler may run twice for one job after a crash; throwing counts as an attempt and runs again after a back-off. */
export type Worker = (
  job: Job,
  context: { readonly attempt: number; readonly signal: AbortSignal },
) => Promise<Outcome>;

/** What runs polls and deliveries. */
export interface Engine {
  put(job: Job): Promise<void>;
  /** Waiting and running jobs of a queue. */
  size(queue: string): number;
  /** Starts taking jobs; gives back what stops it. Several workers of a queue share its jobs. */
  work(queue: string, concurrency: number, worker: Worker): () => void;
  /** Takes no new jobs and waits for the running ones; false when `ms` passed first (they are then aborted). */
  drain(ms: number): Promise<boolean>;
}

// ── Desk ───────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Who asks. `manages` names a server the caller was verified to manage: its subscriptions may be changed as if they
 * were the caller's own. Whoever lacks the right gets a UserError, whatever the adapter let through.
 */
export interface Caller {
  readonly account: string;
  readonly manages?: string;
  readonly locale?: string;
}

type TokenReport =
  | { readonly state: 'missing' }
  | { readonly state: 'ok' | 'rejected'; readonly lastFour: string; readonly why?: string };

/** A new subscription in the words of a form; everything is validated, all faults come at once as a UserError. */
export interface Draft {
  readonly filter: unknown;
  /** live, hourly, daily, weekly or a cron expression. */
  readonly schedule?: string;
  readonly timezone?: string;
  /** `{ sink, target, cadence, options }` as in the subscriptions file. */
  readonly destination: unknown;
  readonly guild?: string;
}

/** A subscription with everything a person asks about it. Times in milliseconds since the epoch. */
export interface SubscriptionReport {
  readonly subscription: Subscription;
  readonly about: string;
  readonly state: 'active' | 'paused' | 'no-token' | 'token-rejected' | 'parked';
  readonly why?: string;
  readonly nextPollAt?: number;
  readonly nextEditionAt?: number;
  readonly polledAt?: number;
  readonly outcome?: string;
  readonly owed: number;
  readonly parked: readonly {
    readonly destination: Destination;
    readonly at: number;
    readonly why: string;
  }[];
}

/** What a filter finds: now from the feed, and over the last days from what the account's polls archived. */
export interface PreviewReport {
  readonly about: string;
  readonly matches: readonly EditionPosting[];
  readonly looked: number;
  /** Matches per week, oldest week first, up to 30 days; empty without history. */
  readonly weeks: readonly number[];
  /** Rules by how many postings they removed, most first. */
  readonly removedBy: readonly { readonly rule: string; readonly count: number }[];
}

export interface MarkedPosting {
  readonly key: string;
  readonly mark: Mark;
  readonly at: number;
  readonly posting: Posting;
}

/** What people can ask for, whichever adapter they ask through. Failures a person can mend are UserErrors. */
export interface Desk {
  /** Tries the token once against the API before keeping it. Throws a UserError when it is refused. */
  setToken(account: string, token: Secret): Promise<TokenReport>;
  tokenReport(account: string): Promise<TokenReport>;
  removeToken(account: string): Promise<boolean>;

  /** Records it and proves the token with the baseline poll; the report and how many postings match now. */
  subscribe(
    caller: Caller,
    draft: Draft,
  ): Promise<{ readonly report: SubscriptionReport; readonly matchesNow: number }>;
  /** The caller's own, and those of the server the caller manages. */
  subscriptions(caller: Caller): Promise<readonly SubscriptionReport[]>;
  subscription(caller: Caller, id: string): Promise<SubscriptionReport>;
  edit(
    caller: Caller,
    id: string,
    change: {
      readonly filter?: unknown;
      readonly schedule?: string;
      readonly timezone?: string;
      /** Replaces the only, or the named, destination. */
      readonly destination?: unknown;
      readonly destinationId?: string;
      readonly locale?: string;
      /** The server it belongs to from now on, null for none: private places are no server's business. */
      readonly guild?: string | null;
    },
  ): Promise<SubscriptionReport>;
  pause(caller: Caller, id: string): Promise<SubscriptionReport>;
  /** Ends a pause and frees parked destinations. */
  resume(caller: Caller, id: string): Promise<SubscriptionReport>;
  remove(caller: Caller, id: string): Promise<void>;

  preview(caller: Caller, filter: unknown): Promise<PreviewReport>;
  why(caller: Caller, id: string, posting: string): Promise<Explained>;
  history(caller: Caller, id: string): Promise<readonly HistoryEvent[]>;
  edition(id: string): Promise<EditionRecord | undefined>;
  /** Editions sent to the account, newest first, at most `limit`. */
  editions(account: string, limit: number): Promise<readonly EditionRecord[]>;

  marks(account: string): Promise<readonly MarkedPosting[]>;
  /** Marks a posting of an edition (0-based index over all its postings); undefined takes the mark away. */
  mark(account: string, edition: string, index: number, mark: Mark | undefined): Promise<EditionPosting>;
  hide(account: string, what: { readonly company?: string; readonly tag?: string }): Promise<void>;

  /** Remembered choices of the account. */
  profile(account: string): Promise<Omit<Account, 'token'> | undefined>;
  saveProfile(
    account: string,
    change: { readonly timezone?: string; readonly locale?: string },
  ): Promise<void>;
  /** All that is stored about the account, without the token. */
  exportAccount(account: string): Promise<unknown>;
  eraseAccount(account: string): Promise<void>;
  /** The bot left a server: its subscriptions stop, and are deleted after the stated time. */
  leftGuild(guild: string): Promise<void>;

  /** Absent while e-mail is off. */
  readonly mail?: MailDesk;
}

/** One stream of mails: a subscription to a destination. */
export interface Stream {
  readonly account: string;
  readonly subscription: string;
  readonly destination: string;
}

/** Whom a confirm link is for, and what they are asked about. */
interface Invitation {
  readonly account: string;
  readonly locale: string;
  readonly about?: string;
}

/** E-mail addresses and consent. The same answer for every address. */
export interface MailDesk {
  /** Keeps the address unconfirmed and mails the confirmation; a UserError for an address that is none. */
  setAddress(account: string, address: string, locale: string): Promise<void>;
  addressReport(account: string): Promise<{
    readonly address?: string;
    readonly state: 'none' | 'unconfirmed' | 'confirmed' | 'suppressed';
  }>;
  removeAddress(account: string): Promise<void>;
  /** Whom a confirm link is for; changes nothing. Undefined for one that does not work. */
  peek(token: string): Promise<Invitation | undefined>;
  /** Uses a confirm link up and frees what waited for it. */
  confirm(token: string): Promise<Invitation | undefined>;
  /** Since when a reader is unsubscribed, milliseconds since the epoch. */
  stoppedAt(stream: Stream): Promise<number | undefined>;
  /** Unsubscribes, what is already due included; again is no fault. */
  stop(stream: Stream): Promise<void>;
  /** Takes that back. */
  restart(stream: Stream): Promise<void>;
  /** What is kept about the account's mails, for the export. */
  exportOf(account: string): Promise<unknown>;
  /** Deletes it, and makes all links of its mails void but the one to unsubscribe. */
  forget(account: string): Promise<void>;
}

/** The signed links of mails and pages, with the keys and epochs behind them. */
export interface LinkBook {
  /** Addresses below PUBLIC_URL; absent without one. */
  readonly links?: Links;
  /** Addresses without a host, for pages that link to each other. */
  readonly local: Links;
  /** Current link epoch of an account. */
  epoch(account: string): Promise<number>;
  /** Makes all links of an account void, but those to unsubscribe. */
  revoke(account: string): Promise<void>;
  /** What a link of this purpose says; undefined for whatever is wrong with it. */
  open(purpose: LinkPurpose, token: string): Promise<LinkClaim | undefined>;
}

/** The chain for one posting: its fate, the rule or key behind it, and each destination's state. */
export interface Explained {
  readonly key: string;
  readonly fate: 'baseline' | 'matched' | 'filtered' | 'repost' | 'paused' | 'unseen';
  readonly at?: number;
  readonly by?: string;
  readonly destinations: readonly {
    readonly sink: string;
    readonly target: string;
    readonly state:
      | 'owed'
      | 'underway'
      | 'parked'
      | 'sent'
      | 'more'
      | 'elsewhere'
      | 'expired'
      | 'dropped'
      | 'none';
    readonly at?: number;
    readonly why?: string;
    readonly attempts?: number;
  }[];
}

// ── Operator ───────────────────────────────────────────────────────────────────────────────────────────

/** A part of a long list. `filter`: words that must all occur, whatever their case. `page` counts from 1. */
export interface ListQuery {
  readonly filter?: string;
  readonly state?: string;
  readonly page?: number;
}

export interface ListPage<T> {
  /** At most 100. */
  readonly rows: readonly T[];
  readonly page: number;
  readonly pages: number;
  /** All that pass the filter. */
  readonly total: number;
}

export type SubscriptionState = SubscriptionReport['state'];

/** A subscription with how well its polls cover what appeared. */
export interface CoverageReport extends SubscriptionReport {
  /** Gaps suspected in the last 30 days, as far as the history reaches. */
  readonly gaps: number;
  /** Milliseconds since the epoch. */
  readonly lastGapAt?: number;
  /** Polls in a row that failed. */
  readonly failures: number;
}

/** What waits for one destination of a subscription. Times in milliseconds since the epoch. */
export interface WaitingReport {
  readonly subscription: string;
  readonly account: string;
  readonly destination: string;
  readonly sink: string;
  readonly every: Cadence['every'];
  readonly state: 'parked' | 'retrying' | 'waiting' | 'paused' | 'off';
  readonly postings: number;
  readonly oldest?: number;
  /** Attempts and outages of the edition under way. */
  readonly attempts: number;
  readonly nextAt?: number;
  readonly since?: number;
  readonly why?: string;
}

/** Never a token, never an address. */
export interface AccountReport {
  readonly account: string;
  readonly token: 'ok' | 'missing' | 'rejected' | 'unreadable';
  readonly why?: string;
  readonly at?: number;
  readonly subscriptions: number;
  readonly email: 'none' | 'unconfirmed' | 'confirmed';
  readonly createdAt?: number;
}

/** Figures over everything. Times in milliseconds since the epoch. */
export interface Overview {
  readonly subscriptions: Readonly<Record<SubscriptionState, number>>;
  readonly accounts: number;
  readonly outbox: number;
  readonly oldest?: number;
  /** When the oldest edition became due that is not through, parked and paused ones left out. */
  readonly edition?: number;
  /** Destinations. */
  readonly parked: number;
  readonly queues: readonly { readonly queue: string; readonly jobs: number }[];
  /** Oldest first, at most 30. */
  readonly days: readonly {
    readonly day: string;
    readonly postings: number;
    readonly delivered: number;
    readonly failed: number;
  }[];
}

/** What the operator sees and may do, over all accounts. */
export interface AdminDesk {
  /** Up to a quarter of a minute old. */
  overview(): Promise<Overview>;
  subscriptions(query: ListQuery): Promise<ListPage<CoverageReport>>;
  waiting(query: ListQuery): Promise<ListPage<WaitingReport>>;
  accounts(query: ListQuery): Promise<ListPage<AccountReport>>;
  /** Frees a parked destination and makes what waits for it due at once; false when there is no such place. */
  retry(subscription: string, destination: string): Promise<boolean>;
}
