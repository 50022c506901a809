// The clock's hand: node-cron calls once a second, and the due index says what that second means.
import { schedule } from 'node-cron';
import type { Log } from '../ports/system.js';

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
  const task = schedule('* * * * * *', tick, { name: 'jobcrier' });
  return async () => {
    await task.stop();
    // stop() does not wait for a call that is running.
    await current;
    await task.destroy();
  };
}
