// The clock's hand: node-cron calls once a second, and the due index says what that second means.
import { type ScheduledTask, schedule } from 'node-cron';
import type { Log } from '../ports/system.js';

/** The clock is looked at this long before each second is full. */
const LEAD_MS = 5;
/** More between two looks is a clock that was set, or a process that was suspended. */
const LONGEST_MS = 3_000;

/** Calls `onTick` every second until the returned function is called; that waits for a call under way. */
export function startTicker(onTick: () => Promise<void>, log: Log): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let busy = false;
  async function tick(): Promise<void> {
    if (busy) return;
    busy = true;
    // node-cron would print the error with a logger of its own, so none may reach it.
    current = onTick().catch((error: unknown) => log.error({ err: error }, 'tick failed'));
    await current;
    busy = false;
  }
  let task = begin(tick);
  /**
   * node-cron waits for the next second by the clock on the wall: it would stand still until a clock that went back has
   * caught up, and count every second that a clock set forward left out, for hours. So it begins anew after a jump, and
   * the jump is looked for right before its own timer, which is therefore never the first to find it.
   */
  let lookedAt = Date.now();
  function look(): void {
    const passed = Date.now() - lookedAt;
    lookedAt += passed;
    if (passed < 0 || passed > LONGEST_MS) {
      void task.destroy();
      task = begin(tick);
    }
    watch = setTimeout(look, untilNextLook());
  }
  let watch = setTimeout(look, untilNextLook());
  return async () => {
    clearTimeout(watch);
    await task.stop();
    // stop() does not wait for a call that is running.
    await current;
    await task.destroy();
  };
}

function begin(tick: () => Promise<void>): ScheduledTask {
  // The seconds that a busy machine misses are nobody's news, least of all on the output that machines read.
  return schedule('* * * * * *', tick, { name: 'jobcrier', suppressMissedWarning: true });
}

function untilNextLook(): number {
  const left = 1000 - LEAD_MS - (Date.now() % 1000);
  return left > 0 ? left : left + 1000;
}
