// Connections to a SQLite file, through Keyv's store for it or, when its package can't be loaded, through Node's own
// SQLite. The package is optional, because its binding must be compiled where no prebuilt one fits.
import { createRequire } from 'node:module';
import { StoreError } from '../../domain/errors.js';
import { builtInConnections, hasBuiltIn } from './built-in.js';
/** A variable, so that the program compiles when the package is not installed. */
const PACKAGE = '@keyv/sqlite';
/** How long a statement waits for another process's lock before it fails. A process that shuts down waits for it, too. */
const BUSY_MS = 2000;
/**
 * Returns a function that opens connections to the file; opens nothing yet. Throws a StoreError when SQLite is not
 * available.
 */
export async function sqliteFile(file) {
    const loaded = await loadPackage();
    if ('KeyvSqlite' in loaded)
        return (table) => openKeyv(loaded, file, table);
    if (hasBuiltIn())
        return builtInConnections(file, BUSY_MS);
    throw new StoreError('unavailable', `The store is a SQLite file, and the optional package ${PACKAGE} that opens it can't be loaded (${loaded.missing}): use Node.js 22.13 or later, which brings SQLite, or install a C++ compiler, make and Python and run "npm ci" again, or name a PostgreSQL database in STORE_URL.`);
}
/** Opens one connection to a file, see {@link sqliteFile}. */
export async function openConnection(file, table) {
    return (await sqliteFile(file))(table);
}
/** Returns the name of what opens SQLite files here. Throws a StoreError like {@link sqliteFile}. */
export async function sqliteBinding() {
    await sqliteFile('');
    const loaded = await loadPackage();
    return 'KeyvSqlite' in loaded
        ? PACKAGE
        : `the SQLite of Node, since ${PACKAGE} can't be loaded (${loaded.missing})`;
}
function openKeyv({ KeyvSqlite }, file, table) {
    const store = new KeyvSqlite({
        uri: `sqlite://${file}`,
        table,
        busyTimeout: BUSY_MS,
        iterationLimit: 1000,
    });
    store.on('error', () => undefined);
    // Without this, a failure to open before the first statement would end the process as an unhandled rejection.
    store.query('SELECT 1').catch(() => undefined);
    return store;
}
/** `missing`: why the package can't be loaded. */
async function loadPackage() {
    try {
        // Load the binding first: on Node 20, an error inside an import is thrown a second time, where nothing can catch it.
        createRequire(createRequire(import.meta.url).resolve(PACKAGE))('sqlite3');
        return (await import(PACKAGE));
    }
    catch (error) {
        return { missing: error.code ?? 'its compiled part is missing' };
    }
}
//# sourceMappingURL=connection.js.map