// SQLite behind Keyv: the default, one file, nothing to install. Every table has its own connection, because each
// of Keyv's SQLite stores opens one.
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreError } from '../domain/errors.js';
import type { Clock } from '../ports/system.js';
import { type Backend, KV_TABLES, type KvTable, type TableName } from './backend.js';
import { createSqliteCommit } from './commit.js';
import { isDamaged, refuseDamaged } from './damage.js';
import { asStoreErrors, storeError } from './faults.js';
import {
  addUnitColumns,
  createLaneStore,
  dropUnitColumns,
  type LaneWords,
  laneTables,
  type Transact,
} from './lanes.js';
import { createMutex } from './serial.js';
import { createSqlLeases, leaseTableSql } from './sql-leases.js';
import type { RunSql } from './sql-table.js';
import { type SqliteConnection, sqliteFile } from './sqlite-connection.js';
import { copyStore, exists, withFile } from './sqlite-files.js';
import { createSqliteTable, kvTableSql, runner } from './sqlite-table.js';

/**
 * What can be asked for or counted again. A commit of such rows alone does not wait for the disk: a crash of the program
 * loses nothing of it, a crash of the machine may lose the last moments. Every other commit is synced, and with it all
 * that was written before. Neither damages the file.
 */
const UNSYNCED: ReadonlySet<TableName> = new Set(['polls', 'notices', 'cache', 'history']);

/** How far transactions begin apart at least, so that many commits at once are few transactions. */
const [SYNCED_EVERY_MS, UNSYNCED_EVERY_MS] = [10, 50];

export interface SqliteOptions {
  readonly file: string;
  readonly clock: Clock;
  /** Where backups are looked for when the file is damaged. */
  readonly backups: string;
  /** Leave the file as it is, also its way of keeping a log. */
  readonly look?: boolean;
  /** Further PRAGMA statements for each connection, for tests. */
  readonly pragmas?: readonly string[];
}

/** Opens (or creates, readable by its owner alone) the file. Fails with a StoreError. */
export async function openSqlite({
  file,
  clock,
  backups,
  look = false,
  pragmas = [],
}: SqliteOptions): Promise<Backend> {
  await asStoreErrors(() => createPrivately(file));
  const openConnection = await sqliteFile(file);
  const opened: SqliteConnection[] = [];
  // One write at a time: SQLite admits no more, and a foreign lock should keep one thread of the pool waiting, not all.
  const line = createMutex();

  async function connect(name: string, synchronous: 'FULL' | 'NORMAL' = 'NORMAL'): Promise<SqliteConnection> {
    const store = openConnection(name);
    opened.push(store);
    await store.query(`PRAGMA synchronous = ${synchronous}`);
    // Erased means erased: what is freed is overwritten, pages that become free included.
    await store.query('PRAGMA secure_delete = ON');
    for (const pragma of pragmas) await store.query(`PRAGMA ${pragma}`);
    return store;
  }

  let flush = () => {};
  async function close(): Promise<void> {
    flush();
    await line.idle();
    // One after the other: the last to leave folds the log into the main file, and two at once each think the other will.
    for (const store of opened) await store.close().catch(() => undefined);
  }

  try {
    return await asStoreErrors(async () => {
      const meta = await connect('meta', 'FULL');
      // Readers and the one writer don't wait for each other, and a copy can be taken while the service runs.
      if (!look) await meta.query('PRAGMA journal_mode = WAL');
      if (await isDamaged(runner(meta))) throw storeError('corrupt', 'quick_check');
      const now = () => String(Math.trunc(clock.now()));
      const words: LaneWords = {
        lanes: 'lane',
        units: 'unit',
        now,
        lock: '',
        waitLock: '',
        largest: 'max',
        gatherMs: 100,
        each: 'json_each($1)',
      };
      const tables = [...KV_TABLES.map(kvTableSql), leaseTableSql('lease'), ...laneTables(words)];
      const create = async () => {
        for (const sql of tables) await meta.query(sql);
      };
      // In one transaction: a process that opens a new store at the same moment waits for all of them, and it costs one sync.
      const there = new Set((await runner(meta)('SELECT name FROM sqlite_master')).map(({ name }) => name));
      const isMade = tables.every((sql) => there.has(/ IF NOT EXISTS (\S+)/u.exec(sql)?.[1]));
      if (!isMade) await (look ? create() : atOnce(runner(meta), create));
      // Connections for commits alone: nothing else may run between the statements of a transaction.
      const [fast, safe] = [runner(await connect('meta')), runner(await connect('meta', 'FULL'))];
      const synced = createSqliteCommit(safe, line, 'lease', words, SYNCED_EVERY_MS);
      const unsynced = createSqliteCommit(fast, line, 'lease', words, UNSYNCED_EVERY_MS);
      flush = () => {
        synced.flush();
        unsynced.flush();
      };
      // A turn that a power cut takes back is taken again; what it did is safe in a commit of its own.
      const transact: Transact = (work) => line(() => atOnce(fast, () => work(fast)));
      const commit: Backend['commit'] = (one) =>
        one.writes.every(({ table }) => UNSYNCED.has(table)) ? unsynced.commit(one) : synced.commit(one);
      const kvTables: Partial<Record<TableName, KvTable>> = {};
      for (const name of KV_TABLES) {
        const store = name === 'meta' ? meta : await connect(name);
        kvTables[name] = createSqliteTable(name, store, line, commit);
      }
      const run = runner(meta);
      const leases = createSqlLeases(run, (sql, values) => line(() => run(sql, values)), {
        table: 'lease',
        now,
      });
      return {
        kind: 'sqlite' as const,
        kvTables: kvTables as Record<TableName, KvTable>,
        leases,
        lanes: createLaneStore(run, transact, words),
        commit,
        addColumns: () => line(() => addColumns(run, words)),
        dropFormer: () => line(() => dropFormer(run, words)),
        tryWrite: () =>
          line(async () => {
            await run('BEGIN IMMEDIATE');
            await run('ROLLBACK');
          }),
        copies: {
          has: (name: string) => exists(`${file}.${name}`),
          async make(name: string, without: string) {
            await copyStore(run, `${file}.${name}`, (draft) =>
              withFile(draft, async (inDraft) => {
                await inDraft('DELETE FROM meta WHERE key = $1', [without]);
              }),
            );
            return `${file}.${name}`;
          },
        },
        async wipe() {
          // What was written before stands in the write-ahead log until the log itself is cut off.
          const [{ busy } = { busy: 0 }] = await line(() => run('PRAGMA wal_checkpoint(TRUNCATE)'));
          if (Number(busy) !== 0)
            throw storeError('locked', 'somebody reads the store, so its log is still there');
        },
        close,
      };
    });
  } catch (error) {
    await close();
    if (error instanceof StoreError && error.fault === 'corrupt') throw await refuseDamaged(file, backups);
    throw error;
  }
}

function addColumns(run: RunSql, words: LaneWords): Promise<void> {
  return atOnce(run, async () => {
    for (const name of KV_TABLES) {
      if ((await columnsOf(run, name)).has('version')) continue;
      await run(`ALTER TABLE ${name} ADD COLUMN version INTEGER NOT NULL DEFAULT 1`);
    }
    await addUnitColumns(run, words.units, await columnsOf(run, words.units));
  });
}

function dropFormer(run: RunSql, words: LaneWords): Promise<void> {
  return atOnce(run, async () => {
    await dropUnitColumns(run, words.units, await columnsOf(run, words.units));
    await run('DROP TABLE IF EXISTS requests');
  });
}

async function columnsOf(run: RunSql, table: string): Promise<ReadonlySet<string>> {
  const columns = await run(`SELECT name FROM pragma_table_info('${table}')`);
  return new Set(columns.map(({ name }) => String(name)));
}

/** Runs `work`, whose statements all go through `run`'s connection, as one transaction. */
async function atOnce<T>(run: RunSql, work: () => Promise<T>): Promise<T> {
  await run('BEGIN IMMEDIATE');
  try {
    const result = await work();
    await run('COMMIT');
    return result;
  } catch (error) {
    await run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * SQLite gives its log and index files the mode of the main file, so setting that once is enough. A file that is there is not
 * opened: closing it would end the locks that other connections of this process have on it (POSIX, fcntl).
 */
async function createPrivately(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await (await open(file, 'ax', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
