import { keysInStore, openStores, storeExists } from '../store/index.js';
import { loadSecretKeys } from '../store/secret-keys.js';
export const SYSTEM_CLOCK = { now: () => Date.now() };
export const NO_METRICS = { count: () => undefined, observe: () => undefined };
/** Opens the store with the keys of the settings. Throws a UserError (exit 2) when a key that it needs is missing. */
export async function openStore(config, log, clock, access, 
/** The role of this process, if it shares the store with others. */
role) {
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
/** Ids of the keys that the store's secrets need and that are not given; works for every version of the store. */
export async function missingKeysOf(config, log, clock) {
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
//# sourceMappingURL=store.js.map