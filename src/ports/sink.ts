// Where editions go: the plug that every sink, also one from outside the tree, fulfils (contract test in test/sinks).
import type { Output } from '../domain/attribution.js';
import type { Cadence } from '../domain/cadence.js';
import type { EditionPosting } from '../domain/edition.js';
import type { FixName } from '../domain/errors.js';
import type { Posting } from '../domain/posting.js';
import type { Role } from '../domain/role.js';
import type { Destination } from '../domain/subscription.js';

/** One message's worth of an edition, as a sink gets it. Times in milliseconds since the epoch. */
export interface Delivery {
  /** The edition's id: the same on every attempt. */
  readonly edition: string;
  readonly subscription: string;
  readonly account: string;
  readonly destination: Destination;
  readonly every: Cadence['every'];
  readonly from: number;
  readonly slot: number;
  /** 0-based part and number of parts; a part is one message and keeps its number for good. */
  readonly part: number;
  readonly parts: number;
  readonly postings: readonly EditionPosting[];
  /** Every posting of the edition, these and those of its other parts, for figures that are the same in each part. */
  readonly all?: readonly EditionPosting[];
  /** Postings of the edition over its cap, which stand on its page; given with the last part, else 0. */
  readonly more: number;
  /** Where the whole edition can be read, when there are web pages. */
  readonly moreUrl?: string;
  /** The board's name, shown as "via …". */
  readonly source: string;
  /** The subscription in words. */
  readonly about: string;
  /** The tags it asks for. */
  readonly tags?: readonly string[];
  readonly locale: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** What a sink is handed besides the delivery. `guard` throws unless the finished output keeps the link rules. */
export interface DeliveryContext {
  readonly signal: AbortSignal;
  guard(output: Output): void;
}

/** Something a sink holds back for a while, though no destination of it is at fault. */
export interface SinkPause {
  /** What is held back, such as a mail domain; empty for everything the sink sends. */
  readonly place: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Codes or a few words; no address, no secret. */
  readonly why: string;
}

/** As far as it is known: "jobs" in the server "Rust Berlin". */
export interface PlaceName {
  readonly channel?: string;
  readonly server?: string;
}

/** A destination of a subscription, and whose it is. */
export interface Addressee {
  readonly account: string;
  readonly subscription: string;
  readonly destination: Destination;
}

/** `until`: when it ends by itself, milliseconds since the epoch. */
export interface Obstacle {
  readonly why: string;
  readonly fix: FixName;
  readonly until?: number;
}

/** `about`: the subscription in words. */
export interface WelcomeContext {
  readonly about: string;
  readonly locale: string;
  readonly signal: AbortSignal;
}

/** Where editions go. See CONTRIBUTING for how to add one. */
export interface Sink {
  readonly name: string;
  /**
   * Who reads what it delivers. People get the best and newest up to a cap, and the rest on a page or in further
   * messages; machines get everything, in as many editions as it takes. People when left out.
   */
  readonly audience?: 'people' | 'machines';
  /** The target in its one written form, or a UserError that says what is wanted. */
  parseTarget(target: unknown): string;
  /** True for a place many people read: a posting that several accounts send there is shown once. None is when left out. */
  isShared?(target: string): boolean;
  /** What people call a target, where it has a name. Never rejects. */
  nameOf?(target: string): Promise<PlaceName>;
  /** Why nothing would be sent to a destination now; undefined when it would. Sends and changes nothing. */
  obstacle?(of: Addressee): Promise<Obstacle | undefined>;
  /**
   * Somebody has just chosen this destination. Proves that it can be written to, where nothing short of a message
   * does; a DeliveryError of the fault `target` when it can't.
   */
  welcome?(destination: Destination, context: WelcomeContext): Promise<void>;
  /**
   * A subscription delivers there from now on: asks at once what its reader has to answer before the first edition.
   * Comes back before that is done, and never fails; what can't be asked now is asked by the first edition.
   */
  begin?(of: {
    account: string;
    subscription: string;
    destination: Destination;
    tags: readonly string[];
    locale: string;
  }): void;
  /** Splits an edition's postings into messages, in order; one message when left out. */
  pack?(postings: readonly Posting[], destination: Destination): readonly (readonly Posting[])[];
  /** Returns once the far side has accepted the message; a DeliveryError otherwise. */
  deliver(delivery: Delivery, target: string, context: DeliveryContext): Promise<void>;
  /**
   * Milliseconds for which a target takes nothing more, asked after a delivery: whichever process comes next waits for so
   * long. None when left out.
   */
  restMs?(target: string): number;
  /** All that is held back now. */
  pauses?(): readonly SinkPause[];
  /** Called once before the first delivery. Only one process reads what comes back from readers: none with the role `worker`. */
  start?(role?: Role): Promise<void>;
  close?(): Promise<void>;
}
