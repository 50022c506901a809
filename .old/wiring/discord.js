import { noticeButtons } from '../bot/views/notice.js';
import { createDiscordMessenger } from '../sinks/discord/messenger.js';
import { createDiscordRest } from '../sinks/discord/rest.js';
/** Discord's REST client; undefined without a token. `share`: the part of the rate limit that it may use. */
export function restOf({ discord }, log, share) {
    if (!discord.token)
        return undefined;
    const { token, apiUrl } = discord;
    return createDiscordRest({
        token,
        log,
        ...(apiUrl ? { apiUrl } : {}),
        ...(share ? { share: share.value } : {}),
    });
}
/** The small share of a new process, until the other processes have counted it. */
const NEW_SHARE = 0.025;
/** After this many counts, every other process has counted this one. */
const COUNTS = 3;
/** Gives each of the processes that share the store the same part. */
export function equalShare({ list }) {
    let share = NEW_SHARE;
    let counts = 0;
    return {
        value: () => share,
        duty: {
            name: 'share',
            everySeconds: 3,
            async run() {
                const { length } = await list();
                counts++;
                share = counts >= COUNTS ? 1 / Math.max(1, length) : NEW_SHARE;
            },
        },
    };
}
/** The messengers that can reach an owner, in this order: Discord for its users, e-mail for a confirmed address. */
export function messengersOf(p, rest, commandIds) {
    const email = p.sinks.get('email');
    const localeOf = async (account) => (await p.stores.accounts.get(account))?.locale;
    const subscriptionOf = async ({ subscription }) => subscription === undefined ? undefined : p.stores.subscriptions.get(subscription);
    const placesOf = async (notice) => ((await subscriptionOf(notice))?.destinations ?? []).filter((one) => one.sink === 'discord');
    const isRefused = ({ kind, destination }, { id }) => kind === 'destination' && id === destination;
    const discord = rest
        ? createDiscordMessenger(rest, {
            log: p.log,
            targetOf: async (notice) => (await placesOf(notice)).find((one) => !isRefused(notice, one))?.target,
            refusedOf: async (notice) => (await placesOf(notice)).find((one) => isRefused(notice, one))?.target,
            localeOf: ({ account }) => localeOf(account),
            placeLocaleOf: async (notice) => (await subscriptionOf(notice))?.locale,
            commandIds,
            buttonsOf: noticeButtons,
        })
        : undefined;
    return [discord, email?.messenger].filter((one) => one !== undefined);
}
/**
 * The bot; undefined without a token. Its library is loaded only with one. `onFatal` is called with a reason when Discord
 * no longer accepts the bot, and must end the service.
 */
export async function botOf(config, { stores, log, clock, metrics }, services, onFatal) {
    const { token, apiUrl, guildId } = config.discord;
    if (!token)
        return undefined;
    const { createBot } = await import('../bot/bot.js');
    const defaults = { liveSchedule: config.liveSchedule, source: config.sourceName };
    return createBot({
        token,
        services,
        log,
        clock,
        metrics,
        misc: stores.misc,
        defaults,
        onFatal,
        ...(apiUrl ? { apiUrl } : {}),
        ...(guildId ? { guildId } : {}),
    });
}
//# sourceMappingURL=discord.js.map