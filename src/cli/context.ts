// What every command gets besides its options: the terminal, the settings, a log, and the stop signal. Settings are read
// on demand, because some commands must work without any.
import { secretsOf } from '../config/secrets.js';
import { type Config, type ConfigSources, loadConfig } from '../config.js';
import type { Role } from '../domain/role.js';
import { type AppLog, createLog } from '../log.js';
import type { Clock } from '../ports/system.js';
import type { Io } from './io.js';

export interface ContextParts {
  readonly io: Io;
  /** Aborts at the first SIGTERM or SIGINT; only commands declared graceful continue after that. */
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The folder with the program's own config/ and templates/. */
  readonly programDir: string;
  readonly version: string;
}

export interface CommandContext extends ContextParts {
  readonly clock: Clock;
  /**
   * Reads the settings once and prints their warnings on standard error; throws a UserError (exit 2) with every fault.
   * Warnings about missing folders are left to the commands that read from those folders.
   */
  config(role?: Role, more?: Pick<ConfigSources, 'formerStore'>): Config;
  /**
   * A log on standard output (the service) or standard error (commands whose output is data). The secrets of `config` are
   * removed from it; when left out, `config` is the settings read before.
   */
  log(to: 'stdout' | 'stderr', level?: string, config?: Config): AppLog;
}

/** A command. Resolves with nothing or with the exit code. */
export type Command<O> = (options: O, context: CommandContext) => Promise<void> | Promise<0 | 1>;

export async function createContext(parts: ContextParts): Promise<CommandContext> {
  const { io, env, cwd, programDir, version } = parts;
  const hasTerminal = io.stdout.isTTY || io.stderr.isTTY;
  const prettyStream = hasTerminal ? (await import('pino-pretty')).default : undefined;
  let loaded: Config | undefined;
  return {
    ...parts,
    clock: { now: () => Date.now() },
    config(role = 'all', more = {}) {
      if (loaded) return loaded;
      loaded = loadConfig({ env, cwd, programDir, role, ...more });
      const { warnings, missingFolders } = loaded;
      for (const warning of warnings) if (!missingFolders.includes(warning)) io.say(`warning: ${warning}`);
      return loaded;
    },
    log(to, wanted = loaded?.logLevel ?? 'info', config = loaded) {
      const destination = io[to];
      const pretty = destination.isTTY ? prettyStream : undefined;
      const colors = pretty !== undefined && !env.NO_COLOR;
      const secrets = config ? secretsOf(config) : [];
      return createLog({ level: wanted, destination, pretty, colors, version, secrets });
    },
  };
}
