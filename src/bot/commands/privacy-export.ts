// Everything stored about the caller, as a file to them alone.
import { textsFor } from '../../render/language/index.js';
import type { Command } from '../ask.js';
import { waitingOf } from '../drafts.js';

export const privacyExport = {
  path: 'privacy export',
  slow: true,
  async run(ask, bench) {
    const stored = (await bench.desk.exportAccount(ask.caller.account)) as object;
    const unfinished = await waitingOf(bench, ask.user);
    const content = JSON.stringify({ ...stored, unfinished }, null, 2);
    return {
      text: textsFor(ask.locale).bot.privacy.exported,
      file: { name: 'jobcrier-export.json', content },
    };
  },
} satisfies Command;
