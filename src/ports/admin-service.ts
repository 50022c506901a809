// What the operator sees and can do across all accounts. Contains no tokens and no addresses.
import type { Cadence } from '../domain/cadence.js';
import type { FixName } from '../domain/errors.js';
import type { Filter } from '../domain/filter.js';
import type { PreviewReport, SubscriptionReport } from './services.js';
import type { SinkPause } from './sink.js';
import type { ProcessReport } from './stores.js';

/** A page of a long list. `filter`: words that must all occur, in upper or lower case. `page` counts from 1. */
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
  /** The number of rows that pass the filter. */
  readonly total: number;
}

export type SubscriptionState = SubscriptionReport['state'];

/** A subscription, and how completely its polls cover what appeared. */
export interface CoverageReport extends SubscriptionReport {
  /** Gaps suspected in the last 30 days, as far back as the history goes. */
  readonly gaps: number;
  /** Milliseconds since the epoch. */
  readonly lastGapAt?: number;
  /** How many polls in a row failed. */
  readonly failures: number;
}

/**
 * One destination of a subscription: what is waiting for it, why nothing is sent, and when it is tried next. Times in
 * milliseconds since the epoch.
 */
export interface PlaceReport {
  readonly subscription: string;
  readonly account: string;
  readonly destination: string;
  readonly sink: string;
  readonly cadence: Cadence;
  readonly state: 'active' | 'parked' | 'blocked' | 'retrying' | 'waiting' | 'paused' | 'off';
  readonly postings: number;
  readonly oldest?: number;
  /** Attempts and outages of the current edition. */
  readonly attempts: number;
  readonly nextAt?: number;
  readonly since?: number;
  readonly why?: string;
  readonly fix?: FixName;
}

/** A subscription with all its destinations. */
export interface SubscriptionDetails extends CoverageReport {
  readonly places: readonly PlaceReport[];
}

/** Contains no token and no address. */
export interface AccountReport {
  readonly account: string;
  readonly token: 'ok' | 'missing' | 'rejected' | 'unreadable';
  readonly why?: string;
  readonly at?: number;
  readonly subscriptions: number;
  readonly email: 'none' | 'unconfirmed' | 'confirmed';
  readonly createdAt?: number;
}

/** What is waiting to be sent, in numbers. Times in milliseconds since the epoch. */
export interface BacklogTotals {
  readonly outbox: number;
  readonly oldest?: number;
  /** When the oldest unfinished edition became due, leaving out parked and paused ones. */
  readonly edition?: number;
  /** Number of parked destinations. */
  readonly parked: number;
}

/** Numbers over all accounts. */
export interface Overview extends BacklogTotals {
  readonly subscriptions: Readonly<Record<SubscriptionState, number>>;
  readonly accounts: number;
  /** What a sink holds back although no destination is at fault, such as all mails to a domain that refuses them. */
  readonly pauses: readonly (SinkPause & { readonly sink: string })[];
  readonly queues: readonly {
    readonly queue: string;
    readonly jobs: number;
    /** Lanes that are due and wait for a process, and when the first of them became due. */
    readonly waiting: number;
    readonly since?: number;
  }[];
  /** Processes that share the work; empty if one process does everything. */
  readonly processes: readonly ProcessReport[];
  /** Oldest first, at most 30. */
  readonly days: readonly {
    readonly day: string;
    readonly postings: number;
    readonly delivered: number;
    readonly failed: number;
  }[];
}

/** What an import did, or would do: ids, and how many entries are stored like that already. */
export interface Imported {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: number;
}

/** Entries in the form of the subscriptions file. */
export interface EntryService {
  /**
   * Adds or replaces what the text lists. `dry`: only checks it. `filters`: what the entries look for, and whose token
   * they use. Throws a UserError with a line per fault.
   */
  import(
    text: string,
    dry: boolean,
  ): Promise<
    Imported & { readonly filters: readonly { readonly account: string; readonly filter: Filter }[] }
  >;
  /**
   * The text of one of the operator's own subscriptions, with names in place of targets that may be an address or hold a
   * key; `import` takes these names. Undefined for all others: they are kept in the file, or belong to people.
   */
  export(id: string): Promise<string | undefined>;
}

/** What the operator sees and can do, across all accounts. */
export interface AdminService {
  /** Counted for each call; some minutes old if counting is slow. */
  backlog(): Promise<BacklogTotals>;
  /** Up to 15 seconds old; some minutes if counting is slow. */
  overview(): Promise<Overview>;
  subscriptions(query: ListQuery): Promise<ListPage<CoverageReport>>;
  /** Undefined when there is no such subscription; the same for the methods below. */
  subscription(id: string): Promise<SubscriptionDetails | undefined>;
  /** What the subscription's filter finds now. Throws a UserError when the jobs API gives no answer. */
  preview(id: string): Promise<PreviewReport | undefined>;
  /** The same for a filter that is not stored, with the token of the account. */
  previewOf(account: string, filter: Filter): Promise<PreviewReport>;
  pause(id: string): Promise<boolean>;
  /** Ends a pause and frees parked destinations. */
  resume(id: string): Promise<boolean>;
  waiting(query: ListQuery): Promise<ListPage<PlaceReport>>;
  accounts(query: ListQuery): Promise<ListPage<AccountReport>>;
  /**
   * Frees a parked destination and makes what waits for it due immediately. Returns false if there is no such
   * destination.
   */
  retry(subscription: string, destination: string): Promise<boolean>;
}
