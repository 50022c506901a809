// The stores: all persistent data, with one table per kind of record. Every store backend implements these interfaces
// and passes the same contract test, so SQLite and PostgreSQL are interchangeable.
import type { Account, Rejection } from '../domain/account.js';
import type { Backlog } from '../domain/backlog.js';
import type { Cadence } from '../domain/cadence.js';
import type { EditionPosting } from '../domain/edition.js';
import type { FixName } from '../domain/errors.js';
import type { Ledger } from '../domain/ledger.js';
import type { MatchCounts } from '../domain/match-counts.js';
import type { Posting } from '../domain/posting.js';
import type { RequestPlan, RequestRef } from '../domain/request.js';
import type { Role } from '../domain/role.js';
import type { RuleChoice } from '../domain/rule-change.js';
import type { Marked } from '../domain/stages.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { Validator } from './feed.js';
import type { LaneStore, Plan } from './lanes.js';
import type { Notice } from './notice.js';

/**
 * Returns the next record for the current one; undefined stands for no record. Returning the same object changes
 * nothing. If it throws, nothing changes and the caller gets the error. It can run several times when another writer
 * was faster, so it must have no side effects.
 */
export type ChangeOf<T> = (before: T | undefined) => T | undefined;

/** An account whose token was changed. */
export interface NewToken {
  readonly id: string;
  readonly version: number;
}

export interface AccountStore {
  get(id: string): Promise<Account | undefined>;
  /** The only way to change an account. Resolves to the record that is stored afterwards. */
  update(id: string, change: ChangeOf<Account>): Promise<Account | undefined>;
  remove(id: string): Promise<void>;
  /**
   * Ids of some of the accounts with a changed token. The commit that changes a token records it here, until
   * {@link AccountStore.settleToken} removes it.
   */
  withNewToken(): Promise<readonly string[]>;
  newToken(id: string): Promise<NewToken | undefined>;
  settleToken(one: NewToken): Promise<void>;
  /** All accounts, without their secrets. */
  list(): AsyncIterable<Omit<Account, 'token'> & { readonly hasToken: boolean }>;
}

/**
 * Limits on the number of subscriptions after one more is added. `full` makes the error that refuses the addition.
 */
export interface Room {
  /** Limit of the account. */
  readonly account: number;
  /** Limit of the Discord server. */
  readonly server: number;
  readonly full: (of: 'account' | 'server') => Error;
  /** Gets all other subscriptions of the account. If it returns false, nothing is stored. */
  readonly beside?: (others: readonly Subscription[]) => boolean;
}

/** Options of a change to a subscription. */
export interface UpdateOptions {
  /** Limits that hold even when other processes add subscriptions at the same time. */
  readonly room?: Room;
  /**
   * The caller makes the first requests itself. They become due after this delay, in case the caller ends before it
   * makes them. Milliseconds.
   */
  readonly firstAskMs?: number;
}

/** A stored change that the running parts (units, questions to readers, ledgers) do not reflect yet. */
export interface SubscriptionChange {
  readonly id: string;
  /**
   * The subscription when a change was last followed, without targets that are secrets; undefined if it did not
   * exist.
   */
  readonly former: Subscription | undefined;
  readonly version: number;
}

/** A subscription as it is stored. Every write of it changes `version`. */
export interface VersionedSubscription {
  readonly subscription: Subscription;
  readonly version: number;
}

export interface SubscriptionStore {
  get(id: string): Promise<Subscription | undefined>;
  /** The subscriptions with these ids, in the order of the ids. Ids without a subscription are left out. */
  many(ids: readonly string[]): Promise<readonly Subscription[]>;
  /** The same, with their versions. */
  withVersions(ids: readonly string[]): Promise<readonly VersionedSubscription[]>;
  /**
   * The only way to change a subscription. Resolves to the record that is stored afterwards. The same commit records
   * that the change must be followed, see {@link SubscriptionStore.changed}.
   */
  update(
    id: string,
    change: ChangeOf<Subscription>,
    options?: UpdateOptions,
  ): Promise<Subscription | undefined>;
  /**
   * Changes many subscriptions, a few hundred in each commit. `change` gets the id of the subscription it changes.
   */
  updateAll(
    ids: readonly string[],
    change: (before: Subscription | undefined, id: string) => Subscription | undefined,
  ): Promise<void>;
  byAccount(account: string): Promise<readonly Subscription[]>;
  /** Every account that has subscriptions, and how many. */
  accounts(): AsyncIterable<readonly [account: string, count: number]>;
  /** `server`: the id of a Discord server. */
  byServer(server: string): Promise<readonly Subscription[]>;
  /** `except`: the id of a subscription to leave out. */
  byDestination(destination: string, except?: string): Promise<readonly Subscription[]>;
  /** Subscriptions that need a request and are not paused, and their ids. */
  needing(request: RequestRef): Promise<readonly Subscription[]>;
  idsNeeding(request: RequestRef): Promise<readonly string[]>;
  /** Ids of the subscriptions that come from the subscriptions file. */
  idsFromFile(): Promise<readonly string[]>;
  /** Ids of the subscriptions that wait for the bot to return to their server. */
  idsLeft(): Promise<readonly string[]>;
  /** Ids of the subscriptions whose pause has an end. */
  idsPausedUntil(): Promise<readonly string[]>;
  /** Ids of the subscriptions with a destination that wants messages about quiet weeks. */
  idsWithQuietWeeks(): Promise<readonly string[]>;
  /** Servers with subscriptions. `left`: all subscriptions of the server wait for the bot to return. */
  servers(): Promise<readonly { readonly guild: string; readonly left: boolean }[]>;
  remove(id: string): Promise<void>;
  list(): AsyncIterable<Subscription>;
  /** Up to `most` ids after the given one, in order, whose changes are still to be followed. */
  changed(most: number, after?: string): Promise<readonly string[]>;
  changeOf(id: string): Promise<SubscriptionChange | undefined>;
  /** Records that the change was followed. Returns false when there is a newer change. */
  settle(change: SubscriptionChange): Promise<boolean>;
}

/** What a change to a ledger needs to know about postings seen and delivered before. */
export interface Wanted {
  /**
   * Posting keys. Reads what was seen under them, also as weaker or former keys, and all postings that share one of
   * them.
   */
  readonly keys?: readonly string[];
  /** Posting keys. Reads only the entries stored under exactly these keys. */
  readonly entries?: readonly string[];
  /** Likenesses. Reads what was seen of them. */
  readonly likes?: readonly string[];
  /** Outcomes of these postings at these destinations; `owed`: of all postings in the outbox. */
  readonly outcomes?: {
    readonly keys: readonly string[] | 'owed';
    readonly destinations: readonly string[];
  };
  /** Reads everything that was seen. */
  readonly all?: true;
  /** Reads only how much waits in a long outbox, see {@link Ledger.unread}. Without it, the outbox is read. */
  readonly owed?: 'count';
}

/** A ledger, read as far as it was asked for. */
export interface OpenLedger {
  readonly ledger: Ledger;
  /** True when the store has no such ledger yet. */
  readonly isNew: boolean;
  /** Writes the changes in `next` in one commit. Returns false when the ledger was changed since it was opened. */
  commit(next: Ledger, also?: LedgerCommit): Promise<boolean>;
}

/** What else a commit of a ledger writes or compares. */
export interface LedgerCommit {
  /** Units that become due because of the change. */
  readonly plans?: readonly Plan[];
  /** The version that the subscription must still have; otherwise the commit returns false. */
  readonly subscriptionVersion?: number;
  /** Added to the archive. */
  readonly found?: Found | undefined;
}

/** What a poll found for a subscription of an account; without postings, only the account is recorded. */
export interface Found {
  readonly account: string;
  readonly at: number;
  readonly postings: readonly Posting[];
}

/**
 * What a subscription did with a posting at a destination. underway: it is about to send it; sent: it sent it; more:
 * it sent it over an edition's cap.
 */
export interface DeliveredHere {
  readonly subscription: string;
  readonly how: 'underway' | 'sent' | 'more';
  /** See {@link linkMark}. */
  readonly link: string;
}

/**
 * One ledger per subscription. The cost of a change depends on the size of the change, not on the number of postings
 * seen.
 */
export interface LedgerStore {
  /**
   * Opens a ledger; an empty one if there is none. `wanted` gets the ledger without the seen set and outcomes, and of a
   * long outbox only how much waits. It returns what else to read.
   */
  open(id: string, wanted?: (ledger: Ledger) => Wanted | Promise<Wanted>): Promise<OpenLedger>;
  /** The whole ledger, which can be large. */
  read(id: string): Promise<Ledger | undefined>;
  /** The ledger without the seen set and outcomes. */
  owed(id: string): Promise<Ledger | undefined>;
  /** Outcomes of one posting by destination id. */
  outcomesOf(id: string, key: string): Promise<Ledger['done'][string]>;
  /** What any subscription did with these postings at a destination within the last 90 days, by posting key. */
  deliveredAt(
    destination: string,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, readonly DeliveredHere[]>>;
  /** Backlogs of these ledgers. Ledgers without a backlog are left out. */
  backlogs(ids: readonly string[]): Promise<ReadonlyMap<string, Backlog>>;
  /** Every ledger that has a backlog. */
  allBacklogs(): AsyncIterable<readonly [string, Backlog]>;
  /** Ids of the subscriptions that have something waiting for a destination, or that are parked there. */
  waitingAt(destination: string): Promise<readonly string[]>;
  /** Ids of the subscriptions that have a parked destination. */
  parked(): Promise<readonly string[]>;
  /** How many postings matched in the last 90 days; undefined if nothing was ever counted. */
  matches(id: string): Promise<MatchCounts | undefined>;
  /** When a posting last matched, for every ledger that knows it. Reads all ledgers. */
  matchedTimes(): AsyncIterable<readonly [string, number]>;
  /**
   * Deletes the oldest entries of the seen set above `most`. Keeps postings that a feed still shows or that are in
   * the outbox.
   */
  trim(id: string, most: number): Promise<void>;
  remove(id: string): Promise<void>;
}

/**
 * What the unit of a request keeps from one turn to the next. When a subscription that needs the request is added,
 * changed or removed, the same commit deletes all of it. The request is then planned again and its answer read in
 * full.
 */
export interface RequestState {
  readonly plan?: RequestPlan;
  /** The version that every subscription has recorded or is planned to record. */
  readonly validator?: Validator;
  /** When the request was last answered, and the time before that. Milliseconds since the epoch. */
  readonly answeredAt?: number;
  readonly formerlyAt?: number;
  /** Set after a suspected gap. Until then the request is made more often and with the highest limit. */
  readonly watchUntil?: number;
  /** How many times in a row the request failed after all its retries. */
  readonly failures?: number;
  readonly outcome?: string;
  readonly why?: string;
}

/**
 * A table of JSON values with an optional lifetime in milliseconds. `purge` deletes expired rows from the database.
 */
export interface Table<T> {
  get(key: string): Promise<T | undefined>;
  /** For rows that have one writer. */
  set(key: string, value: T, ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Deletes all rows whose key begins with `prefix`, also those that have expired. */
  deleteUnder(prefix: string): Promise<void>;
  /**
   * For rows that can have several writers. Resolves to the value that is stored afterwards. `ttlMs` counts from now;
   * without it the row never expires.
   */
  update(key: string, change: ChangeOf<T>, ttlMs?: number): Promise<T | undefined>;
  /** All rows, or those whose key begins with `prefix`. */
  entries(prefix?: string): AsyncIterable<readonly [string, T]>;
}

/** One event in the history of a subscription. */
export interface HistoryEvent {
  readonly at: number;
  readonly kind: 'baseline' | 'sent' | 'failed' | 'parked' | 'expired' | 'gap' | 'rejected' | 'resumed';
  readonly destination?: string;
  readonly edition?: string;
  readonly count?: number;
  readonly why?: string;
  readonly fix?: FixName;
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

/** A posting as found by the polls of an account, for previews and charts. */
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
  /** Postings first seen within the last `days` (at most 90), oldest first. */
  archived(account: string, days: number, now: number): Promise<readonly ArchivedPosting[]>;
  forgetSubscription(subscription: string): Promise<void>;
  forgetAccount(account: string): Promise<void>;
}

/** The right to write to a store. `fence` increases with every holder. */
export interface Lease {
  /**
   * Returns the holder's number, or a description of the current holder for people to read. `shares`: processes share
   * the store over a queue. A process without a role gets the lease only when no other process uses the store.
   */
  acquire(): Promise<{ readonly fence: number } | { readonly holder: string; readonly shares?: boolean }>;
  /** True while this process holds the lease. Asks the store when the last renewal is too old to be sure. */
  held(): Promise<boolean>;
  renew(): Promise<boolean>;
  /**
   * The current holder, for people to read; undefined when no running process holds the lease. Does not take the
   * lease.
   */
  holder(): Promise<string | undefined>;
  release(): Promise<void>;
}

/** A process that shares the store with others. */
export interface ProcessReport {
  readonly id: string;
  readonly role: Role;
  readonly host: string;
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Turns taken since then. A few seconds old. */
  readonly turns: number;
}

/** The processes that share the store over a queue. Without a queue, these methods do nothing. */
export interface Processes {
  /**
   * Registers this process for as long as it calls `beat`. If another process uses the store alone, returns that
   * process, for people to read, and does not register.
   */
  join(): Promise<string | undefined>;
  /** Call it every few seconds. */
  beat(turns: number): Promise<void>;
  list(): Promise<readonly ProcessReport[]>;
  leave(): Promise<void>;
}

/** What a person marked, per account: postings with their stage or dismissed, and hidden companies and tags. */
export interface Marks {
  readonly postings: Readonly<
    Record<
      string,
      Marked & {
        readonly posting: Posting;
        /** Address of the card the posting was marked on. */
        readonly card?: string;
      }
    >
  >;
  readonly hiddenCompanies: readonly string[];
  readonly hiddenTags: readonly string[];
  /** Changes of rules that the person made because of a posting, newest first. */
  readonly changes?: readonly MadeChange[];
}

/** A change of a rule. `at` in milliseconds since the epoch; `posting`: the key of the posting it was made for. */
export interface MadeChange {
  readonly at: number;
  readonly subscription: string;
  readonly posting: string;
  readonly choice: RuleChoice;
}

/** All stores. */
export interface Stores {
  readonly accounts: AccountStore;
  readonly subscriptions: SubscriptionStore;
  readonly ledgers: LedgerStore;
  readonly rejections: Table<Rejection>;
  readonly notices: Table<Notice & { readonly toldAt: number }>;
  readonly marks: Table<Marks>;
  readonly cache: Table<unknown>;
  /**
   * Small records of the adapters, such as command hashes, confirm requests and suppressions. Each adapter prefixes
   * its keys.
   */
  readonly misc: Table<unknown>;
  readonly history: History;
  /** Small notes about the store as a whole. */
  readonly meta: Table<unknown>;
  readonly lease: Lease;
  readonly processes: Processes;
  readonly lanes: LaneStore;
  /** Does a real write and read, for the readiness check. Throws when the store does not work. */
  probe(): Promise<void>;
  /** Deletes expired rows. Returns how many. */
  purge(): Promise<number>;
  /** Makes deleted data unreadable in the store's files, if the database keeps deleted data there (SQLite). */
  wipe(): Promise<void>;
  close(): Promise<void>;
}
