// `jobcrier config`: what the program reads, before anything starts.
import type { CommandContext } from './context.js';
import { counted } from './io.js';
import { readFileEntries } from './session.js';

interface JsonOption {
  readonly json?: boolean;
}

/** Faults end it as the UserError of loading; what remains to tell are the warnings. */
export async function configCheckCommand({ json }: JsonOption, context: CommandContext): Promise<void> {
  const config = context.config();
  const entries = await readFileEntries(config, context);
  if (json) context.io.json({ ok: true, warnings: config.warnings, subscriptions: entries?.length ?? 0 });
  else {
    const file = entries
      ? `, and so is subscriptions.yaml with ${counted(entries.length, 'entry', 'entries')}`
      : '';
    context.io.print(`The settings are sound${file}.`);
  }
}

export async function configDumpCommand({ json }: JsonOption, context: CommandContext): Promise<void> {
  const { shown } = context.config();
  if (json) {
    context.io.json(shown.map(({ name, value, from }) => ({ name, value: value ?? null, from })));
    return;
  }
  context.io.table(
    shown.map(({ name, value, from, otherwise }) => ({
      name,
      value: value ?? '–',
      from: value === undefined ? `not set; ${otherwise ?? 'none'}` : from,
    })),
    '',
  );
}
