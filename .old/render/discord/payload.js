// The part of Discord's message form this program uses, and how Discord measures it.
/** Discord's limits (developer documentation, "Embed Limits" and "Create Message"). */
export const LIMITS = {
    content: 2000,
    embeds: 10,
    allEmbeds: 6000,
    title: 256,
    description: 4096,
    footer: 2048,
    author: 256,
    options: 25,
    optionText: 100,
    label: 80,
    threadName: 100,
    threadTags: 5,
};
/** What counts towards the 6,000 characters of a message; links do not. */
export function embedSize(embed) {
    const { title = '', description = '', author, footer } = embed;
    return title.length + description.length + (author?.name.length ?? 0) + (footer?.text.length ?? 0);
}
/** {@link embedSize} over all embeds of a message. */
export function embedsSize(embeds) {
    return embeds.reduce((sum, embed) => sum + embedSize(embed), 0);
}
/**
 * The first of ever thinner layouts that one message holds, else the last. Each is made only when the one before it
 * was too large, which is rare.
 */
export function firstFitting(thinner, layOut) {
    let embeds = [];
    for (const how of thinner) {
        embeds = layOut(how);
        if (embedsSize(embeds) <= LIMITS.allEmbeds)
            break;
    }
    return embeds;
}
/** The largest value over things of unlike size: a card in any language, a note in any language. */
export function largest(sizes) {
    return sizes.reduce((most, size) => Math.max(most, size), 0);
}
//# sourceMappingURL=payload.js.map