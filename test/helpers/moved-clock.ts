// The clock of a program under test, which the test can set: the program is the shipped one, except for the time that
// Node reports. Timers continue as usual, as they do when the clock of a machine is set.
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withFile } from '../../src/store/sqlite/files.js';

const SHIM = fileURLToPath(new URL('./moved-date.cjs', import.meta.url));

export interface MovedClock {
  /** The environment to start the program with. */
  readonly env: Record<string, string>;
  /** Milliseconds since the epoch, as the program sees it. */
  now(): number;
  /**
   * Moves it, back with a negative number, after all turns have ended: one that ends after the move would count from the moved
   * time. A turn of more than some seconds is not waited for. The program sees the move within some milliseconds.
   */
  move(ms: number): Promise<void>;
  set(time: number): void;
}

const PATIENCE_MS = 15_000;

async function countRows(dir: string, which: string, values: readonly unknown[] = []): Promise<number> {
  const [row] = await withFile(join(dir, 'data', 'jobcrier.sqlite'), (run) =>
    run(`SELECT count(*) AS n FROM ${which}`, values),
  );
  return Number(row?.n);
}

/** Lanes that are held in the store of the program that runs in `dir`. */
async function turnsUnderWay(dir: string): Promise<number> {
  return existsSync(join(dir, 'data', 'jobcrier.sqlite')) ? countRows(dir, 'lane WHERE unit IS NOT NULL') : 0;
}

/**
 * Polls that are due or running in the store of the program that runs in `dir`, at the time `now`; also those that wait
 * for the end of their account's rest.
 */
export async function pollsToDo(dir: string, now: number): Promise<number> {
  return countRows(dir, "unit WHERE queue = 'poll' AND due_at <= $1", [now]);
}

/** `dir`: the folder of the file through which the program gets the time. */
export function movedClock(dir: string): MovedClock {
  const file = join(dir, 'clock-offset');
  let offset = 0;
  function write(): void {
    writeFileSync(`${file}.new`, String(offset));
    renameSync(`${file}.new`, file);
  }
  write();
  return {
    env: { NODE_OPTIONS: `--require ${SHIM}`, MOVED_CLOCK: file },
    now: () => Date.now() + offset,
    async move(ms) {
      const deadline = Date.now() + PATIENCE_MS;
      while ((await turnsUnderWay(dir)) > 0 && Date.now() < deadline) await sleep(20);
      offset += ms;
      write();
    },
    set(time) {
      offset = time - Date.now();
      write();
    },
  };
}
