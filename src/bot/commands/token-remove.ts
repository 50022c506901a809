// Deletes the caller's token; what it served waits.
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../ask.js';

export const tokenRemove = {
  path: 'token remove',
  async run(ask, { desk }) {
    const { token } = textsFor(ask.locale).bot;
    return { text: (await desk.removeToken(ask.caller.account)) ? token.removed : token.none };
  },
} satisfies Command;
