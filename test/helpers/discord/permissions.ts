// Permission bits and Discord's documented order of evaluation: base roles, then the channel's overwrites for
// @everyone, roles and the member. A thread uses those of its parent.
import type { ChannelRecord, State } from './types.js';

export const PERMISSIONS = {
  ADMINISTRATOR: 1n << 3n,
  MANAGE_CHANNELS: 1n << 4n,
  MANAGE_GUILD: 1n << 5n,
  ADD_REACTIONS: 1n << 6n,
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  MANAGE_MESSAGES: 1n << 13n,
  EMBED_LINKS: 1n << 14n,
  ATTACH_FILES: 1n << 15n,
  READ_MESSAGE_HISTORY: 1n << 16n,
  MENTION_EVERYONE: 1n << 17n,
  USE_APPLICATION_COMMANDS: 1n << 31n,
  MANAGE_THREADS: 1n << 34n,
  CREATE_PUBLIC_THREADS: 1n << 35n,
  SEND_MESSAGES_IN_THREADS: 1n << 38n,
} as const;

export type Permission = keyof typeof PERMISSIONS;

/** The rights of @everyone in a new server; mentioning everyone is one of them, as on Discord. */
export const EVERYONE: Permission[] = [
  'ADD_REACTIONS',
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'EMBED_LINKS',
  'ATTACH_FILES',
  'READ_MESSAGE_HISTORY',
  'MENTION_EVERYONE',
  'USE_APPLICATION_COMMANDS',
  'CREATE_PUBLIC_THREADS',
  'SEND_MESSAGES_IN_THREADS',
];

const ALL_PERMISSIONS = bits(Object.keys(PERMISSIONS) as Permission[]);

export function bits(names: readonly Permission[]): bigint {
  return names.reduce((sum, name) => sum | PERMISSIONS[name], 0n);
}

/** The effective permissions of a user in a channel; outside a server everything is allowed. */
export function permissionsIn(state: State, userId: string, channel: ChannelRecord): bigint {
  if (channel.guildId === null) return ALL_PERMISSIONS;
  const guild = state.guilds.get(channel.guildId);
  const member = guild?.members.get(userId);
  if (!guild || !member) return 0n;
  if (guild.ownerId === userId) return ALL_PERMISSIONS;
  let granted = guild.roles.get(guild.id)?.permissions ?? 0n;
  for (const role of member.roles) granted |= guild.roles.get(role)?.permissions ?? 0n;
  if (granted & PERMISSIONS.ADMINISTRATOR) return ALL_PERMISSIONS;
  const holder = isThread(channel) ? state.channels.get(channel.parentId ?? '') : channel;
  const overwrites = holder?.overwrites ?? [];
  const everyone = overwrites.find((o) => o.id === guild.id);
  granted = (granted & ~(everyone?.deny ?? 0n)) | (everyone?.allow ?? 0n);
  let deny = 0n;
  let allow = 0n;
  for (const o of overwrites.filter((o) => o.type === 0 && member.roles.includes(o.id))) {
    deny |= o.deny;
    allow |= o.allow;
  }
  granted = (granted & ~deny) | allow;
  const own = overwrites.find((o) => o.type === 1 && o.id === userId);
  return (granted & ~(own?.deny ?? 0n)) | (own?.allow ?? 0n);
}

export function may(state: State, userId: string, channel: ChannelRecord, name: Permission): boolean {
  return (permissionsIn(state, userId, channel) & PERMISSIONS[name]) !== 0n;
}

export function isThread(channel: ChannelRecord): boolean {
  return channel.type === 10 || channel.type === 11 || channel.type === 12;
}

/** Replaces a holder's overwrite by exactly these permissions. */
export function setOverwrite(
  channel: ChannelRecord,
  id: string,
  type: 0 | 1,
  names: readonly Permission[],
): void {
  const allow = bits(names);
  channel.overwrites = channel.overwrites.filter((o) => o.id !== id);
  channel.overwrites.push({ id, type, allow, deny: ALL_PERMISSIONS & ~allow });
}
