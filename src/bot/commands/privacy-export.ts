// Everything stored about the caller, as a file to them alone.
import { textsFor } from '../../render/language/index.js';
import { waitingOf } from '../drafts.js';
import type { Command } from '../request.js';

export const privacyExport = {
  path: 'privacy export',
  slow: true,
  async run(request, context) {
    const stored = (await context.services.exportAccount(request.caller.account)) as object;
    const unfinished = await waitingOf(context, request.user);
    const content = JSON.stringify({ ...stored, unfinished }, null, 2);
    return {
      text: textsFor(request.locale).bot.privacy.exported,
      file: { name: 'jobcrier-export.json', content },
    };
  },
} satisfies Command;
