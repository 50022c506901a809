// Two controls and two workers over PostgreSQL (a primary with a synchronous standby) and Redis, with every possible
// fault: processes are killed at random, Redis forgets, dies, freezes or is full, a worker is suspended, and in the
// middle the primary is lost. Nothing is lost, recorded twice or announced twice; no two requests of a token overlap
// or come too close; and work resumes within seconds. LOAD_KILLS sets how many processes are killed, LOAD_SEED
// repeats a run.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HOLD_MS } from '../../src/store/lanes.js';
import { later } from '../helpers/later.js';
import type { Program } from '../helpers/process.js';
import { until } from '../helpers/until.js';
import { addressOf } from '../store/failover.js';
import type { PostgresServer } from '../store/postgres-servers.js';
import { type Crew, createCrew, faultsIn, recordedBy, startReceiver, tookOver } from './crew.js';
import { type Figure, IS_SHORT, judge, never, percentile, sized } from './figures.js';
import { type Report, startListings } from './listings.js';
import { type Entry, fillStore, openSharedHouse, SHARED_MISSING, WEEKLY } from './shared-house.js';

const KILLS = sized('LOAD_KILLS', { long: 100, short: 10 });
const SEED = sized('LOAD_SEED', { long: Date.now() % 100_000, short: Date.now() % 100_000 });
const ROLES = ['control', 'control', 'worker', 'worker'] as const;
/** Longer than a process that has died holds a lane, which is 12 s. */
const SUSPENDED_MS = IS_SHORT ? 15_000 : 60_000;
const AWAY_MS = IS_SHORT ? 4_000 : 60_000;

/** Requests: those of accounts with an immediate subscription, and of accounts with five weekly ones. */
const TAGS = ['rust', 'solidity', 'golang', 'react', 'defi'];
const NEWS = 'rust';
const FAST = 40;
const SLOW = sized('LOAD_ACCOUNTS', { long: 392, short: 392 });
const UNITS = FAST + SLOW * TAGS.length;
const FAST_MS = 4_000;
const NEWS_MS = 20_000;
const SLOW_MS = 60_000;
const SPACING_MS = 20;
/** The duration of an answer of the API, so that there is always a request open. */
const LATENCY_MS = 30;
/** How often the store is asked which turns are open. */
const WATCH_MS = 200;
const FIRST = 5;
const MOST = 100;

/** Deterministic, so that a failing run can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/**
 * Watches the turns in the store until the returned function is called. It resolves with the longest time, in
 * milliseconds, from the claim of a turn to its end or, if its process died, to the next turn of the lane.
 */
function watchTurns(server: PostgresServer): () => Promise<number> {
  const since = new Map<string, number>();
  let longest = 0;
  let isOver = false;
  async function watch(): Promise<void> {
    while (!isOver) {
      const rows = await server.sql('SELECT queue, id, epoch FROM jobcrier_lane WHERE unit IS NOT NULL');
      const now = performance.now();
      const open = new Set(rows.map(({ queue, id, epoch }) => `${queue} ${id} ${epoch}`));
      for (const turn of open) since.set(turn, since.get(turn) ?? now);
      for (const [turn, at] of since) {
        longest = Math.max(longest, now - at);
        if (!open.has(turn)) since.delete(turn);
      }
      await sleep(WATCH_MS);
    }
  }
  const watching = watch();
  return async () => {
    isOver = true;
    await watching;
    return longest;
  };
}

function entriesFor(receiver: string): readonly Entry[] {
  const fast = Array.from({ length: FAST }, (_, n) => ({
    id: `fast${n}`,
    account: `fast${n}`,
    filter: { tags: [NEWS], limit: 100 },
    schedule: `*/${FAST_MS / 1000} * * * * *`,
    destinations: [{ sink: 'webhook', target: `${receiver}/${n}`, cadence: 'immediate' }],
  }));
  const slow = Array.from({ length: SLOW }, (_, n) =>
    TAGS.map((tag) => ({
      id: `slow${n}-${tag}`,
      account: `slow${n}`,
      filter: { tags: [tag], limit: 100 },
      schedule: tag === NEWS ? `*/${NEWS_MS / 1000} * * * * *` : '0 * * * * *',
      destinations: [WEEKLY],
    })),
  );
  return [...fast, ...slow.flat()];
}

/** What a run that hangs leaves behind. */
async function tellState(
  servers: readonly PostgresServer[],
  { now, ended }: Crew,
  told: ReadonlyMap<string, unknown>,
  news: readonly string[],
): Promise<void> {
  for (const title of news) {
    const missing = Array.from({ length: FAST }, (_, n) => `fast${n}`).filter(
      (id) => !told.has(`${id} ${title}`),
    );
    if (missing.length > 0) console.log(`${title} is missing for ${missing.join(', ')}`);
  }
  console.log('ended by themselves:', ended);
  for (const [at, program] of now.entries()) {
    const lines = program.stdout.filter((line) => !/"poll recorded"|"edition delivered"/u.test(line));
    console.log(`${ROLES[at]}, ended with ${program.child.exitCode}:\n${lines.slice(-12).join('\n')}`);
  }
  // One of them may have ended.
  for (const server of servers) {
    const rows = await server
      .sql(
        `SELECT *, (extract(epoch from clock_timestamp()) * 1000)::bigint - due_at AS late FROM jobcrier_lane ORDER BY due_at LIMIT 15`,
      )
      .catch(() => []);
    console.table(rows);
  }
}

const skipped = SHARED_MISSING ? ` (skipped: ${SHARED_MISSING})` : '';

test.skipIf(SHARED_MISSING)(
  `${KILLS} kills over all roles, ${UNITS} units${skipped}`,
  {
    timeout: 3_600_000,
  },
  async () => {
    console.log(`LOAD_SEED=${SEED}`);
    const random = createRandom(SEED);
    const listings = await startListings({ postings: FIRST, most: MOST, bytes: 400 });
    later(listings.stop);
    const receiver = await startReceiver();
    let standby: PostgresServer | undefined;
    const house = await openSharedHouse({
      env: {
        JOBS_API_URL: listings.url,
        API_SPACING_MS: String(SPACING_MS),
      },
      async addressOf(primary) {
        standby = await primary.standby();
        return addressOf(primary, standby);
      },
    });
    later(house.close);
    await fillStore(house.storeUrl, house.dir, entriesFor(receiver.url));
    await listings.tell({ watch: SPACING_MS, delayMs: LATENCY_MS });
    const workers = createCrew(ROLES, (role) => house.launch(role));
    const began = Date.now();
    await until(async () => (await listings.tell()).distinct === UNITS, {
      what: 'the first request of every unit',
      timeoutMs: 100_000,
    });
    // Until the last of them is recorded.
    await sleep(3_000);
    console.log(`${UNITS} units were polled first within ${((Date.now() - began) / 1000).toFixed(0)} s`);

    const news: string[] = [];
    const waits: number[] = [];
    const haveAll = (title: string) =>
      Array.from({ length: FAST }, (_, n) => n).every((n) => receiver.told.has(`fast${n} ${title}`));
    /** For requests whose addresses contain these parts. */
    const late = { 'token-fast': FAST_MS, [`tag=${NEWS}`]: NEWS_MS, 'token-slow': SLOW_MS };
    const latest = async () =>
      Object.values((await listings.tell()).late).reduce((a, b) => Math.max(a, b), 0);
    const figures: Figure[] = [];
    let arrivals: Promise<unknown>[] = [];
    /** Publishes one; resolves when all immediate subscriptions have announced it. */
    async function publish(): Promise<void> {
      const title = `Position ${(await listings.tell({ new: 1, tag: NEWS })).newest}`;
      news.push(title);
      const published = performance.now();
      await until(() => haveAll(title), { what: `${title} everywhere`, timeoutMs: 40_000 });
      waits.push(performance.now() - published);
    }
    const publishAside = () => {
      const arrival = publish();
      arrival.catch(() => undefined);
      arrivals.push(arrival);
    };
    const arrived = async () => {
      const all = arrivals;
      arrivals = [];
      await Promise.all(all);
    };
    const seconds = (what: string, ms: number, most?: number) =>
      figures.push({ what, is: ms / 1000, unit: 's', ...(most === undefined ? {} : { most }) });

    /** Kills some while news come in. */
    async function killSome(count: number): Promise<void> {
      if (count === 0) return;
      await listings.tell({ late });
      const longest = watchTurns(primary);
      for (let kill = 0; kill < count; kill++) {
        if (kill % 3 === 0) publishAside();
        await sleep(500 + random() * 2_500);
        await workers.replace(Math.floor(random() * ROLES.length));
      }
      await arrived();
      // A lane of a killed process waits until its hold ends. Otherwise the next fault's figure would contain that.
      await sleep(HOLD_MS + 2_000);
      seconds(`${count} kills: the next turn of a lane after`, await longest(), 15);
      seconds(`${count} kills: the latest request`, await latest());
    }

    /** Causes the fault, and waits until everything works again. */
    async function bring(what: string, fault: () => Promise<unknown>, mostS?: number): Promise<void> {
      await fault();
      await listings.tell({ late });
      const [{ asked }, over] = [await listings.tell(), performance.now()];
      const next = publish();
      next.catch(() => undefined);
      await until(async () => (await listings.tell()).asked > asked + 5, { what: `requests after ${what}` });
      const first = performance.now() - over;
      await next;
      seconds(`${what}: requests again after`, first);
      seconds(`${what}: the latest request since`, await latest(), mostS);
      seconds(`${what}: news everywhere after`, waits.at(-1) ?? Number.NaN);
    }

    const forget = async () => {
      await house.redis.command('FLUSHALL');
      await house.redis.command('SCRIPT', 'FLUSH');
    };
    let refused = 0;
    let primary = house.postgres;
    let before: Report | undefined;
    const steps: readonly (() => Promise<void>)[] = [
      () => bring('FLUSHALL and SCRIPT FLUSH', forget, 7),
      async () => {
        if (IS_SHORT) return;
        await bring('FLUSHALL and SCRIPT FLUSH, again', forget, 7);
        await bring('FLUSHALL and SCRIPT FLUSH, once more', forget, 7);
      },
      () =>
        bring(`Redis killed for ${AWAY_MS / 1000} s`, async () => {
          await house.redis.kill();
          await sleep(AWAY_MS);
          await house.redis.restart();
        }),
      () =>
        bring(`Redis frozen for ${AWAY_MS / 1000} s`, async () => {
          house.redis.freeze();
          await sleep(AWAY_MS);
          house.redis.thaw();
        }),
      () =>
        bring(`Redis out of memory for ${AWAY_MS / 1000} s`, async () => {
          await house.redis.command('CONFIG', 'SET', 'maxmemory', '1');
          await sleep(AWAY_MS);
          await house.redis.command('CONFIG', 'SET', 'maxmemory', '0');
        }),
      () =>
        bring('PostgreSQL primary killed, standby promoted', async () => {
          await house.postgres.kill();
          standby?.promote();
          primary = standby ?? primary;
        }),
      // The last one, because late actions of a suspended process must not hide those of others.
      async () => {
        const worker = workers.now[2] as Program;
        before = await listings.tell();
        await bring(`a worker suspended for ${SUSPENDED_MS / 1000} s`, async () => {
          // It waits for answers with news, and gets them when others have long recorded the news.
          await listings.tell({ delayMs: 1_000 });
          // In the middle of the next requests of the immediate subscriptions.
          await sleep(FAST_MS - (Date.now() % FAST_MS) + 500);
          publishAside();
          worker.kill('SIGSTOP');
          await listings.tell({ delayMs: LATENCY_MS });
          await sleep(SUSPENDED_MS);
          await arrived();
          worker.kill('SIGCONT');
        });
        await sleep(2_000);
        refused = tookOver(worker);
      },
    ];

    try {
      for (const [at, step] of steps.entries()) {
        await killSome(
          Math.floor(((at + 1) * KILLS) / steps.length) - Math.floor((at * KILLS) / steps.length),
        );
        await step();
      }
    } catch (error) {
      await tellState(standby ? [house.postgres, standby] : [house.postgres], workers, receiver.told, news);
      console.table(figures);
      throw error;
    }
    // Every request of an immediate subscription has seen the last of it.
    await listings.tell({ late });
    await until(async () => (await listings.tell()).unasked[`tag=${NEWS}`] === 0, {
      what: 'the last request of every unit that follows the news',
      timeoutMs: NEWS_MS * 3,
    });
    await sleep(2_000);
    const report = await listings.tell();
    await workers.stop();

    const repeated = [...receiver.told].filter(([, ids]) => ids.size > 1).map(([key]) => key);
    const missing = Array.from({ length: FAST }, (_, n) =>
      news.filter((title) => !receiver.told.has(`fast${n} ${title}`)),
    ).flat();
    const twice = [...recordedBy(workers.all)].filter(([, count]) => count > news.length);
    const each = { seen: FIRST + news.length, done: 0, owed: 0 };
    const faults = await faultsIn(house, [
      ...Array.from({ length: FAST }, (_, n) => ({ ...each, id: `fast${n}`, done: news.length })),
      ...Array.from({ length: SLOW }, (_, n) => ({ ...each, id: `slow${n}-${NEWS}`, owed: news.length })),
    ]);
    if (workers.ended.length > 0) console.log('ended by themselves:', workers.ended);
    if (repeated.length + missing.length + twice.length + faults.length > 0)
      console.log({ repeated, missing, twice, faults: faults.slice(0, 20) });
    judge(`${KILLS} kills over all roles, ${UNITS} units, ${news.length} postings, LOAD_SEED=${SEED}`, [
      ...figures,
      { what: 'a posting everywhere, median', is: percentile(waits, 0.5) / 1000, unit: 's' },
      { what: 'a posting everywhere, longest', is: Math.max(...waits) / 1000, unit: 's' },
      { what: 'polls', is: report.asked },
      { what: 'turns of the suspended worker that were refused', is: refused, least: 1 },
      never('processes that ended by themselves', workers.ended.length),
      never('postings lost', missing.length),
      never('postings announced twice', repeated.length),
      never('subscriptions that recorded a posting twice', twice.length),
      never('ledgers that are wrong', faults.length),
      never('two requests of a token at once', before?.overlaps ?? Number.NaN),
      never('two requests of a token closer than spacing', before?.close ?? Number.NaN),
      // A process makes the request that it had planned before it was suspended.
      { what: 'either of one token, after the suspension', is: report.mostOfOne, most: 1, failsAbove: 1 },
    ]);
    expect(news.length).toBeGreaterThan(0);
  },
);
