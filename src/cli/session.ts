// An open store for the commands that look into it or change it while a service may be running: they never take
// the lease, and they write records only, each with the note that tells a service what to follow. Those that look write nothing
// at all.
import type { Config } from '../config.js';
import { UserError } from '../domain/errors.js';
import type { Secret } from '../domain/secret.js';
import type { Subscription, SubscriptionContext } from '../domain/subscription.js';
import { isMassRemoval } from '../pipeline/reconcile.js';
import type { Stores } from '../ports/stores.js';
import type { Log } from '../ports/system.js';
import type { OpenStores } from '../store/index.js';
import { massRemoval, noEntries, parseSubscriptions, readSubscriptionsFile } from '../subscriptions-file.js';
import { type Access, NO_METRICS, openStore } from '../wiring/store.js';
import type { CommandContext } from './context.js';

export interface Session {
  readonly config: Config;
  readonly stores: OpenStores;
  /** SECRET_KEY's list, for what is derived from it. */
  readonly secrets: readonly Secret[];
  readonly log: Log;
}

/** Opens the store for what the command is about to do, does the work, closes the store whatever happened. */
export async function withStores<T>(
  context: CommandContext,
  access: Exclude<Access, 'serve'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const config = context.config();
  const log = context.log('stderr');
  const { stores, secrets } = await openStore(config, log, context.clock, access);
  try {
    return await work({ config, stores, secrets, log });
  } finally {
    await stores.close();
  }
}

/** What reading entries takes: targets are checked by their sinks, which are made for that and closed again. */
export async function withEntryContext<T>(
  config: Config,
  origin: Subscription['origin'],
  context: CommandContext,
  work: (reading: SubscriptionContext) => Promise<T> | T,
): Promise<T> {
  // Loaded here, because the other commands need no sinks and should not wait for them.
  const [{ closeSinks, createSinks }, { entryContext, sinkSettings }] = await Promise.all([
    import('../sinks/index.js'),
    import('../wiring/sinks.js'),
  ]);
  const { clock, io } = context;
  const deps = { log: context.log('stderr'), clock, metrics: NO_METRICS, stdout: io.stdout };
  const sinks = await createSinks(sinkSettings(config), deps);
  try {
    return await work(entryContext(sinks, config, origin, clock.now()));
  } finally {
    await closeSinks(sinks.values());
  }
}

export interface FileEntries {
  readonly file: string;
  readonly text: string | undefined;
  /** Undefined when the file is not there or names nothing. */
  readonly entries: readonly Subscription[] | undefined;
}

/** config/subscriptions.yaml as it is now; a UserError with every fault in it. */
export async function readFileEntries(config: Config, context: CommandContext): Promise<FileEntries> {
  const { file, text } = await readSubscriptionsFile(config.dirs.config);
  const entries =
    text === undefined
      ? undefined
      : await withEntryContext(config, 'file', context, (reading) => parseSubscriptions(text, reading, file));
  return { file, text, entries };
}

/** What is to be said of the file beside the store: why the next start would not follow it to the letter. */
export async function fileProblem(
  { file, text, entries }: FileEntries,
  stores: Stores,
): Promise<string | undefined> {
  const known = await stores.subscriptions.idsFromFile();
  if (!entries) return known.length > 0 ? noEntries(file, text, known.length) : undefined;
  const named = new Set(entries.map(({ id }) => id));
  const gone = known.filter((id) => !named.has(id)).length;
  return isMassRemoval(gone, known.length) ? massRemoval(file, gone, known.length) : undefined;
}

/** Says that what the command looked at is empty because there is no store: perhaps it looked at the wrong place. */
export function noStoreYet({ absent }: OpenStores): string | undefined {
  return (
    absent &&
    `There is no store yet ${absent}; the first start or "jobcrier subscriptions add" makes it. STORE_URL and DATA_DIR say where it is.`
  );
}

/** What to say where there is no subscription. */
export function noneYet(stores: OpenStores): string {
  return noStoreYet(stores) ?? 'There is no subscription yet; "jobcrier subscriptions add" makes one.';
}

/** Warns of a folder that was named, is not there, and that the command reads from. */
export function warnOfFolder(name: 'CONFIG_DIR' | 'TEMPLATES_DIR', context: CommandContext): void {
  for (const warning of context.config().missingFolders)
    if (warning.startsWith(`${name}:`)) context.io.say(`warning: ${warning}`);
}

/** The subscription, or a UserError that names the nearest ids. */
export async function mustGet(stores: OpenStores, id: string): Promise<Subscription> {
  const found = await stores.subscriptions.get(id);
  if (found) return found;
  const { closest } = await import('fastest-levenshtein');
  const ids: string[] = [];
  for await (const one of stores.subscriptions.list()) ids.push(one.id);
  const hint =
    ids.length === 0
      ? `. ${noneYet(stores)}`
      : `; did you mean ${closest(id, ids)}? "jobcrier subscriptions list" shows all.`;
  throw new UserError(`There is no subscription "${id}"${hint}`);
}
