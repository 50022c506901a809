// Reports to the services which servers the bot joins and leaves, also those it left while it was not running.
// Retries parked destinations when a change in a server may have fixed them. Reads the gateway's packets directly,
// because the cache of discord.js keeps servers that the bot left while it was disconnected.
import {
  type Channel,
  type Client,
  Events,
  GatewayDispatchEvents,
  PermissionFlagsBits,
  Routes,
  ShardClientUtil,
} from 'discord.js';
import { isOutside } from '../../discord/fault.js';
import { type FixName, reasonOf } from '../../domain/errors.js';
import type { Services } from '../../ports/services.js';
import type { Log } from '../../ports/system.js';
import { SINK } from './request.js';

interface Packet {
  readonly t?: string;
  readonly d?: {
    readonly id?: string;
    readonly guild_id?: string;
    readonly user?: { readonly id: string };
    readonly unavailable?: boolean;
    readonly guilds?: readonly { readonly id: string }[];
    readonly shard?: readonly [number, number];
  };
}

const CHANNELS: ReadonlySet<string> = new Set([
  GatewayDispatchEvents.ChannelCreate,
  GatewayDispatchEvents.ChannelUpdate,
  GatewayDispatchEvents.ThreadUpdate,
]);

/** What a change to a role or to the bot's own membership can fix. */
const RIGHTS: ReadonlySet<unknown> = new Set<FixName>(['channelHidden', 'mayNotPost']);

/** False only when the gateway's data shows that the bot may not post there. */
function mayPost(channel: Channel | undefined): boolean {
  if (!channel || channel.isDMBased()) return true;
  const { me } = channel.guild.members;
  const rights = me && channel.permissionsFor(me);
  if (!rights) return true;
  const send = channel.isThread()
    ? PermissionFlagsBits.SendMessagesInThreads
    : PermissionFlagsBits.SendMessages;
  return rights.has([PermissionFlagsBits.ViewChannel, PermissionFlagsBits.EmbedLinks, send]);
}

/** Listens on a client for its whole life. An unavailable server has an outage; the bot has not left it. */
export function watchServers(client: Client, services: Services, log: Log): void {
  /** Discord refuses a bot that is not in the server. During an outage it returns a 5xx or the server itself. */
  async function hasLeft(guild: string): Promise<boolean> {
    try {
      await client.rest.get(Routes.guild(guild));
      return false;
    } catch (error) {
      if (isOutside(error)) return true;
      throw error;
    }
  }

  async function left(guild: string): Promise<void> {
    await services.leftGuild(guild);
    log.info({ guild }, 'left a server');
  }

  /** READY names every server of its shard, also unavailable ones. */
  async function compare({ guilds = [], shard: [shard, shards] = [0, 1] }: NonNullable<Packet['d']>) {
    const present = new Set(guilds.map((guild) => guild.id));
    for (const known of await services.servers()) {
      if (known.left || present.has(known.guild)) continue;
      if (ShardClientUtil.shardIdForGuildId(known.guild, shards) !== shard) continue;
      // Subscriptions stop only when both READY and the API agree that the bot left.
      if (await hasLeft(known.guild)) await left(known.guild);
    }
  }

  /**
   * Retries parked places in a server after a change there, where the bot may post now. `channel`: only that
   * channel and its threads; `rights`: only places that lacked a right.
   */
  async function changed(server: string, about: { channel?: string; rights?: true } = {}): Promise<void> {
    // The library updates its cache right after it emits the packet.
    await Promise.resolve();
    await services.retryParked(({ sink, target, guild, fix }) => {
      if (sink !== SINK) return false;
      const channel = client.channels.cache.get(target);
      if ((channel && !channel.isDMBased() ? channel.guildId : guild) !== server) return false;
      const isThere = [target, channel?.isThread() ? channel.parentId : undefined].includes(about.channel);
      if (about.channel !== undefined && channel && !isThere) return false;
      return (!about.rights || RIGHTS.has(fix)) && mayPost(channel);
    });
  }

  async function take({ t, d = {} }: Packet): Promise<void> {
    const { id, guild_id: guild } = d;
    if (t === GatewayDispatchEvents.Ready) return compare(d);
    if (t === GatewayDispatchEvents.GuildRoleUpdate && guild) return changed(guild, { rights: true });
    if (t === GatewayDispatchEvents.GuildMemberUpdate && guild && d.user?.id === client.user?.id)
      return changed(guild, { rights: true });
    if (!id || d.unavailable) return;
    if (t === GatewayDispatchEvents.GuildDelete) return left(id);
    if (t === GatewayDispatchEvents.GuildCreate) {
      await services.inGuild(id);
      return changed(id);
    }
    if (t && CHANNELS.has(t) && guild) return changed(guild, { channel: id });
  }

  client.on(Events.Raw as never, (packet: Packet) => {
    take(packet).catch((error: unknown) =>
      log.error({ event: packet.t, reason: reasonOf(error) }, 'a change of servers was not recorded'),
    );
  });
}
