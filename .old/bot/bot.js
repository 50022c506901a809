// The Discord bot: connects, registers its commands when Discord has different ones, passes interactions on, and
// notifies the services when it leaves a server. A lost connection is normal and is retried. A refusal is not, and
// ends the process.
import { Events, GatewayCloseCodes } from 'discord.js';
import { reasonOf } from '../domain/errors.js';
import { commandOf } from './features/index.js';
import { createConnection, pauseBefore } from './runtime/client.js';
import { createInteractions } from './runtime/interactions.js';
import { createOpenAnswers } from './runtime/open-replies.js';
import { registerCommands } from './runtime/registration.js';
import { createRawRights } from './runtime/request-of.js';
import { watchServers } from './runtime/servers.js';
const SETTLE_MS = 3_000;
const FAREWELL_MS = 2_000;
/** Close codes after which Discord accepts no reconnect, with the fix (Gateway Close Event Codes). */
const REFUSALS = {
    [GatewayCloseCodes.AuthenticationFailed]: 'Discord does not accept the bot token; copy a new one from the developer portal into DISCORD_TOKEN',
    [GatewayCloseCodes.InvalidShard]: 'Discord says the shard number is wrong; start one process without SHARDS',
    [GatewayCloseCodes.ShardingRequired]: 'the bot is in too many servers for one connection; it must be sharded',
    [GatewayCloseCodes.InvalidAPIVersion]: 'Discord no longer speaks this version of its gateway; update the program',
    [GatewayCloseCodes.InvalidIntents]: 'Discord does not know the intents asked for; update the program',
    [GatewayCloseCodes.DisallowedIntents]: 'Discord refuses an intent; this bot needs none that must be granted, so check that DISCORD_TOKEN is the right application',
};
/** Creates the bot. It does nothing before `start`. */
export function createBot(options) {
    const { token, apiUrl, guildId, services, log, clock, metrics, misc, defaults, onFatal } = options;
    const context = { services, log, clock, misc, commandOf, ...defaults };
    const identifies = [];
    let ids = {};
    let registered = false;
    let state = 'stopped';
    let connection;
    const retries = new Set();
    const rights = createRawRights();
    const open = createOpenAnswers(misc, log);
    const interactions = createInteractions({
        context,
        metrics,
        ids: () => ids,
        rights: rights.take,
        open,
        ...(options.patienceMs ? { patienceMs: options.patienceMs } : {}),
    });
    function refused(reason, code) {
        if (state === 'refused' || state === 'stopped')
            return;
        state = 'refused';
        log.error({ code, reason }, 'discord refused the bot');
        onFatal(reason);
    }
    /** Runs `work` again after growing pauses until it succeeds or the bot is stopped. */
    function persist(work, message, attempt = 0) {
        const retry = setTimeout(() => {
            retries.delete(retry);
            work(attempt).catch((error) => {
                if (state === 'stopped' || state === 'refused')
                    return;
                log.warn({ reason: reasonOf(error), attempt: attempt + 1 }, message);
                persist(work, message, attempt + 1);
            });
        }, attempt === 0 ? 0 : pauseBefore(attempt + 1));
        retries.add(retry);
    }
    async function connect() {
        if (state === 'stopped')
            return;
        const current = createConnection({ log, identifies, ...(apiUrl ? { apiUrl } : {}) });
        connection = current;
        listen(current);
        try {
            await current.client.login(token.reveal());
        }
        catch (error) {
            await current.close(0);
            if (error.code === 'TokenInvalid')
                return refused(REFUSALS[GatewayCloseCodes.AuthenticationFailed], 401);
            throw error;
        }
    }
    function listen({ client }) {
        rights.listen(client);
        watchServers(client, services, log);
        client.on(Events.InteractionCreate, (interaction) => {
            void interactions.handle(interaction);
        });
        client.on(Events.ShardDisconnect, ({ code }) => refused(REFUSALS[code] ?? `Discord closed with ${code}`, code));
        const away = new Set();
        const back = (shard) => {
            away.delete(shard);
            if (state === 'connecting' && away.size === 0)
                state = 'ready';
        };
        client.on(Events.ShardReconnecting, (shard) => {
            if (!away.has(shard))
                log.info({ shard }, 'discord connection lost, reconnecting');
            away.add(shard);
            if (state === 'ready')
                state = 'connecting';
        });
        client.on(Events.ShardResume, (shard) => {
            log.info({ shard }, 'discord resumed');
            back(shard);
        });
        client.on(Events.ShardReady, back);
        client.once(Events.ClientReady, (ready) => {
            log.info({ servers: ready.guilds.cache.size }, 'discord connected');
            persist(() => open.closeLeft(client.rest), 'open answers could not be closed, trying again');
            persist(async () => {
                // After a single 401 the library drops the token.
                client.rest.setToken(token.reveal());
                const guild = guildId ? { guild: guildId } : {};
                const result = await registerCommands({
                    rest: client.rest,
                    application: ready.application.id,
                    guilds: [...ready.guilds.cache.keys()],
                    misc,
                    ...guild,
                });
                ids = result.ids;
                registered = true;
                log.info({ written: result.written }, 'commands registered');
            }, 'commands could not be registered, trying again');
        });
    }
    return {
        async start() {
            if (state !== 'stopped')
                return;
            state = 'connecting';
            persist(connect, 'discord could not be reached, trying again');
        },
        async stop() {
            if (state !== 'refused')
                state = 'stopped';
            for (const retry of retries)
                clearTimeout(retry);
            retries.clear();
            const former = connection;
            connection = undefined;
            if (!former)
                return;
            former.client.removeAllListeners(Events.InteractionCreate);
            await within(SETTLE_MS, interactions.settled());
            await within(FAREWELL_MS, interactions.interrupt());
            await former.close();
        },
        commandIds: () => ids,
        health: () => ({ ok: state === 'ready', state, commands: registered }),
    };
}
/** Waits for the work, but not longer than `ms` milliseconds. */
async function within(ms, work) {
    let timer;
    const enough = new Promise((resolve) => {
        timer = setTimeout(resolve, ms);
    });
    await Promise.race([work, enough]);
    clearTimeout(timer);
}
//# sourceMappingURL=bot.js.map