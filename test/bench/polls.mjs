// What a poll costs: CPU per poll, polls per second and memory per idle subscription, for 100, 1,000 and 5,000
// subscriptions against the board, beside a bare GET of the same bodies in the same run. Prints a table and judges
// nothing: machines are noisy, ratios are what to look at. `npm run bench` builds first; arguments: sizes.
import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { loadConfig } from '../../dist/config.js';
import { secret } from '../../dist/domain/secret.js';
import { parseSubscription } from '../../dist/domain/subscription.js';
import { fillCatalogue } from '../../dist/pipeline/catalogue.js';
import { pollSubscription } from '../../dist/pipeline/poll.js';
import { createPipeline } from '../../dist/wiring/pipeline.js';
import { NO_METRICS, openStore, SYSTEM_CLOCK } from '../../dist/wiring/store.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const CONCURRENCY = 8;
const sizes = process.argv.slice(2).map(Number).filter(Boolean);

/** The board in a process of its own, so that its work is not counted as ours. */
async function startBoard(dir) {
  const child = fork(
    join(ROOT, 'dist/main.js'),
    ['board', '--json', '--jobs', join(dir, 'jobs.json'), '--tokens', join(dir, 'tokens.json')],
    {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  );
  const url = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the board ended with ${code}`)));
    child.stdout.on('data', (chunk) => {
      const line = String(chunk)
        .split('\n')
        .find((one) => one.includes('"listening"'));
      if (line) resolve(JSON.parse(line).url);
    });
  });
  return { url, stop: () => child.kill('SIGTERM') };
}

async function measure(count, work) {
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const start = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (next < count) await work(next++);
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1000 / count, perSecond: (count / (performance.now() - start)) * 1000 };
}

async function run(size) {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-bench-'));
  const sample = JSON.parse(await readFile(join(ROOT, 'config/sample-jobs.json'), 'utf8'));
  const jobs = Array.from({ length: 120 }, (_, index) => ({
    ...sample[index % sample.length],
    id: String(1_000_000 - index),
    url: `https://jobs.example/x/${index}`,
    title: `Position ${index}`,
  }));
  const save = (list) => writeFile(join(dir, 'jobs.json'), JSON.stringify(list));
  await save(jobs);
  await writeFile(
    join(dir, 'tokens.json'),
    JSON.stringify(
      Array.from({ length: size }, (_, i) => ({
        token: `bench-token-${i}`,
        permissions: ['jobs:read'],
        partner: 'bench',
      })),
    ),
  );
  const board = await startBoard(dir);
  const config = loadConfig({
    env: { JOBS_API_URL: board.url, DATA_DIR: dir, API_SPACING_MS: '0', MIN_POLL_SECONDS: '1' },
    cwd: dir,
    programDir: ROOT,
  });
  const { stores } = await openStore(config, SILENT, SYSTEM_CLOCK, false);
  await stores.lease.acquire();
  const parts = {
    stores,
    sinks: new Map(),
    messengers: () => [],
    log: SILENT,
    clock: SYSTEM_CLOCK,
    metrics: NO_METRICS,
  };
  const p = createPipeline(config, parts);
  const context = {
    origin: 'cli',
    now: Date.now(),
    liveSchedule: '*/15 * * * *',
    defaultTimezone: 'UTC',
    parseTarget: (_, target) => String(target),
  };
  for (let i = 0; i < size; i++) {
    const account = { id: `a${i}`, createdAt: 0, token: secret(`bench-token-${i}`) };
    await stores.accounts.update(account.id, () => account);
    const subscription = parseSubscription(
      {
        id: `s${i}`,
        account: account.id,
        filter: { tags: ['rust'], country: 'germany', remote: true, limit: 100 },
        destinations: [{ sink: 'console', target: '' }],
      },
      context,
    );
    await stores.subscriptions.update(subscription.id, () => subscription);
  }
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  await fillCatalogue(p.catalogue, stores.subscriptions);
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - before) / size;
  // Every poll goes to the network: the cache is for equal requests, and each account here has its own.
  for (const subscription of p.catalogue.all())
    p.catalogue.set(subscription.id, {
      ...subscription,
      filter: { ...subscription.filter, tags: [], country: undefined, remote: undefined },
    });
  const { signal } = new AbortController();
  const poll = (i) => pollSubscription(p, `s${i}`, signal);
  const agent = new Agent({ connections: CONCURRENCY, pipelining: 1 });
  const get = async (i) => {
    const { body } = await request(`${board.url}/api/v1.xml?token=bench-token-${i}&limit=100`, {
      dispatcher: agent,
    });
    await body.text();
  };
  await measure(Math.min(size, 50), get);
  const baseline = await measure(size, poll);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const bare = await measure(size, get);
  const unchanged = await measure(size, poll);
  await save([
    { ...jobs[0], id: '2000000', title: 'New position', url: 'https://jobs.example/x/new' },
    ...jobs,
  ]);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const changed = await measure(size, poll);
  await p.feed.close();
  await agent.close();
  await stores.lease.release();
  await stores.close();
  board.stop();
  await rm(dir, { recursive: true, force: true });
  const row = (name, figure) => ({
    subscriptions: size,
    what: name,
    'CPU ms each': figure.cpuMs.toFixed(2),
    'per second': figure.perSecond.toFixed(0),
    'CPU against bare GET': `${(figure.cpuMs / bare.cpuMs).toFixed(2)}×`,
  });
  console.table([
    row('bare GET', bare),
    row('poll, unchanged', unchanged),
    row('poll, changed', changed),
    row('first poll', baseline),
  ]);
  console.log(`memory per idle subscription: ${(bytes / 1024).toFixed(2)} KB\n`);
}

for (const size of sizes.length > 0 ? sizes : [100, 1000, 5000]) await run(size);
