// Creates and changes the world of the bot: guilds, channels, roles, members, permissions. Every change after the
// start is sent to the gateway, as by Discord.
import { channelJson, guildCreateJson, guildJson, roleJson } from './payloads.js';
import { bits, EVERYONE, isThread, type Permission, setOverwrite } from './permissions.js';
import { removeChannel } from './routes-channels.js';
import { newChannel, snowflake } from './state.js';
import type { ChannelRecord, GuildRecord, RoleRecord, State, UserRecord } from './types.js';

const TYPES = {
  text: 0,
  voice: 2,
  category: 4,
  announcement: 5,
  thread: 11,
  forum: 15,
  media: 16,
} as const;

interface ChannelSpec {
  /** A new one when left out. */
  id?: string;
  name: string;
  type?: keyof typeof TYPES;
  /** Name or id of the channel a thread belongs to. */
  parent?: string;
  tags?: (string | { name: string; moderated?: boolean })[];
  requireTag?: boolean;
  archived?: boolean;
  locked?: boolean;
  /** Exactly the rights of the bot here; when left out, the defaults of the guild. */
  bot?: Permission[];
}

interface MemberSpec {
  user: { id: string };
  /** Added to the rights of everyone, e.g. ['MANAGE_CHANNELS']. */
  permissions?: Permission[];
}

interface GuildSpec {
  id?: string;
  name?: string;
  channels?: ChannelSpec[];
  members?: MemberSpec[];
  roles?: { name: string; mentionable?: boolean; permissions?: Permission[] }[];
  preferredLocale?: string;
  /** False for a server where the application is not a member. */
  bot?: boolean;
  /** Added to the rights of everyone, for the bot. */
  botPermissions?: Permission[];
}

/** A guild as tests handle it: its records by name. */
export interface GuildHandle {
  id: string;
  channel: (name: string) => ChannelRecord;
  role: (name: string) => RoleRecord;
  addMember: (spec: MemberSpec) => void;
}

export interface World {
  addGuild: (spec?: GuildSpec) => GuildHandle;
  addChannel: (guild: { id: string }, spec: ChannelSpec) => ChannelRecord;
  /** A group of people without the bot, where only a user-installed application can be used. */
  addGroup: (users: { id: string }[]) => ChannelRecord;
  /** Replaces the rights of the bot, a user or a role in one channel; null returns to the defaults. */
  setPermissions: (channelId: string, who: 'bot' | string, permissions: Permission[] | null) => void;
  addRole: (guild: { id: string }, spec: { name: string; mentionable?: boolean }) => RoleRecord;
  /** Replaces the rights of a role in the whole guild; @everyone has the guild's id. */
  setRole: (guildId: string, roleId: string, permissions: readonly Permission[]) => void;
  deleteChannel: (channelId: string) => void;
  renameGuild: (guildId: string, name: string) => void;
  /** The bot is removed from the guild. */
  removeGuild: (guildId: string) => void;
  /** The bot is invited again to a guild that removed it. */
  invite: (guildId: string) => void;
  /** An outage of one guild begins or ends. */
  setAway: (guildId: string, away: boolean) => void;
  /** READY does not name the guild any more, although the bot is still a member. */
  hideFromReady: (guildId: string) => void;
}

export function createWorld(state: State): World {
  function mustChannel(id: string): ChannelRecord {
    const channel = state.channels.get(id);
    if (!channel) throw new Error(`No channel ${id} in the stand-in.`);
    return channel;
  }

  function mustGuild(id: string): GuildRecord {
    const guild = state.guilds.get(id);
    if (!guild) throw new Error(`No guild ${id} in the stand-in.`);
    return guild;
  }

  function addMember(guild: GuildRecord, spec: MemberSpec): void {
    const roles: string[] = [];
    if (spec.permissions && spec.permissions.length > 0) {
      const role = createRole(`only-${spec.user.id}`, spec.permissions, false);
      guild.roles.set(role.id, role);
      roles.push(role.id);
      if (guild.botInside)
        state.dispatch(
          'GUILD_ROLE_CREATE',
          { guild_id: guild.id, role: roleJson(role, guild.roles.size) },
          guild.id,
        );
    }
    guild.members.set(spec.user.id, { userId: spec.user.id, roles });
  }

  function addChannel(guild: { id: string }, spec: ChannelSpec): ChannelRecord {
    const parent = [...state.channels.values()].find(
      (c) => c.guildId === guild.id && (c.id === spec.parent || c.name === spec.parent),
    );
    if (spec.parent !== undefined && !parent) throw new Error(`No parent channel "${spec.parent}".`);
    const channel: ChannelRecord = {
      ...newChannel(TYPES[spec.type ?? 'text'], spec.name),
      ...(spec.id ? { id: spec.id } : {}),
      guildId: guild.id,
      parentId: parent?.id ?? null,
      tags: (spec.tags ?? []).map((tag) => ({
        id: snowflake(),
        name: typeof tag === 'string' ? tag : tag.name,
        moderated: typeof tag === 'string' ? false : (tag.moderated ?? false),
      })),
      requireTag: spec.requireTag ?? false,
      archived: spec.archived ?? false,
      locked: spec.locked ?? false,
    };
    if (isThread(channel) && !parent) throw new Error(`The thread "${spec.name}" needs a parent.`);
    if (spec.bot) setOverwrite(channel, state.bot.id, 1, spec.bot);
    state.channels.set(channel.id, channel);
    state.dispatch(
      isThread(channel) ? 'THREAD_CREATE' : 'CHANNEL_CREATE',
      channelJson(state, channel),
      guild.id,
    );
    return channel;
  }

  return {
    addChannel,
    addGuild(spec = {}) {
      const id = spec.id ?? snowflake();
      const owner: UserRecord = newUser('owner');
      state.users.set(owner.id, owner);
      const guild: GuildRecord = {
        id,
        name: spec.name ?? 'Test server',
        ownerId: owner.id,
        preferredLocale: spec.preferredLocale ?? 'en-US',
        roles: new Map([[id, { ...createRole('@everyone', EVERYONE, false), id }]]),
        members: new Map([[owner.id, { userId: owner.id, roles: [] }]]),
        botInside: false,
        away: false,
        unlisted: false,
      };
      for (const { name, mentionable = true, permissions = [] } of spec.roles ?? []) {
        const role = createRole(name, permissions, mentionable);
        guild.roles.set(role.id, role);
      }
      state.guilds.set(id, guild);
      for (const member of spec.members ?? []) addMember(guild, member);
      guild.botInside = spec.bot ?? true;
      if (guild.botInside) addMember(guild, { user: state.bot, permissions: spec.botPermissions ?? [] });
      // Sent as a whole: the bot joins a guild that already has its channels.
      const dispatch = state.dispatch;
      state.dispatch = () => {};
      for (const channel of spec.channels ?? []) addChannel(guild, channel);
      state.dispatch = dispatch;
      if (guild.botInside) state.dispatch('GUILD_CREATE', guildCreateJson(state, guild), id);
      return handleOf(state, guild, addMember);
    },
    addGroup(users) {
      const people = users.map((user) => user.id);
      const channel = { ...newChannel(3, 'group'), recipients: people };
      state.channels.set(channel.id, channel);
      return channel;
    },
    setPermissions(channelId, who, permissions) {
      const channel = mustChannel(channelId);
      if (isThread(channel)) throw new Error('A thread has the permissions of its parent: set them there.');
      const id = who === 'bot' ? state.bot.id : who;
      const isRole = state.guilds.get(channel.guildId ?? '')?.roles.has(id) ?? false;
      if (permissions === null) channel.overwrites = channel.overwrites.filter((o) => o.id !== id);
      else setOverwrite(channel, id, isRole ? 0 : 1, permissions);
      state.refusedSends.clear();
      state.dispatch('CHANNEL_UPDATE', channelJson(state, channel), channel.guildId);
    },
    addRole({ id }, { name, mentionable = true }) {
      const guild = mustGuild(id);
      const role = createRole(name, [], mentionable);
      guild.roles.set(role.id, role);
      state.dispatch('GUILD_ROLE_CREATE', { guild_id: id, role: roleJson(role, guild.roles.size) }, id);
      return role;
    },
    setRole(guildId, roleId, permissions) {
      const guild = mustGuild(guildId);
      const { name = '', mentionable = false } = guild.roles.get(roleId) ?? {};
      const role = { ...createRole(name, [...permissions], mentionable), id: roleId };
      guild.roles.set(roleId, role);
      state.refusedSends.clear();
      state.dispatch(
        'GUILD_ROLE_UPDATE',
        { guild_id: guildId, role: roleJson(role, [...guild.roles.keys()].indexOf(roleId)) },
        guildId,
      );
    },
    deleteChannel(channelId) {
      removeChannel(state, mustChannel(channelId));
    },
    renameGuild(guildId, name) {
      const guild = mustGuild(guildId);
      guild.name = name;
      state.dispatch('GUILD_UPDATE', guildJson(guild), guildId);
    },
    removeGuild(guildId) {
      const guild = mustGuild(guildId);
      guild.botInside = false;
      guild.members.delete(state.bot.id);
      state.dispatch('GUILD_DELETE', { id: guildId }, guildId);
    },
    invite(guildId) {
      const guild = mustGuild(guildId);
      guild.botInside = true;
      addMember(guild, { user: state.bot });
      state.dispatch('GUILD_CREATE', guildCreateJson(state, guild), guildId);
    },
    setAway(guildId, away) {
      const guild = mustGuild(guildId);
      guild.away = away;
      if (away) state.dispatch('GUILD_DELETE', { id: guildId, unavailable: true }, guildId);
      else state.dispatch('GUILD_CREATE', guildCreateJson(state, guild), guildId);
    },
    hideFromReady(guildId) {
      mustGuild(guildId).unlisted = true;
    },
  };
}

function createRole(name: string, permissions: Permission[], mentionable: boolean): RoleRecord {
  return { id: snowflake(), name, permissions: bits(permissions), mentionable };
}

export function newUser(username: string): UserRecord {
  return { id: snowflake(), username, bot: false, locale: 'en-US', dmClosed: false, installed: false };
}

function handleOf(
  state: State,
  guild: GuildRecord,
  addMember: (guild: GuildRecord, spec: MemberSpec) => void,
): GuildHandle {
  return {
    id: guild.id,
    channel(name) {
      const found = [...state.channels.values()].find((c) => c.guildId === guild.id && c.name === name);
      if (!found) throw new Error(`No channel "${name}" in ${guild.name}.`);
      return found;
    },
    role(name) {
      const found = [...guild.roles.values()].find((role) => role.name === name);
      if (!found) throw new Error(`No role "${name}" in ${guild.name}.`);
      return found;
    },
    addMember: (spec) => addMember(guild, spec),
  };
}
