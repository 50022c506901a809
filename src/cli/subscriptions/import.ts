// `jobcrier subscriptions import`: takes all entries or none. A stored subscription keeps its age and its origin.

import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { UserError } from '../../domain/errors.js';
import { importEntries, parseSubscriptions } from '../../subscriptions-file.js';
import type { CommandContext } from '../context.js';
import { withEntryContext, withStores } from '../session.js';

export interface ImportOptions {
  readonly file?: string;
  readonly json?: boolean;
}

async function readInput(file: string | undefined, context: CommandContext): Promise<string> {
  const { stdin } = context.io;
  if (file === undefined || file === '-') {
    if (stdin.isTTY) context.io.say('Reading subscriptions from standard input; Ctrl-D ends them.');
    return text(stdin);
  }
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${file} can't be read (${error.code}); give the path of a YAML file.`, 2);
  });
}

export async function importCommand({ file, json }: ImportOptions, context: CommandContext): Promise<void> {
  const config = context.config();
  const input = await readInput(file, context);
  const entries = await withEntryContext(
    config,
    'cli',
    context,
    (reading) => parseSubscriptions(input, reading) ?? [],
  );
  await withStores(context, 'create', async ({ stores }) => {
    const { added, changed, unchanged } = await importEntries(stores, entries, context.clock.now());
    if (json) context.io.json({ added, changed, unchanged });
    else context.io.say(`${added.length} added, ${changed.length} changed, ${unchanged} unchanged.`);
  });
}
