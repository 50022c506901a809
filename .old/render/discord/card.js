import { textsFor } from '../language/index.js';
import { SNIPPET, viewPosting } from '../posting-view.js';
import { embeddable, escaped, plain } from './escape.js';
import { LIMITS } from './payload.js';
const COLOR = 0x2f9e6e;
/** One posting as an embed of at most about 4,500 counted characters. Never throws. */
export function cardEmbed(posting, options) {
    const view = viewPosting(posting, options);
    const { card } = textsFor(options.locale);
    const link = view.applyUrl;
    const linked = link !== undefined && embeddable(link);
    const lines = [
        facts(view),
        view.snippet ? escaped(view.snippet, options.snippet ?? SNIPPET) : '',
        view.noLink ? `⚠️ ${view.noLink}` : '',
        view.twice ? `-# 👥 ${view.twice}` : '',
        // Discord would refuse the embed for such an address, so it stands by itself, still unaltered.
        link !== undefined && !linked ? `${card.apply}: <${link}>` : '',
        options.brief ? '' : small(posting, view, options),
    ].filter((line) => line !== '');
    return {
        ...(view.company ? { author: { name: plain(view.company, LIMITS.author) || '—' } } : {}),
        title: escaped(view.title, LIMITS.title) || card.noTitle,
        ...(linked ? { url: link } : {}),
        ...(lines.length > 0 ? { description: lines.join('\n') } : {}),
        color: COLOR,
        footer: { text: footer(options) },
    };
}
/** "via the board", with the note where it belongs. */
export function footer(options) {
    const via = textsFor(options.locale).card.via(plain(options.source, 100));
    return options.note ? `${via} · ${options.note}` : via;
}
function facts(view) {
    return [view.place && `📍 ${escaped(view.place, 160)}`, view.pay && `💰 ${escaped(view.pay, 200)}`]
        .filter(Boolean)
        .join('   ');
}
function small(posting, view, options) {
    const { card } = textsFor(options.locale);
    const tags = view.tags.map((tag) => `\`${plain(tag.replaceAll('`', "'"), 40)}\``);
    const more = view.moreTags > 0 ? ` +${view.moreTags}` : '';
    const parts = [
        tags.length > 0 ? tags.join(' ') + more : '',
        view.why ? card.matched(escaped(view.why, 120)) : '',
        posting.postedAt ? card.posted(since(posting.postedAt, options.now) ?? view.age ?? '') : '',
        view.seenBefore ?? '',
    ].filter((part) => part !== '');
    return parts.length > 0 ? `-# ${parts.join(' · ')}` : '';
}
/** Discord's own relative time, which stays true while the message grows old and speaks the reader's language. */
function since(day, now) {
    const noon = Date.parse(`${day}T12:00:00Z`);
    if (Number.isNaN(noon))
        return undefined;
    return `<t:${Math.floor(Math.min(noon, now) / 1000)}:R>`;
}
//# sourceMappingURL=card.js.map