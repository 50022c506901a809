// Opens the store with the keys of the settings. Apart from the rest of the wiring, because most commands need
// nothing else and should not wait for the bot and the mail to be loaded.
import type { Config } from '../config.js';
import type { Role } from '../domain/role.js';
import type { Secret } from '../domain/secret.js';
import type { Clock, Log, Metrics } from '../ports/system.js';
import { keysInStore, type OpenStores, openStores, storeExists } from '../store/index.js';
import { loadSecretKeys } from '../store/secret-keys.js';

export const SYSTEM_CLOCK: Clock = { now: () => Date.now() };
export const NO_METRICS: Metrics = { count: () => undefined, observe: () => undefined };

export interface OpenedStore {
  readonly stores: OpenStores;
  /** SECRET_KEY's list, for what is derived from it. */
  readonly secrets: readonly Secret[];
}

/**
 * What the store is opened for. serve: by the service, which has it for itself; create: by a command that stores
 * something, beside a service that may be running; change: the same, but there is nothing to change without a store, so
 * none is made; repair: the same, also without a key that the store needs; look: nothing is written, and where there is no store it reads as
 * an empty one; read: the same, but what is sealed in it is needed, so a missing key is refused.
 */
export type Access = 'serve' | 'create' | 'change' | 'repair' | 'look' | 'read';

/** Opens the store with the keys of the settings. Throws a UserError (exit 2) when it needs a key that is not given. */
export async function openStore(
  config: Config,
  log: Log,
  clock: Clock,
  access: Access,
  /** Of a process that shares the store with others. */
  role?: Role,
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
    look,
    needKeys: access === 'read' || (!look && access !== 'repair'),
  });
  return { stores, secrets: keys.secrets };
}

/** Ids of keys that the secrets of the store need and that are not given, whatever the version of the store. */
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
