// The JSON Discord sends for each record: users, members, channels, guilds, messages.
import { permissionsIn } from './permissions.js';
import type {
  ChannelRecord,
  GuildRecord,
  InteractionRecord,
  Json,
  MemberRecord,
  MessageRecord,
  RoleRecord,
  State,
  UserRecord,
} from './types.js';

const SINCE = '2024-01-01T00:00:00.000000+00:00';

export function userJson(user: UserRecord): Json {
  return {
    id: user.id,
    username: user.username,
    global_name: user.bot ? null : user.username,
    discriminator: user.bot ? '1234' : '0',
    avatar: null,
    bot: user.bot,
    public_flags: 0,
    flags: 0,
  };
}

export function roleJson(role: RoleRecord, position: number): Json {
  return {
    id: role.id,
    name: role.name,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    position,
    permissions: role.permissions.toString(),
    managed: false,
    mentionable: role.mentionable,
    flags: 0,
  };
}

export function memberJson(state: State, member: MemberRecord): Json {
  const user = state.users.get(member.userId);
  return {
    ...(user ? { user: userJson(user) } : {}),
    nick: null,
    roles: member.roles,
    joined_at: SINCE,
    premium_since: null,
    deaf: false,
    mute: false,
    flags: 0,
    pending: false,
    communication_disabled_until: null,
  };
}

export function channelJson(state: State, channel: ChannelRecord): Json {
  const base: Json = { id: channel.id, type: channel.type, last_message_id: null, flags: 0 };
  if (channel.guildId === null) {
    const people = channel.recipients.filter((id) => id !== state.bot.id);
    return {
      ...base,
      recipients: people
        .map((id) => state.users.get(id))
        .filter(isUser)
        .map(userJson),
    };
  }
  const inGuild = { ...base, guild_id: channel.guildId, name: channel.name, parent_id: channel.parentId };
  if (channel.type >= 10 && channel.type <= 12)
    return {
      ...inGuild,
      owner_id: state.bot.id,
      message_count: 0,
      member_count: 1,
      rate_limit_per_user: 0,
      applied_tags: channel.appliedTags,
      thread_metadata: {
        archived: channel.archived,
        locked: channel.locked,
        auto_archive_duration: 4320,
        archive_timestamp: SINCE,
        create_timestamp: SINCE,
      },
    };
  return {
    ...inGuild,
    position: 0,
    nsfw: false,
    topic: channel.topic,
    rate_limit_per_user: 0,
    permission_overwrites: channel.overwrites.map((o) => ({
      id: o.id,
      type: o.type,
      allow: o.allow.toString(),
      deny: o.deny.toString(),
    })),
    ...(channel.type === 15 || channel.type === 16
      ? {
          flags: channel.requireTag ? 16 : 0,
          available_tags: channel.tags.map((tag) => ({ ...tag, emoji_id: null, emoji_name: null })),
          default_reaction_emoji: null,
          default_sort_order: null,
          default_forum_layout: 0,
        }
      : {}),
  };
}

function isUser(user: UserRecord | undefined): user is UserRecord {
  return user !== undefined;
}

export function channelsOf(state: State, guildId: string): ChannelRecord[] {
  return [...state.channels.values()].filter((channel) => channel.guildId === guildId);
}

export function guildJson(guild: GuildRecord): Json {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    banner: null,
    description: null,
    owner_id: guild.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    mfa_level: 0,
    nsfw_level: 0,
    features: ['COMMUNITY'],
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    vanity_url_code: null,
    premium_tier: 0,
    premium_progress_bar_enabled: false,
    preferred_locale: guild.preferredLocale,
    roles: [...guild.roles.values()].map(roleJson),
    emojis: [],
    stickers: [],
  };
}

/** GUILD_CREATE: the guild with its channels, threads and (without the members intent) only the bot. */
export function guildCreateJson(state: State, guild: GuildRecord): Json {
  const channels = channelsOf(state, guild.id);
  const me = guild.members.get(state.bot.id);
  const isThread = (c: ChannelRecord) => c.type >= 10 && c.type <= 12;
  return {
    ...guildJson(guild),
    joined_at: SINCE,
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    members: me ? [memberJson(state, me)] : [],
    channels: channels.filter((c) => !isThread(c)).map((c) => channelJson(state, c)),
    threads: channels.filter((c) => isThread(c) && !c.archived).map((c) => channelJson(state, c)),
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

export function messageJson(state: State, message: MessageRecord): Json {
  const author = state.users.get(message.authorId) ?? state.bot;
  const cause = state.interactions.find((i) => i.id === message.interactionId);
  return {
    id: message.id,
    type: cause && cause.type === 2 ? 20 : 0,
    channel_id: message.channelId,
    author: userJson(author),
    content: message.content,
    embeds: message.embeds.map((embed) => ({ type: 'rich', ...embed })),
    components: message.components,
    attachments: message.files.map((file) => ({
      id: file.id,
      filename: file.name,
      size: file.data.length,
      content_type: file.contentType,
      url: `${state.baseUrl}/attachments/${message.channelId}/${file.id}/${file.name}`,
      proxy_url: `${state.baseUrl}/attachments/${message.channelId}/${file.id}/${file.name}`,
    })),
    mentions: [],
    mention_roles: [],
    mention_everyone: message.pinged.includes('@everyone') || message.pinged.includes('@here'),
    pinned: false,
    tts: false,
    flags: message.flags,
    timestamp: new Date(message.createdAt).toISOString(),
    edited_timestamp: message.editedAt === null ? null : new Date(message.editedAt).toISOString(),
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
    ...(cause ? { application_id: state.appId, webhook_id: state.appId, ...causeJson(state, cause) } : {}),
  };
}

function causeJson(state: State, cause: InteractionRecord): Json {
  const user = state.users.get(cause.userId);
  return {
    interaction_metadata: {
      id: cause.id,
      type: cause.type,
      user: user ? userJson(user) : undefined,
      authorizing_integration_owners: cause.payload.authorizing_integration_owners,
    },
  };
}

/** The person who acts, as in an interaction: member with permissions in a guild, otherwise user. */
export function actorJson(state: State, user: UserRecord, channel: ChannelRecord): Json {
  const guild = channel.guildId === null ? undefined : state.guilds.get(channel.guildId);
  const member = guild?.members.get(user.id);
  if (!member) return { user: userJson(user) };
  return {
    member: { ...memberJson(state, member), permissions: permissionsIn(state, user.id, channel).toString() },
  };
}
