// A token is checked before it is set, with one request for one posting, so that a typing mistake shows immediately
// and not at the next poll.

import { accountHash, withoutToken } from '../domain/account.js';
import { defined } from '../domain/defined.js';
import { FeedError, refusal, UserError } from '../domain/errors.js';
import { POLL_QUEUE } from '../domain/request.js';
import { fingerprint, lastFour, type Secret, secret } from '../domain/secret.js';
import type { Pipeline } from '../pipeline/context.js';
import type { Scheduler } from '../pipeline/scheduler.js';
import { followAccount } from '../pipeline/subscription-sync.js';
import type { Services } from '../ports/services.js';
import type { ChangeAccount } from './accounts.js';
import { type Interactive, isRestarting } from './interactive.js';
import { createTokenTries } from './token-tries.js';

const LONGEST = 512;

/** The token as typed, without the white space that copying adds. Throws a UserError when it can't be a token. */
function parseToken(token: Secret): Secret {
  const text = token.reveal().trim();
  if (text === '' || text.length > LONGEST || /[^\x21-\x7e]/u.test(text))
    throw refusal(
      'notAToken',
      'That is not an API token. Copy it from the token page of the jobs board, without spaces.',
    );
  return secret(text);
}

/**
 * Asks the API for one posting with the token (jobs API, Authentication 3 and 4). Returns false when the API's answer
 * does not show whether the token is valid. Throws a UserError when the API refuses it.
 */
async function prove(
  p: Pipeline,
  interactive: Interactive,
  account: string,
  token: Secret,
  present: Secret | undefined,
): Promise<boolean> {
  // No poll uses a token that is not stored yet, and a rest that the API asked of the present token is not for this
  // one.
  const isInTurn = present === undefined || fingerprint(present) !== fingerprint(token);
  const request = { account, token, query: { limit: 1 }, format: p.settings.format, isInTurn };
  try {
    await interactive((signal) => p.feed.fetch({ ...request, fresh: true, once: true, signal }));
    return true;
  } catch (error) {
    if (isRestarting(error)) throw error;
    const fault = error instanceof FeedError ? error.fault : error instanceof UserError ? 'unavailable' : '';
    if (fault === '') throw error;
    if (fault === 'rejected')
      throw refusal(
        'tokenRefused',
        'The jobs board does not accept this token. Copy a new one from its token page and set it again; nothing was stored.',
      );
    // If a good token was refused because the API is down for a moment, the person would have nothing.
    p.log.warn({ account, fault }, 'token kept without proof');
    return false;
  }
}

function erasedMeanwhile(): UserError {
  return refusal('erased', 'Everything about you was deleted meanwhile, so nothing was stored.');
}

type TokenService = Pick<Services, 'setToken' | 'tokenReport' | 'removeToken'>;

export function createTokenService(
  p: Pipeline,
  scheduler: Scheduler,
  changeAccount: ChangeAccount,
  interactive: Interactive,
): TokenService {
  const { accounts } = p.stores;
  const tries = createTokenTries(p.stores.misc, () => p.clock.now());
  const tokenReport: TokenService['tokenReport'] = async (id) => {
    const state = await p.tokens.of(id);
    if (state.state === 'missing') return { state: 'missing' };
    return {
      state: state.state,
      lastFour: lastFour(state.token),
      ...defined({ why: state.state === 'rejected' ? state.why : undefined }),
    };
  };
  return {
    tokenReport,
    async setToken(id, given) {
      const token = parseToken(given);
      const attempt = await tries.begin(id);
      const before = await accounts.get(id);
      const proven = await prove(p, interactive, id, token, before?.token);
      if (proven) await tries.succeeded(attempt);
      await changeAccount(id, (account) => {
        if (before && account.createdAt !== before.createdAt) throw erasedMeanwhile();
        return { ...account, token };
      });
      const isOther = before?.token && fingerprint(before.token) !== fingerprint(token);
      if (isOther) await p.stores.lanes.forgetRests({ queue: POLL_QUEUE, lane: accountHash(id) });
      await followAccount(p, scheduler, id);
      return { ...(await tokenReport(id)), ...defined({ untried: proven ? undefined : (true as const) }) };
    },
    async removeToken(id) {
      const account = await accounts.get(id);
      if (!account || !withoutToken(account)) return false;
      await changeAccount(id, (latest) => withoutToken(latest) ?? latest);
      await followAccount(p, scheduler, id);
      return true;
    },
  };
}
