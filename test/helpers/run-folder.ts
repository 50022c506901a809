// A folder for what test files of one run share, such as an empty PostgreSQL cluster. TEST_RUN_DIR names it.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function setup(): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-run-'));
  // PostgreSQL runs as another user, who reads here.
  await chmod(dir, 0o755);
  process.env.TEST_RUN_DIR = dir;
  return () => rm(dir, { recursive: true, force: true });
}
