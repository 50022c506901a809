// Checks where a SQLite store may be, without opening one.
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UserError } from '../domain/errors.js';
import { reasonIn } from '../domain/file-fault.js';

/**
 * Returns whether the file has content. An empty file was created and never written to. Throws a {@link UserError} (exit
 * 2) where there can't be a store: at a folder, below a file, in a folder of the kernel, or where this user has no
 * access.
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

/**
 * File systems by magic number (Linux, statfs(2)): proc, sysfs, devpts. Their permission bits allow more than the kernel
 * does.
 */
const KERNELS: ReadonlySet<number> = new Set([0x9fa0, 0x62656572, 0x1cd1]);

/** Returns the folder, or its nearest existing parent, if that belongs to the kernel. */
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
