// The two files the board serves from, as one changing state: the listed jobs and the known tokens.
import { type Catalogue, createCatalogue } from './catalogue.js';
import type { Job } from './job.js';
import { FileFault } from './json-file.js';
import { parseTokens, type Tokens } from './tokens.js';
import { openWatchedFile, type WatchedFile } from './watched-file.js';

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
