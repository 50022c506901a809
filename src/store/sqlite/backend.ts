// SQLite behind Keyv: the default, with one file and nothing to install. One connection reads, and two write.
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreError } from '../../domain/errors.js';
import { createMutex } from '../../domain/serial.js';
import type { Clock } from '../../ports/system.js';
import { type Backend, KV_TABLES, type KvTable, type TableName } from '../backend.js';
import { createSqliteCommit } from '../commit.js';
import { isDamaged, refuseDamaged } from '../damage.js';
import { asStoreErrors, storeError } from '../faults.js';
import {
  addUnitColumns,
  createLaneStore,
  dropUnitColumns,
  type LaneWords,
  laneTables,
  type Transact,
} from '../lanes.js';
import { createSqlLeases, leaseTableSql } from '../sql-leases.js';
import type { RunSql } from '../sql-table.js';
import { loadSqlite } from './connection.js';
import { copyStore, exists, withFile } from './files.js';
import type { SqliteConnection } from './prepared.js';
import { createSqliteTable, EACH, kvTableSql, NOW, runner, VERSION } from './table.js';

/**
 * Tables whose content can be requested or counted again. A commit that writes only to these tables does not wait for the
 * disk. A crash of the program loses nothing of it; a crash of the machine may lose the last moments. Every other commit
 * is synced, together with all earlier ones. Neither crash damages the file.
 */
const UNSYNCED: ReadonlySet<TableName> = new Set(['notices', 'cache', 'history']);

/** The minimum time between the starts of two transactions, so that many commits share few transactions. */
const [SYNCED_EVERY_MS, UNSYNCED_EVERY_MS] = [10, 50];

export interface SqliteOptions {
  readonly file: string;
  readonly clock: Clock;
  /** Where to look for backups when the file is damaged. */
  readonly backups: string;
  /** Keep the file's journal mode as it is. */
  readonly look?: boolean;
  /** Let commits wait for others, so that many share few transactions (the default); a single commit never waits. */
  readonly gathers?: boolean;
  /** More PRAGMA statements for each connection, for tests. */
  readonly pragmas?: readonly string[];
}

/** Opens the file, or creates one that only its owner can read. Throws a StoreError. */
export async function openSqlite({
  file,
  clock,
  backups,
  look = false,
  gathers = true,
  pragmas = [],
}: SqliteOptions): Promise<Backend> {
  await asStoreErrors(() => createPrivately(file));
  const sqlite = await loadSqlite();
  const openConnection = sqlite.connections(file);
  const opened: SqliteConnection[] = [];
  const waits = (ms: number) => (gathers ? ms : 0);
  // SQLite allows one writer at a time. With this queue, a lock held by another process blocks one thread of the pool,
  // not all.
  const line = createMutex();

  async function connect(synchronous: 'FULL' | 'NORMAL'): Promise<SqliteConnection> {
    const connection = openConnection();
    opened.push(connection);
    const settings = [
      `synchronous = ${synchronous}`,
      // Overwrite deleted content, including pages that become free.
      'secure_delete = ON',
      // Fold the log into the file after 16 MB instead of 4 MB, so that pages that change often are written less often.
      'wal_autocheckpoint = 4000',
      // Keep 8 MB of pages in memory instead of 2 MB. With 1,000 subscriptions, a poll costs about a tenth less.
      'cache_size = -8000',
      // SQLite keeps what a statement of a transaction replaces until it ends. By default that becomes a file from 64 KB on,
      // created and deleted for each such statement.
      'temp_store = MEMORY',
      ...pragmas,
    ];
    await connection.exec(settings.map((pragma) => `PRAGMA ${pragma};`).join(''));
    return connection;
  }

  let flush = () => {};
  async function close(): Promise<void> {
    flush();
    await line.idle();
    // Close one connection after the other. The last one to close folds the log into the main file; if two close
    // together, each leaves that to the other.
    for (const connection of opened) await connection.close().catch(() => undefined);
  }

  try {
    return await asStoreErrors(async () => {
      const reader = await connect('NORMAL');
      const read = runner(reader, clock);
      // With WAL, readers and the writer don't wait for each other, and you can copy the store while the service runs.
      if (!look) await read('PRAGMA journal_mode = WAL');
      if (await isDamaged(read)) throw storeError('corrupt', 'quick_check');
      const words: LaneWords = {
        lanes: 'lane',
        units: 'unit',
        now: () => NOW,
        lock: '',
        waitLock: '',
        largest: 'max',
        gatherMs: waits(100),
        each: EACH,
      };
      const tables = [...KV_TABLES.map(kvTableSql), leaseTableSql('lease'), ...laneTables(words)];
      const fast = runner(await connect('NORMAL'), clock);
      const writer = await connect('FULL');
      const safe = runner(writer, clock);
      const there = new Set((await read('SELECT name FROM sqlite_master')).map(({ name }) => name));
      const isMade = tables.every((sql) => there.has(/ IF NOT EXISTS (\S+)/u.exec(sql)?.[1]));
      // In one transaction: another process that opens a new store at the same time waits for all tables, and there is
      // only one sync. If it fails, the connection is closed.
      if (!isMade) await writer.exec(`BEGIN IMMEDIATE; ${tables.join(';')}; COMMIT`);
      const synced = createSqliteCommit(safe, line, 'lease', words, waits(SYNCED_EVERY_MS));
      const unsynced = createSqliteCommit(fast, line, 'lease', words, waits(UNSYNCED_EVERY_MS));
      flush = () => {
        synced.flush();
        unsynced.flush();
      };
      // A power cut can undo the claim of a turn, and the turn is then taken again. What the turn did is safe in its own
      // commit.
      const transact: Transact = (work) => line(() => atOnce(fast, () => work(fast)));
      const commit: Backend['commit'] = (one) =>
        one.writes.every(({ table }) => UNSYNCED.has(table)) ? unsynced.commit(one) : synced.commit(one);
      const kvTables: Partial<Record<TableName, KvTable>> = {};
      // Nothing else may run between the statements of a transaction.
      const write =
        (run: RunSql): RunSql =>
        (sql, values) =>
          line(() => run(sql, values));
      for (const name of KV_TABLES)
        kvTables[name] = createSqliteTable(name, sqlite.keyvStore(reader, name), read, write(fast), commit);
      const leases = createSqlLeases(read, write(safe), { table: 'lease', now: words.now });
      return {
        kind: 'sqlite' as const,
        kvTables: kvTables as Record<TableName, KvTable>,
        leases,
        lanes: createLaneStore(read, transact, words),
        commit,
        addColumns: () => line(() => addColumns(safe, words)),
        dropFormer: () => line(() => dropFormer(safe, words)),
        tryWrite: () =>
          line(async () => {
            await safe('BEGIN IMMEDIATE');
            await safe('ROLLBACK');
          }),
        copies: {
          has: (name: string) => exists(`${file}.${name}`),
          async make(name: string, without: string) {
            await copyStore(safe, `${file}.${name}`, (draft) =>
              withFile(draft, async (inDraft) => {
                await inDraft('DELETE FROM meta WHERE key = $1', [without]);
              }),
            );
            return `${file}.${name}`;
          },
        },
        async wipe() {
          // Earlier content remains in the write-ahead log until the log is truncated.
          const [{ busy } = { busy: 0 }] = await line(() => safe('PRAGMA wal_checkpoint(TRUNCATE)'));
          if (Number(busy) !== 0)
            throw storeError('locked', 'another process reads the store, so its log could not be emptied');
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
    const found = await run(
      `SELECT t.name FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c WHERE c.name = 'version'`,
    );
    const versioned = new Set(found.map(({ name }) => name));
    for (const name of KV_TABLES)
      if (!versioned.has(name)) await run(`ALTER TABLE ${name} ADD COLUMN ${VERSION}`);
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

/** Runs `work` as one transaction. All its statements must use `run`'s connection. */
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
 * Creates the file with mode 600. SQLite gives its log and index files the mode of the main file, so setting it once is
 * enough. An existing file is not opened: closing it would release the locks that other connections of this process have
 * on it (POSIX, fcntl).
 */
async function createPrivately(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await (await open(file, 'ax', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
