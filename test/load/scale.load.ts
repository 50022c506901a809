// The cost of many subscriptions in one process over SQLite: the import, the start, unchanged entries of the file,
// and requests to the API. LOAD_SUBSCRIPTIONS sets how many; an account has 20 of them.
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withFile } from '../../src/store/sqlite/files.js';
import { giveTokens, HOUSE_KEY } from '../helpers/house-store.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { until } from '../helpers/until.js';
import { judge, never, sized } from './figures.js';
import { type Listings, startListings } from './listings.js';
import { cpuOf, peakMemory } from './probe.js';

const COUNT = sized('LOAD_SUBSCRIPTIONS', { long: 100_000, short: 4_000 });
const EACH = 20;
const ACCOUNTS = Math.ceil(COUNT / EACH);
/** Entries of a file that is compared with the store. */
const ENTRIES = Math.min(5_000, COUNT);
/** The number of different listings of an account's subscriptions. */
const TAGS = ['rust', 'solidity', 'golang', 'react', 'defi'];
const SPACING_MS = 5;
const MB = 2 ** 20;

const entry = (index: number) => ({
  id: `s${index}`,
  account: `a${index % ACCOUNTS}`,
  filter: { tags: [TAGS[Math.floor(index / ACCOUNTS) % TAGS.length]], include: [`word${index}`], limit: 20 },
  schedule: '0 6 1 1 *',
  timezone: 'UTC',
  destinations: [{ sink: 'console', target: '', cadence: { weekly: 'monday', at: '09:00' } }],
});

describe(`${COUNT} subscriptions`, () => {
  let dir: string;
  let remove: () => Promise<void>;
  let listings: Listings;
  let program: Program | undefined;
  const env = () => ({
    JOBS_API_URL: listings.url,
    API_SPACING_MS: String(SPACING_MS),
    HTTP_PORT: '0',
    SECRET_KEY: HOUSE_KEY,
    LOG_LEVEL: 'warn',
  });

  beforeAll(async () => {
    // Short listings, because the number of subscriptions is measured.
    listings = await startListings({ postings: 2, most: 2, bytes: 400 });
    ({ dir, remove } = await workFolder());
    await giveTokens(
      dir,
      Object.fromEntries(Array.from({ length: ACCOUNTS }, (_, index) => [`a${index}`, `token-${index}`])),
    );
  }, 300_000);
  afterAll(async () => {
    program?.kill('SIGKILL');
    await program?.ended;
    listings.stop();
    await remove();
  });

  async function command(...args: string[]): Promise<number> {
    const began = performance.now();
    const child = startProgram(args, { cwd: dir, env: env() });
    if ((await child.ended) !== 0) throw new Error(child.stderr.join('\n'));
    return (performance.now() - began) / 1000;
  }

  /** Starts the service; seconds until its /readyz is ready. */
  async function start(): Promise<{ readonly pid: number; readonly seconds: number }> {
    const began = performance.now();
    program = startProgram(['run'], { cwd: dir, env: { ...env(), LOG_LEVEL: 'info' } });
    const running = program;
    const pages = () => running.json().find(({ msg }) => msg === 'web pages are up');
    await running.until(
      'the start',
      () => running.stdout.some((line) => line.includes('"running"')),
      200_000,
    );
    while ((await fetch(`${String(pages()?.url)}/readyz`)).status !== 200) await sleep(20);
    return { pid: Number(running.child.pid), seconds: (performance.now() - began) / 1000 };
  }

  async function stop(): Promise<void> {
    program?.kill();
    expect(await program?.ended).toBe(0);
  }

  const file = () => join(dir, 'data', 'jobcrier.sqlite');
  const units = async () => {
    const [row] = await withFile(file(), (run) => run(`SELECT count(*) AS n FROM unit WHERE queue = 'poll'`));
    return Number(row?.n);
  };
  /** As if the time of every request had come. */
  const makeDue = () =>
    withFile(file(), async (run) => {
      await run(`UPDATE unit SET due_at = 0 WHERE queue = 'poll'`);
      await run(`UPDATE lane SET due_at = 0 WHERE queue = 'poll'`);
    });

  test('are imported', async () => {
    const all = Array.from({ length: COUNT }, (_, index) => entry(index));
    await writeFile(join(dir, 'all.json'), JSON.stringify(all));
    const seconds = await command('subscriptions', 'import', 'all.json');
    const [row] = await withFile(file(), (run) => run('SELECT count(*) AS n FROM subscriptions'));
    judge(`Import of ${COUNT} subscriptions`, [
      { what: 'import', is: seconds, unit: 's', most: 30 },
      never('subscriptions that are missing', COUNT - Number(row?.n)),
    ]);
  });

  test('cost a start nothing, and each distinct request is made once each time it is due', async () => {
    const distinct = ACCOUNTS * TAGS.length;
    // As if the tokens were set while the service ran, which makes every request once more.
    await withFile(file(), (run) => run(`DELETE FROM lookups WHERE key LIKE 'token:%'`));
    for (const round of [1, 2]) {
      await listings.tell({ watch: SPACING_MS });
      const { pid, seconds } = await start();
      const startPeak = await peakMemory(pid);
      const began = performance.now();
      await until(async () => (await listings.tell()).distinct >= distinct, {
        what: 'each distinct request',
        timeoutMs: 600_000,
      });
      const made = performance.now();
      // A second request would come within moments.
      await sleep(5_000);
      const report = await listings.tell();
      judge(`${COUNT} subscriptions of ${ACCOUNTS} accounts, round ${round}`, [
        { what: 'start to ready', is: seconds, unit: 's', most: 3 },
        // Polls start before it is ready.
        { what: 'memory until ready, peak', is: startPeak / MB, unit: 'MB', most: 200, failsAbove: 300 },
        {
          what: 'memory while all are polled, peak',
          is: (await peakMemory(pid)) / MB,
          unit: 'MB',
          failsAbove: 500,
        },
        { what: 'all polls', is: (made - began) / 1000, unit: 's' },
        { what: 'CPU for each request', is: (await cpuOf(pid)) / distinct, unit: 'ms' },
        { what: 'distinct requests', is: report.distinct, most: distinct, failsAbove: distinct },
        { what: 'times that the same one was made', is: report.most, most: 1, failsAbove: 1 },
        never('requests without a unit', Math.max(0, report.distinct - (await units()))),
        never('two requests of a token at once', report.overlaps),
        never('two requests of a token closer than spacing', report.close),
      ]);
      await stop();
      await makeDue();
    }
    judge('Size of the store', [{ what: 'file', is: (await stat(file())).size / MB, unit: 'MB' }]);
  });

  test(`of which ${ENTRIES} are in a file, unchanged`, async () => {
    await mkdir(join(dir, 'config'), { recursive: true });
    const entries = Array.from({ length: ENTRIES }, (_, index) => ({ ...entry(index), id: `f${index}` }));
    await writeFile(join(dir, 'config', 'subscriptions.yaml'), JSON.stringify(entries));
    const first = await command('subscriptions', 'reconcile');
    const again = await command('subscriptions', 'reconcile');
    const idle = await command('--version');
    judge(`Reconcile of ${ENTRIES} entries`, [
      { what: 'all of them new', is: first, unit: 's' },
      { what: 'all of them unchanged', is: again, unit: 's', most: 1 },
      { what: 'a command that does nothing', is: idle, unit: 's' },
    ]);
  });
});
