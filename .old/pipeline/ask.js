// Combines the answers of the jobs API for one subscription, and judges their postings by its filter.
import { judge, queriesOf, queryKey, subjectOf, wouldMatch } from '../domain/filter.js';
import { record, } from '../domain/ledger.js';
import { looksSame, mayBeVersions } from '../domain/recognise.js';
import { isPaused } from '../domain/subscription.js';
import { subscriptionsSharing } from './shared-destinations.js';
/** Sorts answers for one subscription. `heard`: the versions it has recorded, by subject. */
export function sortAnswers({ filter }, asked, heard = {}) {
    const listings = [];
    const answered = [];
    const unchanged = [];
    const unanswered = [];
    const full = [];
    const versions = {};
    const bySubject = new Map(asked.map((one) => [one.request.subject, one]));
    for (const own of queriesOf(filter)) {
        const question = queryKey(own);
        const subject = subjectOf(question);
        const one = bySubject.get(subject);
        if (!one) {
            unanswered.push(question);
            continue;
        }
        const { answer, query } = one;
        versions[subject] = answer.validator.hash;
        if (answer.kind === 'unchanged' || heard[subject] === answer.validator.hash) {
            unchanged.push(question);
            continue;
        }
        answered.push(question);
        if (answer.listing.count >= query.limit)
            full.push(question);
        listings.push({ query, subject, listing: answer.listing });
    }
    return { listings, answered, unchanged, unanswered, full, versions };
}
/** Every posting of the answers, once each. Throws a malformed FeedError. */
export async function readAnswers({ listings }) {
    const found = [];
    for (const { query, listing } of listings)
        putTogether(found, query, [...(await listing.read()).entries()]);
    return found;
}
/**
 * Finds what is new in answers by the marks of their records, and reads only new records. Returns undefined when
 * marks are not enough: too much of an answer is new, or it was not recorded with marks before.
 */
export async function readNews({ listings }, { recent, marks = {} }) {
    const found = [];
    const shown = [];
    for (const { query, subject, listing } of listings) {
        const [keys = [], former] = [recent[subject], marks[subject]];
        if (!former || listing.marks.length !== listing.count)
            return undefined;
        const keyOf = new Map(former.map((mark, index) => [mark, keys[index]]));
        const unknown = [];
        for (const [place, mark] of listing.marks.entries()) {
            const key = keyOf.get(mark);
            if (key === undefined)
                unknown.push(mark);
            else
                shown.push({ key, by: [questionAt(query, place)], marks: [mark] });
        }
        const wanted = new Set(unknown);
        // If most records are new, they may be old ones under new keys. Two records with the same mark may be one posting
        // or two. Both cases need the whole listing.
        if (2 * unknown.length > listing.count || wanted.size < unknown.length)
            return undefined;
        const read = wanted.size > 0 ? await listing.read(wanted) : [];
        if (read.some(({ mark }) => mark === undefined))
            return undefined;
        putTogether(found, query, read.map((one) => [listing.marks.indexOf(one.mark ?? ''), one]));
    }
    return { found, shown };
}
/**
 * Adds an answer to `found`. The same posting under two tags is one posting, even when one answer is a little older
 * than the other. But two postings that share a key in one answer are two.
 */
function putTogether(found, query, postings) {
    const others = new Map();
    for (const one of found) {
        const { key } = one.posting.posting;
        others.set(key, [...(others.get(key) ?? []), one]);
    }
    const isHere = (one) => one.by.some((by) => by.query === query);
    const rest = [];
    for (const [place, posting] of postings) {
        const same = others.get(posting.posting.key)?.find((one) => looksSame(one.posting, posting));
        if (same)
            same.by.push({ query, place, mark: posting.mark });
        else
            rest.push([place, posting]);
    }
    for (const [place, posting] of rest) {
        const { key } = posting.posting;
        const known = others.get(key) ?? [];
        const same = known.find((one) => looksSame(one.posting, posting)) ??
            known.find((one) => !isHere(one) && mayBeVersions(one.posting, posting));
        if (same)
            same.by.push({ query, place, mark: posting.mark });
        else {
            const one = { posting, by: [{ query, place, mark: posting.mark }] };
            found.push(one);
            others.set(key, [...known, one]);
        }
    }
}
/** Filters of the other subscriptions that share its destinations. Paused ones do not count. */
async function sharedFilters(p, subscription) {
    const found = [];
    for (const destination of subscription.destinations)
        for (const other of await subscriptionsSharing(p, subscription, destination))
            if (!isPaused(other))
                found.push({ destination: destination.id, filter: other.filter });
    return found;
}
/** A posting that is identified only by its text and date has no mark, because marks leave dates out. */
const markOf = ({ key }, mark) => (key.startsWith('hash:') ? undefined : mark);
/** Judges the postings by the subscription's filter. */
export function findingsOf({ filter }, found) {
    return found.map(({ posting, by }) => {
        const asked = by.flatMap(({ query }) => query.tag ?? []);
        const own = filter.tags.filter((tag) => posting.posting.tags?.includes(tag));
        const verdict = judge(filter, posting.posting, [...asked, ...own]);
        const questions = by.map(({ query, place }) => questionAt(query, place));
        return { ...posting, verdict, by: questions, marks: by.map(({ mark }) => markOf(posting.posting, mark)) };
    });
}
/** The question with the smallest limit whose answer includes this place. */
function questionAt(query, place) {
    // Postings beyond the limit still count as an answer to this question.
    return queryKey({ ...query, limit: Math.min(place + 1, query.limit) });
}
/**
 * Records findings. Postings that will be delivered also get the reasons of the other subscriptions that share a
 * destination. Those are read only when there is something to deliver.
 */
export async function recordShared(p, subscription, ledger, findings, options, shown = []) {
    let isAsked = false;
    const also = () => {
        isAsked = true;
        return undefined;
    };
    const recorded = record(ledger, findings.map((one) => ({ ...one, also })), options, shown);
    const shared = isAsked ? await sharedFilters(p, subscription) : [];
    if (shared.length === 0)
        return recorded;
    return record(ledger, findings.map((one) => ({ ...one, also: () => reasonsOfOthers(shared, one.posting) })), options, shown);
}
/** Reasons of the other filters that match a posting, by destination; undefined when none matches. */
function reasonsOfOthers(shared, posting) {
    const also = {};
    for (const { destination, filter } of shared) {
        const other = wouldMatch(filter, posting);
        if (other.ok)
            also[destination] = [...new Set([...(also[destination] ?? []), ...other.matched])];
    }
    return Object.keys(also).length > 0 ? also : undefined;
}
//# sourceMappingURL=ask.js.map