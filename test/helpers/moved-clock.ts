// The clock of a program under test, which the test may set: the program runs as it is shipped, but for what Node tells
// it of the time. Timers go on as ever, as they do when somebody sets the clock of a machine.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SHIM = fileURLToPath(new URL('./moved-date.cjs', import.meta.url));

export interface MovedClock {
  /** What the program is to be started with. */
  readonly env: Record<string, string>;
  /** Milliseconds since the epoch, as the program sees it. */
  now(): number;
  /** Moves it, back with a negative number; the program sees it within some milliseconds. */
  move(ms: number): void;
  set(time: number): void;
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
    move(ms) {
      offset += ms;
      write();
    },
    set(time) {
      offset = time - Date.now();
      write();
    },
  };
}
