// The two files the board serves from, as one changing state: what is listed and who may ask.
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

/** A jobs or tokens file that is missing or broken when the board starts; the message names file and fault, a line each. */
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

/** Reads both files and follows their changes; a broken change is logged once and the last good content stays. */
export async function openBoardFiles(options: BoardFilesOptions): Promise<BoardFiles> {
  const { log } = options;
  // The first reading is part of starting; only later ones are news.
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
    // Requests that come in at the same moment share one look, which begins when all of them are there.
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

/** Both, or what is wrong with either. */
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
