// One user: an API token and a few settings of the person. Whether the token works is not a flag here. A rejection
// names the fingerprint of the rejected token, so it does not apply to a new token.

import { hash } from 'node:crypto';
import * as v from 'valibot';
import { defined } from './defined.js';
import { TEXT } from './input.js';
import type { Secret } from './secret.js';

/** `id` is `operator`, `discord:<user id>` or an id the operator chose. */
export interface Account {
  readonly id: string;
  readonly token?: Secret;
  readonly email?: {
    readonly address: string;
    /** Milliseconds since the epoch; absent until the link in the mail is used. */
    readonly confirmedAt?: number;
    /** The text that was agreed to. */
    readonly consent?: string;
  };
  readonly timezone?: string;
  readonly locale?: string;
  readonly createdAt: number;
  /**
   * Set by the store: these fields are encrypted with a key that is not available, so they are absent here. Storing
   * the account again keeps their stored values. Remove a name from this list to delete its value.
   */
  readonly unreadable?: readonly ('token' | 'email')[];
}

/** Returns 24 hexadecimal digits that identify an account in the keys of small records without naming the person. */
export function accountHash(id: string): string {
  return hash('sha256', id, 'hex').slice(0, 24);
}

/** The id of an account. The fault leaves out what was given, which may be a misplaced token. */
export const ACCOUNT = v.pipe(
  TEXT,
  v.regex(
    /^[\w.:@-]{1,64}$/u,
    'wanted 1 to 64 letters, digits, dots, colons, dashes, underscores or at signs.',
  ),
);

/** The record that a token was refused. Contains no token. */
export interface Rejection {
  readonly fingerprint: string;
  readonly at: number;
  readonly why: string;
}

/** Returns the account without its token, even if the token can't be read; undefined if it has none. */
export function withoutToken(account: Account): Account | undefined {
  const { token, unreadable = [], ...rest } = account;
  if (!token && !unreadable.includes('token')) return undefined;
  const still = unreadable.filter((field) => field !== 'token');
  return { ...rest, ...defined({ unreadable: still.length > 0 ? still : undefined }) };
}
