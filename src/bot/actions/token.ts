// The token from its form: tried once by the desk, then stored. It is wrapped at once and goes nowhere else.
import { secret } from '../../domain/secret.js';
import { textsFor } from '../../render/language/index.js';
import type { Action } from '../ask.js';
import { tokenModal } from '../commands/token-set.js';
import { setTokenRow } from '../views/token.js';

export const token = {
  name: 'token',
  slow: true,
  async run(_args, ask, { desk }) {
    const { token: words } = textsFor(ask.locale).bot;
    const report = await desk.setToken(ask.caller.account, secret(ask.fields.token ?? ''));
    if (report.state === 'missing') return { text: words.missing };
    const { length } = await desk.subscriptions({ account: ask.caller.account });
    if (report.state === 'rejected')
      return { text: words.rejected(report.lastFour), components: [setTokenRow(ask, textsFor(ask.locale))] };
    return { text: `${words.saved(report.lastFour)}\n${length > 0 ? words.savedAgain : words.savedNext}` };
  },
} satisfies Action;

/** The button beside "you have no token". */
export const tokenForm = {
  name: 'token-form',
  run: async (_args, ask) => ({ modal: tokenModal(ask) }),
} satisfies Action;
