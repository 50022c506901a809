// Connections to a SQLite file, by the package and by the SQLite of Node: what they bind, the names of their failures, and
// that a failure leaves nothing behind. .ci/run runs the whole contract of the store on each.
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { builtInConnections, builtInKeyvStore, hasBuiltIn } from '../../src/store/sqlite/built-in.js';
import { loadSqlite } from '../../src/store/sqlite/connection.js';
import { openPrepared, type Sqlite3, type SqliteConnection } from '../../src/store/sqlite/prepared.js';
import { later } from '../helpers/later.js';
import { tempDir } from './fixtures.js';

const BUSY_MS = 50;

interface Store {
  getMany(keys: readonly string[]): Promise<unknown[]>;
  get(key: string): Promise<unknown>;
  set(key: string, value: string): Promise<unknown>;
  delete(key: string): Promise<boolean>;
  clear(): Promise<unknown>;
}

interface Binding {
  connections(file: string): () => SqliteConnection;
  keyvStore(connection: SqliteConnection, table: string): Promise<object>;
}

const BINDINGS: Readonly<Record<string, Binding>> = {
  'the package': {
    connections(file) {
      const here = createRequire(import.meta.url);
      const sqlite3 = createRequire(here.resolve('@keyv/sqlite'))('sqlite3') as Sqlite3;
      return () => openPrepared(sqlite3, file, BUSY_MS);
    },
    keyvStore: async (connection, table) => (await loadSqlite()).keyvStore(connection, table),
  },
  ...(hasBuiltIn() && {
    'the SQLite of Node': {
      connections: (file) => builtInConnections(file, BUSY_MS),
      keyvStore: async (connection, table) => builtInKeyvStore(connection, table),
    },
  }),
};

/** The threads that are started from now on, by this test. */
function watchThreads(): { readonly worker: Worker; hasEnded: boolean }[] {
  const threads: { worker: Worker; hasEnded: boolean }[] = [];
  const add = (worker: Worker) => {
    const thread = { worker, hasEnded: false };
    worker.once('exit', () => {
      thread.hasEnded = true;
    });
    threads.push(thread);
  };
  process.on('worker', add);
  later(() => void process.off('worker', add));
  return threads;
}

describe.each(Object.entries(BINDINGS))('%s', (_, { connections, keyvStore }) => {
  async function opened(file?: string) {
    const path = file ?? join(await tempDir(), 'store.sqlite');
    const connect = () => {
      const connection = open();
      later(() => connection.close().catch(() => undefined));
      return connection;
    };
    const open = connections(path);
    return { path, connect, one: connect() };
  }

  async function withTable() {
    const { one, ...rest } = await opened();
    await one.query('PRAGMA journal_mode = WAL');
    await one.query('CREATE TABLE meta (key VARCHAR(255) PRIMARY KEY, value TEXT)');
    return { one, ...rest, store: (await keyvStore(one, 'meta')) as Store };
  }

  test('returns what was bound', async () => {
    const { one } = await withTable();
    const sql = 'SELECT ?1 AS whole, ?2 AS part, ?3 AS text, ?4 AS none, ?5 AS bytes';
    const [row] = await one.query(sql, [1_700_000_000_000, 0.5, 'é\u0000x', null, Buffer.from('é')]);
    expect(row).toMatchObject({ whole: 1_700_000_000_000, part: 0.5, text: 'é\u0000x', none: null });
    expect(Buffer.from(row?.bytes as Uint8Array).toString()).toBe('é');
    await one.query('INSERT INTO meta (key, value) VALUES (?1, ?2)', ['a', 5]);
    expect(await one.query('SELECT value FROM meta')).toEqual([{ value: '5' }]);
  });

  test('reads for Keyv in the requested order', async () => {
    const { store } = await withTable();
    await store.set('a', '1');
    await store.set('a', '2');
    await store.set('b', '3');
    expect(await store.getMany(['b', 'none', 'a'])).toEqual(['3', undefined, '2']);
    expect(await store.get('a')).toBe('2');
    expect([await store.delete('a'), await store.delete('a')]).toEqual([true, false]);
    await store.clear();
    expect(await store.get('b')).toBeUndefined();
  });

  test('names failures', async () => {
    const { path, connect, one } = await opened();
    await expect(one.query('SELECT nothing')).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
    const two = connect();
    await one.query('BEGIN IMMEDIATE');
    await expect(two.query('BEGIN IMMEDIATE')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    await one.query('ROLLBACK');
    const damaged = `${path}.damaged`;
    await writeFile(damaged, 'no database '.repeat(200));
    await expect((await opened(damaged)).one.query('SELECT name FROM sqlite_master')).rejects.toMatchObject({
      code: 'SQLITE_NOTADB',
    });
    const nowhere = await opened(join(path, 'no/folder.sqlite'));
    await expect(nowhere.one.query('SELECT 1')).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
  });

  test('commits statements after one that failed, and runs that one again', async () => {
    const { connect, one } = await withTable();
    const two = connect();
    const insert = 'INSERT INTO meta (key, value) VALUES (?1, ?2)';
    await two.query('BEGIN IMMEDIATE');
    const failed = ['a', 'b', 'c'].map((key) => one.query(insert, [key, '1']));
    for (const each of failed) await expect(each).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    await two.query('ROLLBACK');
    await one.query("INSERT INTO meta (key, value) VALUES ('d', '1')");
    expect(await two.query('SELECT key FROM meta')).toEqual([{ key: 'd' }]);
    await expect(one.query(insert, ['d', '2'])).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' });
    await one.query(insert, ['e', '1']);
    expect(await two.query('SELECT key FROM meta ORDER BY key')).toEqual([{ key: 'd' }, { key: 'e' }]);
  });

  test('runs more different statements than it keeps, also at once', async () => {
    const { one } = await withTable();
    const ask = async (n: number) => (await one.query(`SELECT ?1 + ${n} AS n`, [1]))[0]?.n;
    const numbers = Array.from({ length: 450 }, (_n, index) => index);
    const all = numbers.map((n) => n + 1);
    for (let round = 0; round < 2; round++) expect(await Promise.all(numbers.map(ask))).toEqual(all);
    const inOrder: unknown[] = [];
    for (const n of numbers) inOrder.push(await ask(n));
    expect(inOrder).toEqual(all);
  });

  test('runs a statement with large and small values, also at once', async () => {
    const { one } = await withTable();
    const large = 'x'.repeat(400_000);
    const ask = async (text: string) => (await one.query('SELECT length(?1) AS n', [text]))[0]?.n;
    for (let round = 0; round < 3; round++)
      expect(await Promise.all([large, 'é', large, ''].map(ask))).toEqual([400_000, 1, 400_000, 0]);
    expect([await ask(large), await ask('y')]).toEqual([400_000, 1]);
  });

  test('sees a column that another connection added', async () => {
    const { connect, one } = await withTable();
    await one.query("INSERT INTO meta (key, value) VALUES ('a', '1')");
    expect(await one.query('SELECT * FROM meta')).toEqual([{ key: 'a', value: '1' }]);
    await connect().query('ALTER TABLE meta ADD COLUMN version INTEGER DEFAULT 1');
    expect(await one.query('SELECT * FROM meta')).toEqual([{ key: 'a', value: '1', version: 1 }]);
  });

  test('ends what runs before it is closed, refuses statements after that, and opens again', async () => {
    const { path, one } = await withTable();
    const running = ['a', 'b', 'c'].map((key) =>
      one.query('INSERT INTO meta (key, value) VALUES (?1, 1)', [key]),
    );
    await one.query('SELECT 1');
    await one.close();
    await Promise.all(running);
    await expect(one.query('SELECT 1')).rejects.toMatchObject({
      code: 'SQLITE_MISUSE',
      message: 'the connection is closed',
    });
    expect(await (await opened(path)).one.query('SELECT count(*) AS n FROM meta')).toEqual([{ n: 3 }]);
  });

  test('leaves the others of its file open when it is closed', async () => {
    const { connect, one } = await withTable();
    const two = connect();
    await two.query('SELECT 1');
    await one.close();
    expect(await two.query('SELECT count(*) AS n FROM meta')).toEqual([{ n: 0 }]);
    const three = connect();
    await two.close();
    expect(await three.query('SELECT count(*) AS n FROM meta')).toEqual([{ n: 0 }]);
  });

  test('does not block other connections of the file while its statement takes long', async () => {
    const { path, one } = await opened();
    const count =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000) SELECT max(i) FROM n';
    const ended: string[] = [];
    const long = (await opened(path)).one.query(count).then(() => ended.push('long'));
    await one.query('SELECT 1').then(() => ended.push('short'));
    await long;
    expect(ended).toEqual(['short', 'long']);
  });
});

test.runIf(hasBuiltIn())(
  'the thread of Node keeps the process running only while an answer is pending',
  async () => {
    const busy = () => process.getActiveResourcesInfo().filter((kind) => kind === 'MessagePort').length;
    const idle = busy();
    const connect = builtInConnections(join(await tempDir(), 'store.sqlite'), BUSY_MS);
    const [one, two] = [connect(), connect()];
    later(() => Promise.all([one.close(), two.close()]));
    expect(busy()).toBe(idle + 1);
    await one.exec('CREATE TABLE meta (key TEXT)');
    expect(await two.query('SELECT key FROM meta')).toEqual([]);
    expect(busy()).toBe(idle);
    const answers = Promise.all([one.query('SELECT 1 AS n'), two.query('SELECT 2 AS n')]);
    await two.query('SELECT 3');
    expect(await answers).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    expect(busy()).toBe(idle);
    const [first, second] = [one.query('SELECT 1'), one.query('SELECT 2')];
    await first;
    expect(busy()).toBe(idle + 1);
    await second;
    expect(busy()).toBe(idle);
    const closed = one.close();
    expect(busy()).toBe(idle + 1);
    await closed;
    await one.close();
    expect(busy()).toBe(idle);
    expect(await two.query('SELECT 4 AS n')).toEqual([{ n: 4 }]);
  },
);

test.runIf(hasBuiltIn())(
  'the thread of Node ends with the last connection of its file, and the next one starts another',
  async () => {
    const threads = watchThreads();
    const connect = builtInConnections(join(await tempDir(), 'store.sqlite'), BUSY_MS);
    const [one, two] = [connect(), connect()];
    await one.exec('CREATE TABLE meta (key TEXT)');
    await one.close();
    expect(await two.query('SELECT key FROM meta')).toEqual([]);
    expect(threads).toMatchObject([{ hasEnded: false }]);
    await two.close();
    expect(threads).toMatchObject([{ hasEnded: true }]);
    const three = connect();
    later(() => three.close());
    expect(await three.query('SELECT key FROM meta')).toEqual([]);
    expect(threads).toMatchObject([{ hasEnded: true }, { hasEnded: false }]);
  },
);

test.runIf(hasBuiltIn())(
  'statements fail when the thread of Node has ended, also those that wait',
  async () => {
    const file = join(await tempDir(), 'store.sqlite');
    const holder = builtInConnections(file, BUSY_MS)();
    later(() => holder.close());
    await holder.query('BEGIN IMMEDIATE');
    const threads = watchThreads();
    const one = builtInConnections(file, 1_000)();
    await one.query('SELECT 1');
    // The first waits for the lock, and the second for the first.
    const waiting = Promise.allSettled([one.query('BEGIN IMMEDIATE'), one.query('SELECT 2')]);
    await Promise.resolve();
    const worker = threads[0]?.worker;
    // An error in a thread ends it. It must not end the process.
    worker?.emit('error', new Error('a bug'));
    await worker?.terminate();
    const ended = { message: 'the thread that runs SQLite has ended' };
    expect(await waiting).toMatchObject([
      { status: 'rejected', reason: ended },
      { status: 'rejected', reason: ended },
    ]);
    await expect(one.query('SELECT 3')).rejects.toMatchObject(ended);
  },
);

test.runIf(hasBuiltIn())("a connection that can't be opened and is not used disturbs nothing", async () => {
  const one = builtInConnections(join(await tempDir(), 'no/store.sqlite'), BUSY_MS)();
  // An error that nothing catches would be reported before the answer to this.
  await one.close();
});

test('the package prepares a statement once while it is in use, unless it had large values', async () => {
  const here = createRequire(import.meta.url);
  const { Database } = createRequire(here.resolve('@keyv/sqlite'))('sqlite3') as Sqlite3;
  const prepared: string[] = [];
  class Counted extends Database {
    override prepare(...args: Parameters<InstanceType<typeof Database>['prepare']>) {
      prepared.push(args[0]);
      return super.prepare(...args);
    }
  }
  const one = openPrepared({ Database: Counted }, join(await tempDir(), 'store.sqlite'), BUSY_MS);
  later(() => one.close());
  const timesPrepared = (sql: string) => prepared.filter((text) => text === sql).length;
  const sql = 'SELECT length(?1) AS n';
  for (const text of ['a', 'b', 'c']) await one.query(sql, [text]);
  expect(timesPrepared(sql)).toBe(1);
  await one.query(sql, ['x'.repeat(400_000)]);
  for (const text of ['a', 'b']) await one.query(sql, [text]);
  expect(timesPrepared(sql)).toBe(2);
  for (let n = 0; n < 300; n++) await one.query(`SELECT ${n}`);
  for (const [text, times] of [
    [sql, 3],
    ['SELECT 0', 2],
    ['SELECT 299', 1],
  ] as const) {
    await one.query(text, text === sql ? ['a'] : []);
    expect(timesPrepared(text)).toBe(times);
  }
});
