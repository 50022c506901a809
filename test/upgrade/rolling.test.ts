// Processes of two builds run together over one PostgreSQL and one Redis while they are replaced one by one, as in a restart
// without downtime: nothing is lost and nothing comes twice. The other build is made from an earlier commit whose store has
// the same version.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';
import { createCrew, faultsIn, recordedBy, startReceiver } from '../load/crew.js';
import { startListings } from '../load/listings.js';
import { fillStore, openSharedHouse, SHARED_MISSING } from '../load/shared-house.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** How far back to look for the other build: the earliest of so many commits that fits. */
const MOST_COMMITS = 30;
const BUILT_FROM = ['src', 'templates', 'config', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];

const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** What two commits must have in common: the version of the store, and the packages, which this checkout has installed. */
function kindOf(commit: string): string {
  const schema = git('show', `${commit}:src/store/schema.ts`);
  const { dependencies } = JSON.parse(git('show', `${commit}:package.json`));
  return JSON.stringify([schema.match(/\bto: \d+/gu), dependencies]);
}

/** The commit to compare with, or why there is none. */
function earlierCommit(): { readonly commit: string } | { readonly missing: string } {
  try {
    const [head = '', ...earlier] = git('rev-list', '--first-parent', `-n${MOST_COMMITS}`, 'HEAD')
      .trim()
      .split('\n');
    const wanted = kindOf(head);
    const commit = earlier.findLast((one) => kindOf(one) === wanted);
    return commit ? { commit } : { missing: 'no earlier commit has the same version of the store' };
  } catch {
    return { missing: 'no git history' };
  }
}

/** Builds a commit in a separate folder, and returns the path of its main file. */
async function buildOf(commit: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-build-'));
  later(() => rm(dir, { recursive: true, force: true }));
  execFileSync('tar', ['-x', '-C', dir], {
    input: execFileSync('git', ['archive', commit, ...BUILT_FROM], { cwd: ROOT, maxBuffer: 2 ** 28 }),
  });
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  const tsc = join(ROOT, 'node_modules/typescript-compiler/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: dir, stdio: 'inherit' });
  return join(dir, 'dist/main.js');
}

const ROLES = ['control', 'control', 'worker', 'worker'] as const;
const PLACES = 10;
const FIRST = 5;
const other = earlierCommit();
const missing = SHARED_MISSING ?? ('missing' in other ? other.missing : undefined);

test.skipIf(missing)(
  `processes of two builds, replaced one by one${missing ? ` (skipped: ${missing})` : ''}`,
  { timeout: 600_000 },
  async () => {
    const earlier = await buildOf('commit' in other ? other.commit : 'HEAD');
    const listings = await startListings({ postings: FIRST, most: 100, bytes: 400 });
    later(listings.stop);
    const receiver = await startReceiver();
    const house = await openSharedHouse({ env: { JOBS_API_URL: listings.url, API_SPACING_MS: '20' } });
    later(house.close);
    const ids = Array.from({ length: PLACES }, (_, n) => `s${n}`);
    await fillStore(
      house.storeUrl,
      house.dir,
      ids.map((id) => ({
        id,
        account: id,
        filter: { limit: 100 },
        schedule: '*/2 * * * * *',
        destinations: [{ sink: 'webhook', target: `${receiver.url}/${id}`, cadence: 'immediate' }],
      })),
    );
    await listings.tell({ watch: 20, delayMs: 30 });
    /** Which build each place runs. */
    const builds: ('earlier' | 'present')[] = ROLES.map(() => 'earlier');
    const crew = createCrew(ROLES, (role, at) =>
      house.launch(role, builds[at] === 'earlier' ? { main: earlier } : {}),
    );
    const baselines = () => crew.all.flatMap((one) => one.json()).filter(({ baseline }) => baseline === true);
    await until(() => baselines().length >= PLACES, { what: 'all baselines', timeoutMs: 60_000 });

    const news: string[] = [];
    /** Publishes one; resolves when it was announced everywhere. */
    async function publish(): Promise<void> {
      const title = `Position ${(await listings.tell({ new: 1 })).newest}`;
      news.push(title);
      await until(() => ids.every((id) => receiver.told.has(`${id} ${title}`)), {
        what: `${title} everywhere, with ${builds.join(', ')}`,
        timeoutMs: 40_000,
      });
    }

    await publish();
    // To the present build, then back again, as when it has to be given up.
    for (const build of ['present', 'earlier'] as const)
      for (const at of [2, 3, 1, 0]) {
        builds[at] = build;
        const during = publish();
        await crew.replace(at, 'SIGTERM');
        await during;
        await publish();
      }
    // Every request has seen the last of them.
    await until(async () => (await listings.tell({ late: { token: 2_000 } })).asked > 0);
    await until(async () => (await listings.tell()).unasked.token === 0, {
      what: 'a request of each account',
    });
    const { overlaps, close } = await listings.tell();
    await crew.stop();

    expect(crew.ended).toEqual([]);
    expect(crew.all.flatMap((one) => one.json()).filter(({ level }) => level === 'error')).toEqual([]);
    const told = ids.flatMap((id) => news.map((title) => receiver.told.get(`${id} ${title}`)?.size));
    expect(told).toEqual(told.map(() => 1));
    expect(receiver.told.size).toBe(told.length);
    expect([...recordedBy(crew.all)].toSorted()).toEqual(ids.map((id) => [id, news.length]).toSorted());
    expect(
      await faultsIn(
        house,
        ids.map((id) => ({ id, seen: FIRST + news.length, done: news.length, owed: 0 })),
      ),
    ).toEqual([]);
    expect({ overlaps, close }).toEqual({ overlaps: 0, close: 0 });
  },
);
