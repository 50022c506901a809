// Consent, streams of mails and the signed links in them. Shared by e-mail and pages.
import type { LinkClaim, LinkPurpose, Links } from '../domain/link-token.js';
import type { Destination } from '../domain/subscription.js';

/** One stream of mails: a subscription and a destination it delivers to. */
export interface Stream {
  readonly account: string;
  readonly subscription: string;
  readonly destination: string;
}

/** The reader a confirm link is for, and what they are asked about. */
interface Invitation {
  readonly account: string;
  readonly locale: string;
  readonly about?: string;
}

/** A request to export or erase all stored data, made by a person with a link from a stream's mails. */
export interface DataRequest extends Stream {
  readonly what: 'export' | 'erase';
  readonly locale: string;
}

/** E-mail addresses and consent. Answers are the same for every address. */
export interface MailService {
  /** True for a destination whose reader gets mails. Links in mails lead to pages about it. */
  isMail(destination: Pick<Destination, 'sink'>): boolean;
  /** Stores the address unconfirmed and mails the confirmation. Throws a UserError if it is not an address. */
  setAddress(account: string, address: string, locale: string): Promise<void>;
  addressReport(account: string): Promise<{
    readonly address?: string;
    readonly state: 'none' | 'unconfirmed' | 'confirmed' | 'suppressed';
  }>;
  removeAddress(account: string): Promise<void>;
  /** Returns the reader a confirm link is for, without changing anything. Undefined if the link does not work. */
  peek(token: string): Promise<Invitation | undefined>;
  /** Uses up a confirm link and frees what waited for it. `destination`: the id of the confirmed address. */
  confirm(token: string): Promise<(Invitation & { readonly destination: string }) | undefined>;
  /** Since when a reader is unsubscribed, in milliseconds since the epoch. */
  stoppedAt(stream: Stream): Promise<number | undefined>;
  /** Unsubscribes the reader, also from editions that are already due. Doing it again is no error. */
  stop(stream: Stream): Promise<void>;
  /** Undoes {@link stop}. */
  restart(stream: Stream): Promise<void>;
  /**
   * Mails a link that does what was asked for to the address of the stream's account. `later`: there were too many
   * requests today, or no mail can be sent now; `nowhere`: the account has no confirmed address.
   */
  askForData(request: DataRequest): Promise<'sent' | 'later' | 'nowhere'>;
  /** Returns what such a link is for, without changing anything. Undefined if the link does not work. */
  peekDataRequest(token: string): Promise<DataRequest | undefined>;
  /** Uses up such a link. */
  takeDataRequest(token: string): Promise<DataRequest | undefined>;
  /**
   * Mails a link to the page with all subscriptions of the account to its confirmed address. `nowhere`: it has none, or
   * many readers share it; `later`: as for {@link askForData}.
   */
  askForPages(account: string, locale: string): Promise<'sent' | 'later' | 'nowhere'>;
  /** What is stored about the account's mails, for the export. */
  exportOf(account: string): Promise<unknown>;
}

/** The signed links in mails and pages, with their keys and epochs. */
export interface LinkBook {
  /** Links below PUBLIC_URL; absent if it is not set. */
  readonly links?: Links;
  /** Addresses without a host, for pages that link to each other. */
  readonly local: Links;
  /** The current link epoch of an account. */
  epoch(account: string): Promise<number>;
  /** Revokes all links of an account, except those to unsubscribe. */
  revoke(account: string): Promise<void>;
  /** Deletes what is stored about an account's links. For an account that is erased. */
  forget(account: string): Promise<void>;
  /** Returns the content of a link of this purpose; undefined for every kind of fault. */
  open(purpose: LinkPurpose, token: string): Promise<LinkClaim | undefined>;
}
