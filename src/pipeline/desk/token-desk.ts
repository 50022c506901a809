// Setting a token proves it first: one request for one posting, so that a typing mistake is told at once
// and not at the next poll.
import { withoutToken } from '../../domain/account.js';
import { FeedError, refusal } from '../../domain/errors.js';
import { lastFour, type Secret, secret } from '../../domain/secret.js';
import type { Desk } from '../../ports/desk.js';
import type { Pipeline } from '../context.js';
import { applyChange } from '../roster.js';
import type { Scheduler } from '../scheduler.js';
import type { ChangeAccount } from './account-desk.js';

const LONGEST = 512;

/** The token as typed, without the white space that copying adds; a UserError when it can't be one. */
function parseToken(token: Secret): Secret {
  const text = token.reveal().trim();
  if (text === '' || text.length > LONGEST || /[^\x21-\x7e]/u.test(text))
    throw refusal(
      'notAToken',
      'That is not an API token. Copy it from the token page of the jobs board, without spaces.',
    );
  return secret(text);
}

/** Asks the API for one posting with the token (jobs API, Authentication 3 and 4). */
async function prove(p: Pipeline, account: string, token: Secret): Promise<void> {
  try {
    await p.feed.fetch({ account, token, query: { limit: 1 }, fresh: true, format: p.settings.format });
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    if (error.fault === 'rejected')
      throw refusal(
        'tokenRefused',
        'The jobs board does not accept this token. Copy a new one from its token page and set it again; nothing was stored.',
      );
    // Refusing to store a good token because the API has a bad minute would leave the person with nothing.
    p.log.warn({ account, fault: error.fault }, 'token kept without proof');
  }
}

type TokenDesk = Pick<Desk, 'setToken' | 'tokenReport' | 'removeToken'>;

export function createTokenDesk(p: Pipeline, scheduler: Scheduler, changeAccount: ChangeAccount): TokenDesk {
  const { accounts } = p.stores;
  const tokenReport: TokenDesk['tokenReport'] = async (id) => {
    const state = await p.tokens.of(id);
    if (state.state === 'missing') return { state: 'missing' };
    return {
      state: state.state,
      lastFour: lastFour(state.token),
      ...(state.state === 'rejected' ? { why: state.why } : {}),
    };
  };
  return {
    tokenReport,
    async setToken(id, given) {
      const token = parseToken(given);
      await prove(p, id, token);
      await changeAccount(id, (account) => ({ ...account, token }));
      await p.tokens.retry(id);
      await applyChange(p, scheduler, { kind: 'account', id });
      return tokenReport(id);
    },
    async removeToken(id) {
      const account = await accounts.get(id);
      if (!account || !withoutToken(account)) return false;
      await changeAccount(id, (latest) => withoutToken(latest) ?? latest);
      await applyChange(p, scheduler, { kind: 'account', id });
      return true;
    },
  };
}
