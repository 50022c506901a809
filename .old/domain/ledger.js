import { covers, limitOf, subjectOf } from './filter.js';
import { likeness, nameOf } from './posting.js';
import { recognise, windowsOf } from './recognise.js';
import { baseOf, linkMark, openSeen } from './seen.js';
import { snippet } from './text.js';
export const EMPTY_LEDGER = {
    version: 1,
    recent: {},
    seen: {},
    done: {},
    outbox: [],
    editions: [],
    parked: {},
    lastEdition: {},
};
/**
 * Keeps the fields that a card, a mail and a page show. Full descriptions would make every ledger write a hundred
 * times larger.
 */
export function trimmed(posting) {
    const { description, extra: _extra, ...rest } = posting;
    const text = snippet(description, 400);
    return text === undefined ? rest : { ...rest, description: text };
}
function dayOf(at) {
    return new Date(at).toISOString().slice(0, 10);
}
/** Sorts by posting day, newest first. Postings without a day come last, in the order of the feed. */
function byDay({ posting: a }, { posting: b }) {
    const [one, other] = [a.postedAt ?? '', b.postedAt ?? ''];
    return one < other ? 1 : one > other ? -1 : 0;
}
/** After a gap, the request is made more often and with the highest limit for this long. Milliseconds. */
export const GAP_WATCH_MS = 24 * 3_600_000;
/** Gaps that are still watched at `now`. */
function watched(gaps = {}, now) {
    return Object.fromEntries(Object.entries(gaps).filter(([, at]) => at + GAP_WATCH_MS > now));
}
/**
 * How far down an answer a posting may have been missed in a gap: down to the last posting known from before the gap.
 * Postings below that one existed before, beyond the limit. If no such posting is left, the whole answer may be new.
 */
function depthOf(subject, gapAt, known, seen) {
    const places = [...known]
        .filter(([, key]) => (seen.entries[key]?.at ?? gapAt) < gapAt)
        .flatMap(([{ by }]) => by.filter((one) => subjectOf(one) === subject).map(limitOf));
    return places.length > 0 ? Math.max(...places) : Number.POSITIVE_INFINITY;
}
/**
 * Whether postings may have appeared and gone unseen between a question's last answer and this one. That is so when
 * the window is full and its last posting is new: then nothing shows that the window reaches back to known postings.
 * Postings pinned at the top or at the bottom prove nothing. There is no gap when at least half of the last window is
 * still here and there was more below it: then the new postings at the end only moved up.
 */
function isGap(window, last, lastWasFull) {
    const keys = new Set(window.map((one) => one.key));
    const stayed = last.length > 0 && 2 * last.filter((key) => keys.has(key)).length >= last.length;
    if (window.at(-1)?.isNew)
        return !(stayed && lastWasFull);
    let pinned = 0;
    while (pinned < last.length && window.at(-1 - pinned)?.key === last.at(-1 - pinned))
        pinned++;
    return pinned > 0 && window.at(-1 - pinned)?.isNew === true && !stayed;
}
/** The fate of a posting that matched and was not seen before, or undefined if it is announced. */
function silenced(isOld, silent, repostOf) {
    if (silent)
        return { fate: 'paused' };
    if (isOld)
        return { fate: 'baseline' };
    return repostOf === undefined ? undefined : { fate: 'repost', by: repostOf };
}
/**
 * A poll later than this after the end of a pause no longer shows what was there when the pause ended. Milliseconds.
 */
const PAUSE_LOOK_MS = 60_000;
/** A posting's day comes from its publisher's clock, which may be behind. Milliseconds. */
const DAY_SLACK_MS = 12 * 3_600_000;
/**
 * Whether a new posting appeared before the pause ended. The first poll runs immediately after the pause, so
 * everything it shows did. If that poll came too late, only the posting's day can decide. A posting without a day is
 * sent, so that it is not lost.
 */
function isFromPause({ postedAt }, { now, resumedAt }) {
    if (resumedAt === undefined || now - resumedAt <= PAUSE_LOOK_MS)
        return true;
    return postedAt !== undefined && postedAt < dayOf(resumedAt - DAY_SLACK_MS);
}
/**
 * Whether marks are enough to tell what is new: every question is known, has the same token, and needs no closer
 * look.
 */
export function mayGoByMarks({ baselineAt, asked: known = [], pause, unheard = [], gaps, tokens = {}, marks = {} }, { now, asked, answered, pause: paused, token }) {
    const isKnown = (question) => {
        const subject = subjectOf(question);
        return known.some((former) => covers(former, question)) && tokens[subject] === token && subject in marks;
    };
    return (baselineAt !== undefined &&
        (paused === undefined || paused === pause) &&
        unheard.length === 0 &&
        Object.keys(watched(gaps, now)).length === 0 &&
        asked.every((question) => !answered.includes(question) || isKnown(question)));
}
/**
 * Whether all findings are certainly new: nothing in the seen set has one of their keys or likenesses, and no two
 * findings share one.
 */
export function areNew(findings, { seen }) {
    const all = findings.flatMap(({ keys, posting }) => [
        ...keys,
        likeness(posting) ?? '',
        nameOf(posting) ?? '',
    ]);
    const named = all.filter((one) => one !== '');
    return Object.keys(seen).length === 0 && new Set(named).size === named.length;
}
/**
 * Finds what is new in a poll and puts it in the outbox. The first poll is the baseline: everything is recorded, and
 * only the `newest` postings asked for are sent. Postings are compared by key, not by date or id, because old
 * postings return to the top of feeds. Each question is compared with its own answers, and a question that is
 * answered for the first time has its own baseline. `shown`: the other postings in the answers, see
 * {@link mayGoByMarks} and {@link areNew}.
 */
export function record(ledger, findings, options, shown = []) {
    const { now, asked, answered, unanswered = [], full = [], pause, token } = options;
    const baseline = ledger.baselineAt === undefined;
    const pauseEnded = !baseline && pause !== undefined && pause !== ledger.pause;
    const unheard = new Set(pauseEnded ? asked.map(subjectOf) : ledger.unheard);
    const isKnown = (question) => ledger.asked?.some((former) => covers(former, question)) ?? false;
    const seen = openSeen(ledger.seen);
    const sorted = [...findings].sort(byDay);
    const recognised = recognise(sorted, seen, ledger, options);
    const watch = watched(ledger.gaps, now);
    const depths = new Map(Object.entries(watch).map(([subject, at]) => [subject, depthOf(subject, at, recognised.known, seen)]));
    const isNews = (question) => isKnown(question) || limitOf(question) <= (depths.get(subjectOf(question)) ?? 0);
    const owed = [];
    const fresh = [];
    const keyed = new Map();
    for (const one of shown)
        keyed.set(one, { key: one.key, isNew: false });
    const counts = { matched: 0, filtered: 0, reposts: 0 };
    let newest = options.newest;
    for (const finding of sorted) {
        const { posting, keys, verdict, by, also } = finding;
        const name = nameOf(posting);
        const former = recognised.known.get(finding);
        const { key, isCopy } = former ? { key: former, isCopy: true } : recognised.keyOf(finding);
        keyed.set(finding, { key, isNew: former === undefined });
        if (isCopy) {
            seen.learn(key, keys, name);
            continue;
        }
        const like = likeness(posting);
        const first = like === undefined ? undefined : seen.like(like);
        const firstSeen = first === undefined ? undefined : seen.entries[first];
        // Two postings that share a key and are in the same answer are two jobs, however similar they are.
        const isTwin = first !== undefined && baseOf(first) === baseOf(key) && recognised.standsBeside(finding, first);
        const repostOf = options.reposts || firstSeen?.fate === 'filtered' || isTwin ? undefined : first;
        const news = by.filter(isNews);
        // The first answer to a question holds postings of the past weeks. They are recorded, not announced.
        const isOld = baseline ? verdict.ok && newest-- <= 0 : news.length === 0;
        const silent = news.length > 0 && news.every((one) => unheard.has(subjectOf(one))) && isFromPause(posting, options);
        const fate = verdict.ok
            ? (silenced(isOld, silent, repostOf) ?? { fate: 'matched' })
            : { fate: 'filtered', by: verdict.rule };
        counts[verdict.ok ? 'matched' : 'filtered']++;
        if (fate.fate === 'repost')
            counts.reposts++;
        const named = { ...(like ? { like } : {}), ...(name ? { name } : {}) };
        seen.add([key, ...keys.slice(1)], { at: now, ...fate, ...named });
        const recorded = key === posting.key ? posting : { ...posting, key };
        fresh.push({ posting: recorded, ...fate });
        if (fate.fate !== 'matched' || !verdict.ok || options.destinations.length === 0)
            continue;
        const others = also?.();
        owed.push({
            posting: trimmed(recorded),
            matched: verdict.matched,
            at: now,
            ...(options.since === undefined ? {} : { since: options.since }),
            to: options.destinations,
            ...(firstSeen && !isTwin ? { seenBefore: dayOf(firstSeen.at) } : {}),
            ...(others ? { also: others } : {}),
        });
    }
    // Feeds list the newest first; readers get the oldest first.
    const outbox = [...ledger.outbox, ...owed.reverse()];
    const windows = new Map([...windowsOf([...findings, ...shown])].map(([subject, window]) => [
        subject,
        window.map((one) => ({
            ...keyed.get(one),
            mark: one.marks?.[one.by.findIndex((question) => subjectOf(question) === subject)] ?? '',
        })),
    ]));
    const lastOf = (question) => ledger.recent[subjectOf(question)] ?? [];
    const wasFull = (question) => ledger.asked?.some((one) => subjectOf(one) === subjectOf(question) && lastOf(one).length >= limitOf(one)) ?? false;
    const gaps = asked
        .filter((one) => answered.includes(one) && full.includes(one) && isKnown(one) && !unheard.has(subjectOf(one)))
        .filter((one) => isGap(windows.get(subjectOf(one)) ?? [], lastOf(one), wasFull(one)))
        .map(subjectOf);
    const heard = asked.filter((one) => !unanswered.includes(one));
    const recent = Object.fromEntries(asked
        .map((question) => {
        const keys = (windows.get(subjectOf(question)) ?? []).map((one) => one.key);
        return [subjectOf(question), keys.length > 0 ? keys : lastOf(question)];
    })
        .filter(([, keys]) => keys.length > 0));
    const marks = Object.fromEntries([...windows].map(([subject, window]) => [subject, window.map((one) => one.mark)]));
    const subjects = new Set(asked.map(subjectOf));
    const ofAsked = (values) => Object.fromEntries(Object.entries(values).filter(([subject]) => subjects.has(subject)));
    const tokens = token && Object.fromEntries(heard.map((one) => [subjectOf(one), token]));
    const next = {
        ...ledger,
        baselineAt: ledger.baselineAt ?? now,
        // What is known about a question is kept while it gives no answer.
        asked: asked.flatMap((one) => heard.includes(one)
            ? [one]
            : (ledger.asked ?? []).filter((former) => subjectOf(former) === subjectOf(one))),
        polledAt: now,
        ...(pause === undefined ? {} : { pause }),
        unheard: asked.filter((one) => !heard.includes(one) && unheard.has(subjectOf(one))).map(subjectOf),
        recent,
        marks: ofAsked({ ...ledger.marks, ...marks }),
        tokens: ofAsked({ ...ledger.tokens, ...tokens }),
        gaps: ofAsked({ ...watch, ...Object.fromEntries(gaps.map((subject) => [subject, now])) }),
        seen: seen.entries,
        seenCount: (ledger.seenCount ?? Object.keys(ledger.seen).length) + fresh.length,
        outbox,
    };
    return { ledger: next, baseline, gaps, rekeyed: recognised.rekeyed, counts, fresh };
}
/**
 * Marks postings as done for one destination and removes postings that no destination is waiting for from the outbox.
 */
export function finish(ledger, destination, keys, outcome) {
    if (keys.length === 0)
        return ledger;
    const set = new Set(keys);
    const done = { ...ledger.done };
    const links = new Map(ledger.outbox.map(({ posting }) => [posting.key, posting.applyUrl]));
    for (const key of set) {
        const how = outcome.how === 'sent' ? { ...outcome, link: linkMark(links.get(key)) } : outcome;
        done[key] = { ...done[key], [destination]: how };
    }
    const outbox = ledger.outbox
        .map((owed) => set.has(owed.posting.key) ? { ...owed, to: owed.to.filter((id) => id !== destination) } : owed)
        .filter((owed) => owed.to.length > 0);
    return { ...ledger, done, outbox };
}
/**
 * Records that another account's subscription also brings these postings to a destination, with another link. Each
 * then shows only its own reasons.
 */
export function markTwice(ledger, destination, keys) {
    if (keys.size === 0)
        return ledger;
    const outbox = ledger.outbox.map((owed) => {
        if (!keys.has(owed.posting.key) || !owed.to.includes(destination))
            return owed;
        const { [destination]: _theirs, ...also } = owed.also ?? {};
        return { ...owed, also, twice: [...new Set([...(owed.twice ?? []), destination])] };
    });
    return { ...ledger, outbox };
}
/** The postings in a destination's outbox that are not in an open edition, oldest first. */
export function pending(ledger, destination) {
    const held = new Set(ledger.editions
        .filter((edition) => edition.destination === destination)
        .flatMap((edition) => [...edition.parts.flat(), ...edition.rest]));
    return ledger.outbox.filter((owed) => owed.to.includes(destination) && !held.has(owed.posting.key));
}
/** True while anything is waiting to be sent to any destination. */
export function owesAnything(ledger) {
    return ledger.outbox.length > 0 || ledger.editions.length > 0;
}
//# sourceMappingURL=ledger.js.map