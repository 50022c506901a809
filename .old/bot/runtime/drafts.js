const KINDS = ['zone', 'token', 'correction'];
const LIFE_MS = 24 * 3_600_000;
function keyOf(kind, user) {
    return `discord:${kind}:${user}`;
}
/** A command as it was just typed. */
export function typedBy({ path }, { options, guild, channel }) {
    return { path, options, channel, ...(guild ? { guild } : {}) };
}
/** Replaces what waited before. `id` distinguishes an old button from the current one. */
export async function keepWaiting(context, kind, user, id, waiting) {
    await context.misc.set(keyOf(kind, user), { id, waiting }, LIFE_MS);
}
/** Undefined when it is gone or was replaced. Without `id`, returns the one that is stored. */
export async function findWaiting(context, kind, user, id) {
    const kept = (await context.misc.get(keyOf(kind, user)));
    return kept && (id === undefined || kept.id === id) ? kept.waiting : undefined;
}
/** Returns it and removes it, so that a second press finds nothing. */
export async function takeWaiting(context, kind, user, id) {
    const found = await findWaiting(context, kind, user, id);
    if (found)
        await context.misc.delete(keyOf(kind, user));
    return found;
}
/** All waiting input of a user, for the export of an account. */
export async function waitingOf(context, user) {
    const kept = await Promise.all(KINDS.map((kind) => context.misc.get(keyOf(kind, user))));
    return kept.filter((one) => one !== undefined);
}
/** Deletes everything the bot keeps about a person, for an account that is erased. */
export async function forgetUser(misc, account) {
    const user = /^discord:(\d+)$/u.exec(account)?.[1];
    if (!user)
        return;
    for await (const [key] of misc.entries('discord:'))
        if (key.split(':').includes(user))
            await misc.delete(key);
}
//# sourceMappingURL=drafts.js.map