// Looks up the kind of a channel, and a person's direct-message channel. Channels are cached for five minutes.

import { discordFault } from '../../discord/fault.js';
import type { DiscordRest } from '../../discord/rest.js';
import { defined } from '../../domain/defined.js';
import type { ForumTag } from '../../render/discord/forum.js';
import type { Place } from './target.js';

/** What sending needs to know about a channel. */
export interface Channel {
  readonly id: string;
  readonly kind: 'plain' | 'thread' | 'forum';
  /** Its messages can be published to the servers that follow it. */
  readonly announcement?: true;
  readonly guild?: string;
  readonly name?: string;
  readonly archived: boolean;
  readonly tags: readonly ForumTag[];
  readonly tagRequired: boolean;
}

export interface Channels {
  /** The channel of a place; `fresh` ignores the cache. */
  at(place: Place, signal: AbortSignal, fresh?: boolean): Promise<Channel>;
  /** Opens an archived thread again. */
  reopen(id: string, signal: AbortSignal): Promise<void>;
}

const LIFE_MS = 300_000;
const MOST = 5_000;
const TAG_REQUIRED = 16;

/**
 * Discord's channel types: text, DM, voice, group, announcement, stage hold messages; 10 to 12 are threads; 15 and
 * 16 are forums.
 */
const PLAIN = [0, 1, 2, 3, 5, 13];
const THREAD = [10, 11, 12];
const FORUM = [15, 16];
const ANNOUNCEMENT = 5;

/** One per token. */
export function createChannels(rest: DiscordRest): Channels {
  const known = new Map<string, { readonly channel: Channel; readonly at: number }>();
  const directs = new Map<string, string>();

  async function direct(user: string, signal: AbortSignal): Promise<Channel> {
    const id =
      directs.get(user) ??
      idOf(await rest.request('POST', '/users/@me/channels', { body: { recipient_id: user }, signal }));
    remember(directs, user, id);
    return { id, kind: 'plain', archived: false, tags: [], tagRequired: false };
  }

  return {
    async at(place, signal, fresh = false) {
      if (place.kind === 'dm') return direct(place.user, signal);
      const hit = known.get(place.id);
      if (hit && !fresh && performance.now() - hit.at < LIFE_MS) return hit.channel;
      known.delete(place.id);
      const channel = readChannel(await rest.request('GET', `/channels/${place.id}`, { signal }));
      remember(known, place.id, { channel, at: performance.now() });
      return channel;
    },
    async reopen(id, signal) {
      await rest.request('PATCH', `/channels/${id}`, { body: { archived: false }, signal });
      const hit = known.get(id);
      if (hit) known.set(id, { ...hit, channel: { ...hit.channel, archived: false } });
    },
  };
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= MOST) map.clear();
  map.set(key, value);
}

function idOf(value: unknown): string {
  const id = (value as { id?: unknown } | undefined)?.id;
  if (typeof id === 'string') return id;
  throw discordFault('away', 'Discord opened no direct-message channel');
}

interface Wire {
  readonly id?: string;
  readonly type?: number;
  readonly guild_id?: string;
  readonly name?: string;
  readonly flags?: number;
  readonly thread_metadata?: { readonly archived?: boolean };
  readonly available_tags?: readonly ForumTag[];
}

function readChannel(value: unknown): Channel {
  const wire = (value ?? {}) as Wire;
  const { type = -1 } = wire;
  const kind = PLAIN.includes(type)
    ? 'plain'
    : THREAD.includes(type)
      ? 'thread'
      : FORUM.includes(type)
        ? 'forum'
        : undefined;
  // The code that Discord itself would answer, without sending the request.
  if (!kind)
    throw discordFault('refused', `channel type ${type} holds no messages`, { status: 400, code: 50008 });
  return {
    id: idOf(wire),
    kind,
    ...defined({
      announcement: type === ANNOUNCEMENT || undefined,
      guild: wire.guild_id || undefined,
      name: wire.name || undefined,
    }),
    archived: wire.thread_metadata?.archived === true,
    tags: wire.available_tags ?? [],
    tagRequired: ((wire.flags ?? 0) & TAG_REQUIRED) !== 0,
  };
}
