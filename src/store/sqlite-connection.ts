// Connections to a SQLite file: over Keyv's store for it, or, where its package can't be loaded, over the SQLite that Node
// brings. The package is optional, since its binding has to be compiled where no ready one fits.
import { createRequire } from 'node:module';
import { StoreError } from '../domain/errors.js';
import { builtInConnections, hasBuiltIn } from './sqlite-built-in.js';

/** What is used of Keyv's SQLite store; Keyv itself reads rows with the rest. */
export interface SqliteConnection {
  /** Rows with the columns that the statement asks for. */
  query(sql: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

interface KeyvSqlite extends SqliteConnection {
  on(event: 'error', listener: () => void): unknown;
}

interface KeyvSqliteModule {
  readonly KeyvSqlite: new (options: {
    uri: string;
    table: string;
    busyTimeout: number;
    iterationLimit: number;
  }) => KeyvSqlite;
}

/** In a variable, so that the program compiles where the package is not installed. */
const PACKAGE: string = '@keyv/sqlite';

/** How long a statement waits for another process's lock before it fails. A process that is to end waits for it, too. */
const BUSY_MS = 2000;

/** Opens a connection on which a failure to open is thrown by the first statement. `table`: the one that Keyv reads. */
export type Connect = (table: string) => SqliteConnection;

/** What opens connections to the file; nothing is opened yet. A StoreError where SQLite can't be had. */
export async function sqliteFile(file: string): Promise<Connect> {
  const loaded = await loadPackage();
  if ('KeyvSqlite' in loaded) return (table) => openKeyv(loaded, file, table);
  if (hasBuiltIn()) return builtInConnections(file, BUSY_MS);
  throw new StoreError(
    'unavailable',
    `The store is a SQLite file, and the optional package ${PACKAGE} that opens it can't be loaded (${loaded.missing}): use Node.js 22.13 or later, which brings SQLite, or install a C++ compiler, make and Python and run "npm ci" again, or name a PostgreSQL database in STORE_URL.`,
  );
}

/** One connection to a file, see {@link sqliteFile}. */
export async function openConnection(file: string, table: string): Promise<SqliteConnection> {
  return (await sqliteFile(file))(table);
}

/** What SQLite files are opened with here, in words. A StoreError as of {@link sqliteFile}. */
export async function sqliteBinding(): Promise<string> {
  await sqliteFile('');
  const loaded = await loadPackage();
  return 'KeyvSqlite' in loaded
    ? PACKAGE
    : `the SQLite of Node, since ${PACKAGE} can't be loaded (${loaded.missing})`;
}

function openKeyv({ KeyvSqlite }: KeyvSqliteModule, file: string, table: string): SqliteConnection {
  const store = new KeyvSqlite({
    uri: `sqlite://${file}`,
    table,
    busyTimeout: BUSY_MS,
    iterationLimit: 1000,
  });
  store.on('error', () => undefined);
  // A failure to open that no statement has waited for yet would end the process as an unhandled rejection.
  store.query('SELECT 1').catch(() => undefined);
  return store;
}

/** `missing`: why it can't be loaded. */
async function loadPackage(): Promise<KeyvSqliteModule | { readonly missing: string }> {
  try {
    // The binding first: on Node 20 what fails beneath an import is thrown once more, where nothing can catch it.
    createRequire(createRequire(import.meta.url).resolve(PACKAGE))('sqlite3');
    return (await import(PACKAGE)) as KeyvSqliteModule;
  } catch (error) {
    return { missing: (error as { code?: string }).code ?? 'its compiled part is missing' };
  }
}
