// Everything that is kept, one table per kind. Each store backend fulfils these and passes one contract test, so
// that SQLite and PostgreSQL are exchangeable.
import type { Account, Mark, Rejection } from '../domain/account.js';
import type { Backlog } from '../domain/backlog.js';
import type { Cadence } from '../domain/cadence.js';
import type { EditionPosting } from '../domain/edition.js';
import type { FixName } from '../domain/errors.js';
import type { Ledger } from '../domain/ledger.js';
import type { Posting } from '../domain/posting.js';
import type { RequestPlan, RequestRef } from '../domain/request.js';
import type { Role } from '../domain/role.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { Validator } from './feed.js';
import type { LaneStore, Plan } from './lanes.js';
import type { Notice } from './notice.js';

/**
 * From the present record to the next one; undefined for none. The same object again changes nothing, and so does an
 * error, which reaches the caller. It may run several times, when another writer was faster, so it has no side effects.
 */
export type ChangeOf<T> = (before: T | undefined) => T | undefined;

/** An account whose token was changed. */
export interface NewToken {
  readonly id: string;
  readonly version: number;
}

export interface AccountStore {
  get(id: string): Promise<Account | undefined>;
  /** The only way to change an account; resolves to what is stored then. */
  update(id: string, change: ChangeOf<Account>): Promise<Account | undefined>;
  remove(id: string): Promise<void>;
  /** Ids of some of the accounts whose token was changed, noted in the same commit, until that is settled. */
  withNewToken(): Promise<readonly string[]>;
  newToken(id: string): Promise<NewToken | undefined>;
  settleToken(one: NewToken): Promise<void>;
  /** Everything but the secrets. */
  list(): AsyncIterable<Omit<Account, 'token'> & { readonly hasToken: boolean }>;
}

/** How many subscriptions there may be once one more has been added; `full` makes the error that refuses it. */
export interface Room {
  /** Of its account. */
  readonly account: number;
  /** In its Discord server. */
  readonly server: number;
  readonly full: (of: 'account' | 'server') => Error;
  /** Looks at all of the account, without this one; with false nothing is stored. */
  readonly beside?: (others: readonly Subscription[]) => boolean;
}

/** How a subscription is changed. */
export interface UpdateOptions {
  /** Limits that hold whatever other processes add meanwhile. */
  readonly room?: Room;
  /** The caller makes the first requests itself; they become due this much later, should it end before. Milliseconds. */
  readonly firstAskMs?: number;
}

/** A change that is stored, while what runs (units, questions to readers, ledgers) does not follow it yet. */
export interface SubscriptionChange {
  readonly id: string;
  /** As it was when a change was last followed, without targets that are secrets; undefined when it was not there. */
  readonly former: Subscription | undefined;
  readonly version: number;
}

export interface SubscriptionStore {
  get(id: string): Promise<Subscription | undefined>;
  /** Those of the ids that are there, in their order. */
  many(ids: readonly string[]): Promise<readonly Subscription[]>;
  /**
   * The only way to change a subscription; resolves to what is stored then. The same commit notes that the change is to be
   * followed, see {@link SubscriptionStore.changed}.
   */
  update(
    id: string,
    change: ChangeOf<Subscription>,
    options?: UpdateOptions,
  ): Promise<Subscription | undefined>;
  /** Changes many, some hundreds in each commit; `change` is told which one it is about. */
  updateAll(
    ids: readonly string[],
    change: (before: Subscription | undefined, id: string) => Subscription | undefined,
  ): Promise<void>;
  byAccount(account: string): Promise<readonly Subscription[]>;
  /** Every account with subscriptions, and how many it has. */
  accounts(): AsyncIterable<readonly [account: string, count: number]>;
  /** `server`: the id of a Discord server. */
  byServer(server: string): Promise<readonly Subscription[]>;
  byDestination(destination: string): Promise<readonly Subscription[]>;
  /** Those that need a request, none of them paused. */
  needing(request: RequestRef): Promise<readonly Subscription[]>;
  /** Ids of those that the subscriptions file brought. */
  idsFromFile(): Promise<readonly string[]>;
  /** Ids of those that wait for the bot's return to their server. */
  idsLeft(): Promise<readonly string[]>;
  /** Servers with subscriptions; `left`: all of them wait for the bot's return. */
  servers(): Promise<readonly { readonly guild: string; readonly left: boolean }[]>;
  remove(id: string): Promise<void>;
  list(): AsyncIterable<Subscription>;
  /** Up to `most` ids whose changes are still to be followed, in their order, after the given one. */
  changed(most: number, after?: string): Promise<readonly string[]>;
  changeOf(id: string): Promise<SubscriptionChange | undefined>;
  /** The change has been followed; false when there is another one by now. */
  settle(change: SubscriptionChange): Promise<boolean>;
}

/** What a change of a ledger has to know of what was seen and delivered before. */
export interface Wanted {
  /** Posting keys: what was seen under them, also as weaker or former keys, and what shares one of them. */
  readonly keys?: readonly string[];
  /** Posting keys under which an entry is read if there is one, and nothing else is looked for. */
  readonly entries?: readonly string[];
  /** Likenesses: what was seen of them. */
  readonly likes?: readonly string[];
  /** Outcomes of these postings at these destinations. */
  readonly outcomes?: { readonly keys: readonly string[]; readonly destinations: readonly string[] };
  /** Everything that was seen. */
  readonly all?: true;
}

/** A ledger as far as it was asked for. */
export interface OpenLedger {
  readonly ledger: Ledger;
  /** There is none in the store yet. */
  readonly isNew: boolean;
  /**
   * Writes what `next` changes, in one commit; false when the ledger was changed since it was opened. `plans`: units that
   * are due because of it.
   */
  commit(next: Ledger, plans?: readonly Plan[]): Promise<boolean>;
}

/** What a subscription did with a posting at a destination: about to send it, sent it, or sent it over an edition's cap. */
export interface DeliveredHere {
  readonly subscription: string;
  readonly how: 'underway' | 'sent' | 'more';
  /** See {@link linkMark}. */
  readonly link: string;
}

/** One ledger per subscription. A change costs what it changes, however much was seen. */
export interface LedgerStore {
  /** An empty ledger where there is none. `wanted` is asked with what is owed, without anything seen. */
  open(id: string, wanted?: (ledger: Ledger) => Wanted | Promise<Wanted>): Promise<OpenLedger>;
  /** All of it, which may be large. */
  read(id: string): Promise<Ledger | undefined>;
  /** What is owed, without anything seen. */
  owed(id: string): Promise<Ledger | undefined>;
  /** Outcomes of one posting by destination id. */
  outcomesOf(id: string, key: string): Promise<Ledger['done'][string]>;
  /** What any subscription did with postings at a destination within the last 90 days, by posting key. */
  deliveredAt(
    destination: string,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, readonly DeliveredHere[]>>;
  /** What those of the ledgers owe that owe anything. */
  backlogs(ids: readonly string[]): Promise<ReadonlyMap<string, Backlog>>;
  /** Every ledger that owes anything. */
  allBacklogs(): AsyncIterable<readonly [string, Backlog]>;
  /** Ids of the subscriptions that have something waiting for a destination, or are parked there. */
  waitingAt(destination: string): Promise<readonly string[]>;
  /** Ids of the subscriptions of which a destination is parked. */
  parked(): Promise<readonly string[]>;
  /** Forgets the oldest postings seen over `most`, but none that a feed still shows or that is owed. */
  trim(id: string, most: number): Promise<void>;
  remove(id: string): Promise<void>;
}

/** What is known of the polls of a subscription beside its ledger. */
export interface PollState {
  /** Versions recorded, by the request's subject. */
  readonly heard?: Readonly<Record<string, string>>;
  /** Gaps suspected, by subject: until then it is watched. */
  readonly watch?: Readonly<Record<string, number>>;
  /** The ledger's note of the last pause, so that it need not be opened to see it. */
  readonly pause?: number;
  /** When something last matched, for the "nothing matched" notice. */
  readonly matchedAt?: number;
}

/**
 * What a request's unit keeps from one turn to the next. All of it is forgotten when a subscription that needs the request is added,
 * changed or removed, in the commit that does so: then the request is put together anew and its answer read in full.
 */
export interface RequestState {
  readonly plan?: RequestPlan;
  /** The version that every subscription has recorded, or is planned to. */
  readonly validator?: Validator;
  /** When it was answered last, and the time before that. Milliseconds since the epoch. */
  readonly answeredAt?: number;
  readonly formerlyAt?: number;
  /** After a suspected gap: until then it is asked for as much as there is, and sooner. */
  readonly watchUntil?: number;
  /** Times in a row that it was given up after its retries. */
  readonly failures?: number;
  readonly outcome?: string;
  readonly why?: string;
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
  /** For rows with one writer. */
  set(key: string, value: T, ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** For rows that several writers may change; resolves to what is stored then. `ttlMs`: from now on, endless without. */
  update(key: string, change: ChangeOf<T>, ttlMs?: number): Promise<T | undefined>;
  /** All rows, or those whose key begins with `prefix`. */
  entries(prefix?: string): AsyncIterable<readonly [string, T]>;
}

/** One line of what happened to a subscription. */
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

/** A posting as an account's polls found it, for previews and charts. */
export interface ArchivedPosting {
  readonly at: number;
  readonly subscription: string;
  readonly posting: Posting;
}

/** How many postings matched a subscription, for charts. Times in milliseconds since the epoch. */
export interface MatchCounts {
  /** Complete from then on; what a subscription's first poll finds is never counted. */
  readonly since: number;
  /** The subscription was counted from its first poll on: there is nothing before `since`. */
  readonly whole: boolean;
  /** Counts by the beginning of the hour they fell in, oldest first. */
  readonly hours: readonly (readonly [at: number, count: number])[];
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
  /** Adds `count` postings that matched at `at`; `first` at the first poll, from which on it is counted. */
  countMatches(of: {
    account: string;
    subscription: string;
    at: number;
    count: number;
    first: boolean;
  }): Promise<void>;
  /** Those of the last 90 days; undefined before the first. */
  matches(subscription: string): Promise<MatchCounts | undefined>;
  forgetSubscription(subscription: string): Promise<void>;
  forgetAccount(account: string): Promise<void>;
}

/** The right to act on a store; `fence` grows with every holder. */
export interface Lease {
  /**
   * The holder's number, or who holds it, for a person. `shares`: the store is shared by processes over a queue. Without a
   * role, a process gets the lease only when no other process uses the store.
   */
  acquire(): Promise<{ readonly fence: number } | { readonly holder: string; readonly shares?: boolean }>;
  /** True while the lease is ours; asks the store when the last renewal is not fresh enough to be sure. */
  held(): Promise<boolean>;
  renew(): Promise<boolean>;
  /** Who holds it now, for a person; undefined when no living process does. Takes nothing. */
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
  /** Taken since then; a few seconds old. */
  readonly turns: number;
}

/** The processes that share the store over a queue; where there is none, all of it does nothing. */
export interface Processes {
  /** Makes this one known, for as long as `beat` is called; who uses the store alone, for a person: then it is not. */
  join(): Promise<string | undefined>;
  /** Every few seconds. */
  beat(turns: number): Promise<void>;
  list(): Promise<readonly ProcessReport[]>;
  leave(): Promise<void>;
}

/** What a person marked: saved, applied or dismissed postings, hidden companies and tags, per account. */
export interface Marks {
  readonly postings: Readonly<
    Record<
      string,
      {
        readonly mark: Mark;
        readonly at: number;
        readonly posting: Posting;
        /** Address of the card it was marked on. */
        readonly card?: string;
      }
    >
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
  /** Small notes about the store as a whole. */
  readonly meta: Table<unknown>;
  readonly lease: Lease;
  readonly processes: Processes;
  readonly lanes: LaneStore;
  /** A real write and read, for readiness. Throws when the store does not work. */
  probe(): Promise<void>;
  /** Deletes expired rows; the number deleted. */
  purge(): Promise<number>;
  /** Makes what was deleted before unreadable in the files of the store, where the database keeps it in any (SQLite). */
  wipe(): Promise<void>;
  close(): Promise<void>;
}
