// An upgrade that is killed continues at the next start; two processes that start together upgrade once; a store of a
// later version is refused; and what version 0.1 had seen is never announced, however much it was and however its
// last poll ended.
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { GAP_WATCH_MS } from '../../src/domain/ledger.js';
import { seenBound } from '../../src/domain/seen.js';
import type { Plan } from '../../src/ports/lanes.js';
import type { Backend } from '../../src/store/backend.js';
import { openBackend } from '../../src/store/index.js';
import { knownVersion, settleSchema } from '../../src/store/schema.js';
import { withFile } from '../../src/store/sqlite/files.js';
import { startBoard } from '../helpers/board.js';
import { later } from '../helpers/later.js';
import { type Program, startProgram } from '../helpers/process.js';
import { until } from '../helpers/until.js';
import { DATABASES, type RunningDatabase } from '../store/databases.js';
import { tempDir, testLog } from '../store/fixtures.js';
import { putPostgres, putSqlite } from './released.js';
import { type Rows, rowsIn } from './rows.js';
import { jobOf, KEY, storyOf, TOKENS } from './story.js';

vi.setConfig({ testTimeout: 240_000 });

const POSTGRES = DATABASES.find(({ name }) => name === 'postgres')!;
let postgres: RunningDatabase;
beforeAll(async () => {
  if (!POSTGRES.missing) postgres = await POSTGRES.start();
});
afterAll(() => postgres?.stop());

const fileOf = (url: string) => url.slice('sqlite://'.length);
const clock = { now: () => storyOf('sqlite').endedAt + 60_000 };
const open = (url: string) => openBackend({ url, dataDir: '/nonexistent', clock });
const backupsOf = async (dir: string) => (await readdir(dir)).filter((name) => name.endsWith('.bak'));

async function upgrade(backend: Backend): Promise<void> {
  await settleSchema(backend, { log: testLog(), clock, migrate: true });
}

/** Everything that an upgrade writes, except its own times. */
async function outcomeOf(url: string): Promise<unknown> {
  const backend = await open(url);
  try {
    return { rows: await rowsIn(url), planned: await backend.lanes.page(undefined, 1000) };
  } finally {
    await backend.close();
  }
}

/** A process that dies right before a commit or the copy: it writes nothing more. */
function dyingAt(backend: Backend, steps: number): { backend: Backend; done: () => number } {
  let done = 0;
  function step(): void {
    if (done >= steps) throw new Error('killed');
    done++;
  }
  const { copies } = backend;
  return {
    done: () => done,
    backend: {
      ...backend,
      async commit(one) {
        step();
        return backend.commit(one);
      },
      ...(copies
        ? {
            copies: {
              has: copies.has,
              async make(name, without) {
                step();
                return copies.make(name, without);
              },
            },
          }
        : {}),
    },
  };
}

describe('an upgrade that ends before any of its writes', () => {
  test('in SQLite: continues to the same store, with the one copy that was made first', async () => {
    const original = await tempDir();
    const source = await putSqlite(original);
    async function fresh(): Promise<{ dir: string; url: string }> {
      const dir = await tempDir();
      await copyFile(fileOf(source), join(dir, 'store.sqlite'));
      return { dir, url: `sqlite://${join(dir, 'store.sqlite')}` };
    }
    const whole = await fresh();
    const first = dyingAt(await open(whole.url), Number.POSITIVE_INFINITY);
    await upgrade(first.backend);
    await first.backend.close();
    const wanted = await outcomeOf(whole.url);
    const planned = (wanted as { planned: readonly Plan[] }).planned;
    // Eleven subscriptions that are not paused, and seven destinations for which something waits or that are parked.
    expect(planned.filter(({ queue }) => queue === 'poll')).toHaveLength(11);
    expect(planned.filter(({ queue }) => queue !== 'poll').length).toBeGreaterThanOrEqual(7);
    const before = await rowsIn(`sqlite://${join(whole.dir, 'store.sqlite.v1.bak')}`);
    expect(before.meta.schema).toBe('{"value":{"version":1}}');

    expect(first.done()).toBeGreaterThan(10);
    for (let steps = 0; steps < first.done(); steps++) {
      const { dir, url } = await fresh();
      const dying = dyingAt(await open(url), steps);
      await expect(upgrade(dying.backend), `at step ${steps}`).rejects.toThrow('killed');
      await dying.backend.close();
      const again = await open(url);
      await upgrade(again);
      await again.close();
      expect(await outcomeOf(url), `at step ${steps}`).toEqual(wanted);
      expect(await backupsOf(dir)).toEqual(['store.sqlite.v1.bak']);
      expect(await rowsIn(`sqlite://${join(dir, 'store.sqlite.v1.bak')}`)).toEqual(before);
    }
  });

  test.skipIf(POSTGRES.missing)('in PostgreSQL: the same', async () => {
    async function fresh(): Promise<string> {
      const url = await postgres.freshUrl();
      await putPostgres(url);
      return url;
    }
    const whole = await fresh();
    const first = dyingAt(await open(whole), Number.POSITIVE_INFINITY);
    await upgrade(first.backend);
    await first.backend.close();
    const wanted = await outcomeOf(whole);
    const last = first.done() - 1;
    for (const steps of [0, 1, 2, 5, 12, Math.floor(last / 2), last - 3, last]) {
      const url = await fresh();
      const dying = dyingAt(await open(url), steps);
      await expect(upgrade(dying.backend), `at step ${steps}`).rejects.toThrow('killed');
      await dying.backend.close();
      const again = await open(url);
      await upgrade(again);
      expect(await again.copies?.has('v1.bak')).toBe(true);
      expect(await again.copies?.has('v1-2.bak')).toBe(false);
      await again.close();
      expect(await outcomeOf(url), `at step ${steps}`).toEqual(wanted);
    }
  });
});

test('keeps a watched gap, and when a request was last answered', async () => {
  const url = await putSqlite(await tempDir());
  const until = clock.now() + 3_600_000;
  const answeredAt = await withFile(fileOf(url), async (query) => {
    const state = async (id: string) =>
      JSON.parse(String((await query('SELECT value FROM polls WHERE key = $1', [id]))[0]?.value));
    const hook = await state('hook');
    hook.value.watchUntil = until;
    await query(`UPDATE polls SET value = $1 WHERE key = 'hook'`, [JSON.stringify(hook)]);
    const over = await state('away');
    over.value.watchUntil = clock.now() - 1;
    await query(`UPDATE polls SET value = $1 WHERE key = 'away'`, [JSON.stringify(over)]);
    return { hook: hook.value.polledAt, away: over.value.polledAt };
  });
  const backend = await open(url);
  await upgrade(backend);
  await backend.close();
  const { ledgers } = await rowsIn(url);
  const units = await withFile(fileOf(url), (query) => query('SELECT id, state FROM unit'));
  const stored = (text = '{}') => JSON.parse(text).value;
  const request = (tag: string) => JSON.parse(String(units.find(({ id }) => id === `r|${tag}||`)?.state));
  expect(request('rust')).toEqual({ answeredAt: answeredAt.hook, watchUntil: until });
  expect(request('golang')).toEqual({ answeredAt: answeredAt.away });
  const { hook, away } = ledgers;
  expect([stored(hook).toldGaps, stored(away).toldGaps]).toEqual([{ 'rust||': until }, {}]);
  expect([stored(hook).matchedAt, stored(away).matchedAt]).toEqual([expect.any(Number), expect.any(Number)]);
  expect(stored(ledgers.hook).gaps).toEqual({ 'rust||': until - GAP_WATCH_MS });
  expect(stored(ledgers.away).gaps).toEqual({});
});

test('keeps what ends a standstill, under its present name', async () => {
  const url = await putSqlite(await tempDir());
  const textsOf = ({ ledgers, history }: Rows) =>
    [...Object.values(ledgers), ...Object.values(history)].join('\n');
  const standstills = (text: string, name: string) => text.split(`"${name}":"addressBounces"`).length - 1;
  const before = textsOf(await rowsIn(url));
  expect(standstills(before, 'mend')).toBeGreaterThan(1);
  const backend = await open(url);
  await upgrade(backend);
  await backend.close();
  const after = textsOf(await rowsIn(url));
  expect(standstills(after, 'fix')).toBe(standstills(before, 'mend'));
  expect(after).not.toContain('"mend":');
});

describe('a downgrade as described in docs/operating.md', () => {
  test('SQLite: the copy is restored; a later upgrade makes another copy and leads to the same store', async () => {
    const dir = await tempDir();
    const url = await putSqlite(dir);
    const before = await rowsIn(url);
    const backend = await open(url);
    await upgrade(backend);
    await backend.close();
    const wanted = await outcomeOf(url);
    const env = { STORE_URL: url, DATA_DIR: dir, SECRET_KEY: KEY };
    const ran = startProgram(['restore', `${fileOf(url)}.v1.bak`], { cwd: dir, env });
    expect([await ran.ended, ran.stderr]).toEqual([0, expect.anything()]);
    expect(await rowsIn(url)).toEqual(before);
    const again = await open(url);
    await upgrade(again);
    await again.close();
    expect(await outcomeOf(url)).toEqual(wanted);
    expect((await backupsOf(dir)).toSorted()).toEqual(['store.sqlite.v1-2.bak', 'store.sqlite.v1.bak']);
  });

  test.skipIf(POSTGRES.missing)('PostgreSQL: the same by its statement', async () => {
    const docs = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    const statement = /^```sql\n(DO .*?)^```$/msu.exec(docs)?.[1] ?? '';
    const url = await postgres.freshUrl();
    await putPostgres(url);
    const before = await rowsIn(url);
    const backend = await open(url);
    await upgrade(backend);
    await backend.close();
    const wanted = await outcomeOf(url);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
    expect(await rowsIn(url)).toEqual(before);
    const again = await open(url);
    await upgrade(again);
    expect(await again.copies?.has('v1-2.bak')).toBe(true);
    await again.close();
    expect(await outcomeOf(url)).toEqual(wanted);
  });
});

describe('the program', () => {
  /** `more` overrides the settings of a service on a store of version 0.1; without an API its polls fail. */
  function run(cwd: string, store: string, more: Record<string, string> = {}): Program {
    const env = {
      JOBS_API_URL: 'http://127.0.0.1:1',
      SECRET_KEY: KEY,
      STORE_URL: store,
      MIN_POLL_SECONDS: '1',
      API_SPACING_MS: '5',
      HTTP_PORT: '0',
      BACKUP_KEEP: '0',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ...more,
    };
    const program = startProgram(['run'], { cwd, env });
    later(async () => {
      program.kill('SIGKILL');
      await program.ended;
    });
    return program;
  }
  const isUp = (program: Program) => program.json().some(({ msg }) => msg === 'web pages are up');
  const upgradesIn = (program: Program) =>
    program.json().filter(({ msg }) => msg === 'store brought up to date');

  /** A store of version 0.1 that takes a while to migrate. */
  async function large(): Promise<{ dir: string; url: string }> {
    const dir = await tempDir();
    const url = await putSqlite(dir);
    await withFile(fileOf(url), async (query) => {
      const text = async (table: string) =>
        String((await query(`SELECT value FROM ${table} WHERE key = 'hook'`))[0]?.value);
      const [subscription, ledger] = [await text('subscriptions'), JSON.parse(await text('ledgers'))];
      const one = { at: clock.now(), fate: 'filtered', by: 'excluded' };
      ledger.value.seen = {
        ...ledger.value.seen,
        ...Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`id:9${index}`, one])),
      };
      await query('BEGIN');
      for (let index = 0; index < 60; index++) {
        const id = `copy-${index}`;
        const own = JSON.stringify({ value: { ...JSON.parse(subscription).value, id } });
        await query('INSERT INTO subscriptions (key, value) VALUES ($1, $2)', [id, own]);
        await query('INSERT INTO ledgers (key, value) VALUES ($1, $2)', [id, JSON.stringify(ledger)]);
      }
      await query('COMMIT');
    });
    return { dir, url };
  }

  test('continues after several kills during the upgrade; the copy is the store as it was', async () => {
    const { dir, url } = await large();
    const other = await tempDir();
    const wholeUrl = `sqlite://${join(other, 'store.sqlite')}`;
    await copyFile(fileOf(url), fileOf(wholeUrl));
    const whole = await open(wholeUrl);
    await upgrade(whole);
    await whole.close();
    const wanted = await rowsIn(wholeUrl);

    const count = (sql: string) =>
      withFile(fileOf(url), async (query) => Number((await query(sql))[0]?.n)).catch(() => 0);
    const moments: readonly (() => Promise<boolean>)[] = [
      async () => (await readdir(dir)).some((name) => name.startsWith('store.sqlite.v1.bak')),
      async () => (await count('SELECT count(*) AS n FROM seen')) > 0,
      async () => (await count('SELECT count(*) AS n FROM seen')) > 9000,
      async () => (await count(`SELECT count(*) AS n FROM lookups WHERE key LIKE 'request:%'`)) > 0,
      async () => (await count('SELECT count(*) AS n FROM unit')) > 0,
    ];
    for (const [index, isReached] of moments.entries()) {
      const program = run(dir, url);
      // One that finishes before it is checked is killed a little later, which must do no harm either.
      await until(async () => isUp(program) || (await isReached()), {
        what: `moment ${index}`,
        timeoutMs: 60_000,
      });
      program.kill('SIGKILL');
      await program.ended;
    }
    const program = run(dir, url);
    await program.until('the service', () => isUp(program), 60_000);
    program.kill();
    expect(await program.ended).toBe(0);
    expect(await backupsOf(dir)).toEqual(['store.sqlite.v1.bak']);
    const copy = await rowsIn(`sqlite://${join(dir, 'store.sqlite.v1.bak')}`);
    expect(copy).toEqual(await rowsIn(`sqlite://${join(other, 'store.sqlite.v1.bak')}`));
    const rows = await rowsIn(url);
    for (const table of ['seen', 'accounts', 'subscriptions', 'marks'] as const)
      expect(rows[table]).toEqual(wanted[table]);
    expect(rows.meta.migration).toBeUndefined();
  });

  test.each(['SQLite', 'PostgreSQL'])(
    '%s: of two that start together, one upgrades and serves',
    async (kind) => {
      if (kind === 'PostgreSQL' && POSTGRES.missing) return;
      const dir = await tempDir();
      const url = kind === 'SQLite' ? await putSqlite(dir) : await postgres.freshUrl();
      if (kind === 'PostgreSQL') await putPostgres(url);
      const programs = [run(dir, url), run(dir, url)];
      const refused = await Promise.race(programs.map(async (one) => [one, await one.ended] as const));
      expect(refused[1]).toBe(1);
      expect([...refused[0].stdout, ...refused[0].stderr].join('\n')).toMatch(
        /in use|uses it|another process/iu,
      );
      const other = programs.find((one) => one !== refused[0]) as Program;
      await other.until('the service', () => isUp(other), 60_000);
      expect(programs.flatMap(upgradesIn).map(({ schema }) => schema)).toEqual(
        Array.from({ length: knownVersion() - 1 }, (_, index) => index + 2),
      );
      expect(
        programs.flatMap((one) => one.json()).filter(({ msg }) => String(msg).startsWith('store copied')),
      ).toHaveLength(1);
      other.kill();
      expect(await other.ended).toBe(0);
      if (kind === 'SQLite') expect(await backupsOf(dir)).toEqual(['store.sqlite.v1.bak']);
    },
  );

  test('refuses a store of a later version with a sentence, and does not change it', async () => {
    const dir = await tempDir();
    const url = await putSqlite(dir);
    const schema = { value: { version: knownVersion() + 1 } };
    await withFile(fileOf(url), (query) =>
      query(`UPDATE meta SET value = $1 WHERE key = 'schema'`, [JSON.stringify(schema)]),
    );
    const before = await rowsIn(url);
    const program = run(dir, url);
    expect(await program.ended).toBe(1);
    expect([...program.stdout, ...program.stderr].join('\n')).toMatch(
      /written by a later version of this program\. Install that version/u,
    );
    expect(await rowsIn(url)).toEqual(before);
    expect(await backupsOf(dir)).toEqual([]);
  });

  test.each(['SQLite', 'PostgreSQL'])(
    '%s: a command that only reads says that the service has to be started once, and changes nothing',
    async (kind) => {
      if (kind === 'PostgreSQL' && POSTGRES.missing) return;
      const dir = await tempDir();
      const url = kind === 'SQLite' ? await putSqlite(dir) : await postgres.freshUrl();
      if (kind === 'PostgreSQL') await putPostgres(url);
      const env = { STORE_URL: url, DATA_DIR: dir, SECRET_KEY: KEY };
      const ran = startProgram(['subscriptions', 'list'], { cwd: dir, env });
      expect([await ran.ended, ran.stderr.join('\n')]).toEqual([
        1,
        expect.stringMatching(/The store is of version 1, .* Start `jobcrier run` once/u),
      ]);
      expect((await rowsIn(url)).meta.schema).toBe('{"value":{"version":1}}');
      expect(await backupsOf(dir)).toEqual([]);
    },
  );

  test('keeps seen postings as seen, however many and also if the last polls failed; new ones are announced', async () => {
    // As much as is kept for one request.
    const many = seenBound(1, 100) - 10;
    const dir = await tempDir();
    const url = await putSqlite(dir);
    const { jobs } = storyOf('sqlite');
    const board = await startBoard({ jobs, tokens: Object.values(TOKENS).map((token) => ({ token })) });
    later(() => board.close());
    const former = Array.from({ length: many }, (_, index) => jobOf(1_000_000 + index, 'rust'));
    await withFile(fileOf(url), async (query) => {
      async function change(table: string, id: string, edit: (value: Record<string, unknown>) => object) {
        const [row] = await query(`SELECT value FROM ${table} WHERE key = $1`, [id]);
        const value = edit(JSON.parse(String(row?.value)).value);
        await query(`UPDATE ${table} SET value = $1 WHERE key = $2`, [JSON.stringify({ value }), id]);
      }
      await change('ledgers', 'hook', (ledger) => ({
        ...ledger,
        seen: {
          ...Object.fromEntries(
            former.map(({ id }, index) => [`id:${id}`, { at: 1_795_000_000_000 + index, fate: 'matched' }]),
          ),
          ...(ledger.seen as object),
        },
      }));
      await change('polls', 'hook', (state) => ({
        ...state,
        failures: 7,
        outcome: 'unavailable',
        validators: {},
      }));
      await query(`DELETE FROM subscriptions WHERE key NOT IN ('hook', 'paused')`);
    });
    // The feed shows a hundred: the newest, and old ones that are on top again.
    const [fresh, ...rest] = [
      jobOf(7_000_001, 'rust'),
      ...former.slice(0, 40),
      ...former.slice(-40),
      ...jobs,
    ];
    await board.setJobs([...former.slice(40, 50), fresh, ...rest]);
    const program = run(dir, url, { JOBS_API_URL: board.url });
    const announced = () =>
      program
        .json()
        .filter(({ event }) => event === 'edition')
        .flatMap(({ postings }) => (postings as { title: string }[]).map(({ title }) => title));
    await program.until('what is new', () => announced().length > 0, 60_000);
    const next = jobOf(7_000_002, 'rust');
    await board.setJobs([next, fresh, ...former.slice(100, 150), ...rest]);
    await program.until('what is new later', () => announced().length > 1, 60_000);
    expect(announced()).toEqual([fresh.title, next.title]);
    program.kill();
    expect(await program.ended).toBe(0);
  });
});
