// Computes what the bot may do in a channel, in Discord's order: the roles of the server, then the channel's overwrites
// for everyone, for the bot's roles, and for the bot itself (Discord's documentation, Permissions).
import type { DiscordRest } from '../../sinks/discord/rest.js';

const ADMINISTRATOR = 1n << 3n;
const WANTED: readonly (readonly [string, bigint])[] = [
  ['View Channel', 1n << 10n],
  ['Send Messages', 1n << 11n],
  ['Embed Links', 1n << 14n],
  // Without it the bot can't find a message whose response was lost, and would send it twice.
  ['Read Message History', 1n << 16n],
];
const IN_THREADS: readonly [string, bigint] = ['Send Messages in Threads', 1n << 38n];
const THREADS = [10, 11, 12];

interface Overwrite {
  readonly id: string;
  readonly allow: string;
  readonly deny: string;
}

interface Channel {
  readonly type: number;
  readonly guild_id?: string;
  readonly parent_id?: string | null;
  readonly permission_overwrites?: readonly Overwrite[];
}

interface Guild {
  readonly id: string;
  readonly owner_id?: string;
  readonly roles?: readonly { readonly id: string; readonly permissions: string }[];
}

function applied(permissions: bigint, overwrites: readonly Overwrite[]): bigint {
  const sum = (pick: (one: Overwrite) => string) =>
    overwrites.reduce((all, one) => all | BigInt(pick(one)), 0n);
  return (permissions & ~sum((one) => one.deny)) | sum((one) => one.allow);
}

/**
 * Names of the permissions that the bot lacks to post in the channel; empty for direct messages. Throws a DiscordFault
 * when Discord refuses a request.
 */
export async function missingPermissions(
  rest: DiscordRest,
  id: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const get = async <T>(path: string) => (await rest.request('GET', path, { signal })) as T;
  const channel = await get<Channel>(`/channels/${id}`);
  if (!channel.guild_id) return [];
  const thread = THREADS.includes(channel.type);
  // A thread has no overwrites; those of its channel apply.
  const place = thread && channel.parent_id ? await get<Channel>(`/channels/${channel.parent_id}`) : channel;
  const me = await get<{ id: string }>('/users/@me');
  const guild = await get<Guild>(`/guilds/${channel.guild_id}`);
  const member = await get<{ roles: readonly string[] }>(`/guilds/${guild.id}/members/${me.id}`);
  const mine = new Set([guild.id, ...member.roles]);
  const base = (guild.roles ?? [])
    .filter((role) => mine.has(role.id))
    .reduce((all, role) => all | BigInt(role.permissions), 0n);
  if ((base & ADMINISTRATOR) !== 0n || guild.owner_id === me.id) return [];
  const overwrites = place.permission_overwrites ?? [];
  const steps = [
    overwrites.filter((one) => one.id === guild.id),
    overwrites.filter((one) => one.id !== guild.id && mine.has(one.id)),
    overwrites.filter((one) => one.id === me.id),
  ];
  const granted = steps.reduce(applied, base);
  const wanted = thread ? WANTED.map((one) => (one[0] === 'Send Messages' ? IN_THREADS : one)) : WANTED;
  return wanted.filter(([, bit]) => (granted & bit) === 0n).map(([name]) => name);
}
