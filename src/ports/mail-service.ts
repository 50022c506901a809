// Consent, streams of mails and the signed links in them: what e-mail and pages share.
import type { LinkClaim, LinkPurpose, Links } from '../domain/link-token.js';

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

/** Someone with a link of a stream's mails wants all that is stored, or wants it gone. */
export interface DataRequest extends Stream {
  readonly what: 'export' | 'erase';
  readonly locale: string;
}

/** E-mail addresses and consent. The same answer for every address. */
export interface MailService {
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
  /**
   * Mails a link that does what was asked for to the address of the stream's account. `later`: too often today, or no
   * mail can be sent now; `nowhere`: no confirmed address belongs to it.
   */
  askForData(request: DataRequest): Promise<'sent' | 'later' | 'nowhere'>;
  /** What such a link is for; changes nothing. Undefined for one that does not work. */
  peekDataRequest(token: string): Promise<DataRequest | undefined>;
  /** Uses such a link up. */
  takeDataRequest(token: string): Promise<DataRequest | undefined>;
  /** What is kept about the account's mails, for the export. */
  exportOf(account: string): Promise<unknown>;
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
  /** Deletes what is kept of an account: for one that is erased. */
  forget(account: string): Promise<void>;
  /** What a link of this purpose says; undefined for whatever is wrong with it. */
  open(purpose: LinkPurpose, token: string): Promise<LinkClaim | undefined>;
}
