// The token of an account, and whether it may be used. A rejection is stored with the fingerprint of the token, so it
// does not apply to a new token, whichever process sets it.

import type { Rejection } from '../domain/account.js';
import { fingerprint, type Secret } from '../domain/secret.js';
import { OPERATOR } from '../domain/subscription.js';
import type { AccountStore, Table } from '../ports/stores.js';
import type { Clock } from '../ports/system.js';

type TokenState =
  | { readonly state: 'ok'; readonly token: Secret }
  | { readonly state: 'missing' }
  | { readonly state: 'rejected'; readonly token: Secret; readonly why: string; readonly at: number };

export interface Tokens {
  of(account: string): Promise<TokenState>;
  reject(account: string, token: Secret, why: string): Promise<void>;
  /** Deletes a rejection, so that the token is tried again. */
  retry(account: string): Promise<void>;
}

/** `operatorToken` is used only for the operator's own subscriptions (jobs API, Authentication 6: one token per user). */
export function createTokens(deps: {
  accounts: AccountStore;
  rejections: Table<Rejection>;
  operatorToken?: Secret;
  clock: Clock;
}): Tokens {
  const { accounts, rejections, operatorToken, clock } = deps;

  async function of(account: string): Promise<TokenState> {
    const isOperator = account === OPERATOR && operatorToken !== undefined;
    const [stored, rejection] = await Promise.all([
      isOperator ? undefined : accounts.get(account),
      rejections.get(account),
    ]);
    const token = isOperator ? operatorToken : stored?.token;
    if (!token) return { state: 'missing' };
    if (!rejection || rejection.fingerprint !== fingerprint(token)) return { state: 'ok', token };
    return { state: 'rejected', token, why: rejection.why, at: rejection.at };
  }

  return {
    of,
    reject: (account, token, why) =>
      rejections.set(account, { fingerprint: fingerprint(token), at: clock.now(), why }),
    retry: (account) => rejections.delete(account),
  };
}
