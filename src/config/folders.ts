// Checks the folders that the settings name: folders to read from should exist; folders to write to must exist or be
// creatable.
import { statSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { kernelFolder, storeFileFaults } from '../store/store-url.js';

/**
 * One sentence for each named folder that does not exist or is a file. The path is not repeated: it may be a secret that
 * was put into the wrong setting. `otherwise`: by name, what to do instead.
 */
export function missingFolders(
  named: Readonly<Record<string, string | undefined>>,
  otherwise: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(named).flatMap(([name, path]) =>
    path === undefined || isFolder(path)
      ? []
      : [`${name}: there is no folder at the path given; wanted an existing folder${otherwise[name] ?? ''}.`],
  );
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * One fault for each folder that can't be written (a missing one is made at the start), and for the files of the store's
 * address.
 */
export async function folderFaults(dataDir: string, storeUrl: string): Promise<readonly string[]> {
  const file = /^sqlite:\/\/(.+)$/u.exec(storeUrl)?.[1];
  const faults = storeFileFaults(storeUrl).map((fault) => `STORE_URL: ${fault}`);
  const data = await whyNotWritten(dataDir);
  if (data) faults.push(`DATA_DIR: ${data}`);
  if (file && dirname(file) !== dataDir) {
    const why = await whyNotWritten(dirname(file));
    if (why) faults.push(`STORE_URL: ${why}`);
  }
  return faults;
}

async function whyNotWritten(dir: string): Promise<string | undefined> {
  const info = await stat(dir).catch((error: NodeJS.ErrnoException) => error);
  if (!(info instanceof Error) && (await kernelFolder(dir)))
    return 'the path given leads into a folder of the kernel; wanted one where files can be made.';
  if (!(info instanceof Error))
    return info.isDirectory() ? whyForbidden(dir) : 'there is a file where the folder should be.';
  const parent = dirname(dir);
  if (info.code === 'ENOENT' && parent !== dir) return whyNotWritten(parent);
  return info.code === 'ENOTDIR'
    ? 'a part of the path given is a file; wanted a folder that exists or can be made.'
    : `the folder can't be reached (${info.code}); wanted one that this user can write.`;
}

async function whyForbidden(dir: string): Promise<string | undefined> {
  return access(dir, constants.W_OK | constants.X_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) =>
      `the folder can't be written or made (${error.code}); wanted one that this user can write.`,
  );
}
