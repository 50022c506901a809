// A connection of the package sqlite3 that keeps its prepared statements. Keyv's store for SQLite prepares a statement each
// time it runs, which takes longer than most statements run.

/** A row with the columns that a statement selects. */
export type Row = Record<string, unknown>;

export interface SqliteConnection {
  /** Runs one statement. Values are named `$1`, `$2` and so on, see {@link numbered}. */
  query(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs statements without values and results, separated by semicolons, and stops at the first that fails. */
  exec(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** The part of the package that is used. */
interface Statement {
  all(values: readonly unknown[], done: (error: Error | null, rows: Row[]) => void): void;
  finalize(done: () => void): void;
}

interface Database {
  configure(option: 'busyTimeout', ms: number): void;
  prepare(sql: string, done: (error: Error | null) => void): Statement;
  exec(sql: string, done: (error: Error | null) => void): void;
  close(done: (error: Error | null) => void): void;
}

export interface Sqlite3 {
  readonly Database: new (file: string, done: (error: Error | null) => void) => Database;
}

/** The text of a statement for SQLite: `$1` becomes `?1`, because SQLite treats `$1` as a name and looks it up. */
export function numbered(sql: string): string {
  return sql.replaceAll(/\$(\d)/gu, '?$1');
}

interface Prepared {
  readonly statement: Promise<Statement>;
  running: number;
}

const MOST_STATEMENTS = 200;
/** A statement that ran with more text or bytes than this is not kept, because SQLite keeps its values with it. */
const MOST_KEPT = 256 * 1024;

/**
 * Opens a connection; if that fails, the first statement throws the error. `busyMs`: how long a statement waits for another
 * process's lock.
 */
export function openPrepared({ Database }: Sqlite3, file: string, busyMs: number): SqliteConnection {
  const opened = new Promise<Database>((resolve, reject) => {
    const db = new Database(file, (error) => {
      if (error) return reject(error);
      db.configure('busyTimeout', busyMs);
      resolve(db);
    });
  });
  opened.catch(() => undefined);
  /** By text, in the order of their last use. */
  const statements = new Map<string, Prepared>();
  let isClosed = false;

  function prepared(db: Database, sql: string): Prepared {
    const known = statements.get(sql);
    statements.delete(sql);
    const one = known ?? { statement: prepare(db, sql), running: 0 };
    statements.set(sql, one);
    if (statements.size > MOST_STATEMENTS) dropOldest();
    return one;
  }

  function prepare(db: Database, sql: string): Promise<Statement> {
    return new Promise((resolve, reject) => {
      const statement = db.prepare(numbered(sql), (error) => {
        if (!error) return resolve(statement);
        statements.delete(sql);
        reject(error);
      });
    });
  }

  function dropOldest(): void {
    for (const [sql, { statement, running }] of statements) {
      if (running > 0) continue;
      statements.delete(sql);
      void finalize(statement);
      return;
    }
  }

  async function usable(): Promise<Database> {
    const db = await opened;
    if (isClosed) throw Object.assign(new Error('the connection is closed'), { code: 'SQLITE_MISUSE' });
    return db;
  }

  return {
    async exec(sql) {
      const db = await usable();
      await new Promise<void>((resolve, reject) => {
        db.exec(sql, (error) => (error ? reject(error) : resolve()));
      });
    },
    async query(sql, values = []) {
      const db = await usable();
      const isLarge = sizeOf(values) > MOST_KEPT;
      const one = prepared(db, sql);
      one.running++;
      try {
        const statement = await one.statement;
        return await new Promise((resolve, reject) => {
          statement.all(values, (error, rows) => {
            if (!error && !isLarge) return resolve(rows);
            // Until it is finalized, a failed statement counts as running, and no other statement of the connection commits
            // without BEGIN (SQLite, sqlite3_reset).
            if (statements.get(sql) === one) statements.delete(sql);
            statement.finalize(() => (error ? reject(error) : resolve(rows)));
          });
        });
      } finally {
        one.running--;
      }
    },
    async close() {
      isClosed = true;
      const db = await opened;
      await Promise.all([...statements.values()].map(({ statement }) => finalize(statement)));
      await new Promise<void>((resolve, reject) => {
        db.close((error) => (error ? reject(error) : resolve()));
      });
    },
  };
}

function sizeOf(values: readonly unknown[]): number {
  return values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0),
    0,
  );
}

/** Ends a statement after the calls that wait for it. */
async function finalize(prepared: Promise<Statement>): Promise<void> {
  const statement = await prepared.catch(() => undefined);
  if (statement) await new Promise<void>((resolve) => statement.finalize(resolve));
}
