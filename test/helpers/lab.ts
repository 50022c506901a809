// The pipeline between real services: the board over HTTP, the feed client, SQLite in a temporary folder, the engine,
// and sinks that keep what they get. The clock belongs to the test. It can lose its store, and be killed and started
// again.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Job as BoardJob } from '../../src/board/job.js';
import { StoreError } from '../../src/domain/errors.js';
import { POLL_QUEUE } from '../../src/domain/request.js';
import { secret } from '../../src/domain/secret.js';
import { parseSubscription, type Subscription } from '../../src/domain/subscription.js';
import type { Pipeline, PipelineSettings, Step } from '../../src/pipeline/context.js';
import type { PollResult } from '../../src/pipeline/poll-result.js';
import type { Scheduler } from '../../src/pipeline/scheduler.js';
import { followSubscription } from '../../src/pipeline/subscription-sync.js';
import { explain } from '../../src/pipeline/why.js';
import type { MailService } from '../../src/ports/mail-service.js';
import type { Notice } from '../../src/ports/notice.js';
import type { Explained, Services } from '../../src/ports/services.js';
import type { Sink } from '../../src/ports/sink.js';
import type { Stores } from '../../src/ports/stores.js';
import type { Log } from '../../src/ports/system.js';
import type { Forget } from '../../src/services/accounts.js';
import { KV_TABLES } from '../../src/store/backend.js';
import { openStores } from '../../src/store/index.js';
import { loadSecretKeys } from '../../src/store/secret-keys.js';
import { startBoard, type TestBoard } from './board.js';
import { type CaptureSink, createCaptureSink } from './capture-sink.js';
import { type Front, startFront } from './front.js';
import { startLife, TOKENS } from './lab-life.js';
import { type TestClock, testClock } from './memory-table.js';
import { put } from './put.js';
import { until } from './until.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A job of the board; the newest of its day if it is posted last. */
export function job(id: string | number, fields: BoardJob = {}): BoardJob {
  return {
    id: String(id),
    title: `Job ${id}`,
    company: `Company ${id}`,
    tags: ['rust'],
    apply_url: `https://board.example/r/j${id}__p`,
    postedAt: '2026-11-20',
    ...fields,
  };
}

export interface Lab {
  readonly board: TestBoard;
  /** The address that the pipeline uses for the board. */
  readonly front: Front;
  readonly clock: TestClock;
  readonly sink: CaptureSink;
  readonly sinks: Map<string, Sink>;
  readonly notices: Notice[];
  readonly logs: { readonly level: string; readonly fields: object; readonly message: string }[];
  /** What was counted or observed: name, labels and number. */
  readonly figures: (readonly [name: string, labels: Readonly<Record<string, string>>, value: number])[];
  /** Errors by `table.method`, thrown by the store while they are set. */
  readonly broken: Map<string, Error>;
  readonly p: Pipeline;
  readonly scheduler: Scheduler;
  readonly services: Services;
  /** The stores themselves, which never fail. */
  readonly stores: Stores;
  /** In the form of STORE_URL, in a separate folder. */
  readonly storeUrl: string;
  /** True after the pipeline has found that it lost the lease. */
  readonly lost: boolean;
  /** Stores an entry in the form of the subscriptions file and lets the running pipeline apply it. */
  add(entry: Record<string, unknown>): Promise<Subscription>;
  /** Changes a stored record as the command line does. */
  change(id: string, edit: (before: Subscription) => Subscription | undefined): Promise<void>;
  /** Puts jobs on the board, the last one newest. */
  post(...jobs: readonly BoardJob[]): Promise<void>;
  /** Polls now, and delivers what follows. */
  poll(id?: string): Promise<PollResult>;
  /** When a subscription is polled next. */
  nextPollAt(id: string): Promise<number | undefined>;
  /** Moves the clock; resolves after everything that became due is done. */
  advance(ms: number): Promise<void>;
  settled(): Promise<void>;
  /** Every stored row, as `table key value`. */
  rows(): Promise<string[]>;
  why(posting: string, id?: string): Promise<Explained>;
  /** Ends everything at a step, the n-th time it is reached, like SIGKILL. */
  crashAt(step: Step, nth?: number): void;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface LabOptions {
  readonly jobs?: readonly BoardJob[];
  readonly sinks?: readonly Sink[];
  readonly settings?: Partial<PipelineSettings>;
  readonly mail?: MailService;
  readonly forget?: readonly Forget[];
  /** How long the services wait for the API; ten seconds when left out. */
  readonly interactiveMs?: number;
  /** As with PUBLIC_URL: editions have pages. */
  readonly pages?: boolean;
  /** Postings per message. */
  readonly size?: number;
  /** How long an answer of the API is cached; not at all when left out. */
  readonly cacheMs?: number;
}

export async function openLab(options: LabOptions = {}): Promise<Lab> {
  const clock = testClock();
  let jobs = options.jobs ?? [job(1)];
  const tokens = Object.entries(TOKENS).map(([partner, token]) => ({ token, partner }));
  const board = await startBoard({ jobs, clock, tokens });
  const front = await startFront(board.url);
  const dir = await mkdtemp(join(tmpdir(), 'jobcrier-lab-'));
  const logs: { level: string; fields: object; message: string }[] = [];
  const noted = (level: string) => (fields: object, message: string) =>
    void logs.push({ level, fields, message });
  const log: Log = { debug: noted('debug'), info: noted('info'), warn: noted('warn'), error: noted('error') };
  const keys = await loadSecretKeys({
    value: secret(Buffer.alloc(32, 7).toString('base64')),
    dataDir: dir,
    log,
  });
  const storeUrl = `sqlite://${join(dir, 'lab.sqlite')}`;
  const stores = await openStores({
    url: storeUrl,
    dataDir: dir,
    keys,
    log,
    clock,
    gathers: false,
  });
  await stores.lease.acquire();
  for (const [id, token] of Object.entries(TOKENS))
    if (id !== 'operator') await put(stores.accounts, { id, token: secret(token), createdAt: clock.now() });

  const sink = createCaptureSink('capture', options.size);
  const sinks = new Map<string, Sink>([sink, ...(options.sinks ?? [])].map((one) => [one.name, one]));
  const notices: Notice[] = [];
  const figures: Lab['figures'] = [];
  const broken = new Map<string, Error>();
  let lost = false;
  const start = () =>
    startLife({
      stores,
      sinks,
      clock,
      log,
      notices,
      broken,
      metrics: {
        count: (name, labels = {}, by = 1) => void figures.push([name, labels, by]),
        observe: (name, seconds, labels = {}) => void figures.push([name, labels, seconds]),
      },
      feedUrl: front.url,
      ...(options.settings ? { settings: options.settings } : {}),
      ...(options.mail ? { mail: options.mail } : {}),
      ...(options.forget ? { forget: options.forget } : {}),
      ...(options.pages ? { pages: true } : {}),
      ...(options.interactiveMs ? { interactiveMs: options.interactiveMs } : {}),
      ...(options.cacheMs ? { cacheMs: options.cacheMs } : {}),
      onLost: () => {
        lost = true;
      },
    });

  let life = await start();

  let crash: (error: Error) => void = () => undefined;
  let crashed = new Promise<never>(() => undefined);

  /** A sink that a test turns off keeps its queue. */
  const sinkNames = new Set<string>();
  function queues(): readonly string[] {
    for (const name of sinks.keys()) sinkNames.add(name);
    return [POLL_QUEUE, ...[...sinkNames].map((name) => `deliver:${name}`)];
  }

  /** True when nothing is due, neither waiting nor running. Otherwise the engine looks for what is due. */
  async function isCalm(): Promise<boolean> {
    if (life.active() > 0) return false;
    const due: string[] = [];
    for (const queue of queues()) if ((await stores.lanes.load(queue)).due > 0) due.push(queue);
    // The engine would look for what became due only a tenth of a second after it took the last.
    if (life.active() === 0) for (const queue of due) life.p.engine.look(queue);
    return life.active() === 0 && due.length === 0;
  }

  async function settled(): Promise<void> {
    const deadline = Date.now() + 30_000;
    for (let calm = 0; calm < 3; calm++) {
      await turn();
      if (life.dead) throw new Error('this life is over');
      if (await isCalm()) continue;
      calm = -1;
      if (Date.now() > deadline) throw new Error('waited 30 s in vain for everything due to be done');
      await sleep(5);
    }
  }

  const lab: Lab = {
    board,
    front,
    clock,
    sink,
    sinks,
    notices,
    logs,
    figures,
    broken,
    stores,
    storeUrl,
    get p() {
      return life.p;
    },
    get scheduler() {
      return life.scheduler;
    },
    get services() {
      return life.services;
    },
    get lost() {
      return lost;
    },
    async add(entry) {
      const subscription = parseSubscription(
        { id: 's', destinations: [{ sink: 'capture', target: 'one' }], ...entry },
        {
          origin: 'cli',
          now: clock.now(),
          liveSchedule: '*/15 * * * *',
          defaultTimezone: 'UTC',
          parseTarget: (name, target) => (sinks.get(name) as Sink).parseTarget(target),
        },
      );
      await put(stores.subscriptions, subscription);
      await followSubscription(life.p, subscription.id);
      return subscription;
    },
    async change(id, edit) {
      const next = edit((await stores.subscriptions.get(id)) as Subscription);
      if (next) await put(stores.subscriptions, next);
      else await stores.subscriptions.remove(id);
      await followSubscription(life.p, id);
      await settled();
    },
    async post(...more) {
      jobs = [...more.toReversed(), ...jobs];
      await board.setJobs(jobs);
    },
    async poll(id = 's') {
      clock.advance(MINUTE);
      // A life that ends meanwhile, perhaps by a poll that was due before, returns no answer.
      const result = await Promise.race([life.scheduler.pollNow(id), crashed]);
      await settled();
      return result;
    },
    async nextPollAt(id) {
      const subscription = await stores.subscriptions.get(id);
      return subscription && life.scheduler.nextPollAt(subscription);
    },
    async advance(ms) {
      clock.advance(ms);
      await life.scheduler.tick();
      await settled();
    },
    settled,
    async rows() {
      const pages = KV_TABLES.map(async (name) =>
        (await stores.backend.kvTables[name].page({}, 10_000)).map((row) => `${name} ${row.join(' ')}`),
      );
      return (await Promise.all(pages)).flat();
    },
    why: async (posting, id = 's') =>
      explain(stores, required(await stores.subscriptions.get(id)), posting, clock.now()),
    crashAt(step, nth = 1) {
      const mine = life;
      let left = nth;
      crashed = new Promise((_resolve, reject) => {
        crash = reject;
      });
      crashed.catch(() => undefined);
      mine.p.step = (reached) => {
        if (mine.dead || reached !== step || --left > 0) return;
        mine.dead = true;
        const error = new StoreError('lost', `crashed at ${step}`);
        crash(error);
        throw error;
      };
    },
    async restart() {
      const former = life;
      former.dead = true;
      await former.p.engine.drain(0);
      await until(() => former.active() === 0, { what: 'the former life to end' });
      life = await start();
      crashed = new Promise(() => undefined);
      await settled();
    },
    async close() {
      await life.p.engine.drain(0);
      await life.p.feed.close();
      await stores.close();
      await front.close();
      await board.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
  return lab;
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is no ledger');
  return value;
}
