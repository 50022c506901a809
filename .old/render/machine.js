import { renderPay } from '../domain/pay.js';
import { oneLine, withoutAddresses } from '../domain/text.js';
import { en } from './language/en.js';
import { textsFor } from './language/index.js';
/** Returns a posting's JSON form; `source` is the board's name. */
export function toMachine(posting, source) {
    const { key, remote, postedAt, applyUrl, matched } = posting;
    const title = words(posting.title) ?? en.card.noTitle;
    const company = words(posting.company);
    const location = words(posting.location);
    const salary = words(posting.salary ?? (posting.pay && renderPay(posting.pay)));
    const tags = posting.tags?.filter((tag) => words(tag) === tag);
    return {
        key,
        title,
        ...(company === undefined ? {} : { company }),
        ...(location === undefined ? {} : { location }),
        ...(remote === undefined ? {} : { remote }),
        ...(tags === undefined || tags.length === 0 ? {} : { tags }),
        ...(salary === undefined ? {} : { salary }),
        ...(postedAt === undefined ? {} : { postedAt }),
        ...(applyUrl === undefined ? {} : { applyUrl }),
        matched: matched.flatMap((reason) => words(reason) ?? []),
        source,
    };
}
/**
 * Removes addresses: programs pass the text on to people, for whom an address would be a link beside the apply link.
 */
function words(text) {
    return oneLine(withoutAddresses(text ?? '')) || undefined;
}
/** Returns an edition's JSON form. */
export function machineEdition(edition) {
    return {
        edition: edition.edition,
        subscription: edition.subscription,
        postings: edition.postings.map((posting) => toMachine(posting, edition.source)),
        note: textsFor(edition.locale).card.note,
    };
}
//# sourceMappingURL=machine.js.map