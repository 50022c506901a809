// Connections to a SQLite file, through the binding of Keyv's store for it or, when that package can't be loaded, through
// Node's own SQLite. The package is optional, because its binding must be compiled where no prebuilt one fits.
import { createRequire } from 'node:module';
import { StoreError } from '../../domain/errors.js';
import { builtInConnections, builtInKeyvStore, hasBuiltIn } from './built-in.js';
import { openPrepared, type Sqlite3, type SqliteConnection } from './prepared.js';

/** What opens SQLite files here. */
interface Sqlite {
  readonly name: string;
  /** Returns a function that opens connections to a file. If that fails, the first statement throws the error. */
  connections(file: string): () => SqliteConnection;
  /** Returns a store object for Keyv: one table, read through a connection that is shared with others. */
  keyvStore(connection: SqliteConnection, table: string): object;
}

interface KeyvSqliteModule {
  readonly KeyvSqlite: { readonly prototype: object };
}

/** A variable, so that the program compiles when the package is not installed. */
const PACKAGE: string = '@keyv/sqlite';

/** How long a statement waits for another process's lock before it fails. A process that shuts down waits for it, too. */
const BUSY_MS = 2000;

/** Returns what opens SQLite files here; opens nothing yet. Throws a StoreError when SQLite is not available. */
export async function loadSqlite(): Promise<Sqlite> {
  const loaded = await loadPackage();
  if ('KeyvSqlite' in loaded) {
    const { KeyvSqlite, sqlite3 } = loaded;
    return {
      name: PACKAGE,
      connections: (file) => () => openPrepared(sqlite3, file, BUSY_MS),
      // Without its constructor, which opens a connection for each table. Keyv and the methods need only these fields.
      keyvStore: ({ query }, table) =>
        Object.assign(Object.create(KeyvSqlite.prototype), {
          opts: { dialect: 'sqlite', table },
          query: (sql: string, ...values: readonly unknown[]) => query(sql, values.flat()),
        }),
    };
  }
  if (hasBuiltIn())
    return {
      name: `the SQLite of Node, since ${PACKAGE} can't be loaded (${loaded.missing})`,
      connections: (file) => builtInConnections(file, BUSY_MS),
      keyvStore: builtInKeyvStore,
    };
  throw new StoreError(
    'unavailable',
    `The store is a SQLite file, and the optional package ${PACKAGE} that opens it can't be loaded (${loaded.missing}): use Node.js 22.13 or later, which brings SQLite, or install a C++ compiler, make and Python and run "npm ci" again, or name a PostgreSQL database in STORE_URL.`,
  );
}

/** Opens one connection to a file. Throws a StoreError when SQLite is not available. */
export async function openConnection(file: string): Promise<SqliteConnection> {
  return (await loadSqlite()).connections(file)();
}

/** `missing`: why the package can't be loaded. */
async function loadPackage(): Promise<
  (KeyvSqliteModule & { readonly sqlite3: Sqlite3 }) | { readonly missing: string }
> {
  try {
    // Load the binding first: on Node 20, an error inside an import is thrown a second time, where nothing can catch it.
    const sqlite3 = createRequire(createRequire(import.meta.url).resolve(PACKAGE))('sqlite3') as Sqlite3;
    return { ...((await import(PACKAGE)) as KeyvSqliteModule), sqlite3 };
  } catch (error) {
    return { missing: (error as { code?: string }).code ?? 'its compiled part is missing' };
  }
}
