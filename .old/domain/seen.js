// The seen set: every posting a subscription ever found, by posting key, with its fate. Only the seen set decides
// what is new, because neither the dates nor the ids of a feed are in order.
import { createHash } from 'node:crypto';
/** Returns a mark that is the same for two links only if they are equal byte for byte; empty for no link. */
export function linkMark(link) {
    return link === undefined ? '' : createHash('sha256').update(link).digest('base64url').slice(0, 22);
}
/** 60 bits of a hash: enough to tell a subscription's few thousand postings apart, at a tenth of the length. */
function brief(text) {
    return createHash('sha256').update(text).digest('base64url').slice(0, 10);
}
/** Returns the kind of a key: `id`, `guid`, `url`, `link` or `hash`. */
export function kindOf(key) {
    return /^[a-z]*/u.exec(key)?.[0] ?? '';
}
/** Separates a key that several postings share from what tells them apart. {@link postingKeys} never writes it. */
const SHARED = '~';
/** Highest number of keys kept per posting, newest last. A feed may give a posting another key with every answer. */
const MOST_ALIASES = 6;
/** Returns the key of a further posting under a shared key; always the same for the same title, company and link. */
export function sharedKey(key, { name = '', link = '' }) {
    return `${key}${SHARED}${brief(`${name}\n${link}`)}`;
}
/** Returns the key as the feed gave it. */
export function baseOf(key) {
    const end = key.indexOf(SHARED);
    return end < 0 ? key : key.slice(0, end);
}
/** Highest number of keys listed under one name, see {@link namesOf}. */
export const MOST_UNDER_NAME = 50;
/**
 * Returns the names under which a seen posting is found besides its key: weaker and former keys, its likeness, and
 * the key it shares.
 */
export function namesOf(key, { alias = [], renamed = [], like }) {
    const base = baseOf(key);
    return [
        ...[...alias, ...renamed].map((one) => `>${one}`),
        ...(like === undefined ? [] : [`=${like}`]),
        ...(base === key ? [] : [`~${brief(base)}`]),
    ];
}
/** Returns the names under which to look for what was seen by one of these keys or likenesses. */
export function namesFor(keys, likes) {
    return [
        ...keys.flatMap((key) => [`>${brief(key)}`, `~${brief(baseOf(key))}`]),
        ...likes.map((like) => `=${like}`),
    ];
}
/**
 * Opens a seen set; `before` is not changed. Indexes are built when first needed, because most polls find nothing
 * new.
 */
export function openSeen(before) {
    const entries = { ...before };
    let owners;
    let families;
    let likes;
    function index(key, { alias = [], renamed = [], like }) {
        for (const one of [...alias, ...renamed]) {
            const known = owners?.get(one);
            if (!known)
                owners?.set(one, [key]);
            else if (!known.includes(key))
                known.push(key);
        }
        const former = like === undefined ? undefined : likes?.get(like);
        if (like && (!former || entries[former]?.fate === 'filtered'))
            likes?.set(like, key);
    }
    function indexAll() {
        if (owners)
            return;
        owners = new Map();
        likes = new Map();
        for (const [key, entry] of Object.entries(entries))
            index(key, entry);
    }
    function joinFamily(key) {
        const base = baseOf(key);
        if (base !== key)
            families?.set(base, [...(families.get(base) ?? []), key]);
    }
    function ownersOf(key) {
        indexAll();
        return owners?.get(brief(key)) ?? [];
    }
    return {
        entries,
        find(keys) {
            const known = keys.find((key) => Object.hasOwn(entries, key));
            return (known ??
                keys
                    .map((key) => ownersOf(key).at(-1))
                    .find((owner) => owner && kindOf(owner) !== kindOf(keys[0])));
        },
        owners: ownersOf,
        family(key) {
            if (!families) {
                families = new Map();
                for (const one of Object.keys(entries))
                    joinFamily(one);
            }
            return [...(Object.hasOwn(entries, key) ? [key] : []), ...(families.get(key) ?? [])];
        },
        hasLink: (key, link) => baseOf(key) === link || (entries[key]?.alias?.includes(brief(link)) ?? false),
        wasRenamed: (key, first) => entries[key]?.renamed?.includes(brief(first)) ?? false,
        like(likeness) {
            indexAll();
            return likes?.get(likeness);
        },
        add([key = '', ...weaker], entry) {
            entries[key] = { ...entry, ...(weaker.length > 0 ? { alias: weaker.map(brief) } : {}) };
            index(key, entries[key]);
            joinFamily(key);
        },
        learn(key, [first = '', ...weaker], name) {
            const { alias = [], renamed = [], ...entry } = entries[key];
            const news = weaker.filter((one) => one !== key).map(brief);
            const moreAlias = news.filter((one) => !alias.includes(one));
            const isRenamed = first !== baseOf(key) && ![...alias, ...renamed].includes(brief(first));
            if (moreAlias.length === 0 && !isRenamed && (name === undefined || name === entry.name))
                return;
            const aliases = [...alias, ...moreAlias].slice(-MOST_ALIASES);
            const firsts = [...renamed, ...(isRenamed ? [brief(first)] : [])].slice(-MOST_ALIASES);
            const next = {
                ...entry,
                ...(name === undefined ? {} : { name }),
                ...(aliases.length > 0 ? { alias: aliases } : {}),
                ...(firsts.length > 0 ? { renamed: firsts } : {}),
            };
            entries[key] = next;
            index(key, next);
        },
    };
}
/**
 * Keys kept for each question: ten times the most postings one answer holds, because a posting may return long after
 * it left the feed.
 */
const PER_QUESTION = 1000;
const PER_POSTING = 10;
/** Returns how many keys a subscription keeps if it asks `questions` and last got `postings`. */
export function seenBound(questions, postings) {
    return Math.max(PER_QUESTION * Math.max(questions, 1), PER_POSTING * postings);
}
/**
 * Removes the oldest keys above the bound, except those in `keep`: postings a feed still shows or that are waiting to
 * be sent would return as new.
 */
export function bounded(seen, keep, bound) {
    const entries = Object.entries(seen);
    if (entries.length <= bound)
        return seen;
    const old = entries.filter(([key]) => !keep.has(key)).sort((a, b) => a[1].at - b[1].at);
    const dropped = new Set(old.slice(0, entries.length - bound).map(([key]) => key));
    return Object.fromEntries(entries.filter(([key]) => !dropped.has(key)));
}
//# sourceMappingURL=seen.js.map