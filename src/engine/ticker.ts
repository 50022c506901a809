// The clock of the service: a call every second by a plain timer, and one every full hour through node-cron.
import { schedule } from 'node-cron';
import type { Log } from '../ports/system.js';

/** If more time passes between two seconds, the clock was set or the process was suspended. */
const LONGEST_MS = 3_000;

export interface Ticks {
  /** Never called again while a call is running. */
  second(): Promise<void>;
  hour(): Promise<void>;
}

/** Begins to call. The returned function stops it and waits for running calls. */
export function startTicker(ticks: Ticks, log: Log): () => Promise<void> {
  let seconds: Promise<void> | undefined;
  let hours: Promise<void> = Promise.resolve();
  // Caught here, because node-cron would print the error with its own logger.
  const failed = (error: unknown) => log.error({ err: error }, 'tick failed');

  // Seconds that a busy machine misses are not worth a warning, least of all on output that machines read.
  const beginHours = () =>
    schedule(
      '0 0 * * * *',
      () => {
        hours = ticks.hour().catch(failed);
        return hours;
      },
      { name: 'jobcrier', suppressMissedWarning: true },
    );
  let task = beginHours();

  /**
   * node-cron waits by the wall clock. After the clock is set back, it would stop until the clock has caught up, and after
   * it is set forward, it would count the skipped hours. So it is restarted after a jump.
   */
  let lookedAt = Date.now();
  function look(): void {
    const passed = Date.now() - lookedAt;
    lookedAt += passed;
    if (passed >= 0 && passed <= LONGEST_MS) return;
    void task.destroy();
    task = beginHours();
  }

  function second(): void {
    timer = setTimeout(second, 1000 - (Date.now() % 1000));
    look();
    seconds ??= ticks
      .second()
      .catch(failed)
      .finally(() => {
        seconds = undefined;
      });
  }
  let timer = setTimeout(second, 1000 - (Date.now() % 1000));

  return async () => {
    clearTimeout(timer);
    await task.stop();
    // stop() does not wait for a running call.
    await Promise.all([seconds, hours]);
    await task.destroy();
  };
}
