import { textsFor } from '../../render/language/index.js';
import { button, customId } from '../runtime/components.js';
import { setTokenButton } from './token.js';
/** Buttons for the owner of a notice, a Discord user; none where nothing can be done about it by pressing. */
export function noticeButtons({ kind, subscription }, user, locale) {
    const texts = textsFor(locale);
    const { buttons } = texts.bot;
    if (kind === 'token')
        return [setTokenButton(user, texts)];
    if (kind === 'left' && !subscription)
        return [button(buttons.list, customId('list', ['0'], user))];
    if (!subscription)
        return [];
    const on = (verb) => customId('sub', [verb, subscription], user);
    const resume = button(buttons.resume, on('resume'), 'good', '▶️');
    const move = button(buttons.move, on('edit'), 'plain', '📍');
    const edit = button(buttons.edit, on('edit'), 'plain', '✏️');
    const history = button(buttons.history, on('history'), 'plain', '📜');
    const remove = button(buttons.remove, on('remove'), 'danger', '🗑️');
    if (kind === 'destination')
        return [resume, move, remove];
    if (kind === 'left')
        return [move, remove];
    if (kind === 'posting' || kind === 'expired')
        return [history];
    if (kind === 'gap' || kind === 'silence')
        return [edit, remove];
    return [];
}
//# sourceMappingURL=notice.js.map