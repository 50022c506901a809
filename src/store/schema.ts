// The version of the stored data. Versions only go forward. One process copies an older store and then migrates it. A
// newer store is refused, because this version would lose data that it does not know with the next write.
import { reasonOf, StoreError, UserError } from '../domain/errors.js';
import type { Clock, Log } from '../ports/system.js';
import type { Backend, Write } from './backend.js';
import { storeError } from './faults.js';
import { whileHeld } from './lease.js';
import {
  archiveToRows,
  completeLedgers,
  indexSubscriptions,
  keepRemoved,
  ledgersToRows,
  planAll,
  renameFixes,
  withoutNewRows,
} from './migrate-rows.js';

/**
 * Brings a store from version `to - 1` to `to`. It may run twice, if a crash came before its success was recorded. Long
 * work must call `alive` from time to time: it renews the lease, and throws when the lease is lost.
 */
export interface Migration {
  readonly to: number;
  run(backend: Backend, clock: Clock, alive: () => Promise<void>): Promise<void>;
}

/** In order, without gaps. The first version is 1. */
const MIGRATIONS: readonly Migration[] = [
  {
    to: 2,
    async run(backend, _clock, alive) {
      await backend.addColumns();
      await backend.dropFormer();
      await withoutNewRows(backend, alive);
    },
  },
  {
    to: 3,
    async run(backend, clock, alive) {
      await backend.addColumns();
      await backend.dropFormer();
      await ledgersToRows(backend, clock, alive);
      await archiveToRows(backend, alive);
      await indexSubscriptions(backend, alive);
      await planAll(backend, clock, alive);
      await keepRemoved(backend, alive);
    },
  },
  // The state of a request is now kept with its unit. State kept elsewhere is not migrated: the next answer restores it.
  {
    to: 4,
    async run(backend, _clock, alive) {
      await backend.dropFormer();
      await renameFixes(backend, alive);
    },
  },
  // Version 5 added rows to `owed`. Ledgers get them with version 6.
  { to: 5, run: async () => {} },
  { to: 6, run: (backend, _clock, alive) => completeLedgers(backend, alive) },
  // The rows that name the ledgers that owe something no longer hold how much. An earlier version would read that from them.
  { to: 7, run: async () => {} },
];

export interface SchemaOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly migrate: boolean;
  readonly migrations?: readonly Migration[];
}

const KEY = 'schema';
/** Key of the note that a migration is running: {@link Begun}. */
const BEGUN = 'migration';
/** Key of the note that another store is being copied into this one. See copy.ts. */
export const COPYING = 'copy';

/** Rows of `meta` that belong to one database and are not copied. */
export const OWN_META: ReadonlySet<string> = new Set([KEY, BEGUN, COPYING]);

/** The version a migration started from, and the name of the copy made before it. */
interface Begun {
  readonly from: number;
  readonly copy: string;
}

/** The version this program writes. */
export function knownVersion(migrations: readonly Migration[] = MIGRATIONS): number {
  return migrations.at(-1)?.to ?? 1;
}

/** Returns the version in a stored entry of `meta`, see {@link SCHEMA_KEY}; 0 when there is none. */
export function versionOf(value: unknown): number {
  const version = (value as { version?: unknown } | undefined)?.version;
  return typeof version === 'number' ? version : 0;
}

export { KEY as SCHEMA_KEY };

/**
 * Checks the version of a store and migrates it if needed. Throws a StoreError `newer`, or `locked` while another process
 * uses a store that must be migrated. Throws a UserError (exit 2) for an unfinished copy.
 */
export async function settleSchema(backend: Backend, options: SchemaOptions): Promise<void> {
  const known = knownVersion(options.migrations);
  if (await backend.kvTables.meta.get(COPYING))
    throw new UserError(
      'This store is a copy that was interrupted. Run `jobcrier store copy` again as before, or name another store in STORE_URL.',
      2,
    );
  const found = await readVersion(backend);
  if (found === known) return;
  refuseNewer(found, known);
  if (found === 0) {
    await backend.addColumns();
    await backend.commit({ writes: [versionWrite(known)] });
    return;
  }
  if (!options.migrate)
    throw new StoreError(
      'unavailable',
      `The store is of version ${found}, and this program needs version ${known}. Start \`jobcrier run\` once: it copies the store and brings it up to date.`,
    );
  await migrateStore(backend, options);
}

export function refuseNewer(found: number, known = knownVersion()): void {
  if (found > known) throw storeError('newer', `version ${found}, this program knows ${known}`);
}

/** Takes the lease first, because a running service of the older version would continue to write in the old form. */
function migrateStore(backend: Backend, options: SchemaOptions): Promise<void> {
  const { log, clock, migrations = MIGRATIONS } = options;
  const refusal = (holder: string) =>
    new StoreError(
      'locked',
      `This version has to upgrade the store first, and ${holder} uses it. If that process is of the former version, stop it and all others; if it is upgrading the store, start again when it has finished.`,
    );
  return whileHeld(backend.leases, clock, refusal, async (lease) => {
    const found = await readVersion(backend);
    if (found === knownVersion(migrations)) return;
    // Writes of a process that has lost the lease are dropped.
    const commit: Backend['commit'] = (one) => backend.commit({ fence: lease.fence(), ...one });
    // Commits need the version column. The earlier version can still write to a table that has it.
    await backend.addColumns();
    await copyFirst({ ...backend, commit }, found, log);
    await bringForward({ ...backend, commit }, found, options, lease.mustHold);
  });
}

/** Runs the migrations from version `found` to the present one. An interrupted run resumes. The caller holds the lease. */
export async function bringForward(
  backend: Backend,
  found: number,
  { log, clock, migrations = MIGRATIONS }: Omit<SchemaOptions, 'migrate'>,
  alive: () => Promise<void>,
): Promise<void> {
  for (const migration of migrations.filter(({ to }) => to > found)) {
    await alive();
    await migration.run(backend, clock, alive);
    // The last step removes the note. Otherwise the next migration would use this one's copy as its own.
    const isLast = migration.to === knownVersion(migrations);
    const ended: Write = { table: 'meta', key: BEGUN, entry: null };
    await backend.commit({ writes: [versionWrite(migration.to), ...(isLast ? [ended] : [])] });
    log.info({ schema: migration.to }, 'store brought up to date');
  }
}

/** Makes one copy for each migration. A run that resumes finds the name of the copy in the note. */
async function copyFirst(backend: Backend, found: number, log: Log): Promise<void> {
  const { kvTables, commit, copies } = backend;
  const begun = (await kvTables.meta.get(BEGUN))?.value as Begun | undefined;
  if (!copies) return;
  const name = begun?.copy ?? (await freeName(copies, `v${found}`));
  if (begun && (await copies.has(name))) return;
  const value: Begun = { from: found, copy: name };
  await commit({ writes: [{ table: 'meta', key: BEGUN, entry: { value } }] });
  try {
    const place = await copies.make(name, BEGUN);
    log.info({ schema: found, copy: place }, 'store copied before it is brought up to date');
  } catch (error) {
    await commit({ writes: [{ table: 'meta', key: BEGUN, entry: null }] }).catch(() => undefined);
    const fault = error instanceof StoreError ? error.fault : 'unavailable';
    throw new StoreError(
      fault,
      `This version has to upgrade the store, and can't make the copy that it needs first: ${reasonOf(error)} The copy needs as much space as the store. The store is not changed, and the former version still works with it.`,
    );
  }
}

/** Keeps an earlier copy of the same version, because the store may have been restored and used since. */
async function freeName(copies: NonNullable<Backend['copies']>, wanted: string): Promise<string> {
  for (let count = 1; ; count++) {
    const name = count === 1 ? `${wanted}.bak` : `${wanted}-${count}.bak`;
    if (!(await copies.has(name))) return name;
  }
}

async function readVersion(backend: Pick<Backend, 'kvTables'>): Promise<number> {
  return versionOf((await backend.kvTables.meta.get(KEY))?.value);
}

export function versionWrite(version: number): Write {
  return { table: 'meta', key: KEY, entry: { value: { version } } };
}
