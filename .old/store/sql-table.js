// What Keyv lacks, in SQL that SQLite and PostgreSQL both accept: rows with versions, pages by key, and deletion of
// expired rows. `$1` is the first value in both databases if the parameters are first used in order.
import { partsOf } from '../domain/edition.js';
import { asStoreErrors } from './faults.js';
const PURGE_PAGE = 1000;
/** Returns the stored text, which any Keyv can read. `expires` comes first, so a purge need not parse the value. */
export function writeEntry(entry) {
    return JSON.stringify(entry.expires === undefined ? { value: entry.value } : { expires: entry.expires, value: entry.value });
}
export function readEntry(text) {
    return JSON.parse(text);
}
/** The most keys named by one statement. */
const READ_PAGE = 500;
/** Reads rows with their versions, see {@link gatherReads}. */
export function sqlRows(run, words) {
    const gather = gatherReads((keys) => sqlReadMany(run, words, keys));
    // Parsed here, so that a damaged row fails only for its own reader.
    async function readMany(keys) {
        const found = await gather(keys);
        return asStoreErrors(async () => new Map([...found].map(([key, { text, version }]) => [key, { entry: readEntry(text), version }])));
    }
    return {
        readMany,
        read: async (key) => (await readMany([key])).get(key) ?? { version: 0 },
    };
}
async function sqlReadMany(run, { table }, keys) {
    const found = new Map();
    for (const part of partsOf(keys, READ_PAGE)) {
        const marks = part.map((_, index) => `$${index + 1}`).join(', ');
        for (const row of await run(`SELECT key, value, version FROM ${table} WHERE key IN (${marks})`, part))
            found.set(String(row.key), { text: String(row.value), version: Number(row.version) });
    }
    return found;
}
/** Reads rows that are requested at the same time with one statement, because a statement costs far more than its rows. */
export function gatherReads(readMany) {
    let waiting = [];
    async function flush() {
        const readers = waiting;
        waiting = [];
        try {
            const found = await readMany([...new Set(readers.flatMap(({ keys }) => keys))]);
            for (const { keys, resolve } of readers)
                resolve(new Map(keys.flatMap((key) => (found.has(key) ? [[key, found.get(key)]] : []))));
        }
        catch (error) {
            for (const { reject } of readers)
                reject(error);
        }
    }
    return async (keys) => {
        if (keys.length === 0)
            return new Map();
        return new Promise((resolve, reject) => {
            if (waiting.push({ keys, resolve, reject }) === 1)
                setImmediate(() => void flush());
        });
    };
}
/** Reads one page. `order` must name the key as the index does, or the database sorts the whole table for every page. */
export async function sqlPage(run, { table, order }, range, limit) {
    const values = [];
    const bounds = [];
    function bound(comparison, value) {
        if (value !== undefined)
            bounds.push(`${order} ${comparison} $${values.push(value)}`);
    }
    bound('>=', range.from);
    bound('>', range.after);
    bound('<', range.to);
    const where = bounds.length > 0 ? `WHERE ${bounds.join(' AND ')}` : '';
    const sql = `SELECT key, value FROM ${table} ${where} ORDER BY ${order} LIMIT ${limit}`;
    return (await run(sql, values)).map((row) => [String(row.key), String(row.value)]);
}
/**
 * Reads keys page by page and deletes expired rows, so that no statement locks the table for long. Returns how many it
 * deleted.
 */
export async function sqlPurge(read, write, { table, order, expires }, now) {
    const at = Math.trunc(now);
    let deleted = 0;
    let after;
    for (;;) {
        const where = after === undefined ? '' : `WHERE ${order} > $1`;
        const rows = await read(`SELECT key, CASE WHEN ${expires} <= ${at} THEN 1 ELSE 0 END AS old FROM ${table} ${where} ORDER BY ${order} LIMIT ${PURGE_PAGE}`, after === undefined ? [] : [after]);
        const old = rows.filter((row) => Number(row.old) === 1).map((row) => String(row.key));
        if (old.length > 0) {
            const marks = old.map((_, index) => `$${index + 1}`).join(', ');
            // Checked again, because a row may have been rewritten since the page was read.
            const gone = await write(`DELETE FROM ${table} WHERE key IN (${marks}) AND ${expires} <= ${at} RETURNING key`, old);
            deleted += gone.length;
        }
        if (rows.length < PURGE_PAGE)
            return deleted;
        after = String(rows.at(-1)?.key);
    }
}
//# sourceMappingURL=sql-table.js.map