import { worth } from '../domain/ranking.js';
import { isTag } from '../domain/tags.js';
const PER_COMPANY = 3;
/**
 * The tag a posting is listed under: the first wanted tag it matched, otherwise the most common one in the edition.
 */
function tagOf(posting, common) {
    const wanted = posting.matched.find(isTag);
    if (wanted)
        return wanted;
    const own = (posting.tags ?? []).filter((tag) => isTag(tag) && (common.get(tag) ?? 0) > 1);
    return own.sort((a, b) => (common.get(b) ?? 0) - (common.get(a) ?? 0) || a.localeCompare(b))[0];
}
/** Groups by tag, the largest first and those without a tag last; `now` in milliseconds since the epoch. */
export function groupPostings(postings, now) {
    const common = new Map();
    for (const tag of postings.flatMap((posting) => posting.tags ?? []))
        common.set(tag, (common.get(tag) ?? 0) + 1);
    const byTag = new Map();
    for (const posting of postings) {
        const tag = tagOf(posting, common) ?? '';
        const members = byTag.get(tag);
        if (members)
            members.push(posting);
        else
            byTag.set(tag, [posting]);
    }
    // A single group needs no heading.
    const single = byTag.size === 1;
    // Counted over the whole edition: three under each of five tags would be fifteen.
    const counts = new Map();
    return [...byTag]
        .sort(([a, some], [b, others]) => Number(a === '') - Number(b === '') || others.length - some.length)
        .map(([tag, members]) => ({ ...(tag && !single ? { tag } : {}), ...share(members, counts, now) }));
}
/** At most {@link PER_COMPANY} postings of a company stay in `postings`. Those without a company are not limited. */
function share(members, counts, now) {
    const rest = new Map();
    const postings = [];
    const ranked = members
        .map((posting) => ({ posting, worth: worth(posting, posting.matched, now) }))
        .sort((a, b) => b.worth - a.worth);
    for (const { posting } of ranked) {
        const company = posting.company?.toLowerCase();
        const count = company ? (counts.get(company) ?? 0) + 1 : 0;
        if (company)
            counts.set(company, count);
        if (!company || count <= PER_COMPANY)
            postings.push(posting);
        else {
            const entry = rest.get(company) ?? { company: posting.company, postings: [] };
            entry.postings.push(posting);
            rest.set(company, entry);
        }
    }
    return { postings, rest: [...rest.values()] };
}
//# sourceMappingURL=digest-groups.js.map