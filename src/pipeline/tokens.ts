// Whose token asks, and whether it may. A rejected token is remembered by its fingerprint, so a new one is free
// by itself, whoever set it and in whichever process.

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
  /** Forgets a rejection, so that the token is tried anew. */
  retry(account: string): Promise<void>;
  /** True when the account's subscriptions are stopped by a rejection or a missing token. */
  blocked(account: string): Promise<boolean>;
}

/** `operatorToken` serves the operator's own subscriptions alone (jobs API, Authentication 6: one token per user). */
export function createTokens(deps: {
  accounts: AccountStore;
  rejections: Table<Rejection>;
  operatorToken?: Secret;
  clock: Clock;
}): Tokens {
  const { accounts, rejections, operatorToken, clock } = deps;

  async function of(account: string): Promise<TokenState> {
    const isOperator = account === OPERATOR && operatorToken !== undefined;
    const [token, rejection] = await Promise.all([
      isOperator ? operatorToken : accounts.get(account).then((found) => found?.token),
      rejections.get(account),
    ]);
    if (!token) return { state: 'missing' };
    if (rejection?.fingerprint === fingerprint(token))
      return { state: 'rejected', token, why: rejection.why, at: rejection.at };
    return { state: 'ok', token };
  }

  return {
    of,
    reject: (account, token, why) =>
      rejections.set(account, { fingerprint: fingerprint(token), at: clock.now(), why }),
    retry: (account) => rejections.delete(account),
    blocked: async (account) => (await of(account)).state !== 'ok',
  };
}
