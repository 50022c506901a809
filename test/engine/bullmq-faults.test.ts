// What Redis and the processes may do to the engine of many processes: forget, die, freeze, be full, be killed, be suspended.
// Every lane goes on, and no lane has two turns at once.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBullEngine } from '../../src/engine/bullmq.js';
import type { Engine } from '../../src/ports/engine.js';
import type { LaneStore, Turn } from '../../src/ports/lanes.js';
import { later } from '../helpers/later.js';
import { REDIS_MISSING, type RedisServer, startRedis } from '../helpers/redis-server.js';
import { until } from '../helpers/until.js';
import { DATABASES, type RunningDatabase } from '../store/databases.js';
import { keysOf, keyText, openTestStores } from '../store/fixtures.js';

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

  function startEngine(): Engine {
    const engine = createBullEngine({ lanes, clock, log, url: redis.url });
    engines.push(engine);
    return engine;
  }

  /** Two engines that take turns of all lanes, each again after `againMs`. */
  async function running(againMs: number) {
    let count = new Map<string, number>();
    const now = new Set<string>();
    let clashes = 0;
    for (const engine of [startEngine(), startEngine()])
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

  test('forgets everything three times, and its scripts', { timeout: 60_000 }, async () => {
    const { allGoOn } = await running(100);
    for (let n = 0; n < 3; n++) {
      await redis.command('FLUSHALL');
      await allGoOn();
    }
    await redis.command('SCRIPT', 'FLUSH');
    await allGoOn();
    const unit = { queue: 'work', lane: 'new', unit: 'new' };
    await lanes.plan([{ ...unit, at: 1 }]);
    await until(async () => ((await lanes.dueAt(unit)) ?? 0) > 1, { what: 'a lane that is offered anew' });
  });

  test('dies, and is back without anything in it', { timeout: 60_000 }, async () => {
    const { allGoOn } = await running(100);
    await redis.kill();
    await until(() => warnings.length > 0);
    expect(await engines[0]?.health()).toMatchObject({ ok: false });
    await sleep(2_000);
    await redis.restart();
    await allGoOn();
    expect(warnings.filter((one) => one.startsWith('Redis does not answer'))).toHaveLength(2);
    expect(await engines[0]?.health()).toEqual({ ok: true });
  });

  test('is not there yet when the engine starts', async () => {
    await redis.kill();
    const starting = running(100);
    await until(() => warnings.length > 0);
    await redis.restart();
    await (await starting).allGoOn();
  });

  test('freezes and goes on', async () => {
    const { allGoOn } = await running(100);
    redis.freeze();
    expect(await engines[0]?.health()).toMatchObject({ ok: false });
    await sleep(4_000);
    redis.thaw();
    await allGoOn();
  });

  test('is full, and then is not', async () => {
    const { allGoOn } = await running(100);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    await sleep(3_000);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await allGoOn();
  });

  describe('and its processes', () => {
    interface Process {
      readonly child: ChildProcess;
      readonly lines: Record<string, unknown>[];
      begun(unit: string): number;
    }

    async function startProcess(lastsMs: number, againMs: number): Promise<Process> {
      const script = fileURLToPath(new URL('turn-process.mjs', import.meta.url));
      const args = [script, url, KEY, redis.url, String(lastsMs), String(againMs)];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
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

    test('one is killed in the middle of its turns: another takes them over', {
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

    test('one is suspended for longer than it holds its lanes: what it ends then does not count', {
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

    test('one is told to stop: it ends its turns, and another takes what it had not begun at once', async () => {
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
      // Nothing is held by who is gone.
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
