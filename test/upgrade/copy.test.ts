// `jobcrier store copy` of the shipped program: from one database to the other and back, interrupted, refused, and
// from what version 0.1 kept in SQLite, PostgreSQL and Redis.
import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { secret } from '../../src/domain/secret.js';
import { openBackend } from '../../src/store/index.js';
import { startBoard } from '../helpers/board.js';
import { later } from '../helpers/later.js';
import { type Program, startProgram, workFolder } from '../helpers/process.js';
import { put, putLedger } from '../helpers/put.js';
import { until } from '../helpers/until.js';
import { startReceiver } from '../helpers/webhook-receiver.js';
import { DATABASES, type RunningDatabase } from '../store/databases.js';
import { keysOf, ledger, openTestStores, subscription, tempDir } from '../store/fixtures.js';
import { isInstalled, startRedis } from './redis.js';
import { putRedis, putSqlite } from './released.js';
import { countOf, rowsIn } from './rows.js';
import { jobOf, KEY, TOKENS } from './story.js';

vi.setConfig({ testTimeout: 180_000 });

const POSTGRES = DATABASES.find(({ name }) => name === 'postgres')!;
const hasRedis = isInstalled('redis-server');

let postgres: RunningDatabase;
beforeAll(async () => {
  if (!POSTGRES.missing) postgres = await POSTGRES.start();
});
afterAll(() => postgres?.stop());

const freshSqlite = async () => `sqlite://${await tempDir()}/data/store.sqlite`;
/** The servers of the tests require no password, so any one works. */
const withPassword = (url: string) => url.replace('tester@', 'tester:canary-password@');

/** A store of the present version; `more` ledgers make it large. */
async function filled(url: string, more = 0): Promise<void> {
  const stores = await openTestStores(url, { clock: { now: Date.now } });
  await put(stores.accounts, { id: 'discord:1', token: secret('canary-token-0001'), createdAt: 1 });
  // Keys that databases sort differently.
  for (const id of ['a', 'B', 'ä', 'Z', 'a.b', '😀', '\uffee']) {
    await put(stores.subscriptions, subscription(id));
    await putLedger(stores.ledgers, id, ledger([`id:${id}`]));
  }
  await stores.misc.set('mail:suppressed:1', { at: 1 }, 86_400_000);
  await stores.cache.set('feed:old', 'over', 1);
  await Promise.all(
    Array.from({ length: more }, (_, index) =>
      stores.cache.set(`feed:${index}`, 'x'.repeat(2000), 86_400_000),
    ),
  );
  await stores.lanes.rest([{ queue: 'polls', lane: 'a-lane', until: Date.now() + 3_600_000 }]);
  await stores.lanes.plan([
    { queue: 'polls', lane: 'a-lane', unit: 'next', at: Date.now() + 7_200_000 },
    { queue: 'polls', lane: 'another', unit: 'was running', at: 1 },
  ]);
  await stores.lanes.claim('polls', 1);
  await stores.close();
}

function start(from: string, to: string, more: readonly string[] = []) {
  const cwd = '/tmp';
  return startProgram(['store', 'copy', '--to', to, ...more], {
    cwd,
    env: { STORE_URL: from, DATA_DIR: '/nonexistent', SECRET_KEY: KEY },
  });
}

async function copy(from: string, to: string, more: readonly string[] = []) {
  const ran = start(from, to, more);
  const code = await ran.ended;
  const text = [...ran.stdout, ...ran.stderr].join('\n');
  expect(text).not.toContain('canary');
  return { code, text, out: ran.stdout.join('\n') };
}

/** Lanes that rest, and everything that is planned. */
async function dueIn(url: string): Promise<readonly unknown[]> {
  const backend = await openBackend({ url, dataDir: '/nonexistent', clock: { now: Date.now } });
  try {
    return [
      ...(await backend.lanes.rests()),
      ...(await backend.lanes.page(undefined, 1000)).toSorted((a, b) =>
        JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
      ),
    ];
  } finally {
    await backend.close();
  }
}

describe.skipIf(POSTGRES.missing)('between SQLite and PostgreSQL', () => {
  test('there and back: every row, plan and rest is the same, tokens can be read, and both sides are counted', async () => {
    const [first, middle, last] = [
      await freshSqlite(),
      withPassword(await postgres.freshUrl()),
      await freshSqlite(),
    ];
    await filled(first);
    const before = await rowsIn(first);
    const there = await copy(first, middle);
    expect([there.code, there.text]).toEqual([
      0,
      expect.stringContaining(`the same ${countOf(before) - 1} rows`),
    ]);
    expect(await rowsIn(middle)).toEqual(before);
    const back = await copy(middle, last, ['--json']);
    expect(back.code).toBe(0);
    const told = JSON.parse(back.out) as {
      rows: number;
      planned: number;
      tables: { table: string; source: number; target: number; written: number }[];
    };
    expect(told.rows).toBe(countOf(before) - 1);
    for (const { source, target, written } of told.tables)
      expect([target, written]).toEqual([source, source]);
    expect(await rowsIn(last)).toEqual(before);
    const due = await dueIn(first);
    // The rest, the two that were planned for it, and the request of all subscriptions.
    expect(due).toEqual([
      expect.objectContaining({ lane: 'a-lane' }),
      expect.objectContaining({ queue: 'poll' }),
      expect.objectContaining({ unit: 'next' }),
      expect.objectContaining({ unit: 'was running', at: 1 }),
    ]);
    expect(await dueIn(middle)).toEqual(due);
    expect(await dueIn(last)).toEqual(due);
    expect(told.planned).toBe(3);
    expect((await stat(last.slice('sqlite://'.length))).mode & 0o777).toBe(0o600);
    const stores = await openTestStores(last);
    expect((await stores.accounts.get('discord:1'))?.token?.reveal()).toBe('canary-token-0001');
    expect((await stores.subscriptions.byAccount('discord:1')).map(({ id }) => id)).toContain('ä');
  });

  test.each(['to PostgreSQL', 'to SQLite'])(
    'killed in the middle, %s: no service starts on half a store; another run continues and includes later changes of the source',
    async (way) => {
      const large = await freshSqlite();
      await filled(large, 12_000);
      const [from, to] =
        way === 'to SQLite'
          ? [await postgres.freshUrl(), await freshSqlite()]
          : [large, await postgres.freshUrl()];
      if (from !== large) expect((await copy(large, from)).code).toBe(0);
      // The target is read through a separate connection.
      const target = await openBackend({ url: to, dataDir: '/nonexistent', clock: { now: Date.now } });
      later(() => target.close());
      const running = start(from, to);
      await until(async () => (await target.kvTables.cache.page({}, 100)).length === 100, {
        what: 'the first rows',
      });
      running.kill('SIGKILL');
      expect(await running.ended).toBe('SIGKILL');

      const half = countOf(await rowsIn(to));
      await expect(openTestStores(to)).rejects.toMatchObject({
        name: 'UserError',
        exitCode: 2,
        message: /copy again/u,
      });
      const other = await freshSqlite();
      await filled(other);
      const refused = await copy(other, to);
      expect([refused.code, refused.text]).toEqual([1, expect.stringMatching(/another store/u)]);

      // The source was used for a while.
      const stores = await openTestStores(from, { clock: { now: Date.now } });
      await stores.cache.delete('feed:0');
      await stores.cache.set('feed:1', 'changed', 86_400_000);
      await stores.cache.set('feed:later', 'new', 86_400_000);
      await stores.close();
      const source = await rowsIn(from);
      const again = await copy(from, to, ['--json']);
      expect([again.code, again.text]).toEqual([0, again.text]);
      expect(await rowsIn(to)).toEqual(source);
      expect(await dueIn(to)).toEqual(await dueIn(from));
      const { tables } = JSON.parse(again.out) as { tables: { written: number }[] };
      const written = tables.reduce((sum, one) => sum + one.written, 0);
      expect(written).toBeGreaterThan(0);
      expect(written).toBeLessThanOrEqual(countOf(source) - half + 10);
    },
    120_000,
  );

  test('refuses a side that a service holds, and a target that contains anything', async () => {
    const [from, to] = [await freshSqlite(), await postgres.freshUrl()];
    await filled(from);
    const serving = await openTestStores(from, { clock: { now: Date.now } });
    await serving.lease.acquire();
    expect(await copy(from, to)).toMatchObject({
      code: 1,
      text: expect.stringMatching(/to be copied is in use by process \d+/u),
    });
    await serving.lease.release();

    const other = await openTestStores(to, { clock: { now: Date.now } });
    await other.lease.acquire();
    expect(await copy(from, to)).toMatchObject({
      code: 1,
      text: expect.stringMatching(/to copy to is in use by process \d+/u),
    });
    await other.lease.release();
    await put(other.subscriptions, subscription('theirs'));
    const before = await rowsIn(to);
    expect(await copy(from, to)).toMatchObject({ code: 1, text: expect.stringMatching(/not empty/u) });
    expect(await rowsIn(to)).toEqual(before);
  });

  test('refuses nonsensical addresses with exit code 2, and does not repeat their passwords', async () => {
    const from = await freshSqlite();
    expect(await copy(from, await freshSqlite())).toMatchObject({
      code: 2,
      text: expect.stringMatching(/no store at STORE_URL/u),
    });
    await filled(from);
    expect(await copy(from, from)).toMatchObject({ code: 2, text: expect.stringMatching(/itself/u) });
    for (const to of ['mysql://me:canary@db/x', 'redis://:canary@db', 'canary', 'sqlite://'])
      expect(await copy(from, to)).toMatchObject({ code: 2, text: expect.stringMatching(/^--to: wanted/mu) });
    expect(await copy(from, 'postgres://me:canary@127.0.0.1:1/x')).toMatchObject({
      code: 1,
      text: expect.stringMatching(/--to: .*can't be reached/u),
    });
  });
});

describe.skipIf(POSTGRES.missing)('a service that continues with the copy', () => {
  test('polls, delivers what waited, and announces nothing again', async () => {
    const { dir, remove } = await workFolder();
    later(remove);
    let jobs = [jobOf(1, 'rust'), jobOf(2, 'golang')];
    const board = await startBoard({ jobs, tokens: [{ token: TOKENS.operator }] });
    later(() => board.close());
    const post = async (job: Job) => {
      jobs = [job, ...jobs];
      await board.setJobs(jobs);
      return job.title as string;
    };
    const receiver = await startReceiver();
    later(() => receiver.close());
    const [first, second, third] = [await freshSqlite(), await postgres.freshUrl(), await freshSqlite()];
    const env = (store: string) => ({
      JOBS_API_URL: board.url,
      SECRET_KEY: KEY,
      STORE_URL: store,
      MIN_POLL_SECONDS: '1',
      API_SPACING_MS: '5',
      HTTP_PORT: '0',
      BACKUP_KEEP: '0',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    });
    async function command(args: readonly string[], input: string): Promise<void> {
      const ran = startProgram(args, { cwd: dir, env: env(first), input });
      expect([await ran.ended, ran.stderr]).toEqual([0, expect.anything()]);
    }
    await command(['token', 'set', '--account', 'operator', '--no-check'], `${TOKENS.operator}\n`);
    await command(
      ['subscriptions', 'import'],
      `
- { id: shown, filter: { tags: [rust] }, schedule: "* * * * * *", destinations: [{ sink: console, cadence: immediate }] }
- { id: hook, filter: { tags: [golang] }, schedule: "* * * * * *", destinations: [{ sink: webhook, target: "${receiver.url}", cadence: immediate }] }
`,
    );
    const printed = (program: Program) =>
      program
        .json()
        .filter(({ event }) => event === 'edition')
        .flatMap(({ postings }) => (postings as { title: string }[]).map(({ title }) => title));
    function run(store: string): Program {
      const program = startProgram(['run'], { cwd: dir, env: env(store) });
      later(async () => {
        program.kill('SIGKILL');
        await program.ended;
      });
      return program;
    }
    const delivered = () =>
      receiver.received.flatMap(({ body }) => body.data.postings.map((one) => one.title));

    const before = run(first);
    await before.until(
      'baselines',
      () => before.json().filter((line) => line.baseline === true).length === 2,
    );
    const seen = await post(jobOf(3, 'rust'));
    await before.until('the first edition', () => printed(before).length === 1);
    receiver.answers.push(503);
    const owed = await post(jobOf(4, 'golang'));
    await until(() => receiver.answers.length === 0, { what: 'an attempt' });
    before.kill('SIGKILL');
    await before.ended;
    const meanwhile = [await post(jobOf(5, 'rust')), await post(jobOf(6, 'golang'))] as const;
    expect((await copy(first, second)).code).toBe(0);

    const there = run(second);
    await there.until(
      'what came meanwhile',
      () => printed(there).length > 0 && delivered().length > 1,
      60_000,
    );
    there.kill();
    expect(await there.ended).toBe(0);
    expect((await copy(second, third)).code).toBe(0);
    const back = run(third);
    const last = await post(jobOf(7, 'rust'));
    await back.until('what came last', () => printed(back).length > 0);
    back.kill();
    expect(await back.ended).toBe(0);
    expect([before, there, back].map(printed)).toEqual([[seen], [meanwhile[0]], [last]]);
    expect(delivered().toSorted()).toEqual([owed, meanwhile[1]].toSorted());
  });
});

describe.skipIf(POSTGRES.missing)('from version 0.1', () => {
  async function checkTokens(url: string, tokens: readonly string[]): Promise<void> {
    const stores = await openTestStores(url, { keys: keysOf(KEY) });
    const found: string[] = [];
    for await (const { id } of stores.accounts.list())
      found.push((await stores.accounts.get(id))?.token?.reveal() ?? '');
    expect(found.sort()).toEqual([...tokens].sort());
  }

  test('in SQLite: the copy is migrated, and its source does not change', async () => {
    const dir = await tempDir();
    const from = await putSqlite(dir);
    const to = await postgres.freshUrl();
    const ran = await copy(from, to);
    expect([ran.code, ran.text]).toEqual([0, expect.stringMatching(/version 1 to \d/u)]);
    expect((await rowsIn(from)).meta.schema).toBe('{"value":{"version":1}}');
    await checkTokens(to, Object.values(TOKENS));
  });

  test.skipIf(!hasRedis)(
    'in Redis, to either database, with the same result; the service refuses Redis',
    async () => {
      const redis = await startRedis();
      later(() => redis.stop());
      await putRedis(redis.url);
      const [one, other] = [await freshSqlite(), await postgres.freshUrl()];
      for (const to of [one, other])
        expect(await copy(redis.url, to)).toMatchObject({
          code: 0,
          text: expect.stringMatching(/version 1 to \d/u),
        });
      await checkTokens(one, Object.values(TOKENS));
      const strip = async (url: string) =>
        JSON.parse(JSON.stringify(await rowsIn(url)).replaceAll(/\\"expires\\":\d+/gu, '\\"expires\\":0'));
      expect(await strip(one)).toEqual(await strip(other));

      const refused = startProgram(['doctor'], { cwd: '/tmp', env: { STORE_URL: redis.url } });
      await refused.ended;
      expect([...refused.stdout, ...refused.stderr].join('\n')).toMatch(
        /Redis is no longer a store.*store copy --to/u,
      );
      const started = startProgram(['run'], {
        cwd: '/tmp',
        env: { STORE_URL: redis.url, JOBS_API_URL: 'http://127.0.0.1:1' },
      });
      expect(await started.ended).toBe(2);
    },
  );
});
