// Deletes the caller's token; what it served waits.
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../request.js';

export const tokenRemove = {
  path: 'token remove',
  async run(request, { services }) {
    const { token } = textsFor(request.locale).bot;
    return { text: (await services.removeToken(request.caller.account)) ? token.removed : token.none };
  },
} satisfies Command;
