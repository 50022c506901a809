// Node's own SQLite (from 22.13 on), and a store object for Keyv over it. Its statements block, so they run in a thread. The
// connections of one file share a thread. A copy of the store opens the file separately, so it blocks nothing else.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { numbered, type Row, type SqliteConnection } from './prepared.js';
import type { Answer, Request } from './thread.js';

type Rows = Row[];
type Without<R> = R extends Request ? Omit<R, 'id' | 'connection'> : never;

interface Waiting {
  resolve(rows: Rows): void;
  reject(error: unknown): void;
}

/** Returns true when Node includes SQLite. */
export function hasBuiltIn(): boolean {
  return process.getBuiltinModule?.('node:sqlite') !== undefined;
}

interface Thread {
  ask(connection: number, request: Without<Request>): Promise<Rows>;
  end(): Promise<unknown>;
}

/** Starts a thread. It does not keep the process running unless an answer is pending. */
function startThread(): Thread {
  // The file beside this one: compiled if this one is compiled.
  const program = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(program, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  worker.on('message', (answer: Answer) => {
    const one = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
    if ('rows' in answer) one?.resolve(answer.rows as Rows);
    else one?.reject(Object.assign(new Error(answer.message), { code: answer.code }));
  });
  // Without a listener, an error in the thread would end the process. An `exit` event follows.
  worker.on('error', () => undefined);
  let isOver = false;
  const over = () => new Error('the thread that runs SQLite has ended');
  worker.on('exit', () => {
    isOver = true;
    for (const one of waiting.values()) one.reject(over());
    waiting.clear();
  });
  return {
    ask: (connection, request) =>
      new Promise((resolve, reject) => {
        if (isOver) return reject(over());
        const id = asked++;
        worker.ref();
        waiting.set(id, { resolve, reject });
        worker.postMessage({ ...request, id, connection });
      }),
    end: () => worker.terminate(),
  };
}

/** Returns a function that opens connections. `busyMs`: how long a statement waits for another process's lock. */
export function builtInConnections(file: string, busyMs: number) {
  let thread: Thread | undefined;
  let opened = 0;
  let open = 0;

  return (): SqliteConnection => {
    thread ??= startThread();
    const { ask, end } = thread;
    const connection = opened++;
    open++;
    let isClosed = false;
    const ready = ask(connection, { kind: 'open', file, busyMs });
    // The first statement throws this error.
    ready.catch(() => undefined);
    async function send(request: Without<Request>): Promise<Rows> {
      if (isClosed) throw Object.assign(new Error('the connection is closed'), { code: 'SQLITE_MISUSE' });
      await ready;
      return ask(connection, request);
    }
    return {
      query: (sql, values = []) => send({ kind: 'run', sql: numbered(sql), values }),
      async exec(sql) {
        await send({ kind: 'exec', sql });
      },
      async close() {
        if (isClosed) return;
        isClosed = true;
        await ask(connection, { kind: 'close' });
        if (--open > 0) return;
        thread = undefined;
        await end();
      },
    };
  };
}

/** Returns a store object for Keyv. Keyv only reads: writes go through commits. */
export function builtInKeyvStore({ query }: SqliteConnection, table: string): object {
  async function getMany(keys: readonly string[]): Promise<unknown[]> {
    const sql = `SELECT key, value FROM ${table} WHERE key IN (SELECT value FROM json_each(?1))`;
    const found = new Map((await query(sql, [JSON.stringify(keys)])).map(({ key, value }) => [key, value]));
    return keys.map((key) => found.get(key));
  }
  return {
    getMany,
    get: async (key: string) => (await getMany([key]))[0],
    set: (key: string, value: string) =>
      query(`INSERT INTO ${table} (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2`, [
        key,
        value,
      ]),
    delete: async (key: string) =>
      (await query(`DELETE FROM ${table} WHERE key = ?1 RETURNING key`, [key])).length > 0,
    clear: () => query(`DELETE FROM ${table}`),
  };
}
