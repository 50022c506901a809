// The service as several processes with one PostgreSQL and one Redis: controls that replace each other, and workers
// that start and end. Whichever of them ends, each posting is announced once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultHouse, faultHouse, faultJob, pagesOf, said } from '../helpers/fault-house.js';
import { later } from '../helpers/later.js';
import type { Program } from '../helpers/process.js';
import { REDIS_MISSING, type RedisServer, startRedis } from '../helpers/redis-server.js';
import { until } from '../helpers/until.js';
import { DATABASES, POSTGRES_MISSING, type RunningDatabase } from '../store/databases.js';
import { startPostgresServer } from '../store/postgres-servers.js';

const missing = POSTGRES_MISSING ?? REDIS_MISSING;
const TIMEOUT = { timeout: 300_000 };

describe.skipIf(missing)(`roles${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let database: RunningDatabase;
  let redis: RedisServer;
  beforeAll(async () => {
    database = await (
      DATABASES.find(({ name }) => name === 'postgres') as (typeof DATABASES)[number]
    ).start();
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis?.stop();
    await database?.stop();
  });

  async function sharedHouse(storeUrl?: string): Promise<FaultHouse> {
    await redis.command('FLUSHALL');
    return faultHouse({
      env: {
        STORE_URL: storeUrl ?? (await database.freshUrl()),
        QUEUE_URL: redis.url,
        SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
        ADMIN_TOKEN: 'operators-own-secret',
      },
    });
  }

  const start = (house: FaultHouse, role: 'control' | 'worker') => house.run({}, '--role', role);
  const running = (program: Program) => program.until('the start', said(program, '"running"'), 40_000);
  const ready = async (url: string) => (await fetch(`${url}/readyz`)).status;

  /** What an operator sees of the processes. */
  async function showsAll(control: Program, workers: readonly Program[]): Promise<void> {
    const pages = await pagesOf(control);
    const figures = await (await fetch(`${pages}/metrics`)).text();
    expect(figures).toContain('jobcrier_processes{role="worker"} 2');
    expect(figures).toContain('jobcrier_queue_up 1');
    expect(figures).toMatch(/^jobcrier_info\{.*role="control"\} 1$/mu);
    expect(figures).toMatch(/^jobcrier_oldest_due_lane_seconds\{kind="deliver"\} \d/mu);
    const admin = await fetch(`${pages}/admin`, {
      headers: { authorization: 'Bearer operators-own-secret' },
    });
    expect((await admin.text()).match(/<th scope="row">(?:control|worker)<\/th>/gu)).toHaveLength(3);
    const served = await Promise.all(workers.map(pagesOf));
    const turns = await Promise.all(served.map(async (url) => (await fetch(`${url}/metrics`)).text()));
    // Either worker may have taken all of them.
    expect(turns.join('\n')).toMatch(/^jobcrier_turns_total\{kind="(?:poll|deliver)"\} [1-9]/mu);
    for (const url of served) expect((await fetch(`${url}/admin`)).status).toBe(404);
  }

  /** Posts jobs and waits until the webhook has all of them, each once. */
  function poster(house: FaultHouse) {
    const posted: string[] = [];
    const all = () => posted.every((title) => house.titles().includes(title));
    return {
      async post(id: number) {
        await house.board.addJob(faultJob(id));
        posted.push(`Position ${id}`);
      },
      arrived: (what: string) => until(all, { what, timeoutMs: 40_000 }),
      each: () => expect(house.titles().toSorted()).toEqual(posted.toSorted()),
    };
  }

  const baselineOf = (programs: readonly Program[]) =>
    until(() => programs.some((one) => said(one, '"baseline":true')()), {
      what: 'the baseline',
      timeoutMs: 40_000,
    });

  test(
    'workers do what a control plans; a kill of one during its work loses and repeats nothing',
    TIMEOUT,
    async () => {
      const house = await sharedHouse();
      // The workers ask for the fields that this feed leaves out.
      house.front.isBare = true;
      const { post, arrived, each } = poster(house);
      const workers = [start(house, 'worker'), start(house, 'worker')];
      const control = start(house, 'control');
      await Promise.all([...workers, control].map(running));
      await baselineOf(workers);
      await post(10);
      await arrived('the first');
      expect(house.receiver.received[0]?.body.data.postings).toMatchObject([{ company: 'Firm 10' }]);
      expect(control.stdout.filter((line) => /edition delivered|poll recorded/u.test(line))).toEqual([]);
      // The worker that is delivering is killed before it learns that the message arrived.
      const answer = house.receiver.hold();
      await post(11);
      await arrived('the second, not yet answered');
      const repeats = house.receiver.received.length;
      const report = await (await fetch(`${await pagesOf(control)}/readyz`)).json();
      expect(report).toMatchObject({ ok: true, role: 'control', parts: { queue: { ok: true } } });
      await showsAll(control, workers);
      for (const one of workers) one.kill('SIGKILL');
      answer();
      const third = start(house, 'worker');
      await running(third);
      await until(() => house.receiver.received.length > repeats, {
        what: 'the repeat under the same id',
        timeoutMs: 40_000,
      });
      await post(12);
      await arrived('the one after');
      each();
      // One that is asked to end hands over what it has.
      const fourth = start(house, 'worker');
      await running(fourth);
      third.kill();
      expect(await third.ended).toBe(0);
      await post(13);
      await arrived('the last');
      each();
      fourth.kill();
      control.kill();
      expect(await fourth.ended).toBe(0);
      expect(await control.ended).toBe(0);
    },
  );

  test('work waits while Redis is down, and resumes automatically when it is back', TIMEOUT, async () => {
    const house = await sharedHouse();
    const { post, arrived, each } = poster(house);
    const programs = [start(house, 'worker'), start(house, 'control')] as const;
    const [worker, control] = programs;
    await Promise.all(programs.map(running));
    await baselineOf([worker]);
    await redis.kill();
    const health = async (program: Program) => ready(await pagesOf(program));
    await until(async () => (await health(worker)) === 503, { what: 'the worker to say so' });
    expect(await health(control)).toBe(200);
    await post(30);
    await redis.restart();
    await arrived('the one that waited');
    each();
    expect(await health(worker)).toBe(200);
    for (const one of programs) one.kill();
    expect(await Promise.all(programs.map((one) => one.ended))).toEqual([0, 0]);
  });

  test(
    'a second control waits and takes over from one that is frozen or killed; deliveries continue',
    TIMEOUT,
    async () => {
      const house = await sharedHouse();
      const { post, arrived } = poster(house);
      const worker = start(house, 'worker');
      const first = start(house, 'control');
      await Promise.all([worker, first].map(running));
      const second = start(house, 'control');
      const standby = await pagesOf(second);
      await baselineOf([worker]);
      expect(await ready(await pagesOf(first))).toBe(200);
      expect(await (await fetch(`${standby}/readyz`)).json()).toMatchObject({
        ok: false,
        role: 'control',
        parts: { lease: { standby: true }, store: { ok: true } },
      });
      expect((await fetch(`${standby}/healthz`)).status).toBe(200);
      expect((await fetch(`${standby}/unsubscribe/x`)).status).toBe(404);
      first.child.kill('SIGSTOP');
      await post(20);
      await arrived('one that is posted without an active control');
      await second.until('the start', said(second, '"running"'), 20_000);
      const pages = String(second.json().findLast((line) => line.msg === 'web pages are up')?.url);
      expect(await ready(pages)).toBe(200);
      // It learns that it is not the active one any more, and ends without having changed anything.
      first.child.kill('SIGCONT');
      expect(await first.ended).toBe(1);
      const third = start(house, 'control');
      await third.until('standing by', said(third, 'stands by'), 40_000);
      second.kill('SIGKILL');
      await third.until('the start', said(third, '"running"'), 20_000);
      // The workers do what the new one plans.
      await house.subscriptions(
        `- id: more\n  schedule: "* * * * * *"\n  destinations:\n    - { sink: webhook, target: "${house.receiver.url}?more", cadence: immediate }\n`,
      );
      third.child.kill('SIGHUP');
      await worker.until('the baseline of the new subscription', () =>
        worker.json().some((line) => line.subscription === 'more' && line.baseline === true),
      );
      await house.board.addJob(faultJob(21));
      await until(() => house.receiver.received.some((one) => one.body.data.subscription === 'more'), {
        what: 'the new one by the new subscription',
        timeoutMs: 40_000,
      });
      third.kill();
      worker.kill();
      expect(await third.ended).toBe(0);
      expect(await worker.ended).toBe(0);
    },
  );

  test('controls are replaced one by one: nothing is lost, repeated or left waiting', TIMEOUT, async () => {
    const house = await sharedHouse();
    const { post, arrived, each } = poster(house);
    const worker = start(house, 'worker');
    let control = start(house, 'control');
    await Promise.all([worker, control].map(running));
    await baselineOf([worker]);
    for (const id of [40, 42]) {
      const next = start(house, 'control');
      await next.until('standing by', said(next, 'stands by'), 40_000);
      await post(id);
      control.kill();
      await post(id + 1);
      expect(await control.ended).toBe(0);
      await next.until('the start', said(next, '"running"'), 20_000);
      await arrived('what was posted meanwhile');
      control = next;
    }
    each();
    control.kill();
    worker.kill();
    expect(await Promise.all([control.ended, worker.ended])).toEqual([0, 0]);
  });

  test('processes that start during a failover of the store wait for it', TIMEOUT, async () => {
    const postgres = await startPostgresServer();
    later(postgres.stop);
    const house = await sharedHouse(postgres.address('postgres'));
    await postgres.kill();
    const programs = [start(house, 'worker'), start(house, 'control')];
    for (const one of programs)
      await one.until('the wait for the store', said(one, 'the start is repeated'), 40_000);
    await postgres.restart();
    await Promise.all(programs.map(running));
    for (const one of programs) one.kill();
    expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([0, 0]);
  });

  test(
    'one process with all roles may use the queue as well, and continues after a kill',
    TIMEOUT,
    async () => {
      const house = await sharedHouse();
      const { post, arrived, each } = poster(house);
      const first = house.run();
      await running(first);
      await baselineOf([first]);
      await post(50);
      await arrived('the first');
      first.kill('SIGKILL');
      await first.ended;
      await post(51);
      await redis.command('FLUSHALL');
      const second = house.run();
      await running(second);
      await arrived('the one posted while nothing ran');
      await post(52);
      await arrived('the last');
      each();
      expect(second.json()).toContainEqual(expect.objectContaining({ msg: 'running', role: 'all' }));
      second.kill();
      expect(await second.ended).toBe(0);
    },
  );
});
