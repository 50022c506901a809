// A control that is not the active one: it waits for the lease and reports that it waits. A process that dies with the
// lease, or is cut off from the store, loses the lease when it expires.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config.js';
import { reasonOf } from './domain/errors.js';
import type { Stores } from './ports/stores.js';
import type { Log } from './ports/system.js';
import { createHealthWeb } from './web/web.js';

const LOOK_MS = 1_000;
/** Number of attempts to get the lease between two heartbeats. */
const BEAT_EVERY = 3;

/** Resolves to true once this process holds the lease, to false when `signal` aborts first. */
export async function standBy(
  config: Config,
  { lease, processes, probe }: Stores,
  { log, version, signal }: { readonly log: Log; readonly version: string; readonly signal?: AbortSignal },
): Promise<boolean> {
  const web = createHealthWeb({
    ...config.http,
    log,
    health: {
      version,
      role: config.role,
      parts: {
        lease: () => ({ ok: false, standby: true, why: 'another process is the active control' }),
      },
      others: {
        async store() {
          await probe();
          return { ok: true };
        },
      },
    },
  });
  await web.start();
  log.info({}, 'another process is the active control, this one stands by');
  let isAway = false;
  try {
    for (let look = 1; !signal?.aborted; look++) {
      try {
        if ('fence' in (await lease.acquire())) {
          log.info({}, 'this process is the active control now');
          return true;
        }
        if (look % BEAT_EVERY === 0) await processes.beat(0);
        isAway = false;
      } catch (error) {
        if (!isAway) log.warn({ reason: reasonOf(error) }, 'the store does not answer, still standing by');
        isAway = true;
      }
      await sleep(LOOK_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
    }
    return false;
  } finally {
    await web.stop();
  }
}
