// `jobcrier board`: serves the jobs listing API from two files until it is stopped.
import { BoardFileError } from '../board/files.js';
import { createBoard } from '../board/server.js';
import { UserError } from '../domain/errors.js';
/**
 * Starts the board, prints its address, and resolves when it has been stopped and closed. Throws a UserError: exit code 2
 * when a file is missing or broken, 1 when the board can't listen on the address.
 */
export async function boardCommand(options, io) {
    const { host = '127.0.0.1', port = 0 } = options;
    // Listens before the start, so that a signal during the start is not lost.
    const stop = listenForStop(io.signal);
    try {
        const files = { jobsFile: options.jobs, tokensFile: options.tokens };
        const board = await createBoard({ ...files, host, port, log: io.log });
        io.print(options.json
            ? JSON.stringify({ event: 'listening', url: board.url })
            : `Jobs listing API at ${board.url} (JSON: /api/v1, RSS: /api/v1.xml)`);
        await stop.requested;
        await board.close();
    }
    catch (error) {
        throw forPeople(error, host, port);
    }
    finally {
        stop.ignore();
    }
}
// Each signal is handled once only, so that a second one ends a process that hangs while closing.
function listenForStop(signal) {
    const listeners = new AbortController();
    const requested = new Promise((resolve) => {
        const stop = () => resolve();
        if (signal?.aborted)
            stop();
        process.once('SIGTERM', stop);
        process.once('SIGINT', stop);
        signal?.addEventListener('abort', stop, { once: true });
        listeners.signal.addEventListener('abort', () => {
            process.off('SIGTERM', stop);
            process.off('SIGINT', stop);
            signal?.removeEventListener('abort', stop);
        });
    });
    return { requested, ignore: () => listeners.abort() };
}
function forPeople(error, host, port) {
    if (error instanceof BoardFileError) {
        const lines = error.message.split('\n').map((line) => `${line}. Fix the file and start again.`);
        return new UserError(lines.join('\n'), 2);
    }
    const code = error.code;
    if (code === 'EADDRINUSE') {
        return new UserError(`Port ${port} on ${host} is taken: choose another one, or 0 for any free one.`);
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
        return new UserError(`Can't listen on ${host}, port ${port} (${code}): choose another address.`);
    }
    return error;
}
//# sourceMappingURL=board.js.map