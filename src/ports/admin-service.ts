// What the operator sees and can do across all accounts. Contains no tokens and no addresses.
import type { Cadence } from '../domain/cadence.js';
import type { SubscriptionReport } from './services.js';
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

/** What is waiting for one destination of a subscription. Times in milliseconds since the epoch. */
export interface WaitingReport {
  readonly subscription: string;
  readonly account: string;
  readonly destination: string;
  readonly sink: string;
  readonly every: Cadence['every'];
  readonly state: 'parked' | 'retrying' | 'waiting' | 'paused' | 'off';
  readonly postings: number;
  readonly oldest?: number;
  /** Attempts and outages of the current edition. */
  readonly attempts: number;
  readonly nextAt?: number;
  readonly since?: number;
  readonly why?: string;
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

/** What the operator sees and can do, across all accounts. */
export interface AdminService {
  /** Counted for each call; some minutes old if counting is slow. */
  backlog(): Promise<BacklogTotals>;
  /** Up to 15 seconds old; some minutes if counting is slow. */
  overview(): Promise<Overview>;
  subscriptions(query: ListQuery): Promise<ListPage<CoverageReport>>;
  waiting(query: ListQuery): Promise<ListPage<WaitingReport>>;
  accounts(query: ListQuery): Promise<ListPage<AccountReport>>;
  /**
   * Frees a parked destination and makes what waits for it due immediately. Returns false if there is no such
   * destination.
   */
  retry(subscription: string, destination: string): Promise<boolean>;
}
