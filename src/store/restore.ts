// Replaces the store with a backup, never under a running service, and keeps the previous store.

import { constants } from 'node:fs';
import { chmod, copyFile, link, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { defined } from '../domain/defined.js';
import { StoreError, UserError } from '../domain/errors.js';
import { withFileFaults } from '../domain/file-fault.js';
import { type BackupReport, inspectBackup, sqliteFile } from './backup.js';
import { asStoreErrors, storeError } from './faults.js';
import { describeHolder, identifyProcess, isDead, readIdentity } from './process-identity.js';
import { knownVersion } from './schema.js';
import { leaseTableSql } from './sql-leases.js';
import type { RunSql } from './sql-table.js';
import { COMPANIONS, exists, sync, withFile } from './sqlite/files.js';

/** What was restored, and where the previous store is now. */
export interface RestoreReport extends BackupReport {
  readonly keptAside?: string;
}

/**
 * Replaces the store of `url` with the backup `file`. Throws a {@link UserError} when a process has the store open or
 * holds its lease, or when the file is not a store. Throws a StoreError `newer` or `corrupt` for a backup that can't be
 * used.
 */
export async function restoreStore(
  file: string,
  url: string,
  now: number = Date.now(),
): Promise<RestoreReport> {
  const target = sqliteFile(url, 'restore');
  const source = resolve(file);
  if (!(await exists(source))) throw new UserError(`There is no file ${source}.`, 2);
  if (await isSameFile(source, target))
    throw new UserError('That file is the store itself; name a backup.', 2);
  const draft = `${target}.${process.pid}.restore`;
  try {
    await withFileFaults('read', file, async () => {
      await (await open(source, 'r')).close();
      if (!(await stat(source)).isFile()) throw new UserError(`Can't read ${file}: it is not a file.`, 2);
    });
    // A second copy is inspected, because SQLite writes to the files it opens.
    await withFileFaults('write', draft, async () => {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await copyFile(source, draft, constants.COPYFILE_FICLONE);
      await chmod(draft, 0o600);
    });
    const report = await inspectCopy(draft, file);
    const fence = (await exists(target)) ? await takeOutOfUse(target, now) : 0;
    return await asStoreErrors(async () => {
      await withFile(draft, (run) => passFence(run, fence));
      await sync(draft);
      const keptAside = await keepAside(target, now);
      await rename(draft, target);
      await sync(dirname(target));
      return { ...report, ...defined({ keptAside: keptAside || undefined }) };
    });
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

/** Reads all of `draft`. Errors name `file`, the backup it was copied from. */
async function inspectCopy(draft: string, file: string): Promise<BackupReport> {
  try {
    const report = await inspectBackup(draft, file);
    if (report.version <= knownVersion()) return report;
    throw storeError(
      'newer',
      `the backup is of version ${report.version}, this program knows ${knownVersion()}`,
    );
  } catch (error) {
    if (!(error instanceof StoreError) || error.fault !== 'corrupt') throw error;
    throw new StoreError(
      'corrupt',
      `${file} is damaged or not a copy of a store, so nothing was changed; name another file. The daily ones are in DATA_DIR/backups.`,
    );
  }
}

/** Makes sure that no process uses the store, and folds its log into the main file. Returns the store's last fence. */
async function takeOutOfUse(target: string, now: number): Promise<number> {
  // SQLite would remove the log of a file that is not a database.
  if (!(await isDatabase(target))) return 0;
  try {
    return await withFile(target, async (run) => {
      const [row] = await run(`SELECT fence, holder, expires FROM lease WHERE name = 'service'`).catch(
        ifDamaged,
      );
      const holder = row && Number(row.expires) > now ? readIdentity(String(row.holder)) : undefined;
      if (holder && !(await isDead(holder, await identifyProcess(now))))
        throw new UserError(
          `The store is in use by ${describeHolder(String(row?.holder))}. Stop it before a restore.`,
        );
      // Leaving WAL mode needs exclusive access, so this fails while another process has the file open.
      await run('PRAGMA journal_mode = DELETE').catch(ifDamaged);
      return Number(row?.fence ?? 0);
    });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.fault === 'locked')
      throw new UserError('The store is in use by another process. Stop it before a restore.');
    // The store can't be read, which is why it is being restored.
    if (error.fault === 'corrupt') return 0;
    throw error;
  }
}

/** Whether the file has the header of a SQLite database (SQLite, Database File Format, 1.3). */
async function isDatabase(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.toString('latin1') === 'SQLite format 3\0';
  } finally {
    await handle.close();
  }
}

function ifDamaged(error: unknown): Record<string, unknown>[] {
  if (error instanceof StoreError && (error.fault === 'corrupt' || error.fault === 'unavailable')) return [];
  throw error;
}

/** The fence must keep growing, because a holder of the replaced store may still be suspended. */
async function passFence(run: RunSql, fence: number): Promise<void> {
  await run(leaseTableSql('lease'));
  await run(
    `INSERT INTO lease (name, fence, holder, expires) VALUES ('service', ${fence + 1}, '', 0)
     ON CONFLICT (name) DO UPDATE SET fence = max(lease.fence, ${fence}) + 1, holder = '', expires = 0`,
  );
}

/**
 * Keeps the previous store. Its main file keeps its name until the new one replaces it. The log of a damaged store is
 * moved away, because it must not be applied to the new file.
 */
async function keepAside(target: string, now: number): Promise<string | undefined> {
  if (!(await exists(target))) return undefined;
  const kept = `${target}.before-restore-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
  for (const companion of COMPANIONS)
    if (await exists(target + companion)) await rename(target + companion, kept + companion);
  await link(target, kept).catch(() => copyFile(target, kept));
  return kept;
}

async function isSameFile(source: string, target: string): Promise<boolean> {
  const [one, other] = await Promise.all([source, target].map((file) => stat(file).catch(() => undefined)));
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}
