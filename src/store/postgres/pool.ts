// The connections to PostgreSQL: one pool for all store access of this process. It keeps to the host that accepts writes,
// closes a connection that does not answer, and reports whether a transaction whose connection broke may have been
// written.

import pg from 'pg';
import { defined } from '../../domain/defined.js';
import { StoreError, throwFaults } from '../../domain/errors.js';
import { storeError } from '../faults.js';
import { type PostgresAddress, tlsOf } from './url.js';

/**
 * The server ends a long statement, a wait for a lock or an idle transaction before the client stops waiting. The
 * client's own limit is therefore reached only when the server does not respond. With the default `connect_timeout`, that
 * limit plus one reconnection stays below 30 s.
 */
const answerMsOf = ({ statementMs }: PostgresAddress) => statementMs + 3000;
const lockMsOf = ({ statementMs }: PostgresAddress) => Math.trunc((statementMs * 2) / 3);
/** How long work waits for a free connection before it fails. */
const FREE_MS = 15_000;
/** An idle connection is probed once a second after this time. It is closed after ten probes without an answer (libuv). */
const KEEPALIVE_MS = 10_000;
const IDLE_MS = 60_000;

/** The result of one statement. `count`: rows it returned or changed. */
interface Answer {
  readonly rows: readonly Record<string, unknown>[];
  readonly count: number;
}
export type Ask = (sql: string, values?: readonly unknown[]) => Promise<Answer>;

interface TransactOptions {
  /** The transaction has no time limit: it changes the schema or a whole table. */
  readonly slow?: boolean;
  /** Running it twice does no harm, so it runs again when it is not known whether it was written. */
  readonly repeatable?: boolean;
}

export interface PostgresPool {
  /** Runs one statement that may run twice. If the connection breaks, it runs again on a new one. */
  ask: Ask;
  /** Runs one statement as a transaction. Throws a StoreError `unsure` when the connection breaks. */
  write: Ask;
  /**
   * Runs `work` in a transaction and commits it. If the connection breaks before the commit is sent, nothing is written
   * and `work` runs once more on a new connection. If it breaks later, throws a StoreError `unsure`.
   */
  transact<T>(work: (ask: Ask) => Promise<T>, options?: TransactOptions): Promise<T>;
  close(): Promise<void>;
}

/** The connection broke before anything was committed. */
class Lost extends Error {
  override readonly name = 'Lost';
}

const READ_ONLY = '25006';
/**
 * The server closes these connections because it stops or a transaction was idle for too long. Class 08 is broken
 * connections.
 */
const ENDED = /^(?:08|57P0)|^25P03$/u;

/** Why a host could not be used, in words. Other codes are shown as they are. */
const REASONS: Record<string, string> = {
  '28000': 'user or password refused',
  '28P01': 'user or password refused',
  '3D000': 'no such database',
  '53300': 'no connection left on the server',
  '57P03': 'starting or stopping',
  [READ_ONLY]: 'read-only',
};

interface Connection extends pg.PoolClient {
  readonly at: number;
  readonly after: number;
}

/** Creates the pool without connecting. Throws a UserError when a file named in the address can't be used. */
export function createPostgresPool(address: PostgresAddress): PostgresPool {
  const { hosts, ssl } = address;
  const common = clientSettings(address);
  const answerMs = answerMsOf(address);
  const { tls, faults } = tlsOf(ssl);
  throwFaults(faults.map((fault) => `STORE_URL: ${fault}`));
  /** Hosts without TLS, where the address prefers TLS but does not require it. */
  const plain = new Set<number>();
  const hostOf = new WeakMap<object, number>();
  let current = 0;
  /** Connections lost so far. Connections opened before the last loss are discarded. */
  let losses = 0;

  /** Connects to the host that last worked. */
  class HostClient extends pg.Client {
    readonly at = current;
    readonly after = losses;
    constructor() {
      super({ ...common, ...hostSettings(hosts[current], plain.has(current) ? false : tls) });
      // A broken connection also emits the error that its statement throws. Without a listener, that event would end the
      // process.
      this.on('error', () => undefined);
    }
    override connect(): Promise<pg.Client>;
    override connect(callback: (error?: Error) => void): void;
    /** Resolves once the server is known to accept writes. The pool calls it with a callback. */
    override connect(callback?: (error?: Error) => void): Promise<pg.Client> | undefined {
      const connected = this.open().catch((error: Error) => {
        hostOf.set(error, this.at);
        drop(this);
        throw error;
      });
      if (!callback) return connected;
      connected.then(() => callback(), callback);
      return undefined;
    }
    private async open(): Promise<pg.Client> {
      await super.connect();
      await mustAcceptWrites(this, address);
      return this;
    }
  }

  const pool = new pg.Pool({
    Client: HostClient,
    max: address.connections,
    connectionTimeoutMillis: FREE_MS,
    idleTimeoutMillis: IDLE_MS,
  } as pg.PoolConfig);
  // A broken idle connection also emits its error here. The next statement reconnects.
  pool.on('error', () => undefined);

  /** Sends the next connection to another host, unless an earlier failure already did. */
  function leave(host: number): void {
    if (host === current) current = (current + 1) % hosts.length;
  }

  /** Returns a connection to a host that accepts writes. Tries each host once. */
  async function connect(): Promise<Connection> {
    const reasons = new Map<number, string>();
    for (let tries = hosts.length; tries > 0; ) {
      try {
        const client = (await pool.connect()) as Connection;
        if (client.after === losses) return client;
        discard(client);
      } catch (error) {
        const host = hostOf.get(Object(error));
        if (host === undefined)
          throw storeError('unavailable', `no connection was free for ${FREE_MS / 1000} s`);
        if (ssl.mode === 'prefer' && isWithoutTls(error)) plain.add(host);
        else {
          reasons.set(host, reasonFor(error));
          leave(host);
          tries--;
        }
      }
    }
    const each = [...reasons].sort(([a], [b]) => a - b);
    const told =
      hosts.length > 1 ? each.map(([host, why]) => `host ${host + 1}: ${why}`) : each.map(([, why]) => why);
    throw storeError('unavailable', told.join('; '));
  }

  async function onConnection<T>(
    work: (client: Connection) => Promise<T>,
    mayRepeat: (error: unknown) => boolean,
  ): Promise<T> {
    for (let first = true; ; first = false) {
      const client = await connect();
      try {
        const result = await work(client);
        client.release();
        return result;
      } catch (error) {
        if (!(error instanceof Lost || isUnsure(error))) {
          client.release();
          throw error;
        }
        if (client.after === losses) losses++;
        if (error instanceof Lost && error.message === REASONS[READ_ONLY]) leave(client.at);
        discard(client);
        if (first && mayRepeat(error)) continue;
        throw error instanceof Lost ? storeError('unavailable', error.message) : error;
      }
    }
  }

  async function inTransaction<T>(
    client: Connection,
    work: (ask: Ask) => Promise<T>,
    slow: boolean,
  ): Promise<T> {
    const ask = askOn(client, slow ? undefined : answerMs);
    let result: T;
    try {
      await ask(slow ? 'BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0' : 'BEGIN');
      result = await work(ask);
    } catch (error) {
      if (!(error instanceof Lost)) await ask('ROLLBACK');
      throw error;
    }
    await asUnsure(() => ask('COMMIT'));
    return result;
  }

  return {
    ask: (sql, values) =>
      onConnection(
        (client) => askOn(client, answerMs)(sql, values),
        () => true,
      ),
    write: (sql, values) =>
      onConnection(
        (client) => asUnsure(() => askOn(client, answerMs)(sql, values)),
        () => false,
      ),
    transact: (work, { slow = false, repeatable = false } = {}) =>
      onConnection(
        (client) => inTransaction(client, work, slow),
        (error) => error instanceof Lost || repeatable,
      ),
    close: () => pool.end(),
  };
}

function clientSettings({
  user,
  password,
  database,
  applicationName,
  options,
  connectMs,
}: PostgresAddress): pg.ClientConfig {
  return {
    ...defined({ user, password, database, options }),
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  };
}

/** The host and encryption settings of a connection. As in libpq, a Unix socket is not encrypted. */
function hostSettings(
  { host, port }: PostgresAddress['hosts'][number] = { host: '', port: 5432 },
  tls: ReturnType<typeof tlsOf>['tls'],
): pg.ClientConfig {
  return {
    ...defined({ host: host === '' ? undefined : host }),
    port,
    ssl: host.startsWith('/') ? false : tls,
  };
}

/**
 * Sets the limits of a new connection. Throws when its server does not accept writes, for example because it is a
 * standby.
 */
async function mustAcceptWrites(client: pg.Client, address: PostgresAddress): Promise<void> {
  const lockMs = lockMsOf(address);
  const { rows } = await askOn(
    client,
    address.connectMs,
  )(
    `SET statement_timeout = ${address.statementMs}; SET lock_timeout = ${lockMs};
     SET idle_in_transaction_session_timeout = ${lockMs};
     SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS closed`,
  );
  if (rows[0]?.closed !== false) throw Object.assign(new Error('read-only'), { code: READ_ONLY });
}

/** Runs statements on one connection. A failure of the connection becomes {@link Lost}. */
function askOn(client: pg.ClientBase, limitMs: number | undefined): Ask {
  return async (sql, values) => {
    try {
      const answer = await client.query({
        text: sql,
        ...defined({ values: values ? [...values] : undefined, query_timeout: limitMs }),
      });
      // Several statements in one text return several results.
      const last: pg.QueryResult = Array.isArray(answer) ? answer.at(-1) : answer;
      if (sql === 'COMMIT' && last.command !== 'COMMIT')
        throw storeError('unavailable', 'the server rolled the transaction back');
      return { rows: last.rows, count: last.rowCount ?? 0 };
    } catch (error) {
      throw isLost(error) ? new Lost(reasonFor(error)) : error;
    }
  };
}

/** Runs a statement that commits. If its connection breaks, throws a StoreError `unsure`: it may or may not be written. */
async function asUnsure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Lost ? storeError('unsure', error.message) : error;
  }
}

export function isUnsure(error: unknown): error is StoreError {
  return error instanceof StoreError && error.fault === 'unsure';
}

/** Whether the connection failed: any error that is not from the server, unless it is a bug in this program. */
function isLost(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof StoreError) return false;
  const code = codeOf(error);
  return !(error instanceof pg.DatabaseError) || code === READ_ONLY || ENDED.test(code);
}

function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && error.message === 'The server does not support SSL connections';
}

/** A short reason that contains no address. */
function reasonFor(error: unknown): string {
  if (error instanceof Lost) return error.message;
  const code = codeOf(error);
  if (code !== '') return REASONS[code] ?? code;
  if (isWithoutTls(error)) return 'no TLS';
  const isLate = error instanceof Error && /time(?:d )?out/iu.test(error.message);
  return isLate ? 'no answer' : 'the connection broke';
}

function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** Ends a connection without a goodbye message, because the server may be gone. */
function drop(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

function discard(client: Connection): void {
  drop(client);
  client.release(true);
}
