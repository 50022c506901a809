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

async function login(rest: DiscordRest, signal: AbortSignal): Promise<Finding[]> {
  const me = (await rest.request('GET', '/users/@me', { signal })) as { username?: string };
  const application = (await rest.request('GET', '/applications/@me', { signal })) as { name?: string };
  const gateway = (await rest.request('GET', '/gateway/bot', { signal })) as {
    session_start_limit?: { remaining?: number };
  };
  const left = gateway?.session_start_limit?.remaining;
  const found = [
    ok(`logs in as ${me?.username ?? 'a bot'}, application ${application?.name ?? 'without a name'}`),
  ];
  if (left !== undefined && left < 50)
    found.push(
      warn(
        `${left} starts of the bot are left today`,
        'find out why it starts so often; Discord allows 1,000 a day',
      ),
    );
  return found;
}

const discordCheck: SinkCheck = {
  name: 'Discord',
  async run(settings, about, signal) {
    const rest = open(settings, about);
    if (!rest) return [off('DISCORD_TOKEN is not set')];
    try {
      return await login(rest, signal);
    } catch (error) {
      if (!(error instanceof DiscordFault)) throw error;
      return [
        error.kind === 'token'
          ? fail(
              'the bot token is refused',
              'reset it in the Discord developer portal, page Bot, and set DISCORD_TOKEN',
            )
          : fail(error.message, 'check the network, DISCORD_API_URL and discordstatus.com'),
      ];
    } finally {
      await rest.close();
    }
  },
};

/** The finding for a channel that can't be read, by Discord's code: 10003 is an unknown channel, 50001 no access. */
function lost(error: DiscordFault, where: string): Finding {
  if (error.code === 10003) return fail(`${where} does not exist any more`, 'choose another channel for it');
  if (error.code === 50001)
    return fail(
      `${where} can't be seen by the bot`,
      'let the bot into the server and the channel (View Channel)',
    );
  return fail(`${where}: ${error.message}`, 'see the channel and the bot in Discord');
}

const discordChannelsCheck: SinkCheck = {
  name: 'Discord channels',
  async run(settings, about, signal) {
    const rest = open(settings, about);
    if (!rest) return [off('DISCORD_TOKEN is not set')];
    const findings: Finding[] = [];
    try {
      const targets = [...(await about.targets())].filter(([target]) => discordId(target));
      if (targets.length === 0) return [off('no subscription goes to a channel')];
      for (const [channel, subscription] of targets.slice(0, MOST)) {
        const where = `channel ${channel} of subscription ${subscription}`;
        try {
          const missing = await missingPermissions(rest, channel, signal);
          findings.push(
            missing.length === 0
              ? ok(`${where}: the bot may post`)
              : fail(
                  `${where}: the bot lacks ${missing.join(', ')}`,
                  'grant it in the channel settings, Permissions',
                ),
          );
        } catch (error) {
          if (!(error instanceof DiscordFault)) throw error;
          if (error.kind === 'token') return [off('the bot token is refused')];
          findings.push(lost(error, where));
        }
      }
      if (targets.length > MOST)
        findings.push(off(`${targets.length - MOST} further channels were not checked`));
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
