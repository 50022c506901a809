// SQLite stores as files. Copies are complete and on disk before they get their name, and only their owner can read them.
import { access, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StoreError, UserError } from '../../domain/errors.js';
import { withFileFaults } from '../../domain/file-fault.js';
import { asStoreErrors } from '../faults.js';
import type { RunSql } from '../sql-table.js';
import { openConnection } from './connection.js';
import { runner } from './table.js';

/** Files that SQLite keeps beside the main one while it is open. */
export const COMPANIONS = ['-wal', '-shm', '-journal'];

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Syncs a file, or the names in a directory, so that they survive a power cut. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Copies the store as of one moment while other processes write (SQLite, VACUUM INTO). `check` can refuse the copy before
 * it gets its name. Replaces an older file of that name. Throws a {@link UserError} that names the target as `called`
 * when it can't be written.
 */
export async function copyStore<T>(
  run: RunSql,
  target: string,
  check: (draft: string) => Promise<T | undefined> = async () => undefined,
  called = target,
): Promise<T | undefined> {
  const draft = `${target}.${process.pid}.part`;
  await withFileFaults('write', called, async () => {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await removeDrafts(target);
    // SQLite would make the file readable for all users, but it uses an existing empty file as it is.
    await (await open(draft, 'wx', 0o600)).close();
  });
  try {
    await run('VACUUM INTO $1', [draft]).catch((error: unknown) => {
      const isFull = error instanceof StoreError && error.fault === 'full';
      throw isFull ? new UserError(`Can't write ${called}: no space is left on its disk.`) : error;
    });
    const result = await check(draft);
    await withFileFaults('write', called, async () => {
      await sync(draft);
      await rename(draft, target);
      await sync(dirname(target));
    });
    return result;
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}

/** Removes unfinished copies of that name. If another process is writing one, that copy fails. */
async function removeDrafts(target: string): Promise<void> {
  const [dir, name] = [dirname(target), basename(target)];
  for (const other of await readdir(dir)) {
    const rest = other.startsWith(`${name}.`) ? other.slice(name.length) : '';
    if (/^\.\d+\.part(?:-journal|-wal|-shm)?$/u.test(rest))
      await unlink(join(dir, other)).catch(() => undefined);
  }
}

/** Runs `work` on its own connection to a store file. */
export async function withFile<T>(file: string, work: (run: RunSql) => Promise<T>): Promise<T> {
  const store = await openConnection(file);
  try {
    return await asStoreErrors(() => work(runner(store)));
  } finally {
    await store.close().catch(() => undefined);
  }
}
