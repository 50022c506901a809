// Ten thousand polls of the shipped program on a moving feed, with deliveries that are sometimes refused or lost:
// memory and open handles stay flat, the store stays bounded, and nothing is lost or out of order. LOAD_POLLS sets
// the number.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';
import { sized } from './figures.js';
import { dueTo, openPollsHouse, type PollsHouse, SUBSCRIPTIONS } from './polls-house.js';
import { inspect, metricsOf, openHandles, readFigures, sizeOf } from './probe.js';
import type { Round } from './recipients.js';
import { readLedgers, sizesAfter } from './store-check.js';
import { growth, sparkline } from './trend.js';

const POLLS = sized('LOAD_POLLS', { long: 10_000, short: 3_000 });
/** Two or three for each subscription, so that polls that find nothing are among them. */
const POLLS_A_ROUND = 400;
const POLLS_A_SAMPLE = 200;
/** Fits into the shortest listing, and every subscription has got a round before the next begins. */
const ROUND: Round = { rare: 5, others: 80 };
/** Until then caches, pools and compiled code grow, and seen sets reach their limit. */
const WARM_UP = 0.4;

/** Until then code is still being compiled, so a shorter run has wider limits. */
const LENIENCE = Math.max(1, 6000 / POLLS);
/** What may grow per 1,000 polls: a kilobyte kept at each poll is 1 MB, a handle kept at each hundredth is 10. */
const TOLERANCE = {
  'heap, MB': 0.5 * LENIENCE,
  'memory, MB': 3 * LENIENCE,
  handles: 2 * LENIENCE - 1,
} as const;
/** SQLite folds its log into the file at 16 MB, see sqlite/backend.ts. It grows further if something prevents that. */
const LOG_MOST_MB = 24;
/** For one request, see `seenBound`. */
const SEEN_MOST = 1000;
/**
 * Rows that stay for each subscription: itself, its ledger, its request, its events, its matches by the hour, and those by
 * which it is found.
 */
const ROWS_FOR_GOOD = 10;
/** For each seen posting: itself, its three weaker keys, its likeness, its outcome. */
const ROWS_A_POSTING = 6;
const MB = 2 ** 20;

interface Sample {
  readonly polls: number;
  readonly seconds: number;
  /** After a full collection, including memory outside the heap. */
  readonly 'heap, MB': number;
  /** Resident. */
  readonly 'memory, MB': number;
  /** Those open at the sample before as well: a connection between two requests comes and goes, a leak stays. */
  readonly handles: number;
  readonly 'store, MB': number;
  readonly 'log, MB': number;
}

/** Runs the rounds, and takes a sample before each and after the last. */
async function drive({ program, board, receiver, store }: PollsHouse): Promise<readonly Sample[]> {
  const url = await metricsOf(program);
  const inspector = await inspect(program);
  const polls = async () => (await readFigures(url))('jobcrier_polls_total');
  const allHaveAll = () =>
    SUBSCRIPTIONS.every((one) => receiver.of(one.id).length >= dueTo(one, board).length);
  await until(
    async () =>
      (await readFigures(url))('jobcrier_polls_total', 'outcome="baseline"') === SUBSCRIPTIONS.length,
    { timeoutMs: 60_000, what: 'all baselines' },
  );
  const started = Date.now();
  const first = await polls();
  const samples: Sample[] = [];
  let before: ReadonlySet<string> | undefined;

  async function sample(): Promise<void> {
    await inspector.collect();
    const figures = await readFigures(url);
    const heap = figures('jobcrier_nodejs_heap_size_used_bytes');
    const open = await openHandles(program.child.pid as number);
    const stayed = [...open].filter((one) => before?.has(one) ?? true);
    before = open;
    samples.push({
      polls: figures('jobcrier_polls_total') - first,
      seconds: (Date.now() - started) / 1000,
      'heap, MB': (heap + figures('jobcrier_nodejs_external_memory_bytes')) / MB,
      'memory, MB': figures('jobcrier_process_resident_memory_bytes') / MB,
      handles: stayed.length,
      'store, MB': (await sizeOf(store)) / MB,
      'log, MB': (await sizeOf(`${store}-wal`)) / MB,
    });
  }

  for (let next = 0; next < POLLS; next += POLLS_A_SAMPLE) {
    const isRound = next % POLLS_A_ROUND === 0;
    while ((await polls()) < first + next || (isRound && !allHaveAll())) {
      if (program.child.exitCode !== null) throw new Error(program.stderr.slice(-20).join('\n'));
      await sleep(50);
    }
    await sample();
    if (isRound) await board.publish(ROUND);
  }
  const settled = async () => (await readFigures(url))('jobcrier_outbox_size') === 0;
  await until(async () => (await polls()) >= first + POLLS && allHaveAll() && (await settled()), {
    timeoutMs: 60_000,
    what: 'the last deliveries',
  });
  await sample();
  inspector.close();
  return samples;
}

/** Some samples as a table, and the course of each figure as a picture. */
function show(samples: readonly Sample[]): void {
  const every = Math.ceil(samples.length / 12);
  const shown = samples.filter((_, index) => index % every === 0 || index === samples.length - 1);
  const round = (value: number) => Math.round(value * 10) / 10;
  console.table(
    shown.map((one) => Object.fromEntries(Object.entries(one).map(([name, value]) => [name, round(value)]))),
  );
  for (const name of ['heap, MB', 'memory, MB', 'handles', 'store, MB', 'log, MB'] as const) {
    const values = samples.map((one) => one[name]);
    const range = `${round(Math.min(...values))} to ${round(Math.max(...values))}`;
    console.log(`${name.padEnd(11)} ${sparkline(values)} ${range}`);
  }
}

/** The figures that grew beyond their tolerance, as sentences. */
function grown(samples: readonly Sample[]): string[] {
  const steady = samples.filter(({ polls }) => polls >= POLLS * WARM_UP);
  const faults: string[] = [];
  for (const name of ['heap, MB', 'memory, MB', 'handles'] as const) {
    const slope = growth(steady.map((one) => ({ at: one.polls, value: one[name] })));
    const text = `${name}: ${slope >= 0 ? '+' : ''}${slope.toFixed(2)} per 1,000 polls (tolerance ${TOLERANCE[name].toFixed(1)})`;
    console.log(text);
    // In this order, because what could not be measured is a fault too.
    if (!(slope <= TOLERANCE[name])) faults.push(text);
  }
  const log = Math.max(...samples.map((one) => one['log, MB']));
  if (!(log <= LOG_MOST_MB)) faults.push(`the log of the store grew to ${log.toFixed(1)} MB`);
  return faults;
}

test(`${POLLS} polls: flat memory and handles, a bounded store, each posting once and in order`, async () => {
  const house = await openPollsHouse((undo) => later(undo));
  const { program, receiver, board, store } = house;
  const samples = await drive(house);
  program.kill();
  expect(await program.ended).toBe(0);
  show(samples);
  const { asked, refused, dropped } = receiver;
  console.log(
    `${board.news.length} postings; deliveries: ${asked}, refused: ${refused}, dropped: ${dropped}`,
  );
  expect(grown(samples)).toEqual([]);

  for (const one of SUBSCRIPTIONS) expect(receiver.of(one.id), one.id).toEqual(dueTo(one, board));
  expect(Math.min(refused, dropped)).toBeGreaterThan(0);
  expect(program.json().filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);

  const ledgers = await readLedgers(store);
  const seen = ledgers.map(({ seenCount = 0 }) => seenCount);
  expect(Math.max(...seen)).toBeGreaterThanOrEqual(Math.min(SEEN_MOST, board.news.length + 100));
  expect(Math.max(...seen)).toBeLessThanOrEqual(SEEN_MOST * 1.2);
  expect(ledgers.flatMap(({ outbox, editions }) => [...outbox, ...editions])).toEqual([]);
  const tables = await sizesAfter(store);
  console.table(tables);
  const forGood = (names: readonly string[]) =>
    tables.filter(({ table }) => names.includes(table)).reduce((sum, { later }) => sum + later, 0);
  const ofSeen = ['seen', 'outcomes'];
  const others = tables.map(({ table }) => table).filter((table) => !ofSeen.includes(table));
  expect(forGood(others)).toBeLessThan(SUBSCRIPTIONS.length * (ROWS_FOR_GOOD + 1));
  const seenInAll = seen.reduce((sum, count) => sum + count, 0);
  expect(forGood(ofSeen)).toBeLessThanOrEqual(seenInAll * ROWS_A_POSTING);
});
