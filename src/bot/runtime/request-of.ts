// Turns a discord.js interaction into the request that the bot's logic works with.

import {
  type AnySelectMenuInteraction,
  type AutocompleteInteraction,
  type ButtonInteraction,
  type CacheType,
  ChannelType,
  type ChatInputCommandInteraction,
  type Client,
  type CommandInteractionOption,
  Events,
  GatewayDispatchEvents,
  GuildMember,
  type MessageContextMenuCommandInteraction,
  type ModalSubmitInteraction,
  PermissionFlagsBits,
  PermissionsBitField,
} from 'discord.js';
import { defined } from '../../domain/defined.js';
import type { Place, Request, Right, Role, Target } from './request.js';

/** The interactions that the bot replies to, without autocomplete. */
export type Answerable =
  | ChatInputCommandInteraction<CacheType>
  | MessageContextMenuCommandInteraction<CacheType>
  | ButtonInteraction<CacheType>
  | AnySelectMenuInteraction<CacheType>
  | ModalSubmitInteraction<CacheType>;

const {
  ViewChannel,
  SendMessages,
  SendMessagesInThreads,
  EmbedLinks,
  ManageChannels,
  ManageGuild,
  ManageThreads,
} = PermissionFlagsBits;

/** Converts an interaction to a request. Makes no call to Discord; `place` does when it is called. */
export function askOf(
  interaction: Answerable | AutocompleteInteraction<CacheType>,
  rights: Rights = new Map(),
): Request {
  const { user, guildId, locale, guildLocale, channelId } = interaction;
  const member = interaction.member instanceof GuildMember ? interaction.member : undefined;
  // A right in one channel does not make a user the manager of other channels, so only the rights of the whole
  // server count here. Manage Server can't be granted in a single channel.
  const rules = member?.permissions.has(ManageChannels) || interaction.memberPermissions?.has(ManageGuild);
  const manages = member && rules ? guildId : null;
  return {
    user: user.id,
    caller: { account: `discord:${user.id}`, locale, ...defined({ manages: manages || undefined }) },
    locale,
    application: interaction.applicationId,
    ...defined({ guild: guildId || undefined, guildLocale: guildLocale || undefined }),
    botIsHere: guildId ? interaction.inCachedGuild() : interaction.context !== 2,
    channel: channelId ?? '',
    ...defined({ message: interaction.isMessageComponent() ? interaction.message.id : undefined }),
    ...defined({ target: interaction.isMessageContextMenuCommand() ? targetOf(interaction) : undefined }),
    options:
      interaction.isChatInputCommand() || interaction.isAutocomplete()
        ? optionsOf(interaction.options.data)
        : {},
    values: interaction.isAnySelectMenu() ? interaction.values : [],
    fields: interaction.isModalSubmit() ? fieldsOf(interaction) : {},
    place: (id) => placeOf(interaction, member, rights.get(id), id),
    role: (id) => roleOf(interaction, id),
    channelName(id) {
      const channel = interaction.client.channels.cache.get(id);
      return channel && !channel.isDMBased() ? channel.name : undefined;
    },
  };
}

function targetOf({ targetMessage, client }: MessageContextMenuCommandInteraction<CacheType>): Target {
  const { id, author, components } = targetMessage;
  // Another application could put our ids on its buttons.
  const ours = author.id === client.user.id;
  return { message: id, controls: ours ? components.flatMap((one) => controlsIn(one.toJSON())) : [] };
}

function controlsIn(part: unknown): Target['controls'] {
  const {
    custom_id: id,
    options,
    components,
  } = Object(part) as {
    custom_id?: unknown;
    options?: readonly { readonly value: string }[];
    components?: readonly unknown[];
  };
  const nested = (components ?? []).flatMap(controlsIn);
  if (typeof id !== 'string') return nested;
  return [{ id, values: (options ?? []).map(({ value }) => value) }, ...nested];
}

function optionsOf(data: readonly CommandInteractionOption[]): Request['options'] {
  const flat = data.flatMap((option): readonly CommandInteractionOption[] =>
    option.options ? option.options : [option],
  );
  return Object.fromEntries(flat.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}

function fieldsOf(interaction: ModalSubmitInteraction): Request['fields'] {
  return Object.fromEntries(
    interaction.fields.fields.map((field) => {
      if ('value' in field && typeof field.value === 'string') return [field.customId, field.value];
      // Each menu of our forms takes one value.
      return [field.customId, 'values' in field ? (field.values[0] ?? '') : ''];
    }),
  );
}

async function placeOf(
  interaction: Answerable | AutocompleteInteraction<CacheType>,
  member: GuildMember | undefined,
  given: bigint | undefined,
  id: string,
): Promise<Place | undefined> {
  const { client, guild } = interaction;
  if (!guild || !member) return undefined;
  // An archived thread is not in the cache, so it is fetched. A channel of another server can't be chosen here.
  const channel = await client.channels.fetch(id).catch(() => null);
  if (!channel || channel.isDMBased() || channel.guildId !== guild.id) return undefined;
  const me = guild.members.me ?? (await guild.members.fetchMe().catch(() => undefined));
  const mine = me && channel.permissionsFor(me);
  if (!mine?.has(ViewChannel)) return undefined;
  const theirs = given === undefined ? channel.permissionsFor(member) : new PermissionsBitField(given);
  const thread = channel.isThread();
  const needed: readonly (readonly [Right, bigint])[] = [
    thread ? ['threads', SendMessagesInThreads] : ['send', SendMessages],
    ['embed', EmbedLinks],
  ];
  return {
    id,
    guild: guild.id,
    forum: channel.isThreadOnly(),
    announcement: channel.type === ChannelType.GuildAnnouncement,
    locked: thread && channel.locked === true && !mine.has(ManageThreads),
    canManage: theirs.has(ManageChannels),
    missing: needed.filter(([, bit]) => !mine.has(bit)).map(([right]) => right),
  };
}

function roleOf(interaction: Answerable | AutocompleteInteraction<CacheType>, id: string): Role | undefined {
  const { guild } = interaction;
  const role = guild?.roles.cache.get(id);
  if (!guild || !role) return undefined;
  const everywhere = guild.members.me?.permissions.has(PermissionFlagsBits.MentionEveryone) ?? false;
  return { id, everyone: id === guild.id, pingable: role.mentionable || everywhere };
}

/**
 * The part of a gateway packet that holds rights. Discord computes what a user may do in a chosen channel and sends
 * it along, but discord.js drops that for channels that it knows. It is kept here until the interaction is handled,
 * because it is more accurate than any cache.
 */
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

/** The rights of the user who acts, by channel id, as bit sets. */
export type Rights = ReadonlyMap<string, bigint>;

const MOST = 200;

/**
 * `listen` collects rights from a client's packets. `take` returns the rights that an interaction came with, and
 * removes them.
 */
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
