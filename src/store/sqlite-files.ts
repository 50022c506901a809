// SQLite stores as files: copies that are whole and on disk before they get their name, readable by their owner alone.
import { access, mkdir, open, readdir, rename, stat, statfs, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StoreError, UserError } from '../domain/errors.js';
import { reasonIn, withFileFaults } from '../domain/file-fault.js';
import { asStoreErrors } from './faults.js';
import type { RunSql } from './sql-shelf.js';
import { openKeyvSqlite, runner } from './sqlite-shelf.js';

/** The files SQLite keeps beside the main one while it is open. */
export const COMPANIONS = ['-wal', '-shm', '-journal'];

export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/**
 * Whether the file holds anything; one that is empty was made and never written to. Throws a {@link UserError} (exit 2)
 * where there can't be a store: at a folder, below a file, in a folder of the kernel, or where this user may not look.
 */
export async function hasContent(file: string): Promise<boolean> {
  try {
    const info = await stat(file);
    if (info.isFile()) return info.size > 0;
    throw noStoreAt(file, info.isDirectory() ? 'it is a folder' : 'it is not a file');
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (codeOf(error) !== 'ENOENT') throw noStoreAt(file, reasonIn(error));
  }
  const kernels = await kernelFolder(dirname(file));
  if (kernels) throw noStoreAt(file, `${kernels} belongs to the kernel, and no file can be made in it`);
  return false;
}

function noStoreAt(file: string, why: string): UserError {
  return new UserError(
    `There can't be a store at ${file}: ${why}. Wanted in STORE_URL or DATA_DIR: a path that this user can read and write.`,
    2,
  );
}

/** Kinds of file system by their magic number (Linux, statfs(2)): proc, sysfs, devpts. Their permission bits promise too much. */
const KERNELS: ReadonlySet<number> = new Set([0x9fa0, 0x62656572, 0x1cd1]);

/** The folder at the path, or the nearest one above it that is there, if it is one of the kernel's. */
export async function kernelFolder(dir: string): Promise<string | undefined> {
  try {
    return KERNELS.has((await statfs(dir)).type) ? dir : undefined;
  } catch (error) {
    const isAbsent = codeOf(error) === 'ENOENT' && dirname(dir) !== dir;
    return isAbsent ? kernelFolder(dirname(dir)) : undefined;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Makes what was written to a file, or the names in a directory, outlive a power cut. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * A copy of the store as of one moment, while others write (SQLite, VACUUM INTO). `check` may refuse the copy before
 * it gets its name. Replaces an older file of that name. What can't be written is a {@link UserError} that names the
 * target as `called`.
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
    // SQLite would make it readable for all; an empty file it takes as it is.
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

/** What copies of that name left that were interrupted; one that another process is writing loses its name and fails. */
async function removeDrafts(target: string): Promise<void> {
  const [dir, name] = [dirname(target), basename(target)];
  for (const other of await readdir(dir)) {
    const rest = other.startsWith(`${name}.`) ? other.slice(name.length) : '';
    if (/^\.\d+\.part(?:-journal|-wal|-shm)?$/u.test(rest))
      await unlink(join(dir, other)).catch(() => undefined);
  }
}

/** Runs `work` on a connection of its own to a store file. Opening creates nothing but a missing table `meta`. */
export async function withFile<T>(file: string, work: (run: RunSql) => Promise<T>): Promise<T> {
  const store = openKeyvSqlite(file, 'meta');
  try {
    return await asStoreErrors(() => work(runner(store)));
  } finally {
    await store.close().catch(() => undefined);
  }
}
