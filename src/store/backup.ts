// Makes a consistent copy of the store while it is in use.
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../domain/errors.js';
import { KV_TABLES, type TableName } from './backend.js';
import { isDamaged } from './damage.js';
import { storeError } from './faults.js';
import { SCHEMA_KEY, versionOf } from './schema.js';
import { type RunSql, readEntry } from './sql-table.js';
import { COMPANIONS, copyStore, exists, withFile } from './sqlite/files.js';
import { parseStoreUrl } from './store-url.js';

/** What a copy contains: the version of the store and the number of rows by table. */
export interface BackupReport {
  readonly version: number;
  readonly rows: Readonly<Partial<Record<TableName, number>>>;
}

/**
 * Copies the store of `url` into `file` (mode 600; replaced completely or not at all) and reads the copy back: SQLite's
 * check, version and row counts. The copy does not include the key of the secrets: keep SECRET_KEY or secret.key
 * elsewhere. Throws a {@link UserError} for other databases, which have their own tools, and a StoreError otherwise.
 */
export async function backupStore(url: string, file: string): Promise<BackupReport> {
  const store = sqliteFile(url, 'backup');
  if (!(await exists(store))) throw new UserError(`There is no store at ${store} to back up.`);
  const target = resolve(file);
  if (await isSameFile(store, target))
    throw new UserError('The backup would replace the store itself; name another file.', 2);
  const report = await withFile(store, (run) => copyStore(run, target, inspectBackup, file));
  return report ?? { version: 0, rows: {} };
}

/**
 * Reads all of a backup. Throws a StoreError `corrupt` when it is damaged, and a {@link UserError} that names it as
 * `called` when it is not a store.
 */
export async function inspectBackup(file: string, called = file): Promise<BackupReport> {
  return withFile(file, async (run) => {
    if (await isDamaged(run)) throw storeError('corrupt', file);
    const tables = new Set(
      (await run(`SELECT name FROM sqlite_master WHERE type = 'table'`)).map((row) => row.name),
    );
    const version = tables.has('meta') ? await readVersion(run) : 0;
    if (version === 0) throw new UserError(`${called} is not a store of this program.`);
    const rows: Partial<Record<TableName, number>> = {};
    for (const name of KV_TABLES.filter((one) => tables.has(one)))
      rows[name] = Number((await run(`SELECT count(*) AS n FROM ${name}`))[0]?.n);
    return { version, rows };
  });
}

/** Returns the file of a SQLite address. For other databases, throws a {@link UserError} that names the right tool. */
export function sqliteFile(url: string, command: 'backup' | 'restore'): string {
  const where = parseStoreUrl(url);
  if (where.kind === 'sqlite') return where.file;
  const tool = { backup: 'use pg_dump', restore: 'use pg_restore or psql' }[command];
  throw new UserError(`${command} is for SQLite stores; for ${where.kind}, ${tool}.`, 2);
}

async function readVersion(run: RunSql): Promise<number> {
  const [row] = await run('SELECT value FROM meta WHERE key = $1', [SCHEMA_KEY]);
  return typeof row?.value === 'string' ? versionOf(readEntry(row.value).value) : 0;
}

async function isSameFile(store: string, target: string): Promise<boolean> {
  const real = join(
    await realpath(dirname(target)).catch(() => dirname(target)),
    target.slice(dirname(target).length),
  );
  const file = await realpath(store);
  return ['', ...COMPANIONS].some((companion) => [store, file].some((one) => one + companion === real));
}
