// How current postings are asked for: one request for a query and a token, by whichever protocol.
import type { Query } from '../domain/filter.js';
import type { ReadPosting } from '../domain/posting.js';
import type { Secret } from '../domain/secret.js';

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
  /** One attempt alone: somebody waits for the answer. */
  readonly once?: boolean;
  /** The caller sees to it that no other request of the account is open. */
  readonly isInTurn?: boolean;
  readonly signal?: AbortSignal;
}

/** A request made in the turn of its account's lane. */
export type PollRequest = Required<
  Pick<FeedRequest, 'account' | 'token' | 'query' | 'known' | 'signal' | 'format'>
> & {
  /** {@link Feed.recall} is to give the answer again. */
  readonly keep: boolean;
};

/**
 * What an answer lists, read as far as it is needed. `marks`: one for each of its records, in their order, the same as long
 * as the record says the same; empty when records can't be told apart. `count`: how many records there are.
 */
export interface Listing {
  readonly marks: readonly string[];
  readonly count: number;
  /** Its postings, or those with the marks. Fails with a malformed FeedError. */
  read(marks?: ReadonlySet<string>): Promise<readonly ReadPosting[]>;
}

/** `unchanged`: the same version the caller said it knew; nothing was parsed. */
export type FeedAnswer =
  | { readonly kind: 'unchanged'; readonly validator: Validator }
  | {
      readonly kind: 'postings';
      readonly listing: Listing;
      readonly validator: Validator;
      /** {@link Feed.recall} gives it again for a while. */
      readonly kept: boolean;
    };

/** Current postings for a query and a token. Fails with a FeedError only. */
export interface Feed {
  fetch(request: FeedRequest): Promise<FeedAnswer>;
  /** Whether there is anything new since `known`: one attempt, and nothing is read or written when there is not. */
  poll(request: PollRequest): Promise<FeedAnswer>;
  /** An answer by its version (`hash`), without asking; undefined when it was not kept. Fails when it is no listing. */
  recall(request: FeedRequest, hash: string): Promise<FeedAnswer | undefined>;
  /** Deletes what is cached for an account. */
  forget(account: string): Promise<void>;
  close(): Promise<void>;
}
