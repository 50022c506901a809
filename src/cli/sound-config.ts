// Everything a person wrote, looked at in one round: settings, folders, modules of sinks, the subscriptions file. What is
// wrong anywhere is told at once, so that nobody has to start again for each fault.
import { setTimeout as sleep } from 'node:timers/promises';
import { folderFaults } from '../config/folders.js';
import { type Config, loadConfig, type Role, requirements } from '../config.js';
import { reasonOf, throwFaults, UserError } from '../domain/errors.js';
import type { Sink } from '../ports/sink.js';
import { parseSubscriptions, readSubscriptionsFile } from '../subscriptions-file.js';
import { NO_METRICS } from '../wiring/store.js';
import type { CommandContext } from './context.js';

/** How long a sink that was made to check the settings may take to close, milliseconds. */
const CLOSE_MS = 1000;

export interface Wanted {
  readonly command: 'run' | 'poll';
  readonly role?: Role;
  /** Take a folder that was named and is not there as a fault; a start only warns of it. */
  readonly strict?: boolean;
}

/** The settings when all is sound; else one {@link UserError} (exit 2) with a line per fault. */
export async function soundConfig(
  context: CommandContext,
  { command, role = 'all', strict = false }: Wanted,
): Promise<Config> {
  const { env, cwd, programDir } = context;
  const config = loadConfig({ env, cwd, programDir, role, tolerant: true });
  const faults = [
    ...config.faults,
    ...requirements(config, command).filter((fault) => !isTold(fault, config.faults)),
    ...(await folderFaults(config.dirs.data, config.store.url)),
    ...(strict ? config.missingFolders : []),
  ];
  faults.push(...(await sinkAndEntryFaults(config, context)));
  if (faults.length > 0) throwFaults([...faults, ...config.misspelt.map((warning) => `warning: ${warning}`)]);
  return context.config(role);
}

/** A setting that is of no use needs no second line that says it is missing. */
function isTold(fault: string, told: readonly string[]): boolean {
  const name = fault.slice(0, fault.indexOf(':') + 1);
  return told.some((one) => one.startsWith(name));
}

async function sinkAndEntryFaults(config: Config, context: CommandContext): Promise<readonly string[]> {
  // Loaded here, because the other commands need no sinks and should not wait for them.
  const [{ createSinks }, { entryContext, sinkSettings }] = await Promise.all([
    import('../sinks/index.js'),
    import('../wiring/sinks.js'),
  ]);
  const { clock, io } = context;
  const faults: string[] = [];
  const deps = { log: context.log('stderr', 'silent'), clock, metrics: NO_METRICS, stdout: io.stdout };
  const sinks = await createSinks(sinkSettings(config), deps, faults);
  try {
    const reading = entryContext(sinks, config, 'file', clock.now());
    const { file, text } = await readSubscriptionsFile(config.dirs.config);
    const isExcused = excuse(sinks, [...config.faults, ...faults]);
    const parseTarget: typeof reading.parseTarget = (sink, target) =>
      isExcused(sink) ? String(target) : reading.parseTarget(sink, target);
    if (text !== undefined) parseSubscriptions(text, { ...reading, parseTarget }, file);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    faults.push(...reasonOf(error).split('\n'));
  } finally {
    await Promise.all([...sinks.values()].map(closeSoon));
  }
  return faults;
}

/** A sink from outside may fail to close, or never end it: that is no reason not to start. */
async function closeSoon(sink: Sink): Promise<void> {
  const closed = new AbortController();
  const closing = Promise.resolve()
    .then(() => sink.close?.())
    .catch(() => undefined)
    .finally(() => closed.abort());
  await Promise.race([closing, sleep(CLOSE_MS, undefined, closed).catch(() => undefined)]);
}

/** A sink that is off because of a fault told already: what goes there has no fault of its own. */
function excuse(sinks: ReadonlyMap<string, Sink>, told: readonly string[]): (sink: string) => boolean {
  const settings: Readonly<Record<string, RegExp>> = {
    email: /^(?:SMTP_|MAIL_|DKIM_)/u,
    discord: /^DISCORD_/u,
  };
  return (sink) => !sinks.has(sink) && told.some((fault) => (settings[sink] ?? /^SINKS/u).test(fault));
}
