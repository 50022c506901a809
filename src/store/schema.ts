// The version of what is stored. Forward only: an older store is brought up to date under a lock and after a copy,
// a newer one is refused, because what this version does not know it would lose on the next write.
import type { Clock, Log } from '../ports/system.js';
import type { Backend } from './backend.js';
import { storeError } from './faults.js';
import { createLease } from './lease.js';
import { archiveToRows, indexSubscriptions, ledgersToRows } from './migrate-rows.js';
import { identifyProcess, isDead, readIdentity } from './process-identity.js';

/**
 * Brings a store from version `to - 1` to `to`. May run twice, if a crash came between it and the note that it ran.
 * `alive` must be called now and then in long work: it keeps the right to do it, and throws when that is lost.
 */
export interface Migration {
  readonly to: number;
  run(backend: Backend, clock: Clock, alive: () => Promise<void>): Promise<void>;
}

/** In order, without gaps. Version 1 is the first. */
const MIGRATIONS: readonly Migration[] = [
  { to: 2, run: (backend) => backend.addVersions() },
  {
    to: 3,
    async run(backend, clock, alive) {
      await backend.addVersions();
      await ledgersToRows(backend, clock, alive);
      await archiveToRows(backend, alive);
      await indexSubscriptions(backend, alive);
    },
  },
];

export interface SchemaOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly migrate: boolean;
  readonly migrations?: readonly Migration[];
}

const KEY = 'schema';
const LOCK_MS = 60_000;

/** The version this program writes. */
export function knownVersion(migrations: readonly Migration[] = MIGRATIONS): number {
  return migrations.at(-1)?.to ?? 1;
}

/** The version in a stored entry of `meta`, see {@link SCHEMA_KEY}; 0 where there is none. */
export function versionOf(value: unknown): number {
  const version = (value as { version?: unknown } | undefined)?.version;
  return typeof version === 'number' ? version : 0;
}

export { KEY as SCHEMA_KEY };

/** Throws a StoreError `newer`, or `locked` while another process works on a store that must be migrated. */
export async function settleSchema(backend: Backend, options: SchemaOptions): Promise<void> {
  const known = knownVersion(options.migrations);
  const found = await readVersion(backend);
  if (found === known) return;
  if (found > known) throw storeError('newer', `version ${found}, this program knows ${known}`);
  if (found === 0) {
    await backend.addVersions();
    return writeVersion(backend, known);
  }
  if (!options.migrate)
    throw storeError(
      'unavailable',
      `version ${found}, this program needs ${known}: start \`jobcrier run\` once`,
    );
  await migrateStore(backend, options);
}

async function migrateStore(backend: Backend, options: SchemaOptions): Promise<void> {
  const { log, clock, migrations = MIGRATIONS } = options;
  await refuseWhileServed(backend, clock);
  const lock = createLease({ rows: backend.leases, name: 'migration', ttlMs: LOCK_MS, clock });
  const taken = await lock.acquire();
  if ('holder' in taken) throw storeError('locked', `${taken.holder} brings it up to date`);
  try {
    const found = await readVersion(backend);
    await backend.copyAside?.(`v${found}.bak`);
    if (!backend.copyAside)
      log.warn({ schema: found }, 'no copy was made of the store before it is brought up to date');
    const alive = async () => {
      if (!(await lock.renew())) throw storeError('lost');
    };
    for (const migration of migrations.filter(({ to }) => to > found)) {
      await alive();
      await migration.run(backend, clock, alive);
      await writeVersion(backend, migration.to);
      log.info({ schema: migration.to }, 'store brought up to date');
    }
  } finally {
    await lock.release();
  }
}

/** A running service of the older version would go on writing in the old form. */
async function refuseWhileServed(backend: Backend, clock: Clock): Promise<void> {
  const row = await backend.leases.read('service');
  const holder = row && !row.expired ? readIdentity(row.holder) : undefined;
  if (holder && !(await isDead(holder, await identifyProcess(clock.now()))))
    throw storeError('locked', `process ${holder.pid} on ${holder.host} still serves it`);
}

async function readVersion(backend: Backend): Promise<number> {
  return versionOf((await backend.shelves.meta.get(KEY))?.value);
}

async function writeVersion(backend: Backend, version: number): Promise<void> {
  await backend.shelves.meta.set(KEY, { value: { version } });
}
