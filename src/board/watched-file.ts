// A file that is read again when it changes and whose last good content stays when a change is broken.
// Two ways notice a change: a watch on the folder (editors replace files rather than write them), and a look at
// the file's stamp before each use, so that a change shows at once even where watching does not work.
import { createHash } from 'node:crypto';
import { type Stats, statSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FileFault, parseJson } from './json-file.js';

export interface WatchedFile {
  /** Looks whether the file changed; afterwards the newest good content has been handed to `onLoad`. Never throws. */
  refresh(): Promise<void>;
  /** As refresh, and a fault is told now instead of after a moment's patience. */
  reload(): Promise<void>;
  close(): void;
}

export interface WatchedFileOptions {
  readonly path: string;
  /** Takes up parsed content, or throws a FileFault; called only when the content differs from the last good one. */
  readonly onLoad: (content: unknown) => void;
  /** Told once per broken version of the file. */
  readonly onFault: (fault: string) => void;
  readonly onWatchLost: (reason: string) => void;
}

// Writers that truncate first leave half a file behind for a moment; a fault this old is no longer that.
const PATIENCE_MS = 300;
// Two changes may share one time stamp; a file younger than this is read again to be sure.
const STAMP_GRAIN_MS = 100;

/** Reads the file (a FileFault when it is missing or broken) and keeps watching it until `close`. */
export async function openWatchedFile(options: WatchedFileOptions): Promise<WatchedFile> {
  const { path, onLoad, onFault, onWatchLost } = options;
  // `seen`: of the last version read, unless it was so young that another may share its time stamp.
  let seen: Stats | undefined;
  let goodHash: string | undefined;
  let fault: { message: string; hash: string; since: number; told: boolean } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let tail = Promise.resolve();
  let waiting: Promise<void> | undefined;
  let closed = false;

  /** True while nothing changed since the last version was read, and all was said about it. */
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

  // A caller that comes while a check runs needs one that starts after its call; all such callers share one.
  // Nearly always nothing changed, which is found out in less time than it takes to ask another thread.
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

// Any event in the folder leads to a look: links that are switched (as in mounted volumes) carry other names.
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
  // Not the message: it may quote what the file holds.
  return code ?? `can't be used (${(error as Error).name})`;
}
