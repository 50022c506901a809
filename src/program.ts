// The process: a command line becomes a command, signals become an abort, and whatever happens an exit code.
// 0 done, 1 failed, 2 wrong usage or settings.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { addCommand, type CommandEntry } from './cli/command-entry.js';
import { MAIN_COMMANDS } from './cli/commands.js';
import { UPKEEP_COMMANDS } from './cli/commands-upkeep.js';
import type { CommandContext } from './cli/context.js';
import { createIo, type Io } from './cli/io.js';
import { reasonOf, StoreError, UserError } from './domain/errors.js';

const programDir = join(dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(join(programDir, 'package.json'), 'utf8')) as { version: string };

const GROUPS: Readonly<Record<string, string>> = {
  subscriptions: 'What is watched and where it goes.',
  token: 'API tokens of accounts.',
  mail: 'Looks at the mails before anyone gets them.',
  config: 'The settings as the program reads them.',
  keys: 'The keys that encrypt stored secrets.',
  store: 'The database that everything is kept in.',
};

/** The first signal asks for an end, the second one ends. Terminals and npm at times deliver one twice within milliseconds. */
function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  const stop = () => {
    if (!controller.signal.aborted) {
      first = performance.now();
      controller.abort();
    } else if (performance.now() - first > 100) process.exit(1);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return controller.signal;
}

function buildProgram(
  run: (entry: CommandEntry, options: Record<string, unknown>) => Promise<void>,
): Command {
  const program = new Command('jobcrier')
    .description('Watches a jobs API and tells people what is new, in Discord, by mail and by webhook.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('Add --help to see what is possible.')
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

/** Errors for people are their message; any other is a bug, and its stack goes into the log. */
function failed(error: unknown, io: Io, context?: CommandContext): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UserError || error instanceof StoreError) {
    io.say(error.message);
    return error instanceof UserError ? error.exitCode : 1;
  }
  io.say(
    `unexpected failure: ${error instanceof Error ? error.name : 'error'}; the log line below says where.`,
  );
  const stack = error instanceof Error ? (error.stack ?? reasonOf(error)) : reasonOf(error);
  if (context) context.log('stderr', 'error').error({ stack }, 'unexpected failure');
  else io.say(stack);
  return 1;
}

async function main(): Promise<number> {
  let code: 0 | 1 = 0;
  const io = createIo(process);
  let context: CommandContext | undefined;
  // A reader such as `head` that closes its end has seen enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.on('unhandledRejection', (error) => process.exit(failed(error, io, context)));
  process.on('uncaughtException', (error) => process.exit(failed(error, io, context)));
  try {
    await buildProgram(async (entry, options) => {
      const signal = entry.graceful ? listenForSignals() : new AbortController().signal;
      // Settings and the log are loaded with the command: --help and --version need neither.
      const { createContext } = await import('./cli/context.js');
      context = await createContext({
        io,
        env: process.env,
        cwd: process.cwd(),
        programDir,
        version,
        signal,
      });
      const command = await entry.load();
      code = (await command(options as never, context)) ?? 0;
    }).parseAsync();
    return code;
  } catch (error) {
    return failed(error, io, context);
  }
}

process.exit(await main());
