// A Discord target as people write it and as it is stored: a channel id, or `dm:` and a user id.
import { discordId } from '../../domain/discord-id.js';
import { UserError } from '../../domain/errors.js';
import { shown } from '../../domain/input.js';
import type { Destination } from '../../domain/subscription.js';

/** Where a message goes. Ids are snowflakes. */
export type Place =
  | { readonly kind: 'channel'; readonly id: string }
  | { readonly kind: 'dm'; readonly user: string };

const WANTED =
  'wanted a channel id such as "123456789012345678" or "dm:<user id>" (Discord: Settings, Advanced, Developer Mode, then Copy ID); in YAML the id needs quotes.';

/** `<id>`, `channel:<id>` (kept as `<id>`) or `dm:<user id>`; throws a {@link UserError}. */
export function parseDiscordTarget(target: unknown): string {
  if (typeof target === 'string') {
    const [, kind, last] = /^(?:(channel|dm):)?(.*)$/su.exec(target.trim()) ?? [];
    const id = discordId(last);
    if (id) return kind === 'dm' ? `dm:${id}` : id;
  }
  // A number loses the last digits of an id, so it would name another channel.
  const got = typeof target === 'number' ? 'a number, which cannot hold an id exactly' : shown(target);
  throw new UserError(`discord target: ${WANTED} Got ${got}.`, 2);
}

/** Reads a target that {@link parseDiscordTarget} returned. */
export function placeOf(target: string): Place {
  return target.startsWith('dm:') ? { kind: 'dm', user: target.slice(3) } : { kind: 'channel', id: target };
}

/** True for a destination of this sink. */
export function isDiscord({ sink }: Pick<Destination, 'sink'>): boolean {
  return sink === 'discord';
}
