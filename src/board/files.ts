// The two files the board serves from, as one changing state: the listed jobs and the known tokens.

import { createHash } from 'node:crypto';
import { type Stats, statSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Catalogue, createCatalogue } from './catalogue.js';
import type { Job } from './job.js';
import { FileFault, parseJson } from './json-file.js';
import { parseTokens, type Tokens } from './tokens.js';

/** pino's calling convention: fields first, a static message second. */
export interface BoardLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * A jobs or tokens file that is missing or broken when the board starts. The message names file and fault, one line
 * each.
 */
export class BoardFileError extends Error {
  override readonly name = 'BoardFileError';
}

export interface BoardFiles {
  refresh(): Promise<void>;
  reload(): Promise<void>;
  close(): void;
}

export interface BoardFilesOptions {
  readonly jobsFile: string;
  readonly tokensFile: string;
  readonly log: BoardLog;
  readonly onJobs: (catalogue: Catalogue) => void;
  readonly onTokens: (tokens: Tokens) => void;
}

/**
 * Reads both files and follows their changes. A broken change is logged once, and the last good content stays. Throws
 * a BoardFileError when a file is missing or broken at the start.
 */
export async function openBoardFiles(options: BoardFilesOptions): Promise<BoardFiles> {
  const { log } = options;
  // The first read is part of the start, so only later ones are logged.
  let started = false;
  const jobs = open(options.jobsFile, log, (content) => {
    const list = parseJobs(content);
    options.onJobs(createCatalogue(list));
    if (started) log.info({ file: options.jobsFile, jobs: list.length }, 'jobs file read');
  });
  const tokens = open(options.tokensFile, log, (content) => {
    const known = parseTokens(content);
    options.onTokens(known);
    if (started) log.info({ file: options.tokensFile, tokens: known.size }, 'tokens file read');
  });
  const both = await allOrNone([jobs, tokens]);
  started = true;

  let waiting: Promise<void> | undefined;

  async function look(): Promise<void> {
    // Requests that arrive at the same moment share one check, which begins after all of them have arrived.
    await new Promise(setImmediate);
    waiting = undefined;
    await Promise.all(both.map((file) => file.refresh()));
  }

  function refresh(): Promise<void> {
    waiting ??= look();
    return waiting;
  }

  async function reload(): Promise<void> {
    await Promise.all(both.map((file) => file.reload()));
  }

  function close(): void {
    for (const file of both) file.close();
  }

  return { refresh, reload, close };
}

/** Both files. Throws a BoardFileError with the faults of either. */
async function allOrNone(opening: readonly Promise<WatchedFile>[]): Promise<readonly WatchedFile[]> {
  const ends = await Promise.allSettled(opening);
  const files = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  const faults: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (faults.length === 0) return files;
  for (const file of files) file.close();
  const bug = faults.find((fault) => !(fault instanceof BoardFileError));
  throw bug ?? new BoardFileError(faults.map((fault) => (fault as BoardFileError).message).join('\n'));
}

async function open(path: string, log: BoardLog, onLoad: (content: unknown) => void) {
  try {
    return await openWatchedFile({
      path,
      onLoad,
      onFault: (fault) =>
        log.warn({ file: path, fault }, 'file not taken up, the last good one stays in use'),
      onWatchLost: (reason) =>
        log.warn({ file: path, reason }, 'folder not watched, changes show at requests'),
    });
  } catch (error) {
    if (error instanceof FileFault) throw new BoardFileError(`${path}: ${error.message}`);
    throw error;
  }
}

function parseJobs(content: unknown): Job[] {
  if (!Array.isArray(content)) throw new FileFault('must be a JSON array of jobs');
  const wrong = content.findIndex((job) => typeof job !== 'object' || job === null || Array.isArray(job));
  if (wrong >= 0) throw new FileFault(`job ${wrong + 1} must be an object`);
  return content;
}

// A file that is read again when it changes. If the new content is broken, the last good content stays. Two ways
// notice a change: a watch on the folder (editors replace files rather than write them), and a check of the file's
// stats before each use, so that a change shows immediately even where watching does not work.

interface WatchedFile {
  /** Checks whether the file changed. Afterwards `onLoad` has received the newest good content. Never throws. */
  refresh(): Promise<void>;
  /** Like refresh, but a fault is reported immediately and not after a short wait. */
  reload(): Promise<void>;
  close(): void;
}

interface WatchedFileOptions {
  readonly path: string;
  /** Applies parsed content, or throws a FileFault. Called only when the content differs from the last good one. */
  readonly onLoad: (content: unknown) => void;
  /** Called once per broken version of the file. */
  readonly onFault: (fault: string) => void;
  readonly onWatchLost: (reason: string) => void;
}

// A program that truncates the file before it writes leaves half a file for a moment. A fault that lasts longer is
// real.
const PATIENCE_MS = 300;
// Two changes may share one time stamp, so a file younger than this is read again.
const STAMP_GRAIN_MS = 100;

/** Reads the file and watches it until `close`. Throws a FileFault when the file is missing or broken. */
async function openWatchedFile(options: WatchedFileOptions): Promise<WatchedFile> {
  const { path, onLoad, onFault, onWatchLost } = options;
  // `seen`: the stats of the last version read, unless it was so young that another may share its time stamp.
  let seen: Stats | undefined;
  let goodHash: string | undefined;
  let fault: { message: string; hash: string; since: number; told: boolean } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let tail = Promise.resolve();
  let waiting: Promise<void> | undefined;
  let closed = false;

  /** True while nothing changed since the last version was read, and its fault, if any, was reported. */
  function isCurrent(): boolean {
    if (seen === undefined || (fault !== undefined && !fault.told)) return false;
    try {
      return isSame(statSync(path), seen);
    } catch {
      return false;
    }
  }

  async function load(): Promise<void> {
    if (isCurrent()) return;
    let hash = '';
    try {
      const stats = statSync(path);
      const settled = Math.abs(Date.now() - stats.mtimeMs) > STAMP_GRAIN_MS;
      const text = await readFile(path, 'utf8');
      seen = settled ? stats : undefined;
      hash = createHash('sha256').update(text).digest('base64');
      if (hash !== goodHash) onLoad(parseJson(text));
      goodHash = hash;
      fault = undefined;
    } catch (error) {
      const message = faultText(error);
      if (fault?.message !== message || fault.hash !== hash) {
        fault = { message, hash, since: Date.now(), told: false };
      }
    }
  }

  async function check(patient: boolean): Promise<void> {
    await load();
    if (fault === undefined || fault.told) return;
    if (patient && Date.now() - fault.since < PATIENCE_MS) return lookAgainIn(PATIENCE_MS / 3);
    fault.told = true;
    onFault(fault.message);
  }

  function enqueue(work: () => Promise<void>): Promise<void> {
    tail = tail.then(work);
    return tail;
  }

  // A caller that comes while a check runs needs one that starts after its call; all such callers share one. Usually
  // nothing changed. The synchronous check finds that out faster than an asynchronous one.
  function refresh(): Promise<void> {
    if (isCurrent()) return Promise.resolve();
    waiting ??= enqueue(() => {
      waiting = undefined;
      return check(true);
    });
    return waiting;
  }

  function reload(): Promise<void> {
    return enqueue(() => check(false));
  }

  function lookAgainIn(milliseconds: number): void {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void refresh();
    }, milliseconds).unref();
  }

  await load();
  if (fault !== undefined) throw new FileFault((fault as { message: string }).message);
  const watcher = watchFolder(
    dirname(path),
    () => lookAgainIn(20),
    (reason) => onWatchLost(reason),
  );

  function close(): void {
    closed = true;
    clearTimeout(timer);
    watcher?.close();
  }

  return { refresh, reload, close };
}

// Any event in the folder leads to a check, because links that are switched (as in mounted volumes) have other names.
function watchFolder(folder: string, onEvent: () => void, onLost: (reason: string) => void) {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent);
    watcher.on('error', (error) => {
      watcher.close();
      onLost(faultText(error));
    });
    return watcher;
  } catch (error) {
    onLost(faultText(error));
    return undefined;
  }
}

function isSame(some: Stats, others: Stats): boolean {
  return (
    some.mtimeMs === others.mtimeMs &&
    some.ctimeMs === others.ctimeMs &&
    some.size === others.size &&
    some.ino === others.ino
  );
}

function faultText(error: unknown): string {
  if (error instanceof FileFault) return error.message;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read';
  if (code === 'EISDIR') return 'is a folder, not a file';
  // Not the message: it may quote the content of the file.
  return code ?? `can't be used (${(error as Error).name})`;
}
