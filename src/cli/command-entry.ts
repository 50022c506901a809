// How a command is declared, and how a declaration becomes a command of the parser.
import { InvalidArgumentError, Option, type Command as Parser } from 'commander';
import type { Command } from './context.js';

export interface OptionEntry {
  /** As commander writes it: `--port <number>`. */
  readonly flags: string;
  readonly says: string;
  readonly required?: true;
  /** Turns the text into a value or throws InvalidArgumentError. */
  readonly read?: (text: string) => unknown;
  readonly choices?: readonly string[];
  readonly default?: string | number;
}

export interface CommandEntry {
  /** Words after the program's name: `subscriptions add`. */
  readonly name: string;
  readonly says: string;
  /** More than a line, shown by --help only. */
  readonly detail?: string;
  /** Positional arguments, `<file>` or `[file]`; handed over as an option of that name. */
  readonly takes?: readonly (readonly [string, string])[];
  readonly options?: readonly OptionEntry[];
  /** Prints data, so it has --json. */
  readonly json?: true;
  /** Command lines without the program's name, with what they do. */
  readonly examples: readonly (readonly [string, string])[];
  /** Exit codes that mean more than done, failed and wrong usage. */
  readonly exits?: string;
  /** Ends by itself after a signal, which it is told of; the others end at once. */
  readonly graceful?: true;
  readonly load: () => Promise<Command<never>>;
}

/** An option's whole number within bounds. */
export function wholeOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Wanted a whole number from ${min} to ${max}.`);
  };
}

/** An option's comma list. */
export function listOption(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

function help(entry: CommandEntry): string {
  const examples = entry.examples.map(([line, what]) => `  jobcrier ${line}\n      ${what}`);
  const exits = entry.exits ?? '0 done, 1 failed, 2 wrong usage or settings';
  return ['', 'Examples:', ...examples, '', `Exit codes: ${exits}.`].join('\n');
}

/** Adds `entry` below `parent`; `run` is called with what the person asked for. */
export function addCommand(
  parent: Parser,
  entry: CommandEntry,
  run: (entry: CommandEntry, options: Record<string, unknown>) => Promise<void>,
): void {
  const command = parent.command(entry.name.split(' ').at(-1) as string).summary(entry.says);
  command.description([entry.says, entry.detail].filter(Boolean).join('\n\n'));
  for (const [name, says] of entry.takes ?? []) command.argument(name, says);
  const required: Option[] = [];
  for (const { flags, says, required: isRequired, read, choices, default: value } of entry.options ?? []) {
    const option = new Option(flags, says);
    if (isRequired) required.push(option);
    if (choices) option.choices(choices);
    if (read) option.argParser(read);
    if (value !== undefined) option.default(value);
    command.addOption(option);
  }
  if (entry.json) command.option('--json', 'JSON instead of text');
  command.addHelpText('after', help(entry));
  command.action(async () => {
    // Not commander's own check, which tells of the first alone.
    const missing = required.filter((option) => command.getOptionValue(option.attributeName()) === undefined);
    if (missing.length > 0)
      command.error(missing.map(({ flags }) => `error: required option '${flags}' not specified`).join('\n'));
    const names = (entry.takes ?? []).map(([name]) => name.replace(/[<>[\]]/gu, ''));
    const given = names.map((name, index) => [name, command.processedArgs[index] as unknown]);
    await run(entry, { ...command.opts(), ...Object.fromEntries(given) });
  });
}
