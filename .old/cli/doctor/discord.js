// Checks whether the bot can log in, and whether it may post in the channels of the subscriptions.
import { DiscordFault } from '../../sinks/discord/fault.js';
import { createDiscordRest } from '../../sinks/discord/rest.js';
import { fail, off, ok, warn } from './check.js';
/** Most channels that one run of doctor checks. */
const MOST = 25;
function open(env) {
    const { token, apiUrl } = env.config.discord;
    if (!token)
        return undefined;
    return createDiscordRest({ token, log: env.log, timeoutMs: 8000, ...(apiUrl ? { apiUrl } : {}) });
}
async function login(rest, signal) {
    const me = (await rest.request('GET', '/users/@me', { signal }));
    const application = (await rest.request('GET', '/applications/@me', { signal }));
    const gateway = (await rest.request('GET', '/gateway/bot', { signal }));
    const left = gateway?.session_start_limit?.remaining;
    const found = [
        ok(`logs in as ${me?.username ?? 'a bot'}, application ${application?.name ?? 'without a name'}`),
    ];
    if (left !== undefined && left < 50)
        found.push(warn(`${left} starts of the bot are left today`, 'look why it starts so often; Discord allows 1,000 a day'));
    return found;
}
export const discordCheck = {
    name: 'Discord',
    async run(env, signal) {
        const rest = open(env);
        if (!rest)
            return [off('DISCORD_TOKEN is not set')];
        try {
            return await login(rest, signal);
        }
        catch (error) {
            if (!(error instanceof DiscordFault))
                throw error;
            return [
                error.kind === 'token'
                    ? fail('the bot token is refused', 'reset it in the Discord developer portal, page Bot, and set DISCORD_TOKEN')
                    : fail(error.message, 'see the network, DISCORD_API_URL and discordstatus.com'),
            ];
        }
        finally {
            await rest.close();
        }
    },
};
async function channelTargets(env) {
    const targets = new Map();
    const stores = await env.stores();
    if (!stores)
        return targets;
    for await (const { id, destinations } of stores.subscriptions.list())
        for (const { sink, target } of destinations)
            if (sink === 'discord' && /^\d+$/u.test(target) && !targets.has(target))
                targets.set(target, id);
    return targets;
}
/** The finding for a channel that can't be read, by Discord's code: 10003 is an unknown channel, 50001 no access. */
function lost(error, where) {
    if (error.code === 10003)
        return fail(`${where} does not exist any more`, 'choose another channel for it');
    if (error.code === 50001)
        return fail(`${where} can't be seen by the bot`, 'let the bot into the server and the channel (View Channel)');
    return fail(`${where}: ${error.message}`, 'see the channel and the bot in Discord');
}
export const discordChannelsCheck = {
    name: 'Discord channels',
    async run(env, signal) {
        const rest = open(env);
        if (!rest)
            return [off('DISCORD_TOKEN is not set')];
        const findings = [];
        try {
            const targets = [...(await channelTargets(env))];
            if (targets.length === 0)
                return [off('no subscription goes to a channel')];
            for (const [channel, subscription] of targets.slice(0, MOST)) {
                const where = `channel ${channel} of subscription ${subscription}`;
                try {
                    const missing = await missingPermissions(rest, channel, signal);
                    findings.push(missing.length === 0
                        ? ok(`${where}: the bot may post`)
                        : fail(`${where}: the bot lacks ${missing.join(', ')}`, 'grant it in the channel settings, Permissions'));
                }
                catch (error) {
                    if (!(error instanceof DiscordFault))
                        throw error;
                    if (error.kind === 'token')
                        return [off('the bot token is refused')];
                    findings.push(lost(error, where));
                }
            }
            if (targets.length > MOST)
                findings.push(off(`${targets.length - MOST} further channels were not asked`));
            return findings;
        }
        finally {
            await rest.close();
        }
    },
};
// Computes what the bot may do in a channel, in Discord's order: the roles of the server, then the channel's overwrites
// for everyone, for the bot's roles, and for the bot itself (Discord's documentation, Permissions).
const ADMINISTRATOR = 1n << 3n;
const WANTED = [
    ['View Channel', 1n << 10n],
    ['Send Messages', 1n << 11n],
    ['Embed Links', 1n << 14n],
    // Without it the bot can't find a message whose response was lost, and would send it twice.
    ['Read Message History', 1n << 16n],
];
const IN_THREADS = ['Send Messages in Threads', 1n << 38n];
const THREADS = [10, 11, 12];
function applied(permissions, overwrites) {
    const sum = (pick) => overwrites.reduce((all, one) => all | BigInt(pick(one)), 0n);
    return (permissions & ~sum((one) => one.deny)) | sum((one) => one.allow);
}
/**
 * Names of the permissions that the bot lacks to post in the channel; empty for direct messages. Throws a DiscordFault
 * when Discord refuses a request.
 */
async function missingPermissions(rest, id, signal) {
    const get = async (path) => (await rest.request('GET', path, { signal }));
    const channel = await get(`/channels/${id}`);
    if (!channel.guild_id)
        return [];
    const thread = THREADS.includes(channel.type);
    // A thread has no overwrites; those of its channel apply.
    const place = thread && channel.parent_id ? await get(`/channels/${channel.parent_id}`) : channel;
    const me = await get('/users/@me');
    const guild = await get(`/guilds/${channel.guild_id}`);
    const member = await get(`/guilds/${guild.id}/members/${me.id}`);
    const mine = new Set([guild.id, ...member.roles]);
    const base = (guild.roles ?? [])
        .filter((role) => mine.has(role.id))
        .reduce((all, role) => all | BigInt(role.permissions), 0n);
    if ((base & ADMINISTRATOR) !== 0n || guild.owner_id === me.id)
        return [];
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
//# sourceMappingURL=discord.js.map