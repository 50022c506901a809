// Remembers the names of channels and servers while they can be seen, so that a notice about a channel that is gone
// can say which one it was.
import { reasonOf } from '../../domain/errors.js';
const LIFE_MS = 400 * 86_400_000;
const MOST = 5_000;
const PATIENCE_MS = 5_000;
/** `table`: keeps the names across restarts. Without it they are only in memory. */
export function createPlaceNames(rest, table, log) {
    const known = new Map();
    const slot = (id) => `discord:name:${id}`;
    async function find(id) {
        const kept = known.get(id) ?? (await table?.get(slot(id)));
        if (kept)
            known.set(id, kept);
        return kept;
    }
    async function keep(id, next) {
        const former = await find(id);
        if (former?.name === next.name && former.guild === next.guild)
            return;
        if (known.size >= MOST)
            known.clear();
        known.set(id, next);
        await table?.set(slot(id), next, LIFE_MS);
    }
    async function learnServer(id) {
        if (await find(id))
            return;
        const signal = AbortSignal.timeout(PATIENCE_MS);
        const { name } = ((await rest.request('GET', `/guilds/${id}`, { signal })) ?? {});
        if (typeof name === 'string')
            await keep(id, { name });
    }
    async function quietly(work) {
        try {
            return await work();
        }
        catch (error) {
            log.debug({ reason: reasonOf(error) }, 'the name of a place is not known');
            return undefined;
        }
    }
    return {
        async learn({ id, name, guild }) {
            await quietly(async () => {
                if (name)
                    await keep(id, { name, ...(guild ? { guild } : {}) });
                if (guild)
                    await learnServer(guild);
            });
        },
        async of(channel) {
            const found = await quietly(() => find(channel));
            const server = found?.guild ? await quietly(() => find(found.guild)) : undefined;
            return { ...(found ? { channel: found.name } : {}), ...(server ? { server: server.name } : {}) };
        },
    };
}
//# sourceMappingURL=names.js.map