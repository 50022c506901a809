// Node's own SQLite (from 22.13 on), as a store that Keyv can read. Its statements block, so they run in a thread. The
// connections of one file share a thread. A copy of the store opens the file separately, so it blocks nothing else.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
/** Returns true when Node includes SQLite. */
export function hasBuiltIn() {
    return process.getBuiltinModule?.('node:sqlite') !== undefined;
}
/** Starts a thread. It does not keep the process running unless an answer is pending. */
function startThread() {
    // The file beside this one: compiled if this one is compiled.
    const program = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(program, { execArgv: ['--disable-warning=ExperimentalWarning'] });
    const waiting = new Map();
    let asked = 0;
    worker.unref();
    worker.on('message', (answer) => {
        const one = waiting.get(answer.id);
        waiting.delete(answer.id);
        if (waiting.size === 0)
            worker.unref();
        if ('rows' in answer)
            one?.resolve(answer.rows);
        else
            one?.reject(Object.assign(new Error(answer.message), { code: answer.code }));
    });
    // Without a listener, an error in the thread would end the process. An `exit` event follows.
    worker.on('error', () => undefined);
    let isOver = false;
    const over = () => new Error('the thread that runs SQLite has ended');
    worker.on('exit', () => {
        isOver = true;
        for (const one of waiting.values())
            one.reject(over());
        waiting.clear();
    });
    return {
        ask: (connection, request) => new Promise((resolve, reject) => {
            if (isOver)
                return reject(over());
            const id = asked++;
            if (waiting.size === 0)
                worker.ref();
            waiting.set(id, { resolve, reject });
            worker.postMessage({ ...request, id, connection });
        }),
        end: () => worker.terminate(),
    };
}
/** Returns a function that opens connections. `busyMs`: how long a statement waits for another process's lock. */
export function builtInConnections(file, busyMs) {
    let thread;
    let opened = 0;
    let open = 0;
    return (table) => {
        thread ??= startThread();
        const { ask, end } = thread;
        const connection = opened++;
        open++;
        let isClosed = false;
        // Keyv's own store creates its table, too.
        const make = `CREATE TABLE IF NOT EXISTS ${table} (key VARCHAR(255) PRIMARY KEY, value TEXT)`;
        const ready = ask(connection, { kind: 'open', file, busyMs }).then(() => ask(connection, { kind: 'run', sql: make, values: [] }));
        // The first statement throws this error.
        ready.catch(() => undefined);
        async function query(sql, ...given) {
            if (isClosed)
                throw Object.assign(new Error('the connection is closed'), { code: 'SQLITE_MISUSE' });
            await ready;
            return ask(connection, { kind: 'run', sql, values: given.flat() });
        }
        async function getMany(keys) {
            const sql = `SELECT key, value FROM ${table} WHERE key IN (SELECT value FROM json_each(?))`;
            const found = new Map((await query(sql, JSON.stringify(keys))).map(({ key, value }) => [key, value]));
            return keys.map((key) => found.get(key));
        }
        return {
            query,
            async close() {
                if (isClosed)
                    return;
                isClosed = true;
                await ask(connection, { kind: 'close' });
                if (--open > 0)
                    return;
                thread = undefined;
                await end();
            },
            // Keyv's interface. Keyv only reads: writes go through commits.
            getMany,
            get: async (key) => (await getMany([key]))[0],
            set: (key, value) => query(`INSERT INTO ${table} (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2`, key, value),
            delete: async (key) => (await query(`DELETE FROM ${table} WHERE key = ? RETURNING key`, key)).length > 0,
            clear: () => query(`DELETE FROM ${table}`),
        };
    };
}
//# sourceMappingURL=built-in.js.map