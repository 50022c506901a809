// Real failures of PostgreSQL: connections that fall silent or break at the worst moment, servers that stop
// answering, a primary that dies and a standby that replaces it.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Write } from '../../src/store/backend.js';
import { later } from '../helpers/later.js';
import { until } from '../helpers/until.js';
import { POSTGRES_MISSING } from './databases.js';
import { openTestStores, tempDir } from './fixtures.js';
import { missingPrograms, type PostgresServer, startPostgresServer } from './postgres-servers.js';
import { startTcpProxy } from './tcp-proxy.js';

/** Short limits, so that timeouts come within seconds. */
const SOON = 'statement_timeout=1000&connect_timeout=1';

/** What a commit does to a row, and what the row is before. */
const NEW_OR_THERE = [
  ['created', undefined],
  ['changed', { value: 'before' }],
] as const;

const name = POSTGRES_MISSING ? `PostgreSQL (skipped: ${POSTGRES_MISSING})` : 'PostgreSQL';
describe.skipIf(POSTGRES_MISSING !== undefined)(name, () => {
  let server: PostgresServer;
  let count = 0;
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(() => server?.stop());

  async function database(): Promise<string> {
    const fresh = `real${count++}`;
    await server.sql(`CREATE DATABASE ${fresh}`);
    return fresh;
  }

  async function behindProxy(limits = SOON) {
    const proxy = await startTcpProxy(server.port);
    later(() => proxy.close());
    const at = await database();
    const url = `postgres://tester@127.0.0.1:${proxy.port}/${at}?sslmode=disable&${limits}`;
    return { proxy, at, stores: await openTestStores(url) };
  }

  /** Another client of a database, in a transaction. */
  async function transaction(at: string): Promise<(sql: string) => Promise<unknown>> {
    const client = new pg.Client({ connectionString: server.address(at) });
    await client.connect();
    later(() => client.end());
    await client.query('BEGIN');
    return (sql) => client.query(sql);
  }

  /** Resolves when so many transactions of a database wait for a lock. */
  const waiting = (at: string, wanted: number) =>
    until(
      async () => {
        const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = '${at}' AND wait_event_type = 'Lock'`;
        return (await server.sql(waits)).length === wanted;
      },
      { what: `${wanted} transactions to wait` },
    );

  test('processes that open an empty database at the same moment all get their tables', {
    tags: 'long',
  }, async () => {
    for (let round = 0; round < 5; round++) {
      const url = `${server.address(await database())}?connection_limit=2`;
      const opened = await Promise.allSettled(Array.from({ length: 8 }, () => openTestStores(url)));
      expect(opened.filter(({ status }) => status === 'rejected')).toEqual([]);
      for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
    }
  });

  test('all requests of a process use one pool of the configured size, under one name', {
    tags: 'long',
  }, async () => {
    const at = await database();
    const stores = await openTestStores(`${server.address(at)}?connection_limit=3&application_name=crier`);
    const most: number[] = [];
    let over = false;
    const watch = (async () => {
      while (!over)
        most.push(
          ...(
            await server.sql(
              `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = '${at}' AND application_name = 'crier'`,
            )
          ).map(({ n }) => Number(n)),
        );
    })();
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        Promise.all([
          stores.marks.update(
            'n',
            (before) => ({ n: ((before as { n: number } | undefined)?.n ?? 0) + 1 }) as never,
          ),
          stores.backend.kvTables.cache.get(`k${index}`),
          stores.lanes.plan([{ queue: 'q', lane: `l${index % 7}`, unit: `u${index}`, at: 1 }]),
          stores.lanes.claim('q', 3),
          stores.lease.holder(),
        ]),
      ),
    );
    over = true;
    await watch;
    expect(await stores.marks.get('n')).toEqual({ n: 60 });
    expect(Math.max(...most)).toBeLessThanOrEqual(3);
    const [others] = await server.sql(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = '${at}' AND application_name <> 'crier'`,
    );
    expect(others).toEqual({ n: 0 });
  });

  test('closes a connection that falls silent, and continues on a new one', { tags: 'long' }, async () => {
    const { proxy, stores } = await behindProxy();
    await stores.marks.set('a', { n: 1 } as never);
    const made = proxy.made;
    proxy.silence();
    // Each kind of use: a read, a commit of one statement, a transaction, a lane.
    await Promise.all([
      expect(stores.marks.get('a')).resolves.toEqual({ n: 1 }),
      stores.marks.set('b', { n: 2 } as never),
      stores.backend.commit({
        writes: [
          { table: 'marks', key: 'c', version: 0, entry: { value: 3 } },
          { table: 'misc', key: 'c', version: 0, entry: { value: 3 } },
        ],
      }),
      stores.lanes.plan([{ queue: 'q', lane: 'l', unit: 'u', at: 1 }]),
    ]);
    expect(proxy.made).toBeGreaterThan(made);
    expect(await stores.marks.get('b')).toEqual({ n: 2 });
    expect(await stores.marks.get('c')).toBe(3);
    expect(await stores.lanes.claim('q', 5)).toHaveLength(1);
  });

  test.each(['before', 'after'] as const)(
    'detects whether a commit was written when its connection breaks just %s, and counts it once',
    async (when) => {
      const { proxy, stores } = await behindProxy();
      const { commit, kvTables } = stores.backend;
      const writes = (value: number, version: number) =>
        commit({
          writes: [
            { table: 'accounts', key: 'a', version, entry: { value } },
            { table: 'marks', key: `m${value}`, version: 0, entry: { value } },
          ],
          plans: [{ queue: 'q', lane: 'l', unit: `${value}`, at: 1 }],
        });
      // New rows first, then a changed one.
      let broken = proxy.breakAt('COMMIT', when);
      expect(await writes(1, 0)).toBe(true);
      await broken;
      broken = proxy.breakAt('COMMIT', when);
      expect(await writes(2, (await kvTables.accounts.read('a')).version)).toBe(true);
      await broken;
      expect((await kvTables.accounts.get('a'))?.value).toBe(2);
      expect((await kvTables.marks.get('m1'))?.value).toBe(1);
      expect((await kvTables.marks.get('m2'))?.value).toBe(2);
      expect(await stores.lanes.units('q')).toHaveLength(2);
      // A single statement is a transaction.
      const add = () =>
        stores.misc.update('n', (before) => ({ n: ((before as { n: number } | undefined)?.n ?? 0) + 1 }));
      for (const text of ['INSERT INTO jobcrier_misc', 'UPDATE jobcrier_misc', 'UPDATE jobcrier_misc']) {
        broken = proxy.breakAt(text, when);
        await add();
        await broken;
      }
      expect(await stores.misc.get('n')).toEqual({ n: 3 });
      const { version } = await kvTables.misc.read('n');
      broken = proxy.breakAt('DELETE FROM jobcrier_misc', when);
      expect(await kvTables.misc.replace('n', version, null)).toBe(true);
      await broken;
      expect(await kvTables.misc.get('n')).toBeUndefined();
    },
  );

  test('reports a commit as unsure after another one has overwritten it, and neither reverts nor repeats it', async () => {
    const { proxy, stores, at } = await behindProxy();
    const { kvTables } = stores.backend;
    const other = await openTestStores(server.address(at));
    await kvTables.accounts.set('a', { value: 'before' });
    const { version } = await kvTables.accounts.read('a');
    const broken = proxy.breakAt('UPDATE jobcrier_accounts', 'after');
    const accept = proxy.refuse();
    const mine = expect(kvTables.accounts.replace('a', version, { value: 'mine' })).rejects.toMatchObject({
      name: 'StoreError',
      fault: 'unsure',
      message: expect.stringMatching(
        /^The connection to the store broke while it was writing, so it is not known/u,
      ),
    });
    await broken;
    await other.backend.kvTables.accounts.set('a', { value: 'covered' });
    accept();
    await mine;
    expect((await kvTables.accounts.get('a'))?.value).toBe('covered');
  });

  test.each(['before', 'after'] as const)(
    'writes what needs no version when its connection breaks just %s that',
    async (when) => {
      const { proxy, stores } = await behindProxy();
      const { commit, kvTables } = stores.backend;
      for (const key of ['there', 'gone']) await kvTables.misc.set(key, { value: 'before' });
      const broken = proxy.breakAt('COMMIT', when);
      const writes: Write[] = [
        { table: 'misc', key: 'there', entry: { value: 'not over it' }, ifAbsent: true },
        { table: 'misc', key: 'absent', entry: { value: 'new' }, ifAbsent: true },
        { table: 'misc', key: 'gone', entry: null },
      ];
      expect(await commit({ writes })).toBe(true);
      await broken;
      for (const value of ['put', 'put again']) {
        const again = proxy.breakAt('COMMIT', when);
        expect(await commit({ writes: [{ table: 'misc', key: 'put', entry: { value } }] })).toBe(true);
        await again;
      }
      const found = await kvTables.misc.readMany(['there', 'absent', 'gone', 'put']);
      expect(Object.fromEntries([...found].map(([key, { entry }]) => [key, entry?.value]))).toEqual({
        there: 'before',
        absent: 'new',
        put: 'put again',
      });
    },
  );

  test('detects by a row that it writes, and not by one that stays, whether a commit was written', async () => {
    const { proxy, stores } = await behindProxy();
    const { commit, kvTables } = stores.backend;
    for (const key of ['checked', 'removed', 'there']) await kvTables.misc.set(key, { value: 1 });
    const versionOf = async (key: string) => (await kvTables.misc.read(key)).version;
    const checked: Write = { table: 'misc', key: 'checked', version: await versionOf('checked') };
    const stays: Write = { table: 'misc', key: 'there', entry: { value: 2 }, ifAbsent: true };
    const free: Write = { table: 'misc', key: 'free', entry: { value: 1 } };
    const absent: Write = { table: 'misc', key: 'never', version: 0, entry: null };
    for (const [what, key] of [
      [{ entry: null, version: await versionOf('removed') }, 'removed'],
      [{ entry: { value: 1 }, version: 0 }, 'added'],
      [{ entry: { value: 1 } }, 'put'],
    ] as const) {
      const broken = proxy.breakAt('COMMIT', 'after');
      const writes: Write[] = [
        checked,
        stays,
        absent,
        ...(key === 'put' ? [] : [free]),
        { table: 'misc', key, ...what },
      ];
      expect([key, await commit({ writes })]).toEqual([key, true]);
      await broken;
    }
    expect(await kvTables.misc.get('there')).toEqual({ value: 1 });
    expect(await kvTables.misc.get('removed')).toBeUndefined();
    expect(await kvTables.misc.get('added')).toEqual({ value: 1 });
  });

  test.each([
    ['created', 'INSERT INTO jobcrier_misc', undefined, { value: 'mine' }],
    ['deleted', 'DELETE FROM jobcrier_misc', { value: 'before' }, null],
  ] as const)(
    'reports it as unsure when a row that was to be %s is another one meanwhile',
    async (_, text, before, entry) => {
      const { proxy, stores, at } = await behindProxy();
      const { kvTables } = stores.backend;
      const other = (await openTestStores(server.address(at))).backend.kvTables.misc;
      if (before) await other.set('a', before);
      const { version } = await other.read('a');
      const broken = proxy.breakAt(text, 'after');
      const accept = proxy.refuse();
      const mine = expect(kvTables.misc.replace('a', version, entry)).rejects.toMatchObject({
        fault: 'unsure',
      });
      await broken;
      await other.set('a', { value: 'theirs' });
      accept();
      await mine;
      expect(await other.get('a')).toEqual({ value: 'theirs' });
    },
  );

  test.each(NEW_OR_THERE)(
    'counts a commit once whose transaction is still running when its connection breaks, by a row that it %s',
    async (_, before) => {
      const { proxy, stores, at } = await behindProxy('connect_timeout=1');
      const { commit, kvTables } = stores.backend;
      if (before) await kvTables.misc.set('a', before);
      const { version } = await kvTables.misc.read('a');
      const held = proxy.holdAt('COMMIT');
      const written = commit({
        writes: [
          { table: 'misc', key: 'a', version, entry: { value: 'mine' } },
          { table: 'misc', key: 'b', entry: { value: 'mine' } },
        ],
      });
      const sent = await held;
      sent.leave();
      await waiting(at, 1);
      sent.forward();
      expect(await written).toBe(true);
      expect(await kvTables.misc.get('a')).toEqual({ value: 'mine' });
    },
  );

  test.each(NEW_OR_THERE)(
    'counts a row once that is %s by a statement which arrives after it was looked for',
    async (_, before) => {
      const { proxy, stores } = await behindProxy();
      const { misc } = stores.backend.kvTables;
      if (before) await misc.set('a', before);
      const { version } = await misc.read('a');
      let held = proxy.holdAt('unnest');
      const written = misc.replace('a', version, { value: 'mine' });
      const first = await held;
      held = proxy.holdAt('unnest');
      first.leave();
      const second = await held;
      first.forward();
      await until(async () => (await misc.read('a')).version !== version, { what: 'the first to arrive' });
      second.forward();
      expect(await written).toBe(true);
    },
  );

  test.each(NEW_OR_THERE)(
    'detects that a commit was written by a row that it %s, when others changed another row since',
    async (_, before) => {
      const { proxy, stores, at } = await behindProxy();
      const { commit, kvTables } = stores.backend;
      const other = (await openTestStores(server.address(at))).backend.kvTables.accounts;
      if (before) await kvTables.misc.set('b', before);
      const { version } = await kvTables.misc.read('b');
      const broken = proxy.breakAt('COMMIT', 'after');
      const accept = proxy.refuse();
      const written = commit({
        writes: [
          { table: 'accounts', key: 'a', entry: { value: 'mine' } },
          { table: 'misc', key: 'b', version, entry: { value: 'mine' } },
        ],
      });
      await broken;
      await other.set('a', { value: 'theirs' });
      accept();
      expect(await written).toBe(true);
      expect(await other.get('a')).toEqual({ value: 'theirs' });
    },
  );

  test('counts a commit once that takes longer on the server than a wait for a lock lasts', {
    tags: 'long',
  }, async () => {
    const { proxy, stores, at } = await behindProxy('statement_timeout=3000&connect_timeout=1');
    const { commit, kvTables } = stores.backend;
    await server.sql(
      `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(2.5); RETURN NULL; END'`,
      at,
    );
    await server.sql(
      `CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON jobcrier_misc DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW WHEN (NEW.key = 'slow') EXECUTE FUNCTION wait()`,
      at,
    );
    const held = proxy.holdAt('COMMIT');
    const written = commit({
      writes: [
        { table: 'accounts', key: 'a', version: 0, entry: { value: 'mine' } },
        { table: 'misc', key: 'slow', entry: { value: 'mine' } },
      ],
    });
    const sent = await held;
    sent.leave();
    sent.forward();
    expect(await written).toBe(true);
    expect(await kvTables.accounts.get('a')).toEqual({ value: 'mine' });
  });

  test('reports a conflict when a row changed between a commit that did not arrive and its repetition', async () => {
    const { proxy, stores, at } = await behindProxy();
    const { commit, kvTables } = stores.backend;
    const other = (await openTestStores(server.address(at))).backend.kvTables.misc;
    for (const key of ['a', 'b']) await other.set(key, { value: 'before' });
    const found = await other.readMany(['a', 'b']);
    const broken = proxy.breakAt('COMMIT', 'before');
    const accept = proxy.refuse();
    const written = commit({
      writes: ['a', 'b'].map(
        (key): Write => ({
          table: 'misc',
          key,
          version: found.get(key)!.version,
          entry: { value: 'mine' },
        }),
      ),
    });
    await broken;
    await other.set('b', { value: 'theirs' });
    accept();
    expect(await written).toBe(false);
    expect(await kvTables.misc.get('a')).toEqual({ value: 'before' });
    expect(await kvTables.misc.get('b')).toEqual({ value: 'theirs' });
  });

  test('finds out whether a commit was written once the server answers again', async () => {
    const { proxy, stores } = await behindProxy();
    const broken = proxy.breakAt('INSERT INTO jobcrier_misc', 'after');
    const accept = proxy.refuse();
    const added = stores.backend.kvTables.misc.replace('a', 0, { value: 1 });
    await broken;
    setTimeout(accept, 700);
    expect(await added).toBe(true);
  });

  test('writes nothing, as if a row had changed, when it and another transaction wait for each other', async () => {
    const at = await database();
    const { commit, kvTables } = (await openTestStores(server.address(at))).backend;
    const writes = (['accounts', 'history', 'misc'] as const).map(
      (table): Write => ({ table, key: 'a', entry: { value: 'mine' } }),
    );
    for (const { table } of writes) await kvTables[table].set('a', { value: 'before' });
    const [pause, other] = [await transaction(at), await transaction(at)];
    await pause(`UPDATE jobcrier_history SET value = value`);
    await other(`SET deadlock_timeout = '1h'`);
    await other(`UPDATE jobcrier_misc SET value = value`);
    const mine = commit({ writes });
    await waiting(at, 1);
    const theirs = other(`UPDATE jobcrier_accounts SET value = value`);
    await waiting(at, 2);
    await pause('ROLLBACK');
    expect(await mine).toBe(false);
    await theirs;
    await other('ROLLBACK');
    for (const { table } of writes) expect(await kvTables[table].get('a')).toEqual({ value: 'before' });
  });

  test('writes nothing, as if a row had changed, when the server serializes transactions', async () => {
    const at = await database();
    await server.sql(`ALTER DATABASE ${at} SET default_transaction_isolation = 'repeatable read'`);
    const { commit, kvTables } = (await openTestStores(server.address(at))).backend;
    await kvTables.misc.set('a', { value: 'before' });
    const other = await transaction(at);
    await other(`UPDATE jobcrier_misc SET version = 1`);
    const mine = commit({ writes: [{ table: 'misc', key: 'a', entry: { value: 'mine' } }] });
    await waiting(at, 1);
    await other('COMMIT');
    expect(await mine).toBe(false);
    expect(await kvTables.misc.get('a')).toEqual({ value: 'before' });
  });

  test('writes the same rows at the same time without a deadlock, whatever their order', async () => {
    const at = await database();
    const backends = await Promise.all(
      [1, 2].map(async () => (await openTestStores(server.address(at))).backend),
    );
    const writes = Array.from(
      { length: 40 },
      (_, n): Write => ({ table: n % 2 ? 'misc' : 'accounts', key: `${n}`, entry: { value: 'x' } }),
    );
    for (let round = 0; round < 20; round++)
      expect(
        await Promise.all(
          [writes, writes.toReversed()].map((list, who) => backends[who]!.commit({ writes: list })),
        ),
      ).toEqual([true, true]);
  });

  test('a lease whose answer was lost belongs to the process that asked for it', async () => {
    const { proxy, stores } = await behindProxy();
    const broken = proxy.breakAt('INSERT INTO jobcrier_lease', 'after');
    expect(await stores.lease.acquire()).toEqual({ fence: 1 });
    await broken;
    expect(await stores.lease.held()).toBe(true);
  });

  test('gives up a stopped server process, and replaces a connection that ended while idle without an error', {
    tags: 'long',
  }, async () => {
    const at = await database();
    const stores = await openTestStores(`${server.address(at)}?connection_limit=2&${SOON}`);
    await stores.marks.set('a', { n: 1 } as never);
    const pids = (
      await server.sql(
        `SELECT pid FROM pg_stat_activity WHERE datname = '${at}' AND application_name = 'jobcrier'`,
      )
    ).map(({ pid }) => Number(pid));
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      await stores.marks.set('a', { n: 2 } as never);
      expect(await stores.marks.get('a')).toEqual({ n: 2 });
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    await server.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${at}'`);
    await stores.marks.set('a', { n: 3 } as never);
    expect(await stores.marks.get('a')).toEqual({ n: 3 });
  });

  test('leaves a lane to the process that works on it after an outage, although its hold expired meanwhile', async () => {
    const at = await database();
    const [mine, other] = [
      await openTestStores(server.address(at)),
      await openTestStores(server.address(at)),
    ];
    const unit = { queue: 'q', lane: 'l', unit: 'u' };
    await mine.lanes.plan([{ ...unit, at: 1 }]);
    const turns = await mine.lanes.claim('q', 1);
    expect(turns).toHaveLength(1);
    await server.crash();
    await expect(other.lanes.claim('q', 1)).rejects.toMatchObject({ fault: 'unavailable' });
    await server.restart();
    await server.sql('UPDATE jobcrier_lane SET held_until = 0, due_at = 0', at);
    expect(await other.lanes.claim('q', 1)).toEqual([]);
    expect(await other.lanes.claimLane('q', 'l')).toBeUndefined();
    expect(await other.lanes.take(unit)).not.toHaveProperty('epoch');
    expect(await other.lanes.nextAt('q')).toBeUndefined();
    // Another lane is not affected.
    await other.lanes.plan([{ queue: 'q', lane: 'free', unit: 'u', at: 1 }]);
    expect(await other.lanes.claim('q', 5)).toHaveLength(1);
    expect(await mine.lanes.renew(turns)).toEqual([]);
    expect(await mine.lanes.end(turns[0] as never, { attempts: 0 })).toMatchObject({ kept: true });
  });

  test("reports what can't be reached or used without address or password", async () => {
    const at = await database();
    const none = await startTcpProxy(server.port);
    await none.close();
    const fault = (url: string) => openTestStores(url).then(String, (error: Error) => error.message);
    const refused = await fault(
      `postgres://tester:canary@127.0.0.1:${none.port},127.0.0.1:${server.port}/absent?${SOON}`,
    );
    expect(refused).toMatch(
      /^The store can't be reached\..*\(host 1: ECONNREFUSED; host 2: no such database\)$/u,
    );
    expect(refused).not.toMatch(/canary|127\.0\.0\.1/u);
    expect(await fault(`${server.address(at)}?sslmode=require`)).toMatch(/\(no TLS\)$/u);
    await server.sql(`ALTER DATABASE ${at} SET default_transaction_read_only = on`);
    expect(await fault(server.address(at))).toMatch(/\(read-only\)$/u);
  });

  test('encrypts and verifies connections as sslmode requires', { tags: 'long' }, async ({ skip }) => {
    if (missingPrograms('openssl')) return skip('openssl not installed');
    const dir = await tempDir();
    const make = (who: string, ...more: string[]) =>
      execFileSync(
        'openssl',
        [
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:P-256',
          '-nodes',
          '-days',
          '2',
          '-keyout',
          join(dir, `${who}.key`),
          '-out',
          join(dir, `${who}.crt`),
          ...more,
        ],
        { stdio: 'ignore' },
      );
    make('server', '-subj', '/CN=db.example.org', '-addext', 'subjectAltName=IP:127.0.0.1');
    make('named', '-subj', '/CN=db.example.org', '-addext', 'subjectAltName=DNS:db.example.org');
    make('other', '-subj', '/CN=other.example.org');
    const tls = await startPostgresServer();
    later(() => tls.stop());
    const give = async (who: string) => {
      for (const [end, mode] of [
        ['crt', 0o644],
        ['key', 0o600],
      ] as const) {
        const path = join(tls.data, `server.${end}`);
        execFileSync('cp', [join(dir, `${who}.${end}`), path]);
        chmodSync(path, mode);
        if (process.getuid?.() === 0) chownSync(path, 65534, 65534);
      }
      await tls.sql('ALTER SYSTEM SET ssl = on');
      await tls.sql('SELECT pg_reload_conf()');
    };
    const encrypted = async (parameters: string) => {
      const stores = await openTestStores(
        `${tls.address('postgres')}?connection_limit=2&application_name=t&${parameters}`,
      );
      await stores.probe();
      const [row] = await tls.sql(
        `SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 't'`,
      );
      await stores.close();
      return row?.ssl;
    };
    await give('server');
    await until(async () => (await encrypted('sslmode=prefer')) === true, {
      what: 'the server to speak TLS',
    });
    expect(await encrypted('sslmode=disable')).toBe(false);
    expect(await encrypted('sslmode=require')).toBe(true);
    expect(await encrypted(`sslmode=verify-ca&sslrootcert=${dir}/server.crt`)).toBe(true);
    expect(await encrypted(`sslmode=verify-full&sslrootcert=${dir}/server.crt`)).toBe(true);
    const away = { name: 'StoreError', fault: 'unavailable' };
    await expect(encrypted('sslmode=verify-full')).rejects.toMatchObject(away);
    await expect(encrypted(`sslmode=require&sslrootcert=${dir}/other.crt`)).rejects.toMatchObject(away);
    await give('named');
    await until(
      () => encrypted(`sslmode=verify-ca&sslrootcert=${dir}/named.crt`).then(Boolean, () => false),
      { what: 'the server to use the other certificate' },
    );
    await expect(encrypted(`sslmode=verify-full&sslrootcert=${dir}/named.crt`)).rejects.toMatchObject(away);
  });
});
