// The confirmed end of an account, and the change of mind.
import { textsFor } from '../../render/language/index.js';
import type { Action } from '../request.js';

export const erase = {
  name: 'erase',
  slow: true,
  updates: true,
  async run(_args, request, context) {
    await context.services.eraseAccount(request.caller.account);
    return { text: textsFor(request.locale).bot.privacy.erased, components: [], update: true };
  },
} satisfies Action;

export const keep = {
  name: 'keep',
  updates: true,
  run: async (_args, request) => ({
    text: textsFor(request.locale).bot.privacy.kept,
    components: [],
    update: true,
  }),
} satisfies Action;
