import { textsFor } from '../language/index.js';
import { cardEmbed } from './card.js';
import { cardControls } from './components.js';
import { digestEmbeds } from './digest.js';
import { plain } from './escape.js';
import { firstFitting, LIMITS } from './payload.js';
/** The finished message of a delivery; the same delivery always gives the same message. */
export function renderMessage(delivery) {
    return delivery.every === 'immediate' ? cardMessage(delivery) : digestMessage(delivery);
}
/** Cards, the newest need: a ping of the configured role, what is over the cap, and the buttons. */
export function cardMessage(delivery) {
    return message(delivery, cardEmbeds(delivery), more(delivery));
}
/** A tidy list; see {@link digestEmbeds}. */
function digestMessage(delivery) {
    return message(delivery, digestEmbeds(delivery), '');
}
function message(delivery, embeds, line) {
    const { edition, part, postings, locale } = delivery;
    const role = mentionedRole(delivery);
    const content = [role ? `<@&${role}>` : '', line].filter(Boolean).join('\n');
    return {
        ...(content ? { content } : {}),
        embeds,
        components: cardControls(edition, part, postings, textsFor(locale)),
        allowed_mentions: { parse: [], roles: role ? [role] : [] },
    };
}
/** The configured role, pinged by an edition's first message alone; nobody in a direct message. */
function mentionedRole({ destination, part }) {
    const role = destination.options?.mention;
    if (part !== 0 || destination.target.startsWith('dm:'))
        return undefined;
    return typeof role === 'string' && /^\d{17,20}$/u.test(role) ? role : undefined;
}
function more({ more: count, moreUrl, locale }) {
    if (count === 0)
        return '';
    const words = textsFor(locale).card.more(count);
    return moreUrl && moreUrl.length < LIMITS.content - 200 ? `${words}: <${moreUrl}>` : words;
}
/** Steps by which a crowded message is thinned until it fits; the packing makes the last ones rare. */
const THINNER = [
    {},
    { snippet: 160 },
    { snippet: 80 },
    { snippet: 0 },
    { snippet: 0, brief: true },
];
function cardEmbeds(delivery) {
    const { postings, locale, source, slot, destination } = delivery;
    const texts = textsFor(locale);
    const note = postings.some((posting) => posting.applyUrl) ? texts.card.note : undefined;
    const options = { locale, source: plain(source, 100), now: slot, timezone: destination.cadence.timezone };
    const at = (thin) => postings.map((posting, index) => cardEmbed(posting, {
        ...options,
        ...thin,
        ...(note && index === postings.length - 1 ? { note } : {}),
    }));
    return firstFitting(THINNER, at);
}
//# sourceMappingURL=message.js.map