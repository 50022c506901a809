// Opens the store with the keys of the settings. Apart from the rest of the wiring, because most commands need
// nothing else and should not wait for the bot and the mail to be loaded.
import type { Config } from '../config.js';
import type { Secret } from '../domain/secret.js';
import type { Clock, Log, Metrics } from '../ports/system.js';
import { type OpenStores, openStores } from '../store/index.js';
import { loadSecretKeys } from '../store/secret-keys.js';

export const SYSTEM_CLOCK: Clock = { now: () => Date.now() };
export const NO_METRICS: Metrics = { count: () => undefined, observe: () => undefined };

export interface OpenedStore {
  readonly stores: OpenStores;
  /** SECRET_KEY's list, for what is derived from it. */
  readonly secrets: readonly Secret[];
}

/** Opens the store with the keys of the settings. `announce`: another process may be running the service. */
export async function openStore(
  config: Config,
  log: Log,
  clock: Clock,
  announce: boolean,
): Promise<OpenedStore> {
  const keys = await loadSecretKeys({ value: config.secretKey, dataDir: config.dirs.data, log });
  const stores = await openStores({
    url: config.store.url,
    dataDir: config.dirs.data,
    keys,
    log,
    clock,
    announce,
  });
  return { stores, secrets: keys.secrets };
}
