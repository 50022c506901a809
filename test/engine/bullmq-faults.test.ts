// Faults of Redis and of processes for the engine of several processes: Redis forgets, dies, freezes or is full; a
// process is killed or suspended. Every lane continues, and no lane has two turns at the same time.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBullEngine } from '../../src/engine/bullmq.js';
import type { Engine } from '../../src/ports/engine.js';
import type { LaneStore, Turn } from '../../src/ports/lanes.js';
import { bound } from '../helpers/bound.js';
import { later } from '../helpers/later.js';
import { REDIS_MISSING, type RedisServer, startRedis } from '../helpers/redis-server.js';
import { until } from '../helpers/until.js';
import { DATABASES, type RunningDatabase } from '../store/databases.js';
import { keysOf, keyText, openTestStores } from '../store/fixtures.js';
import { startTcpProxy } from '../store/tcp-proxy.js';

const KEY = keyText();
const LANES = Array.from({ length: 20 }, (_, n) => `lane-${n}`);
const clock = { now: () => Date.now() };
const postgres = DATABASES.find(({ name }) => name === 'postgres');
const missing = REDIS_MISSING ?? postgres?.missing;

describe.skipIf(missing !== undefined)(missing ? `BullMQ (skipped: ${missing})` : 'BullMQ', () => {
  let database: RunningDatabase;
  let redis: RedisServer;
  let url: string;
  let lanes: LaneStore;
  const engines: Engine[] = [];
  const warnings: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (_: object, message: string) => void warnings.push(message),
    error() {},
  };

  beforeAll(async () => {
    database = (await postgres?.start()) as RunningDatabase;
  });
  afterAll(() => database?.stop());
  beforeEach(async () => {
    redis = await startRedis();
    url = await database.freshUrl();
    ({ lanes } = await openTestStores(url, { clock, keys: keysOf(KEY) }));
    warnings.length = 0;
  });
  afterEach(async () => {
    redis.thaw();
    await Promise.all(engines.splice(0).map((engine) => engine.drain(0)));
    await redis.stop();
  });

  function startEngine(more: { readonly lanes?: LaneStore; readonly url?: string } = {}): Engine {
    const engine = createBullEngine({ lanes, clock, log, url: redis.url, ...more });
    engines.push(engine);
    return engine;
  }

  /** Two engines that take turns of all lanes, each again after `againMs`. */
  async function running(againMs: number, redisUrl = redis.url) {
    let count = new Map<string, number>();
    const now = new Set<string>();
    let clashes = 0;
    for (const engine of [startEngine({ url: redisUrl }), startEngine({ url: redisUrl })])
      engine.work('work', 5, async ({ group }) => {
        if (now.has(group)) clashes++;
        now.add(group);
        await sleep(5);
        now.delete(group);
        count.set(group, (count.get(group) ?? 0) + 1);
        return { again: againMs, succeeded: true };
      });
    await lanes.plan(LANES.map((lane) => ({ queue: 'work', lane, unit: lane, at: 1 })));
    async function allGoOn(): Promise<void> {
      count = new Map();
      const isDone = () => LANES.every((lane) => (count.get(lane) ?? 0) >= 2);
      await until(isDone, { timeoutMs: 30_000, what: 'two more turns of every lane' });
      expect(clashes).toBe(0);
    }
    await allGoOn();
    return { allGoOn };
  }

  test('continues after Redis lost everything three times, and its scripts', {
    timeout: 60_000,
  }, async () => {
    const { allGoOn } = await running(100);
    for (let n = 0; n < 3; n++) {
      await redis.command('FLUSHALL');
      await allGoOn();
    }
    await redis.command('SCRIPT', 'FLUSH');
    await allGoOn();
    const unit = { queue: 'work', lane: 'new', unit: 'new' };
    await lanes.plan([{ ...unit, at: 1 }]);
    await until(async () => ((await lanes.dueAt(unit)) ?? 0) > 1, { what: 'a lane that is offered again' });
  });

  test('continues after Redis died and came back empty', { timeout: 60_000 }, async () => {
    const { allGoOn } = await running(100);
    await redis.kill();
    await until(() => warnings.length > 0);
    expect(await engines[0]?.health()).toMatchObject({ ok: false });
    await sleep(2_000);
    await redis.restart();
    await allGoOn();
    expect(warnings.filter((one) => one.startsWith('Redis does not answer'))).toHaveLength(2);
    // The other engine may have done all the work while this one still waited to connect.
    await expect.poll(() => engines[0]?.health(), { timeout: 20_000 }).toEqual({ ok: true });
  });

  test('starts before Redis does', async () => {
    await redis.kill();
    const starting = running(100);
    await until(() => warnings.length > 0);
    await redis.restart();
    await (await starting).allGoOn();
  });

  test('continues after Redis froze', async () => {
    const { allGoOn } = await running(100);
    redis.freeze();
    expect(await engines[0]?.health()).toMatchObject({ ok: false });
    await sleep(4_000);
    redis.thaw();
    await allGoOn();
  });

  test('continues after Redis was full', async () => {
    const { allGoOn } = await running(100);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    await sleep(3_000);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await allGoOn();
  });

  test('dies while engines end, which do not wait for it', async () => {
    await running(100);
    const stop = startEngine().work('other', 5, async () => undefined);
    await redis.kill();
    const began = performance.now();
    stop();
    const ended = engines.splice(0).map((engine) => engine.drain(1_000));
    expect(await Promise.all(ended)).toEqual([true, true, true]);
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  test('is behind a connection that fell silent: it is replaced within 30 s', {
    timeout: 120_000,
  }, async () => {
    const way = await startTcpProxy(Number(new URL(redis.url).port));
    later(way.close);
    const { allGoOn } = await running(100, `redis://127.0.0.1:${way.port}`);
    way.silence();
    const began = performance.now();
    await allGoOn();
    expect(performance.now() - began).toBeLessThan(30_000);
    // The ones that only offer and watch, too.
    await until(async () => (await Promise.all(engines.map((one) => one.health()))).every(({ ok }) => ok), {
      what: 'all connections to work',
      timeoutMs: Math.max(1, 30_000 - (performance.now() - began)),
    });
  });

  test('is there, but PostgreSQL is not: a job learns it before its lane can be taken', {
    timeout: 60_000,
  }, async () => {
    const address = new URL(url);
    const way = await startTcpProxy(Number(address.port));
    later(way.close);
    address.port = String(way.port);
    const { lanes: cutOff } = await openTestStores(address.href, { clock, keys: keysOf(KEY) });
    let began = false;
    let endedAt: number | undefined;
    startEngine({ lanes: cutOff }).work('work', 5, async (_job, { holding }) => {
      began = true;
      await once(holding, 'abort');
      endedAt = performance.now();
      return undefined;
    });
    await lanes.plan([{ queue: 'work', lane: 'a', unit: 'a', at: 1 }]);
    await until(() => began);
    const heal = way.cut('lost');
    await until(async () => (await lanes.claim('work', 1)).length > 0, {
      what: 'the lane to be taken',
      timeoutMs: 20_000,
    });
    expect(endedAt).toBeLessThan(performance.now());
    heal();
  });

  describe('with several processes', () => {
    interface Process {
      readonly child: ChildProcess;
      readonly lines: Record<string, unknown>[];
      begun(unit: string): number;
    }

    async function startProcess(lastsMs: number, againMs: number): Promise<Process> {
      const script = fileURLToPath(new URL('turn-process.mjs', import.meta.url));
      const args = [script, url, KEY, redis.url, String(lastsMs), String(againMs)];
      const child = spawn(...bound(process.execPath, args), { stdio: ['ignore', 'pipe', 'inherit'] });
      const lines: Record<string, unknown>[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      later(async () => {
        child.kill('SIGKILL');
        await gone;
      });
      await until(() => lines.some((line) => 'ready' in line), { what: 'the process to be ready' });
      return { child, lines, begun: (unit) => lines.filter((line) => line.begin === unit).length };
    }

    const plan = () => lanes.plan(LANES.map((lane) => ({ queue: 'work', lane, unit: lane, at: Date.now() })));

    test('another process takes over the turns of one that was killed', {
      timeout: 60_000,
    }, async () => {
      await plan();
      const first = await startProcess(60_000, 100);
      await until(() => LANES.filter((lane) => first.begun(lane) > 0).length === 10);
      const second = await startProcess(10, 60_000);
      first.child.kill('SIGKILL');
      await until(() => LANES.every((lane) => second.begun(lane) > 0), {
        timeoutMs: 30_000,
        what: 'the turns of the killed process to be taken',
      });
      expect(LANES.map((lane) => second.begun(lane))).toEqual(LANES.map(() => 1));
    });

    test('the turns of a process that was suspended for longer than its hold do not count', {
      timeout: 60_000,
    }, async () => {
      await plan();
      const first = await startProcess(1_000, 100);
      await until(() => LANES.filter((lane) => first.begun(lane) > 0).length === 10);
      first.child.kill('SIGSTOP');
      const held = LANES.filter((lane) => first.begun(lane) === 1 && !isEnded(first, lane));
      const second = await startProcess(10, 600_000);
      await until(() => LANES.every((lane) => isEnded(second, lane)), { timeoutMs: 30_000 });
      await until(async () => (await lanes.load('work')).due === 0);
      const planned = await Promise.all(held.map((lane) => lanes.dueAt({ queue: 'work', lane, unit: lane })));
      first.child.kill('SIGCONT');
      await until(() => held.every((lane) => isEnded(first, lane)));
      await until(() => first.lines.filter((line) => 'warn' in line).length === held.length);
      expect(held.length).toBeGreaterThan(0);
      expect(await Promise.all(held.map((lane) => lanes.dueAt({ queue: 'work', lane, unit: lane })))).toEqual(
        planned,
      );
    });

    test('a process that is stopped ends its turns, and another takes the others immediately', async () => {
      await plan();
      const first = await startProcess(1_500, 60_000);
      await until(() => LANES.filter((lane) => first.begun(lane) > 0).length === 10);
      const second = await startProcess(10, 60_000);
      first.child.kill('SIGTERM');
      await until(() => first.child.exitCode !== null);
      await until(() => LANES.every((lane) => first.begun(lane) + second.begun(lane) === 1), {
        what: 'a turn of every lane',
      });
      await until(async () => (await lanes.load('work')).due === 0);
      expect(first.lines).toContainEqual({ drained: true, at: expect.any(Number) });
      // A process that has ended holds nothing.
      const turns: Turn[] = [];
      for (const lane of LANES) {
        const turn = await lanes.claimLane('work', lane);
        if (turn && 'epoch' in turn) turns.push(turn);
      }
      expect(turns).toEqual([]);
      expect(await lanes.waiting('work')).toEqual({ lanes: 0 });
    });

    function isEnded({ lines }: Process, unit: string): boolean {
      return lines.some((line) => line.end === unit);
    }
  });
});
