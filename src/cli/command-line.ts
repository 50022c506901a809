// Runs the command of a command line and returns an exit code: 0 done, 1 failed, 2 wrong usage or settings.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { reasonOf, StoreError, UserError } from '../domain/errors.js';
import { addCommand, type CommandEntry } from './command-entry.js';
import { MAIN_COMMANDS } from './commands.js';
import { UPKEEP_COMMANDS } from './commands-upkeep.js';
import type { CommandContext, ContextParts } from './context.js';
import type { Io } from './io.js';

const programDir = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { version } = JSON.parse(readFileSync(join(programDir, 'package.json'), 'utf8')) as { version: string };

const GROUPS: Readonly<Record<string, string>> = {
  subscriptions: 'What is watched and where it goes.',
  token: 'API tokens of accounts.',
  mail: 'Previews, checks and tests the mails.',
  config: 'Checks and shows the settings.',
  keys: 'The keys that encrypt stored secrets.',
  store: 'The database that stores everything.',
};

/**
 * The environment of a command line. `stopSignal` is called for graceful commands only; it returns a signal that aborts
 * when the process should stop.
 */
export interface Surroundings extends Pick<ContextParts, 'io' | 'env' | 'cwd'> {
  readonly stopSignal: () => AbortSignal;
}

export interface CommandLine {
  /** Runs the command of the arguments (without the program's name) and resolves with its exit code. */
  run(args: readonly string[]): Promise<number>;
  /** Prints an error, logs it if it is a bug, and returns the exit code. */
  failed(error: unknown): number;
}

export function createCommandLine({ stopSignal, ...surroundings }: Surroundings): CommandLine {
  const { io } = surroundings;
  let context: CommandContext | undefined;
  const failed = (error: unknown) => tell(error, io, context);

  async function run(args: readonly string[]): Promise<number> {
    let code: 0 | 1 = 0;
    const parser = buildParser(io, async (entry, options) => {
      const signal = entry.graceful ? stopSignal() : new AbortController().signal;
      // Loads settings and the log only with a command: --help and --version need neither.
      const { createContext } = await import('./context.js');
      context = await createContext({ ...surroundings, programDir, version, signal });
      const command = await entry.load();
      code = (await command(options as never, context)) ?? 0;
    });
    try {
      await parser.parseAsync(args, { from: 'user' });
      return code;
    } catch (error) {
      return failed(error);
    }
  }

  return { run, failed };
}

function buildParser(
  { stdout, stderr }: Io,
  run: (entry: CommandEntry, options: Record<string, unknown>) => Promise<void>,
): Command {
  const program = new Command('jobcrier')
    .description('Watches a jobs API and announces new postings in Discord, by mail and by webhook.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    })
    .showHelpAfterError('Add --help to see the commands and options.')
    .addHelpText('after', '\nSettings come from the environment and .env; see: jobcrier config dump');
  const groups = new Map<string, Command>();
  for (const entry of [...MAIN_COMMANDS, ...UPKEEP_COMMANDS]) {
    const group = entry.name.includes(' ') ? (entry.name.split(' ')[0] as string) : undefined;
    if (group && !groups.has(group))
      groups.set(group, program.command(group).description(GROUPS[group] as string));
    addCommand(group ? (groups.get(group) as Command) : program, entry, run);
  }
  return program;
}

/** Prints the message of an error meant for people. Any other error is a bug, and its stack is logged. */
function tell(error: unknown, io: Io, context?: CommandContext): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UserError || error instanceof StoreError) {
    io.say(error.message);
    return error instanceof UserError ? error.exitCode : 1;
  }
  io.say(
    `unexpected failure: ${error instanceof Error ? error.name : 'error'}; the log line below shows where.`,
  );
  const stack = error instanceof Error ? (error.stack ?? reasonOf(error)) : reasonOf(error);
  if (context) context.log('stderr', 'error').error({ stack }, 'unexpected failure');
  else io.say(stack);
  return 1;
}
