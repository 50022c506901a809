// Delivery reports may land in a mailbox instead of a webhook. A maildir needs no protocol: new mails are files in
// `new/`, and moving one to `cur/` says it was read.
import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../../domain/errors.js';
import type { Log } from '../../ports/system.js';

const EVERY = 30_000;
/** A report quotes at most the whole mail. */
const LARGEST = 2_000_000;

/** Hands each new mail of a maildir to `take`, now and every half minute. Gives back what stops it. */
export function startMaildir(
  folder: string,
  log: Log,
  take: (mail: string) => Promise<void>,
  everyMs = EVERY,
): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let stopped = false;
  let complained = false;

  async function sweep(): Promise<void> {
    try {
      for (const name of (await readdir(join(folder, 'new'))).sort()) {
        if (stopped) return;
        const path = join(folder, 'new', name);
        if ((await stat(path)).size <= LARGEST) await take(await readFile(path, 'utf8'));
        // After it was taken: a crash in between takes it twice, which changes nothing.
        await rename(path, join(folder, 'cur', `${name}:2,S`));
      }
      complained = false;
    } catch (error) {
      if (!complained) log.error({ reason: reasonOf(error) }, 'bounce maildir cannot be read');
      complained = true;
    }
  }

  function run(): void {
    current = current.then(sweep);
  }
  run();
  const timer = setInterval(run, everyMs);
  timer.unref();
  return async () => {
    stopped = true;
    clearInterval(timer);
    await current;
  };
}
