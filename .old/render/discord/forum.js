import { displayTag } from '../../domain/tags.js';
import { withoutAddresses } from '../../domain/text.js';
import { periodOf } from '../describe.js';
import { textsFor } from '../language/index.js';
import { plain } from './escape.js';
import { LIMITS } from './payload.js';
/** Whether each posting gets a forum post to itself. */
export function isPostPerPosting({ destination }) {
    return destination.options?.forum === 'posting';
}
/** The title of a forum post: the posting's own for a single one, else what the edition is about and its period. */
export function threadName(delivery) {
    const { postings, parts, from, slot, destination, locale, about } = delivery;
    const { card } = textsFor(locale);
    const [only] = postings;
    if (only && postings.length === 1 && (parts === 1 || isPostPerPosting(delivery))) {
        const name = [only.title ?? card.noTitle, only.company].filter(Boolean).join(' · ');
        return plain(withoutAddresses(name), LIMITS.threadName) || card.noTitle;
    }
    const period = periodOf(from, slot, destination.cadence.timezone, locale);
    return `${plain(about, LIMITS.threadName - period.length - 3)} · ${period}`;
}
function folded(text) {
    return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
/**
 * Ids of at most 5 of the forum's tags whose names are tags of the postings, the most frequent first and what the
 * filter asked for counted double. Where a tag is required and none fits, one that says "other" or "jobs", else the first that may be used.
 */
export function forumTags(available, required, postings) {
    const counts = new Map();
    for (const posting of postings) {
        const own = [...posting.matched, ...(posting.tags ?? []), ...(posting.remote ? ['remote'] : [])];
        for (const tags of [own, posting.matched]) {
            const names = new Set(tags.flatMap((tag) => [folded(tag), folded(displayTag(tag))]));
            for (const name of names)
                counts.set(name, (counts.get(name) ?? 0) + 1);
        }
    }
    const usable = available.filter((tag) => !tag.moderated);
    const score = (tag) => counts.get(folded(tag.name)) ?? 0;
    const fitting = usable.filter((tag) => score(tag) > 0).sort((a, b) => score(b) - score(a));
    if (fitting.length > 0 || !required)
        return fitting.slice(0, LIMITS.threadTags).map((tag) => tag.id);
    const general = usable.find((tag) => /other|job|general|misc|sonstig|stelle|otra|empleo/iu.test(tag.name));
    const any = general ?? usable[0] ?? available[0];
    return any ? [any.id] : [];
}
//# sourceMappingURL=forum.js.map