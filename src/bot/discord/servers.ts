// Which servers the bot is in, for the desk: left and joined while it looks, and left while it was not there to see.
// Read from the gateway's own packets, because discord.js keeps servers in its cache that were left while it was cut off.
import {
  type Client,
  DiscordAPIError,
  Events,
  GatewayDispatchEvents,
  Routes,
  ShardClientUtil,
} from 'discord.js';
import { reasonOf } from '../../domain/errors.js';
import type { Desk } from '../../ports/desk.js';
import type { Log } from '../../ports/system.js';

interface Packet {
  readonly t?: string;
  readonly d?: {
    readonly id?: string;
    readonly unavailable?: boolean;
    readonly guilds?: readonly { readonly id: string }[];
    readonly shard?: readonly [number, number];
  };
}

/** Listens on a client for as long as it lives. An unavailable server is one in an outage, never one that was left. */
export function watchServers(client: Client, desk: Desk, log: Log): void {
  /** Discord refuses those who are not in it, and answers during an outage with a 5xx or the server itself. */
  async function isOutside(guild: string): Promise<boolean> {
    try {
      await client.rest.get(Routes.guild(guild));
      return false;
    } catch (error) {
      if (error instanceof DiscordAPIError && (error.status === 403 || error.status === 404)) return true;
      throw error;
    }
  }

  async function left(guild: string): Promise<void> {
    await desk.leftGuild(guild);
    log.info({ guild }, 'left a server');
  }

  /** READY names every server of its shard, also those that are away. */
  async function compare({ guilds = [], shard: [shard, shards] = [0, 1] }: NonNullable<Packet['d']>) {
    const present = new Set(guilds.map((guild) => guild.id));
    for (const known of desk.servers()) {
      if (known.left || present.has(known.guild)) continue;
      if (ShardClientUtil.shardIdForGuildId(known.guild, shards) !== shard) continue;
      // To stop what people rely on takes two witnesses.
      if (await isOutside(known.guild)) await left(known.guild);
    }
  }

  async function take({ t, d = {} }: Packet): Promise<void> {
    if (t === GatewayDispatchEvents.Ready) return compare(d);
    if (!d.id || d.unavailable) return;
    if (t === GatewayDispatchEvents.GuildCreate) return desk.inGuild(d.id);
    if (t === GatewayDispatchEvents.GuildDelete) return left(d.id);
  }

  client.on(Events.Raw as never, (packet: Packet) => {
    take(packet).catch((error: unknown) =>
      log.error({ event: packet.t, reason: reasonOf(error) }, 'a change of servers was not recorded'),
    );
  });
}
