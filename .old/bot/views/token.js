// The way to a token, offered wherever one is missing.
import { refusal } from '../../domain/errors.js';
import { textsFor } from '../../render/language/index.js';
import { button, customId, row } from '../runtime/components.js';
export function setTokenButton(user, texts) {
    return button(texts.bot.buttons.setToken, customId('token-form', [], user), 'primary', '🔑');
}
export function setTokenRow(request, texts) {
    return row(setTokenButton(request.user, texts));
}
/** Throws a UserError for someone without a working token. */
export async function mustHaveToken({ caller }, { services }) {
    const { state } = await services.tokenReport(caller.account);
    const { noToken, tokenRejected } = textsFor('en').bot.fault;
    if (state === 'missing')
        throw refusal('noToken', noToken);
    if (state === 'rejected')
        throw refusal('tokenRejected', tokenRejected);
}
//# sourceMappingURL=token.js.map