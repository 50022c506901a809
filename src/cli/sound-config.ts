// Everything a person wrote, looked at in one round: settings, folders, modules of sinks, the subscriptions file. What is
// wrong anywhere is told at once, so that nobody has to start again for each fault.
import { folderFaults } from '../config/folders.js';
import { type Config, loadConfig, requirements } from '../config.js';
import { reasonOf, UserError } from '../domain/errors.js';
import type { Role } from '../domain/role.js';
import type { AppLog } from '../log.js';
import type { Sink } from '../ports/sink.js';
import { parseSubscriptions, readSubscriptionsFile } from '../subscriptions-file.js';
import type { Figures } from '../wiring/counters.js';
import { NO_METRICS } from '../wiring/store.js';
import type { CommandContext } from './context.js';
import type { FileEntries } from './session.js';

export interface Wanted {
  readonly command: 'run' | 'poll';
  readonly role?: Role;
  /** Take a folder that was named and is not there as a fault; a start only warns of it. */
  readonly strict?: boolean;
  /** The log of what is to be started; the modules of SINKS write to it from the moment they are made. */
  readonly log: (config: Config) => AppLog;
}

/** What was looked at and is sound. */
export interface Sound {
  readonly config: Config;
  readonly log: AppLog;
  /** What the modules of SINKS made, on `log` and `figures`. They are made once: who gets this uses and closes them. */
  readonly sinks: readonly Sink[];
  readonly figures: Figures;
  /** The subscriptions file. */
  readonly found: FileEntries;
}

/** The settings when all is sound, and what was made to see that; else one {@link UserError} (exit 2) with a line per fault. */
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
  // A setting that is wrong may hold a secret that is not known as one.
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

/** A setting that is of no use needs no second line that says it is missing. */
function isTold(fault: string, told: readonly string[]): boolean {
  const name = fault.slice(0, fault.indexOf(':') + 1);
  return told.some((one) => one.startsWith(name));
}

/** The subscriptions file; undefined when `faults` got a line for each fault in it. */
async function fileEntries(
  config: Config,
  modules: ReadonlyMap<string, Sink>,
  faults: string[],
  { log, clock, io }: CommandContext,
): Promise<FileEntries | undefined> {
  const [{ builtInSinks, closeSinks }, { entryContext, sinkSettings }] = await Promise.all([
    import('../sinks/index.js'),
    import('../wiring/sinks.js'),
  ]);
  // These only tell good addresses from bad ones; the service makes those that deliver, on its store.
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

/** A sink that is off because of a fault told already: what goes there has no fault of its own. */
function excuse(sinks: ReadonlyMap<string, Sink>, told: readonly string[]): (sink: string) => boolean {
  const settings: Readonly<Record<string, RegExp>> = {
    email: /^(?:SMTP_|MAIL_|DKIM_)/u,
    discord: /^DISCORD_/u,
  };
  return (sink) => !sinks.has(sink) && told.some((fault) => (settings[sink] ?? /^SINKS/u).test(fault));
}
