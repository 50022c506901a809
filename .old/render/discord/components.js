// What can be pressed under a message: three buttons for one posting, a menu that picks one of several. Who presses
// is answered in private, so the same row serves everyone in the channel.
import { createHash } from 'node:crypto';
import { withoutAddresses } from '../../domain/text.js';
import { plain } from './escape.js';
import { LIMITS } from './payload.js';
const EMOJI = { save: '🔖', applied: '✅', dismiss: '🙈' };
/** *Save*, *Applied*, *Not for me* for one posting. `ref` is what `postingRef` gives; `message`: the card's, for buttons elsewhere. */
export function markButtons(edition, ref, texts, message) {
    const verbs = ['save', 'applied', 'dismiss'];
    return {
        type: 1,
        components: verbs.map((verb) => ({
            type: 2,
            style: 2,
            label: texts.card[verb],
            emoji: { name: EMOJI[verb] },
            custom_id: markId(verb, edition, ref, message),
        })),
    };
}
/** A menu of the first 25 postings; its values are posting refs. */
function pickMenu(edition, part, postings, texts) {
    const byRef = new Map(postings.map((posting) => [postingRef(posting.key), posting]));
    const options = [...byRef].slice(0, LIMITS.options).map(([ref, posting]) => {
        const about = shown([posting.company, posting.location].filter(Boolean).join(' · '));
        const label = shown(posting.title ?? '') || texts.card.noTitle;
        return { label, value: ref, ...(about ? { description: about } : {}) };
    });
    return {
        type: 1,
        components: [
            {
                type: 3,
                custom_id: pickId(edition, part),
                placeholder: plain(texts.card.pick, 150),
                min_values: 1,
                max_values: 1,
                options,
            },
        ],
    };
}
function shown(text) {
    return plain(withoutAddresses(text), LIMITS.optionText);
}
/** Buttons for one posting, the menu for several, nothing for none. */
export function cardControls(edition, part, postings, texts) {
    const [only] = postings;
    if (!only)
        return [];
    if (postings.length === 1)
        return [markButtons(edition, postingRef(only.key), texts)];
    return [pickMenu(edition, part, postings, texts)];
}
// The state of a card's buttons is in their custom_id, so that they work after a restart and on old messages.
// A posting is named by a hash of its key: no order of postings, no repacking can make a button mean another one.
const VERBS = { save: 'saved', applied: 'applied', dismiss: 'dismissed' };
/** 10 characters that name a posting within its edition. */
export function postingRef(key) {
    return createHash('sha256').update(key).digest('base64url').slice(0, 10);
}
/** `m:<verb>:<edition>:<ref>`, with `:<message>` for a button that is not on the card itself; at most 100 characters. */
export function markId(verb, edition, ref, message) {
    return `m:${verb}:${edition}:${ref}${message ? `:${message}` : ''}`;
}
/** `m:pick:<edition>:<part>`; the menu's values are posting refs. */
export function pickId(edition, part) {
    return `m:pick:${edition}:${part}`;
}
/** Reads a custom_id; undefined for one that is not a card's. */
export function parseCardId(customId) {
    const [head, verb = '', edition = '', last = '', ...rest] = customId.split(':');
    const [message] = rest;
    if (head !== 'm' || edition === '' || last === '' || rest.length > 1)
        return undefined;
    if (message !== undefined && !/^\d{17,20}$/u.test(message))
        return undefined;
    if (verb === 'pick')
        return /^\d{1,4}$/u.test(last) && message === undefined
            ? { kind: 'pick', edition, part: Number(last) }
            : undefined;
    if (!Object.hasOwn(VERBS, verb))
        return undefined;
    return { kind: 'mark', mark: VERBS[verb], edition, ref: last, ...(message ? { message } : {}) };
}
//# sourceMappingURL=components.js.map