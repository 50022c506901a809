// Opens all stores, over Keyv with SQLite or PostgreSQL.

import { randomBytes } from 'node:crypto';
import { defined } from '../domain/defined.js';
import type { Role } from '../domain/role.js';
import type { Stores } from '../ports/stores.js';
import type { Clock, Log } from '../ports/system.js';
import { createAccountStore } from './accounts.js';
import { createArchive } from './archive.js';
import { type Backend, KV_TABLES, type KvTable } from './backend.js';
import { backupsDir } from './backups-dir.js';
import { storeError } from './faults.js';
import { createHistory } from './history.js';
import { mustHaveKeys, sealedWith } from './key-check.js';
import { createLease, createProcesses, type FencedLease, SERVICE } from './lease.js';
import { createLedgerStore } from './ledgers.js';
import { createOverlay } from './overlay.js';
import { settleSchema } from './schema.js';
import { createSealedTable, createSealer, type Sealer } from './sealing.js';

import type { SecretKeys } from './secret-keys.js';
import { hasContent, parseStoreUrl } from './store-url.js';

import { createSubscriptionStore } from './subscriptions.js';
import { createTable } from './table.js';
import { withinTurn } from './turn-fence.js';

export interface StoreOptions {
  /** STORE_URL, see {@link parseStoreUrl}. */
  readonly url: string;
  readonly dataDir: string;
  readonly keys: SecretKeys;
  readonly log: Log;
  readonly clock: Clock;
  /** 15 s except in tests. */
  readonly lease?: { readonly ttlMs: number };
  /** Migrate an older store to this version (the default), or refuse it. */
  readonly migrate?: boolean;
  /** Read only: writes stay in memory, an older store is refused, and a missing store reads as empty. */
  readonly look?: boolean;
  /** Refuse a store that has secrets sealed with a key that is not in `keys`. */
  readonly needKeys?: boolean;
  /** Set when several processes share the store through a queue. */
  readonly role?: Role | undefined;
  /**
   * Under load, commits wait up to 100 ms for others, so that many share few transactions (the default). Without, they wait
   * only while another is being written: for a command, which is over after a few.
   */
  readonly gathers?: boolean;
}

/** {@link Stores} and what the maintenance commands need. */
export interface OpenStores extends Stores {
  readonly backend: Backend;
  readonly sealer: Sealer;
  /**
   * Set when there is no store yet and this one is empty: where it would be, such as "at data/jobcrier.sqlite". Only with
   * `look`.
   */
  readonly absent?: string;
  /** Returns the ids of keys that stored secrets need and that are not given. */
  missingKeys(): Promise<readonly string[]>;
}

const LEASE_MS = 15_000;

const NO_LEASE: Pick<FencedLease, 'acquire' | 'held' | 'renew' | 'release' | 'fence'> = {
  acquire: async () => ({ fence: 0 }),
  held: async () => true,
  renew: async () => true,
  release: async () => undefined,
  fence: () => undefined,
};

/** Opens the stores. Throws a UserError for a wrong address and a StoreError when the store can't be used. */
export async function openStores(options: StoreOptions): Promise<OpenStores> {
  const absent = options.look && !(await storeExists(options.url)) ? placeOf(options.url) : undefined;
  const backend = absent ? createOverlay(undefined) : await openBackend(options);
  try {
    return { ...(await assembleStores(backend, options)), ...defined({ absent: absent || undefined }) };
  } catch (error) {
    await backend.close();
    throw error;
  }
}

type Where = Pick<StoreOptions, 'url' | 'dataDir' | 'clock' | 'look' | 'gathers'>;

/**
 * Returns whether there is a store at the address, without creating one. Throws a StoreError when its server can't be
 * reached, and a UserError (exit 2) when there can't be a store at its path.
 */
export async function storeExists(url: string): Promise<boolean> {
  const where = parseStoreUrl(url);
  if (where.kind === 'sqlite') return hasContent(where.file);
  return (await import('./postgres/backend.js')).hasTables(where.address);
}

/** Where the store is, in words. The address of a server is not shown, because it may contain a password. */
function placeOf(url: string): string {
  const where = parseStoreUrl(url);
  return where.kind === 'sqlite' ? `at ${where.file}` : 'in the database of STORE_URL';
}

/** Returns the ids of the keys that the secrets of the store at `url` are sealed with; none when there is no store. */
export async function keysInStore(where: Omit<Where, 'look'>): Promise<readonly string[]> {
  const backend = await openBackend({ ...where, look: true });
  try {
    return await sealedWith(backend);
  } finally {
    await backend.close();
  }
}

/** Opens the database of an address. With `look`, writes stay in memory. */
export async function openBackend(where: Where): Promise<Backend> {
  if (!where.look) return openDatabase(where);
  return createOverlay((await storeExists(where.url)) ? await openDatabase(where) : undefined);
}

/** Imports only the client that is needed. The other one would cost each command a tenth of a second. */
async function openDatabase({ url, dataDir, clock, look = false, gathers = true }: Where): Promise<Backend> {
  const where = parseStoreUrl(url);
  if (where.kind === 'sqlite') {
    const { openSqlite } = await import('./sqlite/backend.js');
    return openSqlite({ file: where.file, clock, backups: backupsDir(dataDir), look, gathers });
  }
  return (await import('./postgres/backend.js')).openPostgres(where.address, gathers);
}

/** Creates the stores over an open backend. Closing them closes the backend. */
export async function assembleStores(
  backend: Backend,
  {
    keys,
    log,
    clock,
    lease: { ttlMs } = { ttlMs: LEASE_MS },
    look = false,
    migrate = !look,
    needKeys = false,
    role,
  }: Omit<StoreOptions, 'url' | 'dataDir'>,
): Promise<OpenStores> {
  const { kvTables } = backend;
  await settleSchema(backend, { log, clock, migrate });
  if (needKeys) await mustHaveKeys(backend, keys);
  const sealer = createSealer(keys, log);
  const ownLease = createLease({ rows: backend.leases, name: SERVICE, ttlMs, clock, role });
  // A worker's writes are protected by the lanes it holds.
  const lease = role === 'worker' ? { ...ownLease, ...NO_LEASE } : ownLease;
  const archive = createArchive(kvTables.history, clock);
  return {
    accounts: createAccountStore(backend, clock, sealer),
    subscriptions: createSubscriptionStore(backend, clock, sealer),
    ledgers: createLedgerStore(backend, clock, lease, archive),
    rejections: createTable(kvTables.rejections, clock),
    notices: createTable(kvTables.notices, clock),
    marks: createTable(kvTables.marks, clock),
    cache: createTable(kvTables.cache, clock),
    misc: createSealedTable(kvTables.misc, clock, sealer),
    history: createHistory(kvTables.history, clock, sealer, archive),
    meta: createTable(kvTables.meta, clock),
    lease,
    processes: createProcesses({ rows: backend.leases, ttlMs, clock, role }),
    // With a role, another process may hold the lanes, so `freeAll` does nothing.
    lanes: role ? { ...backend.lanes, freeAll: async () => undefined, within: withinTurn } : backend.lanes,
    probe: () => (look ? backend.tryWrite() : probe(kvTables.meta, clock.now())),
    missingKeys: async () => (await sealedWith(backend)).filter((id) => !keys.find(id)),
    async purge() {
      let deleted = 0;
      for (const name of KV_TABLES) deleted += await kvTables[name].purge(clock.now());
      await backend.lanes.purge();
      await backend.leases.purge();
      return deleted;
    },
    wipe: async () => backend.wipe?.(),
    close: () => backend.close(),
    backend,
    sealer,
  };
}

/** If a process dies during the probe, its row expires after this. */
const PROBE_KEPT_MS = 60_000;

async function probe(table: KvTable, now: number): Promise<void> {
  // Each probe has its own row: two probes at the same time, here or in two containers, must not read each other's value.
  const value = randomBytes(8).toString('hex');
  const key = `probe:${value}`;
  await table.set(key, { value, expires: now + PROBE_KEPT_MS });
  const read = await table.get(key);
  await table.delete(key);
  if (read?.value !== value) throw storeError('unavailable', 'a value written was not there to read');
}
