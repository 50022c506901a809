// The type that declares a command, and the code that adds a declared command to the parser.
import { Option, type Command as Parser } from 'commander';
import type { Command } from './context.js';

export interface OptionEntry {
  /** In commander's form: `--port <number>`. */
  readonly flags: string;
  readonly says: string;
  readonly required?: true;
  readonly choices?: readonly string[];
  readonly default?: string;
}

export interface CommandEntry {
  /** Words after the program's name: `subscriptions add`. */
  readonly name: string;
  readonly says: string;
  /** More text, shown only by --help. */
  readonly detail?: string;
  /** Positional arguments with their descriptions, `<file>` or `[file]`; passed as an option of that name. */
  readonly takes?: readonly (readonly [string, string])[];
  readonly options?: readonly OptionEntry[];
  /** The command prints data and therefore has --json. */
  readonly json?: true;
  /** Command lines without the program's name, each with what it does. */
  readonly examples: readonly (readonly [string, string])[];
  /** The exit codes, when they mean more than done, failed and wrong usage. */
  readonly exits?: string;
  /** The command gets the stop signal and ends by itself; a signal ends other commands immediately. */
  readonly graceful?: true;
  readonly load: () => Promise<Command<never>>;
}

function help(entry: CommandEntry): string {
  const examples = entry.examples.map(([line, what]) => `  jobcrier ${line}\n      ${what}`);
  const exits = entry.exits ?? '0 done, 1 failed, 2 wrong usage or settings';
  return ['', 'Examples:', ...examples, '', `Exit codes: ${exits}.`].join('\n');
}

/** Adds `entry` below `parent`. `run` is called with the entry and the options of the command line. */
export function addCommand(
  parent: Parser,
  entry: CommandEntry,
  run: (entry: CommandEntry, options: Record<string, unknown>) => Promise<void>,
): void {
  const command = parent.command(entry.name.split(' ').at(-1) as string).summary(entry.says);
  command.description([entry.says, entry.detail].filter(Boolean).join('\n\n'));
  for (const [name, says] of entry.takes ?? []) command.argument(name, says);
  const required: Option[] = [];
  for (const { flags, says, required: isRequired, choices, default: value } of entry.options ?? []) {
    const option = new Option(flags, says);
    if (isRequired) required.push(option);
    if (choices) option.choices(choices);
    if (value !== undefined) option.default(value);
    command.addOption(option);
  }
  if (entry.json) command.option('--json', 'JSON instead of text');
  command.addHelpText('after', help(entry));
  command.action(async () => {
    // Replaces commander's own check, which reports only the first missing option.
    const missing = required.filter((option) => command.getOptionValue(option.attributeName()) === undefined);
    if (missing.length > 0)
      command.error(missing.map(({ flags }) => `error: required option '${flags}' not specified`).join('\n'));
    const names = (entry.takes ?? []).map(([name]) => name.replace(/[<>[\]]/gu, ''));
    const given = names.map((name, index) => [name, command.processedArgs[index] as unknown]);
    await run(entry, { ...command.opts(), ...Object.fromEntries(given) });
  });
}
