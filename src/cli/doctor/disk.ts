// Checks whether DATA_DIR and the store's folder can be written, have free space, and suit a database.
import { access, mkdtemp, rmdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.js';
import { type Check, codeOf, type Finding, fail, ok, warn } from './check.js';
import { sqliteFile } from './store.js';

const MB = 1024 * 1024;

/** Network file systems by their magic number (Linux, statfs(2)). */
const NETWORK: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB2',
  1702057286: 'FUSE',
  16914839: '9P',
  12805120: 'Ceph',
};
/** File systems that lose their files with the machine or the container. */
const PASSING: Readonly<Record<number, string>> = { 16914836: 'tmpfs', 2035054128: 'overlay' };

/** The folder, or the nearest existing one above it: a missing folder is made at the first start. */
export async function existing(dir: string): Promise<string> {
  try {
    await access(dir);
    return dir;
  } catch {
    const parent = dirname(dir);
    return parent === dir ? dir : existing(parent);
  }
}

/** The folders that the program writes to: DATA_DIR, and the folder of a SQLite store that is elsewhere. */
async function folders(config: Config): Promise<readonly string[]> {
  const file = sqliteFile(config);
  const all = [config.dirs.data, ...(file ? [dirname(file)] : [])];
  return [...new Set(await Promise.all(all.map(existing)))];
}

/**
 * A finding when the folder can't be written. It tries to write, because permission bits do not show a read-only mount
 * and do not apply to root.
 */
export async function whyNotWritten(
  dir: string,
  fix = 'give it to this user, or set DATA_DIR (and STORE_URL, if given) to another folder',
): Promise<Finding | undefined> {
  try {
    await rmdir(await mkdtemp(join(dir, '.jobcrier-')));
    return undefined;
  } catch (error) {
    return fail(`${dir} can't be written (${codeOf(error)})`, fix);
  }
}

async function roomIn(dir: string): Promise<Finding[]> {
  const refused = await whyNotWritten(dir);
  if (refused) return [refused];
  const findings: Finding[] = [];
  const { bavail, bsize, files, ffree } = await statfs(dir);
  const free = Math.floor((bavail * bsize) / MB);
  if (free < 100)
    findings.push(fail(`${free} MB are free in ${dir}`, 'make room: polling pauses on a full disk'));
  else if (free < 1024) findings.push(warn(`${free} MB are free in ${dir}`, 'make room before it is full'));
  if (files > 0 && ffree < 1000)
    findings.push(warn(`${ffree} more files fit into ${dir}`, 'delete small files nobody needs'));
  return findings.length > 0 ? findings : [ok(`${dir} can be written, ${free} MB free`)];
}

export const diskCheck: Check = {
  name: 'disk',
  run: async ({ config }) => (await Promise.all((await folders(config)).map(roomIn))).flat(),
};

export const fileSystemCheck: Check = {
  name: 'file system',
  async run({ config }) {
    const sqlite = sqliteFile(config) !== undefined;
    return Promise.all((await folders(config)).map((dir) => kindOf(dir, sqlite)));
  },
};

async function kindOf(dir: string, sqlite: boolean): Promise<Finding> {
  const { type } = await statfs(dir);
  const network = NETWORK[type];
  if (network && sqlite)
    return warn(
      `${dir} is on ${network}, where SQLite's locks are not reliable`,
      'set DATA_DIR to a local disk, or STORE_URL to PostgreSQL',
    );
  const passing = PASSING[type];
  if (passing)
    return warn(
      `${dir} is on ${passing}, which does not outlive the ${passing === 'tmpfs' ? 'machine' : 'container'}`,
      'mount a volume there, or set DATA_DIR to one',
    );
  return ok(`${dir} is on a local disk`);
}
