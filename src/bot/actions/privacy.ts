// The confirmed end of an account, and the change of mind.
import { textsFor } from '../../render/language/index.js';
import type { Action } from '../ask.js';

export const erase = {
  name: 'erase',
  slow: true,
  updates: true,
  async run(_args, ask, bench) {
    await bench.desk.eraseAccount(ask.caller.account);
    return { text: textsFor(ask.locale).bot.privacy.erased, components: [], update: true };
  },
} satisfies Action;

export const keep = {
  name: 'keep',
  updates: true,
  run: async (_args, ask) => ({
    text: textsFor(ask.locale).bot.privacy.kept,
    components: [],
    update: true,
  }),
} satisfies Action;
