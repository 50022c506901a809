// Checks whether the bot can log in, and whether it may post in the channels of the subscriptions.
import { DiscordFault } from '../../discord/fault.js';
import { createDiscordRest, type DiscordRest } from '../../discord/rest.js';
import { discordId } from '../../domain/discord-id.js';
import { type Finding, fail, off, ok, warn } from '../../domain/finding.js';
import type { CheckContext, SinkCheck, SinkSettings } from '../settings.js';

/** Most channels that one run of doctor checks. */
const MOST = 25;

function open({ discord }: SinkSettings, { log }: CheckContext): DiscordRest | undefined {
  return discord && createDiscordRest({ ...discord, log, timeoutMs: 8000 });
}

type Words = CheckContext['words'];

async function login(rest: DiscordRest, { discord }: Words, signal: AbortSignal): Promise<Finding[]> {
  const me = (await rest.request('GET', '/users/@me', { signal })) as { username?: string };
  const application = (await rest.request('GET', '/applications/@me', { signal })) as { name?: string };
  const gateway = (await rest.request('GET', '/gateway/bot', { signal })) as {
    session_start_limit?: { remaining?: number };
  };
  const left = gateway?.session_start_limit?.remaining;
  const found = [
    ok(
      discord.login({
        user: me?.username ?? discord.aBot,
        application: application?.name ?? discord.noName,
      }),
    ),
  ];
  if (left !== undefined && left < 50) found.push(warn(discord.starts({ count: left }), discord.startsFix));
  return found;
}

const discordCheck: SinkCheck = {
  name: 'discord',
  async run(settings, about, signal) {
    const { words } = about;
    const rest = open(settings, about);
    if (!rest) return [off(words.any.notSet({ setting: 'DISCORD_TOKEN' }))];
    try {
      return await login(rest, words, signal);
    } catch (error) {
      if (!(error instanceof DiscordFault)) throw error;
      return [
        error.kind === 'token'
          ? fail(words.discord.refused, words.discord.refusedFix)
          : fail(error.message, words.discord.networkFix),
      ];
    } finally {
      await rest.close();
    }
  },
};

/** The finding for a channel that can't be read, by Discord's code: 10003 is an unknown channel, 50001 no access. */
function lost(error: DiscordFault, where: string, { discord }: Words): Finding {
  if (error.code === 10003) return fail(discord.gone({ where }), discord.goneFix);
  if (error.code === 50001) return fail(discord.hidden({ where }), discord.hiddenFix);
  return fail(discord.trouble({ where, reason: error.message }), discord.troubleFix);
}

const discordChannelsCheck: SinkCheck = {
  name: 'discordChannels',
  async run(settings, about, signal) {
    const { any, discord } = about.words;
    const rest = open(settings, about);
    if (!rest) return [off(any.notSet({ setting: 'DISCORD_TOKEN' }))];
    const findings: Finding[] = [];
    try {
      const targets = [...(await about.targets())].filter(([target]) => discordId(target));
      if (targets.length === 0) return [off(discord.noChannels)];
      for (const [channel, subscription] of targets.slice(0, MOST)) {
        const where = discord.channel({ channel, id: subscription });
        try {
          const missing = await missingPermissions(rest, channel, signal);
          findings.push(
            missing.length === 0
              ? ok(discord.may({ where }))
              : fail(discord.lacks({ where, permissions: missing.join(', ') }), discord.lacksFix),
          );
        } catch (error) {
          if (!(error instanceof DiscordFault)) throw error;
          if (error.kind === 'token') return [off(discord.refused)];
          findings.push(lost(error, where, about.words));
        }
      }
      if (targets.length > MOST) findings.push(off(discord.further({ count: targets.length - MOST })));
      return findings;
    } finally {
      await rest.close();
    }
  },
};

// Computes what the bot may do in a channel, in Discord's order: the roles of the server, then the channel's overwrites
// for everyone, for the bot's roles, and for the bot itself (Discord's documentation, Permissions).

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
async function missingPermissions(
  rest: DiscordRest,
  id: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const get = async <T>(path: `/${string}`) => (await rest.request('GET', path, { signal })) as T;
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

export const checks: readonly SinkCheck[] = [discordCheck, discordChannelsCheck];
