// Remembers the names of channels and servers while they can be seen, so that a notice about a channel that is gone
// can say which one it was.

import type { DiscordRest } from '../../discord/rest.js';
import { defined } from '../../domain/defined.js';
import { reasonOf } from '../../domain/errors.js';
import type { Table } from '../../ports/stores.js';
import type { Clock, Log } from '../../ports/system.js';

export interface PlaceNames {
  /** Remembers a channel as Discord described it. Never rejects. */
  learn(channel: { readonly id: string; readonly name?: string; readonly guild?: string }): Promise<void>;
  /** Names of a channel and its server, as far as they are known. Never rejects. */
  of(channel: string): Promise<{ readonly channel?: string; readonly server?: string }>;
}

/** A channel, or a server, which has no `guild`. */
interface Known {
  readonly name: string;
  readonly guild?: string;
}

const LIFE_MS = 400 * 86_400_000;
/** After this time a name is read again: people and other processes change names. */
const FRESH_MS = 3_600_000;
const MOST = 5_000;
const PATIENCE_MS = 5_000;

/** `table`: keeps the names across restarts. Without it they are only in memory. */
export function createPlaceNames(
  rest: DiscordRest,
  table: Table<unknown> | undefined,
  log: Log,
  clock: Clock,
): PlaceNames {
  const known = new Map<string, Known & { readonly at: number }>();
  /** When Discord was last asked for a server's name. */
  const asked = new Map<string, number>();
  const slot = (id: string) => `discord:name:${id}`;
  const isFresh = (at: number | undefined) => at !== undefined && Math.abs(clock.now() - at) < FRESH_MS;

  function hold<T>(map: Map<string, T>, id: string, value: T): void {
    if (map.size >= MOST) map.clear();
    map.set(id, value);
  }

  async function find(id: string): Promise<Known | undefined> {
    const former = known.get(id);
    if (isFresh(former?.at) || (former && !table)) return former;
    const kept = (await table?.get(slot(id))) as Known | undefined;
    if (kept) hold(known, id, { ...kept, at: clock.now() });
    return kept;
  }

  async function keep(id: string, next: Known): Promise<void> {
    const former = await find(id);
    if (former?.name === next.name && former.guild === next.guild) return;
    hold(known, id, { ...next, at: clock.now() });
    await table?.set(slot(id), next, LIFE_MS);
  }

  async function learnServer(id: string): Promise<void> {
    if (isFresh(asked.get(id))) return;
    hold(asked, id, clock.now());
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { name } = ((await rest.request('GET', `/guilds/${id}`, { signal })) ?? {}) as { name?: unknown };
    if (typeof name === 'string') await keep(id, { name });
  }

  async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      log.debug({ reason: reasonOf(error) }, 'the name of a place is not known');
      return undefined;
    }
  }

  return {
    async learn({ id, name, guild }) {
      await quietly(async () => {
        if (name) await keep(id, { name, ...defined({ guild: guild || undefined }) });
        if (guild) await learnServer(guild);
      });
    },
    async of(channel) {
      const found = await quietly(() => find(channel));
      const server = found?.guild ? await quietly(() => find(found.guild as string)) : undefined;
      return {
        ...defined({ channel: found?.name, server: server?.name }),
      };
    },
  };
}
