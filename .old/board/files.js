// The two files the board serves from, as one changing state: the listed jobs and the known tokens.
import { createHash } from 'node:crypto';
import { statSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createCatalogue } from './catalogue.js';
import { FileFault, parseJson } from './json-file.js';
import { parseTokens } from './tokens.js';
/**
 * A jobs or tokens file that is missing or broken when the board starts. The message names file and fault, one line
 * each.
 */
export class BoardFileError extends Error {
    name = 'BoardFileError';
}
/**
 * Reads both files and follows their changes. A broken change is logged once, and the last good content stays. Throws
 * a BoardFileError when a file is missing or broken at the start.
 */
export async function openBoardFiles(options) {
    const { log } = options;
    // The first read is part of the start, so only later ones are logged.
    let started = false;
    const jobs = open(options.jobsFile, log, (content) => {
        const list = parseJobs(content);
        options.onJobs(createCatalogue(list));
        if (started)
            log.info({ file: options.jobsFile, jobs: list.length }, 'jobs file read');
    });
    const tokens = open(options.tokensFile, log, (content) => {
        const known = parseTokens(content);
        options.onTokens(known);
        if (started)
            log.info({ file: options.tokensFile, tokens: known.size }, 'tokens file read');
    });
    const both = await allOrNone([jobs, tokens]);
    started = true;
    let waiting;
    async function look() {
        // Requests that arrive at the same moment share one check, which begins after all of them have arrived.
        await new Promise(setImmediate);
        waiting = undefined;
        await Promise.all(both.map((file) => file.refresh()));
    }
    function refresh() {
        waiting ??= look();
        return waiting;
    }
    async function reload() {
        await Promise.all(both.map((file) => file.reload()));
    }
    function close() {
        for (const file of both)
            file.close();
    }
    return { refresh, reload, close };
}
/** Both files. Throws a BoardFileError with the faults of either. */
async function allOrNone(opening) {
    const ends = await Promise.allSettled(opening);
    const files = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    const faults = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    if (faults.length === 0)
        return files;
    for (const file of files)
        file.close();
    const bug = faults.find((fault) => !(fault instanceof BoardFileError));
    throw bug ?? new BoardFileError(faults.map((fault) => fault.message).join('\n'));
}
async function open(path, log, onLoad) {
    try {
        return await openWatchedFile({
            path,
            onLoad,
            onFault: (fault) => log.warn({ file: path, fault }, 'file not taken up, the last good one stays in use'),
            onWatchLost: (reason) => log.warn({ file: path, reason }, 'folder not watched, changes show at requests'),
        });
    }
    catch (error) {
        if (error instanceof FileFault)
            throw new BoardFileError(`${path}: ${error.message}`);
        throw error;
    }
}
function parseJobs(content) {
    if (!Array.isArray(content))
        throw new FileFault('must be a JSON array of jobs');
    const wrong = content.findIndex((job) => typeof job !== 'object' || job === null || Array.isArray(job));
    if (wrong >= 0)
        throw new FileFault(`job ${wrong + 1} must be an object`);
    return content;
}
// A program that truncates the file before it writes leaves half a file for a moment. A fault that lasts longer is
// real.
const PATIENCE_MS = 300;
// Two changes may share one time stamp, so a file younger than this is read again.
const STAMP_GRAIN_MS = 100;
/** Reads the file and watches it until `close`. Throws a FileFault when the file is missing or broken. */
async function openWatchedFile(options) {
    const { path, onLoad, onFault, onWatchLost } = options;
    // `seen`: the stats of the last version read, unless it was so young that another may share its time stamp.
    let seen;
    let goodHash;
    let fault;
    let timer;
    let tail = Promise.resolve();
    let waiting;
    let closed = false;
    /** True while nothing changed since the last version was read, and its fault, if any, was reported. */
    function isCurrent() {
        if (seen === undefined || (fault !== undefined && !fault.told))
            return false;
        try {
            return isSame(statSync(path), seen);
        }
        catch {
            return false;
        }
    }
    async function load() {
        if (isCurrent())
            return;
        let hash = '';
        try {
            const stats = statSync(path);
            const settled = Math.abs(Date.now() - stats.mtimeMs) > STAMP_GRAIN_MS;
            const text = await readFile(path, 'utf8');
            seen = settled ? stats : undefined;
            hash = createHash('sha256').update(text).digest('base64');
            if (hash !== goodHash)
                onLoad(parseJson(text));
            goodHash = hash;
            fault = undefined;
        }
        catch (error) {
            const message = faultText(error);
            if (fault?.message !== message || fault.hash !== hash) {
                fault = { message, hash, since: Date.now(), told: false };
            }
        }
    }
    async function check(patient) {
        await load();
        if (fault === undefined || fault.told)
            return;
        if (patient && Date.now() - fault.since < PATIENCE_MS)
            return lookAgainIn(PATIENCE_MS / 3);
        fault.told = true;
        onFault(fault.message);
    }
    function enqueue(work) {
        tail = tail.then(work);
        return tail;
    }
    // A caller that comes while a check runs needs one that starts after its call; all such callers share one. Usually
    // nothing changed. The synchronous check finds that out faster than an asynchronous one.
    function refresh() {
        if (isCurrent())
            return Promise.resolve();
        waiting ??= enqueue(() => {
            waiting = undefined;
            return check(true);
        });
        return waiting;
    }
    function reload() {
        return enqueue(() => check(false));
    }
    function lookAgainIn(milliseconds) {
        if (closed)
            return;
        timer ??= setTimeout(() => {
            timer = undefined;
            void refresh();
        }, milliseconds).unref();
    }
    await load();
    if (fault !== undefined)
        throw new FileFault(fault.message);
    const watcher = watchFolder(dirname(path), () => lookAgainIn(20), (reason) => onWatchLost(reason));
    function close() {
        closed = true;
        clearTimeout(timer);
        watcher?.close();
    }
    return { refresh, reload, close };
}
// Any event in the folder leads to a check, because links that are switched (as in mounted volumes) have other names.
function watchFolder(folder, onEvent, onLost) {
    try {
        const watcher = watch(folder, { persistent: false }, onEvent);
        watcher.on('error', (error) => {
            watcher.close();
            onLost(faultText(error));
        });
        return watcher;
    }
    catch (error) {
        onLost(faultText(error));
        return undefined;
    }
}
function isSame(some, others) {
    return (some.mtimeMs === others.mtimeMs &&
        some.ctimeMs === others.ctimeMs &&
        some.size === others.size &&
        some.ino === others.ino);
}
function faultText(error) {
    if (error instanceof FileFault)
        return error.message;
    const code = error.code;
    if (code === 'ENOENT')
        return 'no such file';
    if (code === 'EACCES' || code === 'EPERM')
        return 'may not be read';
    if (code === 'EISDIR')
        return 'is a folder, not a file';
    // Not the message: it may quote the content of the file.
    return code ?? `can't be used (${error.name})`;
}
//# sourceMappingURL=files.js.map