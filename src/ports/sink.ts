// Where editions go: the interface that every sink implements, including sinks from outside this repository (contract
// test in test/sinks).
import type { Output } from '../domain/attribution.js';
import type { Cadence } from '../domain/cadence.js';
import type { EditionPosting } from '../domain/edition.js';
import type { FixName } from '../domain/errors.js';
import type { Posting } from '../domain/posting.js';
import type { Role } from '../domain/role.js';
import type { Destination } from '../domain/subscription.js';

/** One message of an edition, as a sink gets it. Times in milliseconds since the epoch. */
export interface Delivery {
  /** The edition's id: the same on every attempt. */
  readonly edition: string;
  readonly subscription: string;
  readonly account: string;
  readonly destination: Destination;
  readonly every: Cadence['every'];
  readonly from: number;
  readonly slot: number;
  /** 0-based part and number of parts. A part is one message, and its number never changes. */
  readonly part: number;
  readonly parts: number;
  readonly postings: readonly EditionPosting[];
  /** Every posting of the edition, including those of its other parts, for figures that are the same in each part. */
  readonly all?: readonly EditionPosting[];
  /** How many postings are over the edition's cap and shown on its page. Set with the last part, otherwise 0. */
  readonly more: number;
  /** Where the whole edition can be read, when there are web pages. */
  readonly moreUrl?: string;
  /** The board's name, shown as "via …". */
  readonly source: string;
  /** The subscription in words. */
  readonly about: string;
  /** The tags of the subscription's filter. */
  readonly tags?: readonly string[];
  readonly locale: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/**
 * What a sink gets besides the delivery. `guard` throws if the finished output breaks the link rules. `keys`: the postings in
 * the output, if it does not have all of the delivery.
 */
export interface DeliveryContext {
  readonly signal: AbortSignal;
  guard(output: Output, keys?: readonly string[]): void;
}

/** Something a sink holds back for a while, although no destination is at fault. */
export interface SinkPause {
  /** What is held back, such as a mail domain; empty for everything the sink sends. */
  readonly place: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Codes or a few words, without addresses or secrets. */
  readonly why: string;
}

/** The known names of a target, such as "jobs" in the server "Rust Berlin". */
export interface PlaceName {
  readonly channel?: string;
  readonly server?: string;
}

/** A destination of a subscription, and the account it belongs to. */
export interface Addressee {
  readonly account: string;
  readonly subscription: string;
  readonly destination: Destination;
}

/** Why nothing is sent to a destination. `until`: when that ends by itself, in milliseconds since the epoch. */
export interface Obstacle {
  readonly why: string;
  readonly fix: FixName;
  readonly until?: number;
}

/** A week without a posting for a weekly digest. Times in milliseconds since the epoch. */
export interface QuietWeek extends Addressee {
  readonly from: number;
  readonly slot: number;
  /** The subscription in words. */
  readonly about: string;
  readonly source: string;
  readonly locale: string;
  /** Postings that one rule of the filter removed, and the rule as the filter names it. */
  readonly misses: readonly { readonly posting: Posting; readonly rule: string }[];
}

/** `about`: the subscription in words. */
export interface WelcomeContext {
  readonly about: string;
  readonly locale: string;
  readonly signal: AbortSignal;
}

/** A place that editions are sent to. See CONTRIBUTING for how to add one. */
export interface Sink {
  readonly name: string;
  /**
   * Who reads the deliveries. People get the best and newest postings up to a cap, and the rest on a page or in more
   * messages. Machines get everything, in as many editions as it takes. Defaults to people.
   */
  readonly audience?: 'people' | 'machines';
  /**
   * Shows postings of the same job in several places as one card, made with `cardsOf`. The cap and the limit per day then
   * count cards. If left out, they count postings.
   */
  readonly joins?: true;
  /** Returns the target in its canonical form. Throws a UserError that says what is expected. */
  parseTarget(target: unknown): string;
  /**
   * True for a place that many people read. A posting that several accounts send there is shown once. If left out, no
   * target is shared.
   */
  isShared?(target: string): boolean;
  /**
   * True for a place that one person reads. What that person dismissed is not sent there. If left out, no target is
   * private.
   */
  isPrivate?(target: string): boolean;
  /** The name people use for a target, if it has one. Never rejects. */
  nameOf?(target: string): Promise<PlaceName>;
  /** Why nothing would be sent to a destination now; undefined if it would be. Sends and changes nothing. */
  obstacle?(of: Addressee): Promise<Obstacle | undefined>;
  /**
   * Called when a person has just chosen this destination. Tests that it can be written to, if only a message can
   * show that. Rejects with a DeliveryError of the fault `target` if it can't.
   */
  welcome?(destination: Destination, context: WelcomeContext): Promise<void>;
  /**
   * Sends a message without postings to an existing destination, because its owner wants to see that it arrives.
   * Rejects like {@link Sink.deliver}. If left out, there is no such message.
   */
  test?(destination: Destination, context: WelcomeContext): Promise<void>;
  /**
   * Called when a subscription starts to deliver there. Immediately asks the reader what must be answered before the
   * first edition. Returns before that is done, and never fails. The first edition asks what can't be asked now.
   */
  begin?(of: {
    account: string;
    subscription: string;
    destination: Destination;
    tags: readonly string[];
    locale: string;
  }): void;
  /** Tells a reader who asked for it that a week brought nothing. Resolves without sending while there is an obstacle. */
  quietWeek?(week: QuietWeek, context: Pick<DeliveryContext, 'guard'>): Promise<void>;
  /** Splits an edition's postings into messages, in order. If left out, an edition is one message. */
  pack?(postings: readonly EditionPosting[], destination: Destination): readonly (readonly Posting[])[];
  /** Resolves once the receiving service has accepted the message. Rejects with a DeliveryError otherwise. */
  deliver(delivery: Delivery, target: string, context: DeliveryContext): Promise<void>;
  /**
   * How long a target takes nothing more, in milliseconds. Called after a delivery; the next process waits that long.
   * Defaults to no wait.
   */
  restMs?(target: string): number;
  /** Everything that is held back now. */
  pauses?(): readonly SinkPause[];
  /**
   * Called once before the first delivery. Only one process reads the replies of readers, and never one with the role
   * `worker`.
   */
  start?(role?: Role): Promise<void>;
  close?(): Promise<void>;
}
