// What people can do, in one place for slash commands, pages and the command line: all use the same rules and words.
import type { Account } from '../domain/account.js';
import type { EditionPosting } from '../domain/edition.js';
import type { FixName } from '../domain/errors.js';
import type { Filter, RuleAnswer } from '../domain/filter.js';
import type { Pay } from '../domain/pay.js';
import type { Posting } from '../domain/posting.js';
import type { RuleChoice, RuleEffect } from '../domain/rule-change.js';
import type { Secret } from '../domain/secret.js';
import type { Mark, Marked } from '../domain/stages.js';
import type { Destination, Subscription } from '../domain/subscription.js';
import type { MailService } from './mail-service.js';
import type { PlaceName } from './sink.js';
import type { EditionRecord, HistoryEvent } from './stores.js';

/**
 * Who makes the request. `manages` names a server that the caller was verified to manage; the caller may change its
 * subscriptions like their own. A caller without the right to do something gets a UserError, even if the adapter did
 * not check.
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
      /** The token was stored although the API did not answer when it was tried. */
      readonly untried?: true;
    };

/** A new subscription as entered in a form. Everything is validated, and one UserError lists all faults. */
export interface Draft {
  readonly filter: unknown;
  /** live, hourly, daily, weekly or a cron expression. */
  readonly schedule?: string;
  readonly timezone?: string;
  /** `{ sink, target, cadence, options }` as in the subscriptions file. */
  readonly destination: unknown;
  readonly guild?: string;
  /** The language of what is delivered. Defaults to the caller's language. */
  readonly locale?: string;
}

/** A subscription with everything a person may want to know about it. Times in milliseconds since the epoch. */
export interface SubscriptionReport {
  readonly subscription: Subscription;
  readonly about: string;
  readonly state: 'active' | 'paused' | 'no-token' | 'token-rejected' | 'parked' | 'waiting';
  readonly why?: string;
  readonly nextPollAt?: number;
  readonly nextEditionAt?: number;
  /** Set when the bot has left the server: the subscription is deleted then, unless the bot returns before. */
  readonly deletedAt?: number;
  readonly polledAt?: number;
  readonly outcome?: string;
  /** Failed checks in a row; 0 after one that worked. */
  readonly failures: number;
  readonly owed: number;
  /** Destinations that currently get nothing. */
  readonly stuck: readonly StuckPlace[];
}

/**
 * A destination that currently gets nothing, and why. parked: it refused a delivery, and its owner must act; blocked:
 * it would refuse a delivery, as mail does before it is confirmed or after an unsubscribe; off: its sink is off;
 * waiting: it is tried again at `nextAt`. Times in milliseconds since the epoch.
 */
export interface StuckPlace {
  readonly destination: Destination;
  readonly state: 'parked' | 'blocked' | 'off' | 'waiting';
  readonly why: string;
  readonly fix?: FixName;
  /** Since when, if known. */
  readonly at?: number;
  readonly nextAt?: number;
}

/**
 * What became of a test message at one destination. failed: it did not arrive, `why` says the reason; none: its sink
 * has no such message.
 */
export interface TestResult {
  readonly destination: Destination;
  readonly state: 'sent' | 'failed' | 'none';
  readonly why?: string;
  readonly fix?: FixName;
}

/** What a filter finds: now in the feed, and in the recent postings that the account's polls archived. */
export interface PreviewReport {
  readonly about: string;
  readonly matches: readonly EditionPosting[];
  readonly looked: number;
  /** Matches per week, oldest week first, over at most 30 days; empty without history. */
  readonly weeks: readonly number[];
  /** Rules by how many postings they removed, most first. */
  readonly removedBy: readonly { readonly rule: string; readonly count: number }[];
  /**
   * When nothing matches now: the rule without which the most postings would match, and how many. They are postings of
   * the feed, or of the last 30 days if the feed has none for this filter. Left out when no single rule is the reason.
   */
  readonly emptiedBy?: { readonly rule: string; readonly count: number };
}

/** Matches of a filter per week, and what it removes of the postings of the last four weeks that are kept. */
export interface Estimate {
  /** Rounded; 0 is less than one a week. */
  readonly perWeek: number;
  /** Tags of the filter that no posting found so far has. They are not in the figure. */
  readonly unknown: readonly string[];
  /** How many of the kept postings the filter's requests return, and how many of these match. */
  readonly looked: number;
  readonly matches: number;
  /** When none of them matches: the rule without which the most would, and how many. */
  readonly emptiedBy?: { readonly rule: string; readonly count: number };
  /**
   * Rules by how many of these they remove, the most first; each posting counts for every rule that removes it.
   * `payUnknown`: how many of them are without comparable pay.
   */
  readonly removes: readonly {
    readonly rule: string;
    readonly count: number;
    readonly payUnknown?: number;
  }[];
}

/** A company to hide, or a tag (its slug) to hide. */
export type Hidable = { readonly company: string } | { readonly tag: string };

/** What is kept about a company, of the last 90 days. */
export interface CompanyReport {
  readonly name: string;
  /** Postings found, and how many of them the board still shows. */
  readonly listed: number;
  readonly open: number;
  /** From the lowest to the highest amount, in the most common currency. */
  readonly pay?: Pay;
  /** What the person did with its postings, newest first. `at` in milliseconds since the epoch. */
  readonly marks: readonly { readonly mark: Mark; readonly at: number }[];
  readonly isFollowed: boolean;
  readonly isMuted: boolean;
}

/** How the rule that brought a posting can change, see {@link RuleChoice}. */
export interface RuleAdvice {
  readonly subscription: Subscription;
  /** Why the reader can't change it: it is in the operator's file, or belongs to another person. */
  readonly locked?: 'ruleInFile' | 'notYourRule';
  /** Changes that the reader made and can undo, then those that are possible. None if it is locked. */
  readonly offers: readonly RuleOffer[];
}

/** `effect`: what the change would have done in the last 30 days. */
export interface RuleOffer extends RuleChoice {
  readonly effect: RuleEffect;
  readonly isMade: boolean;
}

export interface MarkedPosting extends Marked {
  readonly key: string;
  readonly posting: Posting;
  /** Address of the card the posting was marked on. */
  readonly card?: string;
}

/** What to look for in the postings kept for an account. A posting matches if it has all of it. */
interface Search {
  /** All of these words appear in its title, company, place, tags or description. */
  readonly words?: string;
  /** The rule of this subscription lets it through. */
  readonly subscription?: string;
  /** The account marked it so. */
  readonly mark?: Mark;
  /** How far back to look, 1 to 90. */
  readonly days: number;
  /** How many to return. */
  readonly limit: number;
}

/** A posting kept for an account. `at`: when it was found or marked, milliseconds since the epoch. */
export interface KeptPosting {
  readonly posting: EditionPosting;
  readonly at: number;
  readonly mark?: Mark;
  /** It was marked on a card of another account, so its apply link is not kept. */
  readonly elsewhere?: true;
}

/** The last seven days of an account. Times in milliseconds since the epoch. */
interface Pulse {
  readonly from: number;
  readonly to: number;
  /**
   * Postings that matched each subscription, and in the seven days before. `before` is absent while the counts do not
   * go back that far.
   */
  readonly subscriptions: readonly {
    readonly id: string;
    readonly about: string;
    readonly matched: number;
    readonly before?: number;
  }[];
  /** Postings that a subscription's rule lets through, best first. */
  readonly postings: readonly EditionPosting[];
}

/** An access key of an account, without the key. `madeAt` in milliseconds since the epoch. */
export interface AccessKeyReport {
  readonly write: boolean;
  readonly madeAt: number;
}

/** What the channels of a subscription got, newest edition first. */
export interface Archive {
  readonly subscription: Subscription;
  readonly about: string;
  readonly editions: readonly EditionRecord[];
}

/** A browser in which a person manages the subscriptions of an account. `csrf` has to be posted with every form. */
export interface Session {
  readonly account: string;
  readonly csrf: string;
}

/** The account that a program acts for. `write`: it may change subscriptions and marks. */
export interface Agent {
  readonly account: string;
  readonly write: boolean;
}

/** A destination that gets nothing until something changes. `guild`: the server its subscription belongs to. */
export interface ParkedPlace {
  readonly sink: string;
  readonly target: string;
  readonly guild?: string;
  readonly fix?: FixName;
}

/** What people can do, through any adapter. A failure that a person can fix is a UserError. */
export interface Services {
  /**
   * Tries the token once against the API, then stores it. Throws a UserError when the API refuses the token. When the
   * API does not answer, stores the token untried. An account may fail five times in 15 minutes, and all accounts
   * together sixty times in an hour; after that, a UserError says how long to wait.
   */
  setToken(account: string, token: Secret): Promise<TokenReport>;
  tokenReport(account: string): Promise<TokenReport>;
  removeToken(account: string): Promise<boolean>;

  /**
   * Stores the subscription and tests the token with the baseline poll. Returns the report and how many postings
   * match now. If the caller already has the same filter at the same destination, nothing is stored: the report is
   * that of the existing subscription, and `matchesNow` is absent.
   */
  subscribe(
    caller: Caller,
    draft: Draft,
  ): Promise<{ readonly report: SubscriptionReport; readonly matchesNow?: number }>;
  /** The caller's own subscriptions, and those of the server the caller manages. */
  subscriptions(caller: Caller): Promise<readonly SubscriptionReport[]>;
  subscription(caller: Caller, id: string): Promise<SubscriptionReport>;
  edit(
    caller: Caller,
    id: string,
    change: {
      readonly filter?: unknown;
      readonly schedule?: string;
      readonly timezone?: string;
      /** Replaces the last destination, or the one named by `destinationId`; null removes it. */
      readonly destination?: unknown;
      readonly destinationId?: string;
      readonly locale?: string;
      /** Whether reposts are announced too. */
      readonly reposts?: boolean;
      /** The server it belongs to from now on, null for none. Private destinations belong to no server. */
      readonly guild?: string | null;
    },
  ): Promise<SubscriptionReport>;
  /** `until`: when the pause ends by itself, within an hour. Without it, the pause lasts until {@link resume}. */
  pause(caller: Caller, id: string, until?: number): Promise<SubscriptionReport>;
  /** Ends a pause and frees parked destinations. */
  resume(caller: Caller, id: string): Promise<SubscriptionReport>;
  /** Stops the subscription immediately. Its outbox and seen set are kept for seven days, see {@link restore}. */
  remove(caller: Caller, id: string): Promise<void>;
  /**
   * Undoes a removal. What was in the outbox is delivered, and so is what appeared since. Nothing is announced twice.
   */
  restore(caller: Caller, id: string): Promise<SubscriptionReport>;

  /**
   * Sends a message without postings to each destination of the subscription. Throws a UserError `testTooSoon` for a
   * second test of the same subscription within a minute.
   */
  sendTest(caller: Caller, id: string): Promise<readonly TestResult[]>;

  preview(caller: Caller, filter: unknown): Promise<PreviewReport>;
  /**
   * How often a filter would have matched what the account's polls found in the last weeks. Makes no request.
   * Undefined when nothing is known. Throws a UserError for a filter with faults.
   */
  estimate(caller: Caller, filter: unknown): Promise<Estimate | undefined>;
  /**
   * What a changed rule would have found, if that is nothing while the former rule found something: a person is asked
   * before it is stored. Undefined otherwise, and if too little is kept.
   */
  emptied(caller: Caller, former: Filter, filter: unknown): Promise<Estimate | undefined>;
  why(caller: Caller, id: string, posting: string): Promise<Explained>;
  /**
   * Postings that polls found in the last three days, newest first: those of the caller's account, or with an `id` of
   * that subscription's account. Of another account only what that subscription found itself.
   */
  recent(caller: Caller, id?: string): Promise<readonly Pick<Posting, 'key' | 'title' | 'company'>[]>;
  history(caller: Caller, id: string): Promise<readonly HistoryEvent[]>;
  edition(id: string): Promise<EditionRecord | undefined>;
  /** Editions sent to the account, newest first, at most `limit`. */
  editions(account: string, limit: number): Promise<readonly EditionRecord[]>;

  /** The public archive of a subscription; undefined if it has none. */
  archive(subscription: string): Promise<Archive | undefined>;
  /** True for a place that many people read, whose editions may be shown to everyone. */
  canArchive(destination: Destination): boolean;
  /** True if a destination asks for the archive, and can have one. */
  isArchived(subscription: Subscription): boolean;

  marks(account: string): Promise<readonly MarkedPosting[]>;
  /**
   * Marks a posting of an edition (0-based index over all its postings). `card`: the address of the message that shows
   * it.
   */
  mark(account: string, edition: string, index: number, mark: Mark, card?: string): Promise<EditionPosting>;
  /**
   * Undoes the last change of a posting's mark, by its key: the mark before it comes back, or none. `mark`: only if
   * this is the mark, so that the same form does nothing the second time.
   */
  unmark(account: string, key: string, mark?: Mark): Promise<void>;
  /**
   * Moves a marked posting to another stage, by its key; undefined removes it. Resolves to undefined when the posting
   * is not marked (any more), and then changes nothing.
   */
  moveMarked(account: string, key: string, mark: Mark | undefined): Promise<MarkedPosting | undefined>;
  /** True if the person wants to be reminded of deadlines and of applications without an answer. */
  reminders(account: string): Promise<boolean>;
  setReminders(account: string, isOn: boolean): Promise<void>;
  /**
   * Asks about a posting a week from now, by its key. False if the posting is not at the stage `applied` (any more), and
   * then changes nothing.
   */
  remindLater(account: string, key: string): Promise<boolean>;
  /**
   * Marks a posting kept for the account, by its key, id or link; undefined removes the mark. Resolves to undefined
   * when no such posting is kept for this account.
   */
  markKept(account: string, posting: string, mark: Mark | undefined): Promise<EditionPosting | undefined>;
  /**
   * What a reader can change in the rule that brought a posting of an edition, by its key. Throws a UserError `cardGone`
   * when the edition or the subscription is no longer stored.
   */
  ruleAdvice(reader: string, edition: string, posting: string): Promise<RuleAdvice>;
  /**
   * Makes one of the changes, by its id. One that was made already stays. Throws a UserError `notYourRule` or `ruleInFile`
   * for a locked rule, and `ruleChanged` if the rule has changed so that the change no longer fits.
   */
  changeRule(reader: string, edition: string, posting: string, choice: string): Promise<Subscription>;
  /** Undoes {@link changeRule}. A rule that no longer has the change stays as it is. */
  undoRule(reader: string, edition: string, posting: string, choice: string): Promise<Subscription>;
  /** What is kept about a company of an edition, for a reader of it. */
  company(account: string, edition: EditionRecord, name: string): Promise<CompanyReport>;
  /**
   * Adds the company to the subscription that follows companies. The first one makes it, with a new subscription to
   * `destination`; see {@link Services.subscribe} for what it throws.
   */
  followCompany(caller: Caller, name: string, destination: unknown): Promise<void>;
  /** Undoes {@link followCompany}. The subscription is removed with its last company. */
  unfollowCompany(caller: Caller, name: string): Promise<void>;
  /** Searches what the account's own polls found and what it marked, newest first. `total`: all that match. */
  search(
    account: string,
    wanted: Search,
  ): Promise<{ readonly total: number; readonly postings: readonly KeptPosting[] }>;
  pulse(account: string): Promise<Pulse>;
  /** What is left out of the account's own mails and direct messages, newest first. */
  hidden(account: string): Promise<readonly Hidable[]>;
  hide(account: string, what: Hidable): Promise<void>;
  /** Undoes {@link hide}. It is no error if the company or tag is not hidden. */
  unhide(account: string, what: Hidable): Promise<void>;

  /**
   * Makes the account's access key, with which its programs sign in. The former one stops working. Only a hash is
   * stored, so this is the only time the key can be seen.
   */
  makeAccessKey(account: string, write: boolean): Promise<Secret>;
  accessKey(account: string): Promise<AccessKeyReport | undefined>;
  /** False when there was none. */
  removeAccessKey(account: string): Promise<boolean>;
  /** Whose key it is; undefined for every key that does not work. */
  openAccessKey(key: Secret): Promise<Agent | undefined>;

  /**
   * Makes a link to the page with all subscriptions of the account. It works once, within 15 minutes, and the former one
   * stops working. `mailed`: it goes out by mail. Undefined without PUBLIC_URL, or after three mailed links in a day.
   */
  manageLink(account: string, by: 'reply' | 'mailed'): Promise<string | undefined>;
  /** True for a link that still works. Changes nothing. `token`: the last part of the link. */
  isManageLink(token: string): Promise<boolean>;
  /** Uses a link up. Returns what the browser sends with each request from now on; undefined if the link does not work. */
  openSession(token: string): Promise<Secret | undefined>;
  /** The session of a browser; undefined for one that ended: 30 minutes after its last request, or at the latest after 12 hours. */
  session(cookie: Secret): Promise<Session | undefined>;
  endSession(cookie: Secret): Promise<void>;
  /** The known names of a destination's target. The target itself may be secret. */
  placeName(destination: Destination): Promise<PlaceName>;

  /** Saved preferences of the account. */
  profile(account: string): Promise<Omit<Account, 'token'> | undefined>;
  saveProfile(
    account: string,
    change: { readonly timezone?: string; readonly locale?: string },
  ): Promise<void>;
  /** Everything stored about the account, without the token. */
  exportAccount(account: string): Promise<unknown>;
  eraseAccount(account: string): Promise<void>;

  /** Servers that have subscriptions. `left`: all of them stopped because the bot left. */
  servers(): Promise<readonly { readonly guild: string; readonly left: boolean }[]>;
  /**
   * The bot left a server. Its subscriptions stop, their owners are notified, and they are deleted after the
   * configured time.
   */
  leftGuild(guild: string): Promise<void>;
  /** The bot is in a server. Subscriptions that stopped because it had left resume. */
  inGuild(guild: string): Promise<void>;

  /** Retries parked destinations that may accept deliveries again. `isOpen` says which. */
  retryParked(isOpen: (place: ParkedPlace) => boolean): Promise<void>;

  /** Where AI assistants use the access key. Absent without PUBLIC_URL. */
  readonly agentUrl?: string;

  /** Absent while e-mail is off. */
  readonly mail?: MailService;
}

/** The history of one posting: its fate, the rule or key behind it, and its state at each destination. */
export interface Explained {
  readonly key: string;
  readonly fate: 'baseline' | 'matched' | 'filtered' | 'repost' | 'paused' | 'unseen';
  readonly at?: number;
  readonly by?: string;
  /**
   * What the posting says about each rule of the filter as it is now. Left out when the posting is no longer in the
   * archive, which keeps the beginning of its description.
   */
  readonly rules?: readonly RuleAnswer[];
  readonly destinations: readonly {
    readonly sink: string;
    readonly target: string;
    readonly state:
      | 'owed'
      | 'underway'
      | 'parked'
      | 'sent'
      | 'more'
      | 'limit'
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
