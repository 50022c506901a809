// Discord computes what a person may do in a channel they chose and sends it along; discord.js throws that away for
// channels it knows. It is kept here until the interaction is handled, because it is truer than any cache.
import { type Client, Events, GatewayDispatchEvents } from 'discord.js';

interface Raw {
  readonly t?: string;
  readonly d?: {
    readonly id?: string;
    readonly channel?: { readonly id?: string; readonly permissions?: string };
    readonly data?: {
      readonly resolved?: { readonly channels?: Record<string, { readonly permissions?: string }> };
    };
  };
}

/** The rights of whoever acts, by channel id, as bit sets. */
export type Rights = ReadonlyMap<string, bigint>;

const MOST = 200;

/** Listens on a client; `take` gives the rights an interaction came with, once. */
export function createRawRights(): { listen(client: Client): void; take(interaction: string): Rights } {
  const kept = new Map<string, Rights>();
  return {
    listen(client) {
      client.on(Events.Raw as never, (packet: Raw) => {
        const { t, d } = packet;
        if (t !== GatewayDispatchEvents.InteractionCreate || !d?.id) return;
        const chosen = Object.entries(d.data?.resolved?.channels ?? {});
        const here = d.channel?.id ? [[d.channel.id, d.channel] as const] : [];
        const rights = [...chosen, ...here].flatMap(([id, { permissions }]) =>
          permissions && /^\d+$/u.test(permissions) ? [[id, BigInt(permissions)] as const] : [],
        );
        if (rights.length === 0) return;
        kept.set(d.id, new Map(rights));
        if (kept.size > MOST) kept.delete(kept.keys().next().value as string);
      });
    },
    take(interaction) {
      const rights = kept.get(interaction) ?? new Map();
      kept.delete(interaction);
      return rights;
    },
  };
}
