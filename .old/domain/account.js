// One user: an API token and a few settings of the person. Whether the token works is not a flag here. A rejection
// names the fingerprint of the rejected token, so it does not apply to a new token.
import { createHash } from 'node:crypto';
/** Returns 24 hexadecimal digits that identify an account in the keys of small records without naming the person. */
export function accountHash(id) {
    return createHash('sha256').update(id).digest('hex').slice(0, 24);
}
/**
 * Returns the fault of an account id as a sentence; empty if the id is valid. The sentence leaves out the id, which
 * may be a misplaced token.
 */
export function accountFaults(id) {
    if (/^[\w.:@-]{1,64}$/u.test(id))
        return [];
    return ['account: wanted 1 to 64 letters, digits, dots, colons, dashes, underscores or at signs.'];
}
/** Returns the account without its token, even if the token can't be read; undefined if it has none. */
export function withoutToken(account) {
    const { token, unreadable = [], ...rest } = account;
    if (!token && !unreadable.includes('token'))
        return undefined;
    const still = unreadable.filter((field) => field !== 'token');
    return { ...rest, ...(still.length > 0 ? { unreadable: still } : {}) };
}
//# sourceMappingURL=account.js.map