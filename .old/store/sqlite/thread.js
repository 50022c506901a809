// Runs in its own thread, because the statements of Node's SQLite block the thread that runs them. It handles requests to
// open a connection, run a statement and close a connection, one after the other.
import { parentPort } from 'node:worker_threads';
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
/** Primary result codes by number (SQLite, Result and Error Codes). */
const CODES = 'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'.split(' ');
const MOST_STATEMENTS = 200;
const connections = new Map();
function prepared({ db, statements }, sql) {
    const known = statements.get(sql);
    if (known)
        return known;
    const made = db.prepare(sql);
    if (statements.size >= MOST_STATEMENTS)
        statements.clear();
    statements.set(sql, made);
    return made;
}
/** Whole numbers become BigInt. Otherwise they are bound as floating-point numbers, which a text column stores as "1.0". */
const bound = (value) => (Number.isInteger(value) ? BigInt(value) : value);
function handle(request) {
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
    if (!opened)
        throw new Error('the connection is not open');
    return prepared(opened, request.sql).all(...request.values.map(bound));
}
parentPort?.on('message', (request) => {
    const { id } = request;
    let answer;
    try {
        answer = { id, rows: handle(request) };
    }
    catch (error) {
        const { errcode, message } = error;
        answer = { id, code: `SQLITE_${CODES[(errcode ?? 1) & 0xff] ?? 'ERROR'}`, message };
    }
    parentPort?.postMessage(answer);
});
//# sourceMappingURL=thread.js.map