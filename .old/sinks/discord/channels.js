import { discordFault } from './fault.js';
const LIFE_MS = 300_000;
const MOST = 5_000;
const TAG_REQUIRED = 16;
/** Discord's channel types: text, DM, voice, group, announcement, stage hold messages; 10 to 12 are threads; 15 and 16 forums. */
const PLAIN = [0, 1, 2, 3, 5, 13];
const THREAD = [10, 11, 12];
const FORUM = [15, 16];
/** One per token. */
export function createChannels(rest) {
    const known = new Map();
    const directs = new Map();
    async function direct(user, signal) {
        const id = directs.get(user) ??
            idOf(await rest.request('POST', '/users/@me/channels', { body: { recipient_id: user }, signal }));
        remember(directs, user, id);
        return { id, kind: 'plain', archived: false, tags: [], tagRequired: false };
    }
    return {
        async at(place, signal, fresh = false) {
            if (place.kind === 'dm')
                return direct(place.user, signal);
            const hit = known.get(place.id);
            if (hit && !fresh && performance.now() - hit.at < LIFE_MS)
                return hit.channel;
            known.delete(place.id);
            const channel = readChannel(await rest.request('GET', `/channels/${place.id}`, { signal }));
            remember(known, place.id, { channel, at: performance.now() });
            return channel;
        },
        async reopen(id, signal) {
            await rest.request('PATCH', `/channels/${id}`, { body: { archived: false }, signal });
            const hit = known.get(id);
            if (hit)
                known.set(id, { ...hit, channel: { ...hit.channel, archived: false } });
        },
    };
}
function remember(map, key, value) {
    if (map.size >= MOST)
        map.clear();
    map.set(key, value);
}
function idOf(value) {
    const id = value?.id;
    if (typeof id === 'string')
        return id;
    throw discordFault('away', 'Discord opened no direct-message channel');
}
function readChannel(value) {
    const wire = (value ?? {});
    const { type = -1 } = wire;
    const kind = PLAIN.includes(type)
        ? 'plain'
        : THREAD.includes(type)
            ? 'thread'
            : FORUM.includes(type)
                ? 'forum'
                : undefined;
    // The code that Discord itself would answer, without sending the request.
    if (!kind)
        throw discordFault('refused', `channel type ${type} holds no messages`, { status: 400, code: 50008 });
    return {
        id: idOf(wire),
        kind,
        ...(wire.guild_id ? { guild: wire.guild_id } : {}),
        ...(wire.name ? { name: wire.name } : {}),
        archived: wire.thread_metadata?.archived === true,
        tags: wire.available_tags ?? [],
        tagRequired: ((wire.flags ?? 0) & TAG_REQUIRED) !== 0,
    };
}
//# sourceMappingURL=channels.js.map