// The version of what is stored. Forward only: an older store is brought up to date by one process, after a copy of it,
// a newer one is refused, because what this version does not know it would lose on the next write.
import { reasonOf, StoreError, UserError } from '../domain/errors.js';
import type { Clock, Log } from '../ports/system.js';
import type { Backend, Write } from './backend.js';
import { storeError } from './faults.js';
import { whileHeld } from './lease.js';
import {
  archiveToRows,
  indexSubscriptions,
  keepRemoved,
  ledgersToRows,
  planAll,
  renameFixes,
  withoutNewRows,
} from './migrate-rows.js';

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
  // What a request keeps stands with its unit; what stood elsewhere is found out by its next answer.
  {
    to: 4,
    async run(backend, _clock, alive) {
      await backend.dropFormer();
      await renameFixes(backend, alive);
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
/** What is being brought up to date, while it is: {@link Begun}. */
const BEGUN = 'migration';
/** Which store is being copied into this one, while it is. See copy.ts. */
export const COPYING = 'copy';

/** Rows of `meta` that belong to one database and not to what is stored. */
export const OWN_META: ReadonlySet<string> = new Set([KEY, BEGUN, COPYING]);

/** From which version, and the name of the copy that was made before. */
interface Begun {
  readonly from: number;
  readonly copy: string;
}

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

/**
 * Throws a StoreError `newer`, or `locked` while another process uses a store that must be brought up to date, and a
 * UserError (exit 2) for the beginning of a copy.
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

/** A running service of the older version would go on writing in the old form, so its lease is taken. */
function migrateStore(backend: Backend, options: SchemaOptions): Promise<void> {
  const { log, clock, migrations = MIGRATIONS } = options;
  const refusal = (holder: string) => storeError('locked', `${holder} uses it`);
  return whileHeld(backend.leases, clock, refusal, async (lease) => {
    const found = await readVersion(backend);
    if (found === knownVersion(migrations)) return;
    // What a process wrote that lost the lease meanwhile does not count.
    const commit: Backend['commit'] = (one) => backend.commit({ fence: lease.fence(), ...one });
    // Without the column nothing can be committed. The former version writes beside it as before.
    await backend.addColumns();
    await copyFirst({ ...backend, commit }, found, log);
    await bringForward({ ...backend, commit }, found, options, lease.mustHold);
  });
}

/** Runs what leads from version `found` to the present one; an interrupted run goes on. The caller holds the lease. */
export async function bringForward(
  backend: Backend,
  found: number,
  { log, clock, migrations = MIGRATIONS }: Omit<SchemaOptions, 'migrate'>,
  alive: () => Promise<void>,
): Promise<void> {
  for (const migration of migrations.filter(({ to }) => to > found)) {
    await alive();
    await migration.run(backend, clock, alive);
    // With the last step the note ends, or the next upgrade would take the copy of this one for its own.
    const isLast = migration.to === knownVersion(migrations);
    const ended: Write = { table: 'meta', key: BEGUN, entry: null };
    await backend.commit({ writes: [versionWrite(migration.to), ...(isLast ? [ended] : [])] });
    log.info({ schema: migration.to }, 'store brought up to date');
  }
}

/** Once for each time a store is brought up to date: a run that goes on finds the copy's name in the note. */
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
      `This version has to bring the store up to date, and can't make the copy that it makes before: ${reasonOf(error)} The copy needs as much room as the store. The store is as it was, also for the former version.`,
    );
  }
}

/** An earlier copy of the same version is kept: the store may have been put back and used since. */
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
