// What the operator sees and may do over all accounts. Never a token, never an address.
import type { Cadence } from '../domain/cadence.js';
import type { SubscriptionReport } from './services.js';
import type { SinkPause } from './sink.js';
import type { ProcessReport } from './stores.js';

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

/** What is owed, in figures. Times in milliseconds since the epoch. */
export interface BacklogTotals {
  readonly outbox: number;
  readonly oldest?: number;
  /** When the oldest edition became due that is not through, parked and paused ones left out. */
  readonly edition?: number;
  /** Destinations. */
  readonly parked: number;
}

/** Figures over everything. */
export interface Overview extends BacklogTotals {
  readonly subscriptions: Readonly<Record<SubscriptionState, number>>;
  readonly accounts: number;
  /** What a sink holds back though no destination is at fault, such as all mails to a domain that refuses them. */
  readonly pauses: readonly (SinkPause & { readonly sink: string })[];
  readonly queues: readonly {
    readonly queue: string;
    readonly jobs: number;
    /** Lanes that are due and wait for a process, and when the one due for longest became due. */
    readonly waiting: number;
    readonly since?: number;
  }[];
  /** Those that share the work; empty where one does everything. */
  readonly processes: readonly ProcessReport[];
  /** Oldest first, at most 30. */
  readonly days: readonly {
    readonly day: string;
    readonly postings: number;
    readonly delivered: number;
    readonly failed: number;
  }[];
}

/** What the operator sees and may do, over all accounts. */
export interface AdminService {
  /** Counted anew each time; where that takes long, some minutes old. */
  backlog(): Promise<BacklogTotals>;
  /** Up to a quarter of a minute old; where counting takes long, some minutes. */
  overview(): Promise<Overview>;
  subscriptions(query: ListQuery): Promise<ListPage<CoverageReport>>;
  waiting(query: ListQuery): Promise<ListPage<WaitingReport>>;
  accounts(query: ListQuery): Promise<ListPage<AccountReport>>;
  /** Frees a parked destination and makes what waits for it due at once; false when there is no such place. */
  retry(subscription: string, destination: string): Promise<boolean>;
}
