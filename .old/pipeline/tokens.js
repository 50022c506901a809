// The token of an account, and whether it may be used. A rejection is stored with the fingerprint of the token, so it
// does not apply to a new token, whichever process sets it.
import { fingerprint } from '../domain/secret.js';
import { OPERATOR } from '../domain/subscription.js';
/** `operatorToken` is used only for the operator's own subscriptions (jobs API, Authentication 6: one token per user). */
export function createTokens(deps) {
    const { accounts, rejections, operatorToken, clock } = deps;
    async function of(account) {
        const isOperator = account === OPERATOR && operatorToken !== undefined;
        const [token, rejection] = await Promise.all([
            isOperator ? operatorToken : accounts.get(account).then((found) => found?.token),
            rejections.get(account),
        ]);
        if (!token)
            return { state: 'missing' };
        if (rejection?.fingerprint === fingerprint(token))
            return { state: 'rejected', token, why: rejection.why, at: rejection.at };
        return { state: 'ok', token };
    }
    return {
        of,
        reject: (account, token, why) => rejections.set(account, { fingerprint: fingerprint(token), at: clock.now(), why }),
        retry: (account) => rejections.delete(account),
    };
}
//# sourceMappingURL=tokens.js.map