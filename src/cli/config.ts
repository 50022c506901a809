// `jobcrier config`: checks and shows the settings, without starting anything.
import { UserError } from '../domain/errors.js';
import { closeSinks } from '../sinks/index.js';
import type { CommandContext } from './context.js';
import { counted } from './io.js';
import { fileProblem, withStores } from './session.js';
import { soundConfig } from './sound-config.js';

interface JsonOption {
  readonly json?: boolean;
}

/** Prints the warnings when the settings are valid. Throws a UserError (exit 2) with all faults when they are not. */
export async function configCheckCommand({ json }: JsonOption, context: CommandContext): Promise<void> {
  try {
    const log = () => context.log('stderr', 'silent');
    const { config, found, sinks } = await soundConfig(context, { command: 'run', strict: true, log });
    await closeSinks(sinks);
    const { entries } = found;
    const problem = await withStores(context, 'look', ({ stores }) => fileProblem(found, stores)).catch(
      () => undefined,
    );
    const warnings = [...config.warnings, ...(problem ? [problem] : [])];
    if (problem) context.io.say(`warning: ${problem}.`);
    if (json) return context.io.json({ ok: true, warnings, subscriptions: entries?.length ?? 0 });
    const file = entries
      ? `, and so is subscriptions.yaml with ${counted(entries.length, 'entry', 'entries')}`
      : '';
    context.io.print(`The settings are valid${file}.`);
  } catch (error) {
    if (json && error instanceof UserError) context.io.json({ ok: false, faults: error.message.split('\n') });
    throw error;
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
