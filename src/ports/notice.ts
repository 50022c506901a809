// How owners are notified of what needs their attention. A messenger is anything that can reach a person.
import type { Reminder } from '../domain/reminders.js';
import type { Destination } from '../domain/subscription.js';

/** A message for an owner. Sent once per `kind` and `subject` until it is cleared. */
export interface Notice {
  readonly kind:
    | 'token'
    | 'destination'
    | 'posting'
    | 'program'
    | 'gap'
    | 'keys'
    | 'expired'
    | 'silence'
    | 'load'
    | 'left'
    | 'store'
    | 'mail'
    | 'reminder';
  /** What it is about: a subscription, destination or account id. */
  readonly subject: string;
  readonly account: string;
  readonly subscription?: string;
  readonly destination?: string;
  /** One sentence with the fix, in English. `data` has the values that a translation needs. */
  readonly text: string;
  readonly data?: Readonly<Record<string, string | number>>;
  /** Milliseconds after which it may be sent again without being cleared; never if left out. */
  readonly forMs?: number;
  /** What a notice of the kind `reminder` reminds of. */
  readonly reminder?: Reminder;
  /** Who gets it instead of the account: the reader of one of the operator's destinations. */
  readonly reader?: {
    readonly subscription: string;
    readonly destination: Destination;
    readonly locale?: string | undefined;
  };
}

/** Sends a notice to its owner. Returns true if a person was reached. The pipeline calls each messenger in turn. */
export type Messenger = (notice: Notice) => Promise<boolean>;
