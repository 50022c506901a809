// One folder for all temporary files of a run: what test files share, such as an empty PostgreSQL cluster (TEST_RUN_DIR names
// it), and what each of them creates. It is in memory if there is enough, because opening a store on a disk waits for the disk
// several times. A run on a disk: TMPDIR=/tmp npm test.
import { existsSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Memory as a file system, on Linux. Containers often have little of it. */
const MEMORY = '/dev/shm';
const LEAST_BYTES = 2 * 1024 ** 3;
const PREFIX = 'jobcrier-run-';

function hasMemory(): boolean {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= LEAST_BYTES;
}

/** Removes the folders of runs that were killed. Their names contain the id of their process. */
function removeLeftovers(place: string): void {
  for (const name of readdirSync(place).filter((one) => one.startsWith(PREFIX))) {
    const pid = name.slice(PREFIX.length).split('-')[0];
    if (!existsSync(`/proc/${pid}`)) rmSync(join(place, name), { recursive: true, force: true });
  }
}

export async function setup(): Promise<() => Promise<void>> {
  const place = hasMemory() ? MEMORY : tmpdir();
  if (place === MEMORY) removeLeftovers(place);
  const dir = await mkdtemp(join(place, `${PREFIX}${process.pid}-`));
  // PostgreSQL runs as another user, who reads here.
  await chmod(dir, 0o755);
  process.env.TEST_RUN_DIR = dir;
  process.env.TMPDIR = dir;
  return () => rm(dir, { recursive: true, force: true });
}
