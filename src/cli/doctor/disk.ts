// Whether DATA_DIR can be written, has room, and is a place where a database may live.
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Check, codeOf, type Finding, fail, ok, warn } from './check.js';

const MB = 1024 * 1024;

/** Kinds of file system by their magic number (Linux, statfs(2)). */
const NETWORK: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB2',
  1702057286: 'FUSE',
  16914839: '9P',
  12805120: 'Ceph',
};
const PASSING: Readonly<Record<number, string>> = { 16914836: 'tmpfs', 2035054128: 'overlay' };

/** DATA_DIR is made at the first start; until then the folder it will be in answers. */
async function existing(dir: string): Promise<string> {
  try {
    await access(dir);
    return dir;
  } catch {
    const parent = dirname(dir);
    return parent === dir ? dir : existing(parent);
  }
}

export const diskCheck: Check = {
  name: 'disk',
  async run({ config }) {
    const dir = await existing(config.dirs.data);
    const findings: Finding[] = [];
    try {
      await access(dir, constants.W_OK | constants.X_OK);
    } catch (error) {
      findings.push(
        fail(
          `${dir} can't be written (${codeOf(error)})`,
          'give it to this user, or set DATA_DIR to another folder',
        ),
      );
    }
    const { bavail, bsize, files, ffree } = await statfs(dir);
    const free = Math.floor((bavail * bsize) / MB);
    if (free < 100)
      findings.push(fail(`${free} MB are free in ${dir}`, 'make room: polling pauses on a full disk'));
    else if (free < 1024) findings.push(warn(`${free} MB are free in ${dir}`, 'make room before it is full'));
    if (files > 0 && ffree < 1000)
      findings.push(warn(`${ffree} more files fit into ${dir}`, 'delete small files nobody needs'));
    return findings.length > 0 ? findings : [ok(`${dir} can be written, ${free} MB free`)];
  },
};

export const fileSystemCheck: Check = {
  name: 'file system',
  async run({ config }) {
    const dir = await existing(config.dirs.data);
    const { type } = await statfs(dir);
    const network = NETWORK[type];
    if (network && config.store.url.startsWith('sqlite:'))
      return [
        warn(
          `${dir} is on ${network}, where SQLite's locks are not reliable`,
          'set DATA_DIR to a local disk, or STORE_URL to PostgreSQL or Redis',
        ),
      ];
    const passing = PASSING[type];
    if (passing)
      return [
        warn(
          `${dir} is on ${passing}, which does not outlive the ${passing === 'tmpfs' ? 'machine' : 'container'}`,
          'mount a volume there, or set DATA_DIR to one',
        ),
      ];
    return [ok(`${dir} is on a local disk`)];
  },
};
