// The clock of a program under test, which the test may set: the program runs as it is shipped, but for what Node tells
// it of the time. Timers go on as ever, as they do when somebody sets the clock of a machine.
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withFile } from '../../src/store/sqlite/files.js';

const SHIM = fileURLToPath(new URL('./moved-date.cjs', import.meta.url));

export interface MovedClock {
  /** What the program is to be started with. */
  readonly env: Record<string, string>;
  /** Milliseconds since the epoch, as the program sees it. */
  now(): number;
  /**
   * Moves it, back with a negative number, once no turn is under way: one that ends after the move would count from the
   * moved time. One that takes longer than some seconds is not waited for. The program sees it within some milliseconds.
   */
  move(ms: number): Promise<void>;
  set(time: number): void;
}

const PATIENCE_MS = 15_000;

async function countLanes(dir: string, which: string, values: readonly unknown[] = []): Promise<number> {
  const [row] = await withFile(join(dir, 'data', 'jobcrier.sqlite'), (run) =>
    run(`SELECT count(*) AS n FROM lane WHERE ${which}`, values),
  );
  return Number(row?.n);
}

/** Lanes that are held in the store of the program that runs in `dir`. */
async function turnsUnderWay(dir: string): Promise<number> {
  return existsSync(join(dir, 'data', 'jobcrier.sqlite')) ? countLanes(dir, 'unit IS NOT NULL') : 0;
}

/** Polls that are due or under way in the store of the program that runs in `dir`, of the time `now`. */
export async function pollsToDo(dir: string, now: number): Promise<number> {
  return countLanes(dir, "queue = 'poll' AND (unit IS NOT NULL OR due_at <= $1)", [now]);
}

/** `dir`: where the file is put by which the program is told. */
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
