// Runs in its own thread, because the statements of Node's SQLite block the thread that runs them. It handles requests to
// open a connection, run statements and close a connection, one after the other.
import { parentPort } from 'node:worker_threads';

export type Request = { readonly id: number; readonly connection: number } & (
  | { readonly kind: 'open'; readonly file: string; readonly busyMs: number }
  | { readonly kind: 'run'; readonly sql: string; readonly values: readonly unknown[] }
  | { readonly kind: 'exec'; readonly sql: string }
  | { readonly kind: 'close' }
);

/** `rows`, or the name of SQLite's result code such as SQLITE_BUSY. */
export type Answer = { readonly id: number } & (
  | { readonly rows: readonly Record<string, unknown>[] }
  | { readonly code: string; readonly message: string }
);

interface Statement {
  all(...values: readonly unknown[]): Record<string, unknown>[];
}

/** The part of node:sqlite that is used. The types of the oldest supported Node do not include it. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface Connection {
  readonly db: Database;
  /** By statement text, because preparing a statement costs more than running it. */
  readonly statements: Map<string, Statement>;
}

const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as {
  DatabaseSync: new (file: string) => Database;
};

/** Primary result codes by number (SQLite, Result and Error Codes). */
const CODES =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'.split(
    ' ',
  );
const MOST_STATEMENTS = 200;

const connections = new Map<number, Connection>();

function prepared({ db, statements }: Connection, sql: string): Statement {
  const known = statements.get(sql);
  if (known) return known;
  const made = db.prepare(sql);
  if (statements.size >= MOST_STATEMENTS) statements.clear();
  statements.set(sql, made);
  return made;
}

/** Whole numbers become BigInt. Otherwise they are bound as floating-point numbers, which a text column stores as "1.0". */
const bound = (value: unknown) => (Number.isInteger(value) ? BigInt(value as number) : value);

function handle(request: Request): readonly Record<string, unknown>[] {
  const { connection } = request;
  if (request.kind === 'open') {
    const db = new DatabaseSync(request.file);
    db.exec(`PRAGMA busy_timeout = ${request.busyMs}`);
    connections.set(connection, { db, statements: new Map() });
    return [];
  }
  const opened = connections.get(connection);
  if (request.kind === 'close') {
    connections.delete(connection);
    opened?.db.close();
    return [];
  }
  if (!opened) throw new Error('the connection is not open');
  if (request.kind === 'exec') {
    opened.db.exec(request.sql);
    return [];
  }
  return prepared(opened, request.sql).all(...request.values.map(bound));
}

parentPort?.on('message', (request: Request) => {
  const { id } = request;
  let answer: Answer;
  try {
    answer = { id, rows: handle(request) };
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string };
    answer = { id, code: `SQLITE_${CODES[(errcode ?? 1) & 0xff] ?? 'ERROR'}`, message };
  }
  parentPort?.postMessage(answer);
});
