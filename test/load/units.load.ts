// Many units in PostgreSQL, and turns that do nothing: the cost of the lanes themselves and how late they are,
// through Redis. And whether one account with very many units delays accounts with one. LOAD_UNITS sets how many
// units, LOAD_SECONDS for how long.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openStores } from '../../src/store/index.js';
import { parseSecretKeys } from '../../src/store/secret-keys.js';
import { HOUSE_KEY } from '../helpers/house-store.js';
import { later } from '../helpers/later.js';
import { workFolder } from '../helpers/process.js';
import { until } from '../helpers/until.js';
import { IS_SHORT, judge, never, percentile, sized } from './figures.js';
import { cpuOf, peakMemory } from './probe.js';
import { openSharedHouse, SHARED_MISSING, type SharedHouse } from './shared-house.js';

const TURNS = fileURLToPath(new URL('turns.mjs', import.meta.url));
const UNITS = sized('LOAD_UNITS', { long: 1_000_000, short: 100_000 });
const SECONDS = sized('LOAD_SECONDS', { long: 300, short: 20 });
const PER_SECOND = 300;
const WORKERS = 2;
/** Subscriptions of a large service, for comparison with the turns per second that they need. */
const LARGE_PER_SECOND = 1_100;
const MB = 2 ** 20;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const skipped = SHARED_MISSING ? ` (skipped: ${SHARED_MISSING})` : '';

interface Turns {
  readonly turns: number;
  readonly late: Readonly<Record<string, readonly number[]>>;
}

interface Taker {
  readonly pid: number;
  /** What happened since the last question. */
  tell(): Promise<Turns>;
}

async function startTaker(
  storeUrl: string,
  redisUrl: string,
  { slots = 64, lastsMs = 0, againMs }: { slots?: number; lastsMs?: number; againMs: number },
): Promise<Taker> {
  const args = [storeUrl, HOUSE_KEY, redisUrl, slots, lastsMs, againMs].map(String);
  const child: ChildProcess = fork(TURNS, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  later(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error('the process ended'))),
  ]);
  return {
    pid: Number(child.pid),
    async tell() {
      child.send('tell');
      return ((await once(child, 'message')) as [Turns])[0];
    },
  };
}

async function openHouse(): Promise<SharedHouse> {
  const house = await openSharedHouse({ env: {}, postgres: ['fsync = on', 'max_wal_size = 4GB'] });
  later(house.close);
  return house;
}

const open = (url: string) =>
  openStores({
    url,
    dataDir: '/nonexistent',
    keys: parseSecretKeys(HOUSE_KEY, 'SECRET_KEY'),
    log: silent,
    clock: { now: Date.now },
  });

test.skipIf(SHARED_MISSING)(`${UNITS} units, ${PER_SECOND} due a second${skipped}`, async () => {
  const { postgres, redis, storeUrl, cpu } = await openHouse();
  await (await open(storeUrl)).close();
  const stepMs = 1000 / PER_SECOND;
  // When the first one is due: all must be stored by then.
  const firstAt = Date.now() + 8_000 + UNITS * 0.12;
  const due = `(${Math.trunc(firstAt)} + n * ${stepMs})::bigint`;
  await postgres.sql(
    `INSERT INTO jobcrier_lane (queue, id, epoch, due_at)
     SELECT 'work', 'lane' || n, 1, ${due} FROM generate_series(0, ${UNITS - 1}) AS n`,
  );
  await postgres.sql(
    `INSERT INTO jobcrier_unit (queue, lane, id, due_at)
     SELECT 'work', 'lane' || n, 'unit', ${due} FROM generate_series(0, ${UNITS - 1}) AS n`,
  );
  await postgres.sql('VACUUM ANALYZE jobcrier_lane, jobcrier_unit');
  await postgres.sql('CHECKPOINT');
  const sizes = async () => {
    const rows = await postgres.sql(
      `SELECT relname AS name, pg_total_relation_size(relid) AS size, n_dead_tup AS dead, n_tup_upd AS updates, n_tup_hot_upd AS hot
       FROM pg_stat_user_tables WHERE relname IN ('jobcrier_lane', 'jobcrier_unit') ORDER BY relname`,
    );
    return rows.map(({ name, size, dead, updates, hot }) => ({
      name: String(name),
      MB: Number(size) / MB,
      dead: Number(dead),
      updates: Number(updates),
      hot: Number(hot),
    }));
  };
  const full = await sizes();
  const again = { againMs: UNITS * stepMs };
  const takers = await Promise.all(
    Array.from({ length: WORKERS }, () => startTaker(storeUrl, redis.url, again)),
  );
  expect(Date.now()).toBeLessThan(firstAt);
  await sleep(firstAt - Date.now());
  const cpuNow = async () => {
    const { postgres: database, redis: queue } = await cpu();
    const each = await Promise.all(takers.map(({ pid }) => cpuOf(pid)));
    return { workers: each.reduce((sum, one) => sum + one, 0), database, queue };
  };
  const [before, began] = [await cpuNow(), performance.now()];
  for (const one of takers) await one.tell();
  await sleep(SECONDS * 1000);
  const [after, seconds] = [await cpuNow(), (performance.now() - began) / 1000];
  const told = await Promise.all(takers.map((one) => one.tell()));
  const turns = told.reduce((sum, one) => sum + one.turns, 0);
  const late = told.flatMap((one) => one.late.lane ?? []);
  const memory = await Promise.all(takers.map(({ pid }) => peakMemory(pid)));
  const used = Number(/used_memory_peak:(\d+)/u.exec(String(await redis.command('INFO', 'memory')))?.[1]);
  const left = await sizes();
  // Each was taken once, and is due again at its time.
  const [row] = await postgres.sql(
    `SELECT count(*) AS n, count(*) FILTER (WHERE attempts > 0) AS tried FROM jobcrier_unit`,
  );
  const each = (part: keyof typeof after) => (after[part] - before[part]) / turns;
  const parts = { workers: each('workers'), PostgreSQL: each('database'), Redis: each('queue') };
  const cores = (ms: number) => (ms * LARGE_PER_SECOND) / 1000;
  judge(`${UNITS} units, ${PER_SECOND} due a second for ${SECONDS} s, ${WORKERS} workers`, [
    { what: 'turns a second', is: turns / seconds },
    { what: 'late, median', is: percentile(late, 0.5), unit: 'ms' },
    { what: 'late, p99', is: percentile(late, 0.99) / 1000, unit: 's', most: 5 },
    { what: 'Redis, peak', is: used / MB, unit: 'MB', most: 100, failsAbove: 150 },
    { what: 'a worker, peak', is: Math.max(...memory) / MB, unit: 'MB', most: 250, failsAbove: 375 },
    ...Object.entries(parts).map(([what, is]) => ({ what: `CPU of a turn: ${what}`, is, unit: 'ms' })),
    ...Object.entries(parts).map(([what, ms]) => ({
      what: `${LARGE_PER_SECOND} turns a second need: ${what}`,
      is: cores(ms),
      unit: 'cores',
    })),
    ...left.flatMap(({ name, MB: size, dead, updates, hot }, at) => [
      { what: `${name}, at first`, is: full[at]?.MB ?? Number.NaN, unit: 'MB' },
      { what: `${name}, afterwards`, is: size, unit: 'MB' },
      { what: `${name}, dead rows`, is: dead },
      { what: `${name}, updates of a turn`, is: updates / turns },
      { what: `${name}, of which without the indexes`, is: hot / turns },
    ]),
    never('units that are gone', UNITS - Number(row?.n)),
    never('turns that failed', Number(row?.tried)),
  ]);
});

const SMALL = 1_000;
const LARGE = 10_000;
const PERIOD_MS = 10_000;
/** The duration of a turn, like that of a request. */
const LASTS_MS = 20;
const WINDOW_MS = IS_SHORT ? PERIOD_MS : 3 * PERIOD_MS;

test.skipIf(SHARED_MISSING)(`${LARGE} units of one account beside ${SMALL} accounts${skipped}`, async () => {
  const house = await openHouse();
  const { dir, remove } = await workFolder();
  later(remove);
  const engines = {
    'BullMQ and PostgreSQL': { storeUrl: house.storeUrl, redisUrl: house.redis.url },
    'one process and SQLite': { storeUrl: `sqlite://${join(dir, 'store.sqlite')}`, redisUrl: '' },
  };
  const runs = await Promise.all(
    Object.entries(engines).map(async ([name, { storeUrl, redisUrl }]) => {
      const { lanes, close } = await open(storeUrl);
      later(close);
      const begin = Date.now() + 4_000;
      const small = Array.from({ length: SMALL }, (_, n) => ({
        queue: 'work',
        lane: `small${n}`,
        unit: 'unit',
        at: begin + (n * PERIOD_MS) / SMALL,
      }));
      await lanes.plan(small);
      const taker = await startTaker(storeUrl, redisUrl, { lastsMs: LASTS_MS, againMs: PERIOD_MS });
      return { name, lanes, taker };
    }),
  );
  /** How late the accounts with one unit are, and turns of the other one. */
  const measured = async () => {
    await sleep(WINDOW_MS / 5);
    for (const { taker } of runs) await taker.tell();
    await sleep(WINDOW_MS);
    return Promise.all(
      runs.map(async ({ taker }) => {
        const { small = [], large = [] } = (await taker.tell()).late;
        return { p99: percentile(small, 0.99), small: small.length, large: large.length };
      }),
    );
  };
  await sleep(4_000 + PERIOD_MS / 2);
  const without = await measured();
  for (const { lanes } of runs)
    await lanes.plan(
      Array.from({ length: LARGE }, (_, n) => ({ queue: 'work', lane: 'large', unit: `u${n}`, at: 1 })),
    );
  await until(
    async () => (await Promise.all(runs.map(({ taker }) => taker.tell()))).every((one) => one.late.large),
    {
      what: 'the first turns of the large account',
    },
  );
  const beside = await measured();
  judge(
    `${LARGE} units of one account beside ${SMALL} accounts with one`,
    runs.flatMap(({ name }, at) => {
      const [one, other] = [without[at], beside[at]];
      return [
        { what: `${name}: the small late without it, p99`, is: one?.p99 ?? Number.NaN, unit: 'ms' },
        { what: `${name}: beside it, p99`, is: other?.p99 ?? Number.NaN, unit: 'ms', failsAbove: 10_000 },
        {
          what: `${name}: to one another`,
          is: (other?.p99 ?? Number.NaN) / (one?.p99 ?? 1),
          unit: '×',
          most: 2,
        },
        { what: `${name}: turns of the small`, is: other?.small ?? 0 },
        { what: `${name}: turns of the large`, is: other?.large ?? 0 },
      ];
    }),
  );
});
