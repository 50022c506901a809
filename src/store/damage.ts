// A damaged store file is refused at the start and copied aside as it is. The error names the newest good backup.
import { constants } from 'node:fs';
import { chmod, copyFile, stat } from 'node:fs/promises';
import { StoreError } from '../domain/errors.js';
import { listBackups } from './backups-dir.js';
import type { RunSql } from './sql-table.js';
import { exists, withFile } from './sqlite/files.js';

/** Reads every page once (SQLite, quick_check). Throws SQLite's error when even that is not possible. */
export async function isDamaged(run: RunSql): Promise<boolean> {
  const [row] = await run('PRAGMA quick_check(1)');
  return row?.quick_check !== 'ok';
}

/** Copies the damaged file aside and returns the error to refuse it with. */
export async function refuseDamaged(file: string, backups: string): Promise<StoreError> {
  const kept = await keepAside(file).catch(() => undefined);
  const good = await newestGood(backups);
  const aside = kept ? ` A copy of it is at ${kept}.` : '';
  const fix = good
    ? `Restore the newest good backup with \`jobcrier restore ${good}\`.`
    : `There is no good backup in ${backups}; restore one from elsewhere, or move the file away to start with an empty store (everything is then recorded as seen again, nothing is sent twice).`;
  return new StoreError('corrupt', `The store ${file} is damaged, so nothing was started.${aside} ${fix}`);
}

/** Named by the time of the last write, so that a service that restarts again and again makes only one copy. */
async function keepAside(file: string): Promise<string> {
  const written = (await stat(file)).mtime.toISOString().slice(0, 19).replaceAll(':', '-');
  const kept = `${file}.corrupt-${written}Z`;
  for (const companion of ['', '-wal']) {
    if (!(await exists(file + companion)) || (await exists(kept + companion))) continue;
    await copyFile(file + companion, kept + companion, constants.COPYFILE_FICLONE);
    await chmod(kept + companion, 0o600);
  }
  return kept;
}

async function newestGood(backups: string): Promise<string | undefined> {
  for (const file of await listBackups(backups))
    if (!(await withFile(file, isDamaged).catch(() => true))) return file;
  return undefined;
}
