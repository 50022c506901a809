// Checks settings, folders, modules of sinks and the subscriptions file together, and reports all faults together, so
// that you don't have to start again for each one.
import { folderFaults } from '../config/folders.js';
import { type Config, loadConfig, requirements } from '../config.js';
import { reasonOf, UserError } from '../domain/errors.js';
import type { Role } from '../domain/role.js';
import type { AppLog } from '../log.js';
import type { Sink } from '../ports/sink.js';
import { entryContext, parseSubscriptions, readSubscriptionsFile } from '../subscriptions-file.js';
import type { Figures } from '../wiring/counters.js';
import { NO_METRICS } from '../wiring/store.js';
import type { CommandContext } from './context.js';
import type { FileEntries } from './session.js';

export interface Wanted {
  readonly command: 'run' | 'poll';
  readonly role?: Role;
  /** Treats a missing folder that a setting names as a fault; a start only warns about it. */
  readonly strict?: boolean;
  /** Makes the log of what is to be started; the modules of SINKS write to it as soon as they are made. */
  readonly log: (config: Config) => AppLog;
}

/** The valid settings, and what was made to check them. */
export interface Sound {
  readonly config: Config;
  readonly log: AppLog;
  /** The sinks of the modules in SINKS, made once, with `log` and `figures`. The caller uses and closes them. */
  readonly sinks: readonly Sink[];
  readonly figures: Figures;
  /** The entries of the subscriptions file. */
  readonly found: FileEntries;
}

/** Checks everything and returns the settings. Throws one {@link UserError} (exit 2) with a line per fault. */
export async function soundConfig(
  context: CommandContext,
  { command, role = 'all', strict = false, log: logOf }: Wanted,
): Promise<Sound> {
  const [{ closeSinks, moduleSinks }, { sinkSettings }, { createFigures }] = await Promise.all([
    import('../sinks/index.js'),
    import('../wiring/sinks.js'),
    import('../wiring/counters.js'),
  ]);
  const { env, cwd, programDir, clock } = context;
  const config = loadConfig({ env, cwd, programDir, role, tolerant: true });
  const faults = [
    ...config.faults,
    ...requirements(config, command).filter((fault) => !isTold(fault, config.faults)),
    ...(await folderFaults(config.dirs.data, config.store.url)),
    ...(strict ? config.missingFolders : []),
  ];
  // Silent when a setting is faulty: it may hold a secret that the log does not know.
  const log = config.faults.length > 0 ? context.log('stderr', 'silent') : logOf(config);
  const figures = createFigures(log, clock);
  const sinks = await moduleSinks(
    sinkSettings(config),
    { log, clock, metrics: figures.dailyStats.metrics },
    faults,
  );
  try {
    const found = await fileEntries(config, sinks, faults, context);
    if (found && faults.length === 0) {
      for (const warning of config.missingFolders) context.io.say(`warning: ${warning}`);
      return { config: context.config(role), log, sinks: [...sinks.values()], figures, found };
    }
    throw new UserError(
      [...faults, ...config.misspelt.map((warning) => `warning: ${warning}`)].join('\n'),
      2,
    );
  } catch (error) {
    await closeSinks(sinks.values());
    throw error;
  }
}

/** Whether a fault of the same setting is reported already: a faulty setting is not also reported as missing. */
function isTold(fault: string, told: readonly string[]): boolean {
  const name = fault.slice(0, fault.indexOf(':') + 1);
  return told.some((one) => one.startsWith(name));
}

/** Reads the subscriptions file. Returns undefined when it has faults, each added to `faults` as a line. */
async function fileEntries(
  config: Config,
  modules: ReadonlyMap<string, Sink>,
  faults: string[],
  { log, clock, io }: CommandContext,
): Promise<FileEntries | undefined> {
  const [{ builtInSinks, closeSinks }, { sinkSettings }] = await Promise.all([
    import('../sinks/index.js'),
    import('../wiring/sinks.js'),
  ]);
  // These sinks only check targets; the service makes the ones that deliver, with its store.
  const deps = { log: log('stderr', 'silent'), clock, metrics: NO_METRICS, stdout: io.stdout };
  const builtIn = await builtInSinks(sinkSettings(config), deps);
  const sinks = new Map([...builtIn, ...modules]);
  const reading = entryContext(sinks, config, 'file', clock.now());
  const isExcused = excuse(sinks, [...config.faults, ...faults]);
  const parseTarget: typeof reading.parseTarget = (sink, target) =>
    isExcused(sink) ? String(target) : reading.parseTarget(sink, target);
  try {
    const { file, text } = await readSubscriptionsFile(config.dirs.config);
    const entries =
      text === undefined ? undefined : parseSubscriptions(text, { ...reading, parseTarget }, file);
    return { file, text, entries };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    faults.push(...reasonOf(error).split('\n'));
    return undefined;
  } finally {
    await closeSinks(builtIn.values());
  }
}

/** Returns whether a sink is off because of a fault reported already; targets of such a sink are not reported too. */
function excuse(sinks: ReadonlyMap<string, Sink>, told: readonly string[]): (sink: string) => boolean {
  const settings: Readonly<Record<string, RegExp>> = {
    email: /^(?:SMTP_|MAIL_|DKIM_)/u,
    discord: /^DISCORD_/u,
  };
  return (sink) => !sinks.has(sink) && told.some((fault) => (settings[sink] ?? /^SINKS/u).test(fault));
}
