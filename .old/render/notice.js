import { ellipsis } from '../domain/text.js';
import { plainCommands } from './commands.js';
import { textsFor } from './language/index.js';
const ABOUT_MAX = 200;
/** One or two sentences; `notice.text` where the texts have none. */
export function renderNotice(notice, locale) {
    const texts = textsFor(locale);
    // Of what no text is written for, the far side's own words are worth more than our general ones.
    const isPrecise = notice.kind === 'posting' || (notice.kind === 'destination' && !notice.data?.fix);
    const place = placeOf(notice);
    if (isPrecise && texts.intl.startsWith('en'))
        return led(place, notice.text);
    const words = translated(notice, texts);
    const about = notice.data?.about;
    if (words === undefined)
        return led(place, notice.text);
    return led([...(typeof about === 'string' ? [ellipsis(about, ABOUT_MAX)] : []), ...place], words);
}
/** The channel and the server by name, as far as they are known. */
function placeOf({ data = {} }) {
    const { channel, server } = data;
    return [
        ...(typeof channel === 'string' ? [`#${ellipsis(channel, 100)}`] : []),
        ...(typeof server === 'string' ? [ellipsis(server, 100)] : []),
    ];
}
function led(heads, words) {
    return heads.length > 0 ? `${heads.join(' · ')}: ${words}` : words;
}
/** The two together for a `DeliveryError`: the name, and its English sentence for whoever can't look it up. */
export function fixOf(fix) {
    const texts = textsFor('en');
    return { fix, forOwner: plainCommands(texts.notice.fix[fix], texts) };
}
function translated({ kind, data = {} }, { notice, bot, intl }) {
    const text = (name) => (typeof data[name] === 'string' ? data[name] : undefined);
    const count = (name) => (typeof data[name] === 'number' ? data[name] : undefined);
    const sink = text('sink');
    const place = sink === 'email' ? bot.commands.choices.email : sink === 'discord' ? 'Discord' : sink;
    const days = count('days');
    const lost = count('count');
    const source = text('source');
    const fix = text('fix') ?? '';
    if (kind === 'token' && source !== undefined)
        return notice.token(source);
    if (kind === 'destination' && Object.hasOwn(notice.fix, fix))
        return notice.fix[fix];
    if (kind === 'destination' && place !== undefined)
        return notice.destination(place);
    if (kind === 'posting' && place !== undefined)
        return notice.posting(place);
    if (kind === 'expired' && place !== undefined && lost !== undefined)
        return notice.expired(lost, place);
    if (kind === 'left' && lost !== undefined && days !== undefined)
        return notice.left(lost, days);
    if (kind === 'gap')
        return notice.gap(text('tags') ?? '');
    if (kind === 'keys')
        return notice.keys;
    if (kind === 'silence' && days !== undefined)
        return notice.silence(days);
    const requests = count('requests');
    const minutes = count('minutes');
    if (kind === 'load' && requests !== undefined && minutes !== undefined)
        return notice.load(requests, intervalIn(intl, minutes));
    return undefined;
}
function intervalIn(language, minutes) {
    const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
    return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
//# sourceMappingURL=notice.js.map