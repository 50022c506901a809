// How owners are told of what needs them; whoever can reach a person is a messenger.

/** Something an owner must know. Told once per `kind` and `subject` until it is cleared. */
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
    | 'mail';
  /** What it is about: a subscription, destination or account id. */
  readonly subject: string;
  readonly account: string;
  readonly subscription?: string;
  readonly destination?: string;
  /** One sentence with the fix, English; `data` lets a translation say the same. */
  readonly text: string;
  readonly data?: Readonly<Record<string, string | number>>;
  /** Milliseconds after which it may be told again though nothing cleared it; for ever when left out. */
  readonly forMs?: number;
}

/** Carries a notice to its owner; true when someone was reached. The pipeline asks each in turn. */
export type Messenger = (notice: Notice) => Promise<boolean>;
