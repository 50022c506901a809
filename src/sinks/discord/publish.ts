// Publishes messages of an announcement channel to the servers that follow it (Discord, "Crosspost Message"). A message
// that can't be published was delivered all the same, so nothing here fails a delivery.
import type { DiscordRest } from '../../discord/rest.js';
import { reasonOf } from '../../domain/errors.js';
import { type Limit, recentOf, waitOf } from '../../domain/limit.js';
import type { Table } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';

/** What Discord allows in one channel. The next one would be refused for up to an hour. */
const HOURLY: Limit = { most: 10, withinMs: 3_600_000 };

/**
 * Publishes a message, unless ten of its channel were published within the hour. Never rejects. `table` stores the
 * times, so that the limit holds for all processes; without it, they are only in memory.
 */
export type Publish = (channel: string, message: string, signal: AbortSignal) => Promise<void>;

export function createPublish(
  rest: Pick<DiscordRest, 'request'>,
  { table, clock, log }: { table: Table<unknown> | undefined; clock: Clock; log: Log },
): Publish {
  const inMemory = new Map<string, readonly number[]>();

  /** Counts a message before it is published. False when its channel is at the limit. */
  async function count(channel: string): Promise<boolean> {
    const now = clock.now();
    let fits = false;
    const next = (before: readonly number[] | undefined) => {
      fits = waitOf(before, now, HOURLY) === 0;
      return fits ? [...recentOf(before, now, HOURLY), now] : before;
    };
    if (table)
      await table.update(
        `discord:published:${channel}`,
        (before) => next(before as readonly number[] | undefined),
        HOURLY.withinMs,
      );
    else inMemory.set(channel, next(inMemory.get(channel)) ?? []);
    return fits;
  }

  return async (channel, message, signal) => {
    try {
      if (!(await count(channel))) return log.info({ channel }, 'not published: ten messages this hour');
      await rest.request('POST', `/channels/${channel}/messages/${message}/crosspost`, { signal });
    } catch (error) {
      log.warn({ channel, reason: reasonOf(error) }, 'a message could not be published');
    }
  };
}
