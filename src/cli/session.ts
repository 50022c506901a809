// Opens the store for commands that read or change it while a service may be running. They never take the lease. They
// write only records, each with a note by which a service follows the change; commands that look write nothing.
import type { Config } from '../config.js';
import { UserError } from '../domain/errors.js';
import type { Secret } from '../domain/secret.js';
import type { Subscription, SubscriptionContext } from '../domain/subscription.js';
import { isMassRemoval } from '../pipeline/reconcile.js';
import type { Sink } from '../ports/sink.js';
import type { Stores } from '../ports/stores.js';
import type { Log } from '../ports/system.js';
import type { OpenStores } from '../store/index.js';
import {
  entryContext,
  massRemoval,
  noEntries,
  parseSubscriptions,
  readSubscriptionsFile,
} from '../subscriptions-file.js';
import { type Access, NO_METRICS, openStore } from '../wiring/store.js';
import type { CommandContext } from './context.js';

export interface Session {
  readonly config: Config;
  readonly stores: OpenStores;
  /** The keys of SECRET_KEY, to derive other keys from. */
  readonly secrets: readonly Secret[];
  readonly log: Log;
}

/** Opens the store for `access`, does the work, and always closes the store. Resolves with the result of `work`. */
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

/** Calls `work` with the context for reading entries. It makes the sinks that check targets, and closes them afterwards. */
export async function withEntryContext<T>(
  config: Config,
  origin: Subscription['origin'],
  context: CommandContext,
  work: (reading: SubscriptionContext) => Promise<T> | T,
): Promise<T> {
  // Loaded here, because other commands need no sinks and should not wait for them.
  const [{ closeSinks, createSinks }, { sinkSettings }] = await Promise.all([
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

/** Calls `work` with the sinks of the settings and what the store knows about their readers; starts and sends nothing. */
export async function withSinks<T>(
  { config, stores, secrets, log }: Session,
  { clock, io }: CommandContext,
  work: (sinks: ReadonlyMap<string, Sink>) => Promise<T>,
): Promise<T> {
  // Loaded here, because other commands need no sinks and should not wait for them.
  const [{ closeSinks, createSinks }, { storedObstacle }, { sinkSettings }, { deriveKeys }] =
    await Promise.all([
      import('../sinks/index.js'),
      import('../sinks/email/obstacle.js'),
      import('../wiring/sinks.js'),
      import('../domain/link-token.js'),
    ]);
  const { accounts, misc: table } = stores;
  const made = await createSinks(sinkSettings(config), {
    log,
    clock,
    metrics: NO_METRICS,
    stdout: io.stdout,
    table,
  });
  const email = made.get('email');
  const obstacle = storedObstacle({ table, keys: deriveKeys(secrets, 'mail'), accounts, clock, log });
  try {
    return await work(email ? new Map([...made, ['email', { ...email, obstacle }]]) : made);
  } finally {
    await closeSinks(made.values());
  }
}

export interface FileEntries {
  readonly file: string;
  readonly text: string | undefined;
  /** Undefined when the file does not exist or is empty. */
  readonly entries: readonly Subscription[] | undefined;
}

/** Reads config/subscriptions.yaml. Throws a UserError (exit 2) with every fault in it. */
export async function readFileEntries(config: Config, context: CommandContext): Promise<FileEntries> {
  const { file, text } = await readSubscriptionsFile(config.dirs.config);
  const entries =
    text === undefined
      ? undefined
      : await withEntryContext(config, 'file', context, (reading) => parseSubscriptions(text, reading, file));
  return { file, text, entries };
}

/** Why the next start would not apply the file in full, in words; undefined when it would. */
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

/** The hint that there is no store, perhaps because the settings name the wrong place; undefined when there is one. */
export function noStoreYet({ absent }: OpenStores): string | undefined {
  return (
    absent &&
    `There is no store yet ${absent}; the first start or "jobcrier subscriptions add" makes it. STORE_URL and DATA_DIR say where it is.`
  );
}

/** The message for a store without subscriptions. */
export function noneYet(stores: OpenStores): string {
  return noStoreYet(stores) ?? 'There is no subscription yet; "jobcrier subscriptions add" makes one.';
}

/** Prints a warning when the setting names a folder that does not exist; for commands that read from that folder. */
export function warnOfFolder(name: 'CONFIG_DIR' | 'TEMPLATES_DIR', context: CommandContext): void {
  for (const warning of context.config().missingFolders)
    if (warning.startsWith(`${name}:`)) context.io.say(`warning: ${warning}`);
}

/** Returns the subscription. Throws a UserError that names the nearest id when there is none. */
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
