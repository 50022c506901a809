// Opens everything that is kept, over Keyv with SQLite or PostgreSQL.
import { randomBytes } from 'node:crypto';
import type { Role } from '../domain/role.js';
import type { PollState, PollStateStore, Stores } from '../ports/stores.js';
import type { Clock, Log } from '../ports/system.js';
import { createAccountStore } from './accounts.js';
import { type Backend, KV_TABLES, type KvTable, type TableName } from './backend.js';
import { backupsDir } from './backups-dir.js';
import { storeError } from './faults.js';
import { createHistory } from './history.js';
import { mustHaveKeys, sealedWith } from './key-check.js';
import { createLease, createProcesses, type FencedLease, SERVICE } from './lease.js';
import { createLedgerStore } from './ledgers.js';
import { createOverlay } from './overlay.js';
import { settleSchema } from './schema.js';
import { createSealedTable } from './sealed-table.js';
import { createSealer, type Sealer } from './sealing.js';
import type { SecretKeys } from './secret-keys.js';
import { hasContent } from './store-path.js';
import { parseStoreUrl } from './store-url.js';
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
  /** 15 s unless a test is in a hurry. */
  readonly lease?: { readonly ttlMs: number };
  /** Bring an older store to this version (the default), or refuse it. */
  readonly migrate?: boolean;
  /** Only look: nothing is written but in memory, an older store is refused, and one that is not there reads as empty. */
  readonly look?: boolean;
  /** Refuse a store with secrets that none of `keys` opens. */
  readonly needKeys?: boolean;
  /** Set where several processes share the store, over a queue. */
  readonly role?: Role | undefined;
}

/** {@link Stores} with what the upkeep commands need beneath. */
export interface OpenStores extends Stores {
  readonly backend: Backend;
  readonly sealer: Sealer;
  /** Where there is none yet, so that this one is empty: "at data/jobcrier.sqlite". Only where it was opened to look. */
  readonly absent?: string;
  /** Ids of keys that stored secrets need and that are not given. */
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

/** Opens the store. Throws a UserError for a wrong address and a StoreError when the store can't be used. */
export async function openStores(options: StoreOptions): Promise<OpenStores> {
  const absent = options.look && !(await storeExists(options.url)) ? placeOf(options.url) : undefined;
  const backend = absent ? createOverlay(undefined) : await openBackend(options);
  try {
    return { ...(await assembleStores(backend, options)), ...(absent ? { absent } : {}) };
  } catch (error) {
    await backend.close();
    throw error;
  }
}

type Where = Pick<StoreOptions, 'url' | 'dataDir' | 'clock' | 'look'>;

/**
 * Whether there is a store at the address; asking makes none. Fails with a StoreError when its server can't be asked, with
 * a UserError (exit 2) when its path can't be one.
 */
export async function storeExists(url: string): Promise<boolean> {
  const where = parseStoreUrl(url);
  if (where.kind === 'sqlite') return hasContent(where.file);
  return (await import('./postgres.js')).hasTables(where.address);
}

/** Where the address leads, in words; a server's may hold a password. */
function placeOf(url: string): string {
  const where = parseStoreUrl(url);
  return where.kind === 'sqlite' ? `at ${where.file}` : 'in the database of STORE_URL';
}

/** Ids of the keys that the secrets of the store at `url` are sealed with; none where there is no store. */
export async function keysInStore(where: Omit<Where, 'look'>): Promise<readonly string[]> {
  const backend = await openBackend({ ...where, look: true });
  try {
    return await sealedWith(backend);
  } finally {
    await backend.close();
  }
}

/** The database of an address; with `look` one that keeps what is written in memory. */
export async function openBackend(where: Where): Promise<Backend> {
  if (!where.look) return openDatabase(where);
  return createOverlay((await storeExists(where.url)) ? await openDatabase(where) : undefined);
}

/** Loads the one client that is asked for: the other would cost each command a tenth of a second. */
async function openDatabase({ url, dataDir, clock, look = false }: Where): Promise<Backend> {
  const where = parseStoreUrl(url);
  if (where.kind === 'sqlite') {
    const { openSqlite } = await import('./sqlite.js');
    return openSqlite({ file: where.file, clock, backups: backupsDir(dataDir), look });
  }
  return (await import('./postgres.js')).openPostgres(where.address);
}

/** The stores over an opened backend, which they close. */
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
  // What a worker does is guarded by the lanes it holds.
  const lease = role === 'worker' ? { ...ownLease, ...NO_LEASE } : ownLease;
  return {
    accounts: createAccountStore(backend, clock, sealer),
    subscriptions: createSubscriptionStore(backend, clock, sealer),
    ledgers: createLedgerStore(backend, clock, lease),
    polls: createPollStateStore(kvTables.polls, clock, writerTo(backend, 'polls', lease)),
    rejections: createTable(kvTables.rejections, clock),
    notices: createTable(kvTables.notices, clock),
    marks: createTable(kvTables.marks, clock),
    cache: createTable(kvTables.cache, clock),
    misc: createSealedTable(kvTables.misc, clock, sealer),
    history: createHistory(kvTables.history, clock, sealer),
    meta: createTable(kvTables.meta, clock),
    lease,
    processes: createProcesses({ rows: backend.leases, ttlMs, clock, role }),
    // What is held may be held by another process.
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

/**
 * Writes of whoever took the lease carry its fence, and the database drops them once another has taken it: asking
 * before the write would leave a moment in between, in which a process can be suspended for as long as it takes.
 */
type WriteFenced = (key: string, value: unknown) => Promise<void>;

function writerTo({ commit }: Backend, table: TableName, lease: FencedLease): WriteFenced {
  return async (key, value) => {
    await commit({ writes: [{ table, key, entry: { value } }], fence: lease.fence() });
  };
}

function createPollStateStore(polls: KvTable, clock: Clock, write: WriteFenced): PollStateStore {
  const table = createTable<PollState>(polls, clock);
  return {
    read: (id) => table.get(id),
    write,
    remove: (id) => table.delete(id),
    all: () => table.range({}, 1000),
  };
}

/** A row of a process that died in between goes after this. */
const PROBE_KEPT_MS = 60_000;

async function probe(table: KvTable, now: number): Promise<void> {
  // A row for each: two that ask at once, here or in two containers, must not read each other's answer.
  const value = randomBytes(8).toString('hex');
  const key = `probe:${value}`;
  await table.set(key, { value, expires: now + PROBE_KEPT_MS });
  const read = await table.get(key);
  await table.delete(key);
  if (read?.value !== value) throw storeError('unavailable', 'a value written was not there to read');
}
