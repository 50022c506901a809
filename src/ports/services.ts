// What people can ask for, in one place for slash commands, pages and the command line: same rules, same words.
import type { Account, Mark } from '../domain/account.js';
import type { EditionPosting } from '../domain/edition.js';
import type { FixName } from '../domain/errors.js';
import type { Posting } from '../domain/posting.js';
import type { Secret } from '../domain/secret.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { MailService } from './mail-service.js';
import type { EditionRecord, HistoryEvent } from './stores.js';

/**
 * Who asks. `manages` names a server the caller was verified to manage: its subscriptions may be changed as if they
 * were the caller's own. Whoever lacks the right gets a UserError, whatever the adapter let through.
 */
export interface Caller {
  readonly account: string;
  readonly manages?: string;
  readonly locale?: string;
}

type TokenReport =
  | { readonly state: 'missing' }
  | {
      readonly state: 'ok' | 'rejected';
      readonly lastFour: string;
      readonly why?: string;
      /** It was kept although the API gave no answer to the trial. */
      readonly untried?: true;
    };

/** A new subscription in the words of a form; everything is validated, all faults come at once as a UserError. */
export interface Draft {
  readonly filter: unknown;
  /** live, hourly, daily, weekly or a cron expression. */
  readonly schedule?: string;
  readonly timezone?: string;
  /** `{ sink, target, cadence, options }` as in the subscriptions file. */
  readonly destination: unknown;
  readonly guild?: string;
  /** The language of what is delivered; the caller's when left out. */
  readonly locale?: string;
}

/** A subscription with everything a person asks about it. Times in milliseconds since the epoch. */
export interface SubscriptionReport {
  readonly subscription: Subscription;
  readonly about: string;
  readonly state: 'active' | 'paused' | 'no-token' | 'token-rejected' | 'parked' | 'waiting';
  readonly why?: string;
  readonly nextPollAt?: number;
  readonly nextEditionAt?: number;
  /** The bot has left the server: then it is deleted, unless the bot comes back before. */
  readonly deletedAt?: number;
  readonly polledAt?: number;
  readonly outcome?: string;
  readonly owed: number;
  /** Destinations that get nothing at present. */
  readonly stuck: readonly StuckPlace[];
}

/**
 * A destination that gets nothing at present, and why. parked: it refused, and its owner must act; blocked: it would
 * refuse, as mail does before it is confirmed or after an unsubscribe; off: its way of delivery is off; waiting: it is
 * tried again at `nextAt`. Times in milliseconds since the epoch.
 */
export interface StuckPlace {
  readonly destination: Destination;
  readonly state: 'parked' | 'blocked' | 'off' | 'waiting';
  readonly why: string;
  readonly fix?: FixName;
  /** Since when, where that is known. */
  readonly at?: number;
  readonly nextAt?: number;
}

/** What a filter finds: now from the feed, and over the last days from what the account's polls archived. */
export interface PreviewReport {
  readonly about: string;
  readonly matches: readonly EditionPosting[];
  readonly looked: number;
  /** Matches per week, oldest week first, up to 30 days; empty without history. */
  readonly weeks: readonly number[];
  /** Rules by how many postings they removed, most first. */
  readonly removedBy: readonly { readonly rule: string; readonly count: number }[];
}

/** Everything of a company, or everything with a tag (its slug). */
export type Hidable = { readonly company: string } | { readonly tag: string };

export interface MarkedPosting {
  readonly key: string;
  readonly mark: Mark;
  readonly at: number;
  readonly posting: Posting;
  /** Address of the card it was marked on. */
  readonly card?: string;
}

/** A destination that gets nothing until something changes. `guild`: the server its subscription belongs to. */
export interface ParkedPlace {
  readonly sink: string;
  readonly target: string;
  readonly guild?: string;
  readonly fix?: FixName;
}

/** What people can ask for, whichever adapter they ask through. Failures a person can fix are UserErrors. */
export interface Services {
  /**
   * Tries the token once against the API before keeping it. Throws a UserError when it is refused, and keeps it untried
   * when the API does not answer. Five tries of an account in 15 minutes and sixty of all in an hour may go without
   * success; then a UserError says how long to wait.
   */
  setToken(account: string, token: Secret): Promise<TokenReport>;
  tokenReport(account: string): Promise<TokenReport>;
  removeToken(account: string): Promise<boolean>;

  /**
   * Records it and proves the token with the baseline poll; the report and how many postings match now. When the
   * caller has the same filter at the same place already, nothing is stored: the report is that one's, and
   * `matchesNow` is absent.
   */
  subscribe(
    caller: Caller,
    draft: Draft,
  ): Promise<{ readonly report: SubscriptionReport; readonly matchesNow?: number }>;
  /** The caller's own, and those of the server the caller manages. */
  subscriptions(caller: Caller): Promise<readonly SubscriptionReport[]>;
  subscription(caller: Caller, id: string): Promise<SubscriptionReport>;
  edit(
    caller: Caller,
    id: string,
    change: {
      readonly filter?: unknown;
      readonly schedule?: string;
      readonly timezone?: string;
      /** Replaces the only, or the named, destination. */
      readonly destination?: unknown;
      readonly destinationId?: string;
      readonly locale?: string;
      /** The server it belongs to from now on, null for none: private places are no server's business. */
      readonly guild?: string | null;
    },
  ): Promise<SubscriptionReport>;
  pause(caller: Caller, id: string): Promise<SubscriptionReport>;
  /** Ends a pause and frees parked destinations. */
  resume(caller: Caller, id: string): Promise<SubscriptionReport>;
  /** Stops it at once. What it was owed and has seen is kept for seven days, see {@link restore}. */
  remove(caller: Caller, id: string): Promise<void>;
  /** Takes a removal back: what was owed is delivered, what appeared meanwhile too, and nothing is announced again. */
  restore(caller: Caller, id: string): Promise<SubscriptionReport>;

  preview(caller: Caller, filter: unknown): Promise<PreviewReport>;
  why(caller: Caller, id: string, posting: string): Promise<Explained>;
  history(caller: Caller, id: string): Promise<readonly HistoryEvent[]>;
  edition(id: string): Promise<EditionRecord | undefined>;
  /** Editions sent to the account, newest first, at most `limit`. */
  editions(account: string, limit: number): Promise<readonly EditionRecord[]>;

  marks(account: string): Promise<readonly MarkedPosting[]>;
  /**
   * Marks a posting of an edition (0-based index over all its postings); undefined takes the mark away. `card`: the
   * address of the message it is shown in.
   */
  mark(
    account: string,
    edition: string,
    index: number,
    mark: Mark | undefined,
    card?: string,
  ): Promise<EditionPosting>;
  /** What stays out of the account's own mails and direct messages, newest first. */
  hidden(account: string): Promise<readonly Hidable[]>;
  hide(account: string, what: Hidable): Promise<void>;
  /** Takes that back; what is not hidden is no fault. */
  unhide(account: string, what: Hidable): Promise<void>;

  /** Remembered choices of the account. */
  profile(account: string): Promise<Omit<Account, 'token'> | undefined>;
  saveProfile(
    account: string,
    change: { readonly timezone?: string; readonly locale?: string },
  ): Promise<void>;
  /** All that is stored about the account, without the token. */
  exportAccount(account: string): Promise<unknown>;
  eraseAccount(account: string): Promise<void>;

  /** Servers that have subscriptions; `left` where all of them stopped because the bot had left. */
  servers(): Promise<readonly { readonly guild: string; readonly left: boolean }[]>;
  /** The bot left a server: its subscriptions stop, their owners are told, and they are deleted after the stated time. */
  leftGuild(guild: string): Promise<void>;
  /** The bot is in a server: what had stopped because it had left goes on. */
  inGuild(guild: string): Promise<void>;

  /** Tries places again that were parked and may be open now; `isOpen` says which. */
  retryParked(isOpen: (place: ParkedPlace) => boolean): Promise<void>;

  /** Absent while e-mail is off. */
  readonly mail?: MailService;
}

/** The chain for one posting: its fate, the rule or key behind it, and each destination's state. */
export interface Explained {
  readonly key: string;
  readonly fate: 'baseline' | 'matched' | 'filtered' | 'repost' | 'paused' | 'unseen';
  readonly at?: number;
  readonly by?: string;
  readonly destinations: readonly {
    readonly sink: string;
    readonly target: string;
    readonly state:
      | 'owed'
      | 'underway'
      | 'parked'
      | 'sent'
      | 'more'
      | 'elsewhere'
      | 'expired'
      | 'dropped'
      | 'moved'
      | 'none';
    readonly at?: number;
    /** When it is delivered or tried next, while it waits for that. */
    readonly nextAt?: number;
    /** When it was moved here from another destination. */
    readonly movedAt?: number;
    readonly why?: string;
    readonly fix?: FixName;
    readonly attempts?: number;
  }[];
}
