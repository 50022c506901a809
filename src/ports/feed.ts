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

/** `unchanged`: the same version the caller said it knew; nothing was parsed. */
export type FeedAnswer =
  | { readonly kind: 'unchanged'; readonly validator: Validator }
  | {
      readonly kind: 'postings';
      readonly postings: readonly ReadPosting[];
      readonly validator: Validator;
      /** {@link Feed.recall} gives it again for a while. */
      readonly kept: boolean;
    };

/** Current postings for a query and a token. Fails with a FeedError only. */
export interface Feed {
  fetch(request: FeedRequest): Promise<FeedAnswer>;
  /** The last answer, without asking; undefined when it was not kept. */
  recall(request: FeedRequest): Promise<FeedAnswer | undefined>;
  /** Deletes what is cached for an account. */
  forget(account: string): Promise<void>;
  close(): Promise<void>;
}
