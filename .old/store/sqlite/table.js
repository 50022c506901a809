import { writesOf } from '../commit.js';
import { asStoreErrors } from '../faults.js';
import { createKeyv } from '../keyv.js';
import { sqlPage, sqlPurge, sqlRows } from '../sql-table.js';
/** SQLite's CAST reads the leading digits and stops, so it does not read the value after them. */
const EXPIRES = `CASE WHEN substr(value, 1, 11) = '{"expires":' THEN CAST(substr(value, 12, 16) AS INTEGER) END`;
/** Creates the table as Keyv does. */
export function kvTableSql(table) {
    return `CREATE TABLE IF NOT EXISTS ${table} (key VARCHAR(255) PRIMARY KEY, value TEXT)`;
}
/**
 * Runs SQL on one connection and throws StoreErrors. `$1` becomes `?1`, because SQLite treats `$1` as a name and looks it
 * up.
 */
export function runner(store) {
    return (sql, values = []) => asStoreErrors(() => store.query(sql.replaceAll(/\$(\d)/gu, '?$1'), values));
}
export function createSqliteTable(name, store, line, commit) {
    const read = runner(store);
    const write = (sql, values) => line(() => read(sql, values));
    const keyv = createKeyv(store);
    const words = { table: name, order: 'key', expires: EXPIRES };
    return {
        name,
        ...writesOf(name, commit),
        get: (key) => keyv.get(key),
        ...sqlRows(read, words),
        // Not Keyv's own iterator: it reads ten rows at a time by OFFSET without an order, which is quadratic and misses rows
        // that move.
        page: (range, limit) => sqlPage(read, words, range, limit),
        purge: (now) => sqlPurge(read, write, words, now),
    };
}
//# sourceMappingURL=table.js.map