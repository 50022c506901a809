// What every command is handed besides its options: the terminal, the settings, a log, and the signal that
// tells it to stop. Settings are read on demand, since some commands must work without any.
import { secretsOf } from '../config/secrets.js';
import { type Config, type ConfigSources, loadConfig } from '../config.js';
import type { Role } from '../domain/role.js';
import { type AppLog, createLog } from '../log.js';
import type { Clock } from '../ports/system.js';
import type { Io } from './io.js';

export interface ContextParts {
  readonly io: Io;
  /** Aborted by the first SIGTERM or SIGINT; only commands that are declared graceful outlive that. */
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
   * Reads the settings, once, and tells their warnings on standard error; a UserError (exit 2) with every fault. Of folders
   * that are not there the commands warn that read from them.
   */
  config(role?: Role, more?: Pick<ConfigSources, 'formerStore'>): Config;
  /** A log on standard output (the service) or standard error (commands whose output is data), without the secrets of `config`: those of the settings read already when it is left out. */
  log(to: 'stdout' | 'stderr', level?: string, config?: Config): AppLog;
}

/** Ends with nothing when all went well, with an exit code when the answer is one. */
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
