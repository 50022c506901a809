import { UserError } from '../domain/errors.js';
import { whyNoSink } from '../sinks/index.js';
/** The part of the settings that sinks are made from. */
export function sinkSettings(config) {
    const { discord, mail, webhook, publicUrl } = config;
    return {
        source: config.sourceName,
        templatesDir: config.dirs.templates,
        configDir: config.dirs.config,
        webhook,
        extra: config.sinks,
        ...(publicUrl ? { publicUrl } : {}),
        ...(discord.token
            ? { discord: { token: discord.token, ...(discord.apiUrl ? { apiUrl: discord.apiUrl } : {}) } }
            : {}),
        ...(mail ? { mail } : {}),
    };
}
/** The context for reading entries. Each target is checked by its sink; a UserError (exit 2) for an unknown sink. */
export function entryContext(sinks, config, origin, now) {
    return {
        origin,
        now,
        liveSchedule: config.liveSchedule,
        defaultTimezone: 'UTC',
        parseTarget(name, target) {
            const sink = sinks.get(name);
            if (!sink)
                throw new UserError(`sink: ${whyNoSink(name)}`, 2);
            return sink.parseTarget(target);
        },
    };
}
//# sourceMappingURL=sinks.js.map