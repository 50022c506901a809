// One user: an API token and the few things remembered about the person. Whether the token works is not a flag
// here: a rejection names the fingerprint it rejects, so a new token is free of it by itself.
import { createHash } from 'node:crypto';
import type { Secret } from './secret.js';

/** `id` is `operator`, `discord:<user id>` or what the operator chose. */
export interface Account {
  readonly id: string;
  readonly token?: Secret;
  readonly email?: {
    readonly address: string;
    /** Milliseconds since the epoch; absent until the mailed link was used. */
    readonly confirmedAt?: number;
    /** What was agreed to, in words. */
    readonly consent?: string;
  };
  readonly timezone?: string;
  readonly locale?: string;
  readonly createdAt: number;
  /**
   * Set by the store: these are stored under a key that is not at hand, so they are absent here. Putting the account
   * back keeps them as they are stored; leave a name out to drop what it stands for.
   */
  readonly unreadable?: readonly ('token' | 'email')[];
}

/** Stands for an account in keys of small records, so that they don't name a person in clear. 24 hexadecimal digits. */
export function accountHash(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 24);
}

/** The fault of an account's id as a sentence; none when it may be one. Not the id itself: it may be a token gone astray. */
export function accountFaults(id: string): string[] {
  if (/^[\w.:@-]{1,64}$/u.test(id)) return [];
  return ['account: wanted 1 to 64 letters, digits, dots, colons, dashes, underscores or at signs.'];
}

/** The service's note that a token was refused; holds no token. */
export interface Rejection {
  readonly fingerprint: string;
  readonly at: number;
  readonly why: string;
}

/** What a person did with a posting by the buttons of a card. */
export type Mark = 'saved' | 'applied' | 'dismissed';

/** The account without its token, also one that can't be read; undefined when it has none. */
export function withoutToken(account: Account): Account | undefined {
  const { token, unreadable = [], ...rest } = account;
  if (!token && !unreadable.includes('token')) return undefined;
  const still = unreadable.filter((field) => field !== 'token');
  return { ...rest, ...(still.length > 0 ? { unreadable: still } : {}) };
}
