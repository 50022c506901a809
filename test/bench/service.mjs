// The shipped program with a minimal listing API, and the cost of its polls. Used by the benchmarks in this folder.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../dist/config.js';
import { secret } from '../../dist/domain/secret.js';
import { parseSubscription } from '../../dist/domain/subscription.js';
import { withFile } from '../../dist/store/sqlite/files.js';
import { openStore, SYSTEM_CLOCK } from '../../dist/wiring/store.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const KEY = Buffer.alloc(32, 3).toString('base64');
export const EVERY_5_S = '*/5 * * * * *';
/** Polled when it is added, and then not before the next year. */
export const ONCE = '0 0 1 1 *';
const NS_PER_MS = 1_000_000;
/** Subscriptions that are stored together. */
const PART = 5_000;

export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

/** Another process of this folder, which answers messages. */
export function helper(name) {
  const child = fork(join(HERE, name), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ask = async (message) => {
    child.send(message);
    return (await once(child, 'message'))[0];
  };
  return { child, ask };
}

/**
 * CPU time of the threads of a process so far, milliseconds. The kernel counts it in nanoseconds for each thread
 * (proc/schedstat), and in steps of 10 ms for the process. A thread that ended is not counted.
 */
export function cpuOf(pid) {
  let total = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    total += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return total / NS_PER_MS;
}

/** Resident memory of a process, bytes. */
export function memoryOf(pid) {
  return Number(/VmRSS:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
}

/** A separate folder with a store, and a listing API; `start` runs the service in it. */
export async function createHouse() {
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-bench-'));
  const listings = helper('listings.mjs');
  const [{ url }] = await once(listings.child, 'message');
  const env = {
    PATH: process.env.PATH,
    JOBS_API_URL: url,
    DATA_DIR: join(dir, 'data'),
    SECRET_KEY: KEY,
    API_SPACING_MS: '0',
    MIN_POLL_SECONDS: '1',
    HTTP_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const children = [listings.child];
  const asked = async (message = {}) => (await listings.ask(message)).asked;
  return {
    url,
    dir,
    env,
    /** The number of requests so far; `message` sets what the listing API answers from now on. */
    asked,
    /** Waits until `count` requests were made and their results are processed. */
    async quietAfter(count) {
      for (let now = await asked(); now < count; now = await asked()) await sleep(50);
      await sleep(1_000);
    },
    start(args = ['run'], more = {}) {
      const child = spawn(process.execPath, [join(ROOT, 'dist/main.js'), ...args], {
        cwd: dir,
        env: { ...env, ...more },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      children.push(child);
      return child;
    },
    /** The same, with `delays()`: how late its event loop was since the last call, milliseconds. */
    startWatched() {
      const child = spawn(
        process.execPath,
        ['--import', join(HERE, 'watch-loop.mjs'), join(ROOT, 'dist/main.js'), 'run'],
        { cwd: dir, env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
      );
      children.push(child);
      return {
        async delays() {
          child.send('');
          return (await once(child, 'message'))[0];
        },
      };
    },
    /** Each of so many accounts has seen so many postings more. */
    async addSeen(accounts, count) {
      const config = loadConfig({ env, cwd: dir, programDir: ROOT });
      const { stores } = await openStore(config, SILENT, SYSTEM_CLOCK, 'create');
      const at = Date.now();
      for (let account = 0; account < accounts; account++)
        for (let from = 0; from < count; from += PART) {
          const writes = Array.from({ length: Math.min(PART, count - from) }, (_, index) => ({
            table: 'seen',
            key: `s${account}:id:old-${from + index}`,
            entry: { value: { at, fate: 'filtered' } },
          }));
          await persistently(() => stores.backend.commit({ writes }));
        }
      await stores.close();
    },
    /**
     * Puts accounts `from` up to `from + count` with one subscription each into the store, as another process does while the
     * service runs. `firstAskMs`: their first polls are due so much later; `limit`: postings they ask for.
     */
    async seed(from, count, schedule, firstAskMs = 0, limit = 20) {
      for (let at = from; at < from + count; at += PART)
        await seedPart({ env, dir }, at, Math.min(PART, from + count - at), { schedule, firstAskMs, limit });
    },
    /** Before a start: as if the service had applied every change of a subscription or token so far. */
    forgetChanges: () => forgetNotes(dir, ['changed', 'token']),
    async close() {
      for (const child of children) child.kill('SIGKILL');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Deletes the notes of these kinds, which tell the service what another process changed. */
async function forgetNotes(dir, kinds) {
  await withFile(join(dir, 'data/jobcrier.sqlite'), async (run) => {
    for (const kind of kinds)
      await persistently(() => run('DELETE FROM lookups WHERE key LIKE $1', [`${kind}:%`]));
  });
}

/** A busy service may block others from its store for longer than they wait. */
async function persistently(work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error.fault !== 'locked') throw error;
    }
  }
}

async function seedPart({ env, dir }, from, count, { schedule, firstAskMs, limit }) {
  const config = loadConfig({ env, cwd: dir, programDir: ROOT });
  const { stores } = await openStore(config, SILENT, SYSTEM_CLOCK, 'create');
  const context = {
    origin: 'cli',
    now: Date.now(),
    liveSchedule: EVERY_5_S,
    defaultTimezone: 'UTC',
    parseTarget: (_, target) => String(target),
  };
  const made = [];
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const n = from + index;
      const account = `a${n}`;
      const destinations = [
        { sink: 'webhook', target: `https://hooks.example/${n}`, cadence: { weekly: 'monday', at: '09:00' } },
      ];
      const entry = { id: `s${n}`, account, filter: { limit }, schedule, destinations };
      made.push(parseSubscription(entry, context));
      await persistently(() =>
        stores.accounts.update(account, () => ({ id: account, createdAt: 0, token: secret(tokenOf(n)) })),
      );
    }),
  );
  // Otherwise the service polls once more because of the new token, and a first poll would seem cheaper than it is.
  await forgetNotes(dir, ['token']);
  await Promise.all(
    made.map((one) => persistently(() => stores.subscriptions.update(one.id, () => one, { firstAskMs }))),
  );
  await stores.close();
}

/** The token of an account. */
export const tokenOf = (n) => `bench-token-${n}`;
