// How current postings are requested: one request for a query and a token, in any protocol.
import type { Query } from '../domain/filter.js';
import type { ReadPosting } from '../domain/posting.js';
import type { Secret } from '../domain/secret.js';

/** Identifies a version of a response. The caller keeps it only after it has recorded the content. */
export interface Validator {
  readonly etag?: string;
  readonly lastModified?: string;
  /** Hash of the decoded body. */
  readonly hash: string;
}

/** One request to the jobs API. `known`: the version the caller has recorded; `format`: defaults to rss. */
export interface FeedRequest {
  readonly account: string;
  readonly token: Secret;
  readonly query: Query;
  readonly known?: Validator;
  readonly format?: 'rss' | 'json';
  /** Answers from the network even if the cache could answer. */
  readonly fresh?: boolean;
  /** Makes one attempt only, because a person waits for the answer. */
  readonly once?: boolean;
  /** The caller makes sure that no other request of the account is open. */
  readonly isInTurn?: boolean;
  readonly signal?: AbortSignal;
}

/** A request made during the turn of its account's lane. */
export type PollRequest = Required<
  Pick<FeedRequest, 'account' | 'token' | 'query' | 'known' | 'signal' | 'format'>
> & {
  /** Whether {@link Feed.recall} must be able to return the answer later. */
  readonly keep: boolean;
};

/**
 * The content of an answer, parsed only as far as needed. `marks`: one for each record, in order, which stays the
 * same while the record stays the same; empty if records can't be distinguished. `count`: the number of records.
 */
export interface Listing {
  readonly marks: readonly string[];
  readonly count: number;
  /** Returns its postings, or only those with the marks. Rejects with a malformed FeedError. */
  read(marks?: ReadonlySet<string>): Promise<readonly ReadPosting[]>;
}

/** `unchanged`: the version that the caller already knew. Nothing was parsed. */
export type FeedAnswer =
  | { readonly kind: 'unchanged'; readonly validator: Validator }
  | {
      readonly kind: 'postings';
      readonly listing: Listing;
      readonly validator: Validator;
      /** True if {@link Feed.recall} can return it again for a while. */
      readonly kept: boolean;
    };

/** Current postings for a query and a token. Rejects only with a FeedError. */
export interface Feed {
  fetch(request: FeedRequest): Promise<FeedAnswer>;
  /**
   * Whether there is anything new since `known`. Makes one attempt, and reads and writes nothing if nothing is new.
   */
  poll(request: PollRequest): Promise<FeedAnswer>;
  /**
   * Returns an answer by its version (`hash`), without a request; undefined if it was not kept. Rejects if it is not
   * a listing.
   */
  recall(request: FeedRequest, hash: string): Promise<FeedAnswer | undefined>;
  /** Deletes the cached data of an account. */
  forget(account: string): Promise<void>;
  close(): Promise<void>;
}
