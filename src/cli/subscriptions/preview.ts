// `jobcrier subscriptions preview`: how a rule is understood, and what it would have found among the postings that are
// kept. Makes no request and stores nothing.
import { parseFilter } from '../../domain/filter.js';
import { readSentence } from '../../domain/want/read.js';
import { estimate } from '../../services/preview.js';
import type { CommandContext } from '../context.js';
import { withStores } from '../session.js';
import { type FilterOptions, filterEntry, reportLines } from './filter-options.js';

export interface PreviewOptions extends FilterOptions {
  readonly account: string;
  readonly json?: boolean;
}

export async function previewCommand(options: PreviewOptions, context: CommandContext): Promise<void> {
  const { io, clock } = context;
  const { want, account, json } = options;
  const filter = parseFilter(filterEntry(options));
  await withStores(context, 'look', async ({ stores }) => {
    if (json) {
      const found = await estimate({ clock, history: stores.history }, account, filter);
      const words = want === undefined ? {} : { words: readSentence(want).words };
      io.json({ ...words, filter, ...found });
      return;
    }
    for (const line of await reportLines(options, filter, account, stores, clock)) io.print(line);
  });
}
