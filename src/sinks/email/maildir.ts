// Delivery reports may go to a mailbox instead of a webhook. A maildir needs no protocol: new mails are files in
// `new/`, and moving one to `cur/` marks it as read. Anyone can write to a mailbox, so a mail is moved before it is
// read: if reading it crashes the process, it is not read again after a restart.
import { lstat, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf, StoreError } from '../../domain/errors.js';
import type { Log } from '../../ports/system.js';
import { LARGEST_REPORT } from './reports.js';

const EVERY = 30_000;

/** Passes each new mail of a maildir to `take`, now and every 30 seconds. Returns a function that stops it. */
export function startMaildir(
  folder: string,
  log: Log,
  take: (mail: string) => Promise<void>,
  everyMs = EVERY,
): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let stopped = false;
  let complained = false;

  async function takeFile(name: string): Promise<void> {
    const from = join(folder, 'new', name);
    const to = join(folder, 'cur', `${name}:2,S`);
    const { size } = await lstat(from);
    await rename(from, to);
    // Anything but a file, such as a pipe, could block the read forever.
    if (size > LARGEST_REPORT || !(await lstat(to)).isFile()) {
      log.warn({ bytes: size }, 'mail in the bounce maildir is too large or no file: moved to cur, not read');
      return;
    }
    try {
      await take(await readFile(to, 'utf8'));
    } catch (error) {
      // Reading worked, but the result could not be stored: the next sweep tries again.
      if (error instanceof StoreError) await rename(to, from);
      throw error;
    }
  }

  async function sweep(): Promise<void> {
    try {
      for (const name of (await readdir(join(folder, 'new'))).sort()) {
        if (stopped) return;
        await takeFile(name);
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
