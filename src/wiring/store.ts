// Opens the store with the keys of the settings. This is apart from the rest of the wiring because most commands need
// only the store and should not wait until the bot and the mail are loaded.
import type { Config } from '../config.js';
import type { Secret } from '../domain/secret.js';
import type { Table } from '../ports/stores.js';
import type { Clock, Log, Metrics } from '../ports/system.js';
import { keysInStore, type OpenStores, openStores, type StoreOptions, storeExists } from '../store/index.js';
import { loadSecretKeys } from '../store/secret-keys.js';

export const SYSTEM_CLOCK: Clock = { now: () => Date.now() };
export const NO_METRICS: Metrics = { count: () => undefined, observe: () => undefined };
/** A cache that keeps nothing: a check must neither read from the cache nor write to it. */
export const NO_CACHE: Table<unknown> = {
  get: async () => undefined,
  set: async () => undefined,
  delete: async () => undefined,
  deleteUnder: async () => undefined,
  update: async () => undefined,
  async *entries() {},
};

export interface OpenedStore {
  readonly stores: OpenStores;
  /** The keys of SECRET_KEY, to derive other keys from. */
  readonly secrets: readonly Secret[];
}

/**
 * What the store is opened for.
 * - serve: the service, which needs the store for itself.
 * - create: a command that stores something; a service may be running. A missing store is made.
 * - change: like create, but a missing store is not made, because there is nothing to change.
 * - repair: like change, but also works when a key that the store needs is missing.
 * - look: writes nothing; a missing store reads as an empty one.
 * - read: like look, but the command needs sealed values, so a missing key is refused.
 */
export type Access = 'serve' | 'create' | 'change' | 'repair' | 'look' | 'read';

/** Opens the store with the keys of the settings. Throws a UserError (exit 2) when a key that it needs is missing. */
export async function openStore(
  config: Config,
  log: Log,
  clock: Clock,
  access: Access,
  /** `role`: the role of this process, if it shares the store with others. The rest is explained at {@link openStores}. */
  { role, gathers = access === 'serve' }: Pick<StoreOptions, 'role' | 'gathers'> = {},
): Promise<OpenedStore> {
  const where = { url: config.store.url, dataDir: config.dirs.data, clock };
  const makes = access === 'serve' || access === 'create';
  const looks = access === 'look' || access === 'read';
  const look = looks || (!makes && !(await storeExists(where.url)));
  const keys = await loadSecretKeys({
    value: config.secretKey,
    dataDir: where.dataDir,
    log,
    inStore: async () => (access === 'repair' ? [] : keysInStore(where)),
    look,
  });
  const stores = await openStores({
    ...where,
    keys,
    log,
    role,
    gathers,
    look,
    needKeys: access === 'read' || (!look && access !== 'repair'),
  });
  return { stores, secrets: keys.secrets };
}

/** Ids of the keys that the store's secrets need and that are not given; works for every version of the store. */
export async function missingKeysOf(config: Config, log: Log, clock: Clock): Promise<readonly string[]> {
  const dataDir = config.dirs.data;
  const needed = await keysInStore({ url: config.store.url, dataDir, clock });
  const keys = await loadSecretKeys({
    value: config.secretKey,
    dataDir,
    log,
    inStore: async () => needed,
    look: true,
  });
  return needed.filter((id) => !keys.find(id));
}
