import { renderPay } from '../domain/pay.js';
import { displayTag, isTag } from '../domain/tags.js';
import { ellipsis, oneLine, snippet, withoutAddresses, withoutLinks } from '../domain/text.js';
import { dateFormat, dayIn } from './dates.js';
import { textsFor } from './language/index.js';
/** Default length of a snippet, in UTF-16 units. */
export const SNIPPET = 280;
const DAY = 24 * 3_600_000;
/** Prepares a posting for display. Never throws. `applyUrl` is the posting's own or absent. */
export function viewPosting(posting, options) {
    const texts = textsFor(options.locale);
    const { card } = texts;
    const tags = (posting.tags ?? [])
        .map((tag) => tidy(displayTag(tag), 40))
        .filter((tag) => tag !== undefined);
    const shown = tags.slice(0, options.maxTags ?? 6);
    const said = saidOf(posting, texts);
    const estimated = said === undefined ? estimateOf(posting, texts, options.source) : undefined;
    const { snippet: longest = SNIPPET } = options;
    const view = {
        key: posting.key,
        title: tidy(posting.title, 200) ?? card.noTitle,
        company: tidy(posting.company, 100),
        place: placeOf(posting, texts),
        pay: said ?? estimated,
        payEstimated: estimated === undefined ? undefined : true,
        tags: shown,
        moreTags: tags.length - shown.length,
        age: posting.postedAt &&
            (options.absolute ? dateOf(posting.postedAt, texts) : ageOf(posting.postedAt, options, texts)),
        snippet: longest > 0 ? tidy(snippet(posting.description, 600), longest) : undefined,
        why: tidy(posting.matched.map((reason) => (isTag(reason) ? displayTag(reason) : reason)).join(', '), 200),
        seenBefore: posting.seenBefore && card.seenBefore(dateOf(posting.seenBefore, texts)),
        twice: posting.twice && card.twice,
        applyUrl: posting.applyUrl,
        noLink: posting.applyUrl === undefined ? (posting.badLink ? card.linkWithheld : card.noLink) : undefined,
    };
    return withoutAbsent(view);
}
function withoutAbsent(view) {
    const present = {};
    for (const key in view)
        if (view[key] !== undefined)
            present[key] = view[key];
    return present;
}
/** Pay in the employer's words, or the employer's figure. */
function saidOf(posting, texts) {
    // An employer may write anything, so links and phone numbers in it are made inert. Our own figures need no such
    // check.
    return posting.salary === undefined
        ? tidied(posting.pay && renderPay(posting.pay, texts.card), 100)
        : tidy(posting.salary, 100);
}
function estimateOf(posting, texts, source) {
    const pay = tidied(posting.estimatedPay && renderPay(posting.estimatedPay, texts.card), 100);
    return pay ? texts.card.estimated(pay, source) : undefined;
}
function placeOf(posting, texts) {
    // The API sends values such as " , Berlin" and "Berlin, ".
    const location = tidy(posting.location?.slice(0, 300).replace(/^[\s,;·|-]+|[\s,;·|-]+$/gu, ''), 120);
    const { remote, onSite } = texts.card;
    if (posting.remote === true)
        return location && !/^remote$/iu.test(location)
            ? /\bremote\b/iu.test(location)
                ? location
                : `${location} · ${remote}`
            : remote;
    return location ?? (posting.remote === false ? onSite : undefined);
}
/** A calendar day is the same everywhere, so it is formatted without the reader's zone. */
function dateOf(day, texts) {
    const time = Date.parse(`${day}T00:00:00Z`);
    if (Number.isNaN(time))
        return day;
    return dateFormat(texts.intl, {
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        timeZone: 'UTC',
    }).format(time);
}
function ageOf(day, options, texts) {
    const today = dayIn(options.timezone ?? 'UTC', options.now);
    const days = Math.round((Date.parse(today) - Date.parse(day)) / DAY);
    // Publishers are in other zones, so tomorrow's date counts as today. A date further ahead is shown as it is.
    if (days === 0 || days === -1)
        return texts.card.today;
    if (days === 1)
        return texts.card.yesterday;
    return days > 1 && days < 30 ? texts.card.daysAgo(days) : dateOf(day, texts);
}
/** A {@link tidied} line in which no text becomes a link where it is shown. */
function tidy(text, max) {
    const line = tidied(text, max);
    return line && ellipsis(withoutLinks(line), max);
}
/**
 * One clean line of at most `max` UTF-16 units, without addresses, which would also become links; undefined when
 * nothing is left.
 */
function tidied(text, max) {
    if (text === undefined)
        return undefined;
    const line = oneLine(text);
    const bare = withoutAddresses(line);
    const left = bare === line ? line : oneLine(bare);
    return left === '' ? undefined : ellipsis(left, max);
}
//# sourceMappingURL=posting-view.js.map