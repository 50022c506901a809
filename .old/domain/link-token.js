// The links in mails work without a login. Each contains what it may do, for whom, and a proof that this program
// wrote it. Links are encrypted, because a forwarded mail must not reveal its reader. This file is pure: it does not
// store epochs, and it does not do what a link asks for.
import { createCipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
/**
 * Derives a key for one use from each secret, so that a proof made for this use is worthless elsewhere. The first
 * secret signs; all are accepted.
 */
export function deriveKeys(secrets, use) {
    return secrets.map((one) => {
        const bytes = (info, length) => Buffer.from(hkdfSync('sha256', one.reveal(), 'jobcrier', info, length));
        return {
            id: bytes(`${use}:id`, 3).toString('base64url'),
            key: bytes(`${use}:key`, 32),
            cipherKey: bytes(`${use}:veil`, 32),
        };
    });
}
/** Lifetime of a link by purpose, in milliseconds. A link to unsubscribe never expires (mail rules). */
export const LINK_LIFE = {
    unsubscribe: undefined,
    resubscribe: 30 * 86_400_000,
    preferences: 30 * 86_400_000,
    edition: 30 * 86_400_000,
    // A feed reader uses its link as long as its owner reads. Only a new epoch revokes it.
    feed: undefined,
};
/** 128 bits can't be guessed and keep the address short. */
const PROOF_BYTES = 16;
const LONGEST = 1024;
function proof(key, purpose, payload) {
    return createHmac('sha256', key).update(`${purpose}\n`).update(payload).digest().subarray(0, PROOF_BYTES);
}
/**
 * The proof is also the start of the key stream (synthetic IV): equal links look equal, and no two others share a
 * stream.
 */
function encrypted(cipherKey, start, text) {
    return createCipheriv('aes-256-ctr', cipherKey, start).update(text);
}
/**
 * Returns a link token of URL-safe characters: the key id, the proof and the encrypted payload. The same claim gives
 * the same token. Throws if there is no key.
 */
export function signLink(keys, claim) {
    const [first] = keys;
    if (!first)
        throw new Error('no key to sign links with');
    const { account, subscription = '', destination = '', edition = '', epoch, expiresAt } = claim;
    const seconds = expiresAt === undefined ? 0 : Math.floor(expiresAt / 1000);
    const payload = Buffer.from(JSON.stringify([account, subscription, destination, edition, epoch, seconds]));
    const start = proof(first.key, claim.purpose, payload);
    return `${first.id}.${Buffer.concat([start, encrypted(first.cipherKey, start, payload)]).toString('base64url')}`;
}
const NO_KEY = { id: '', key: Buffer.alloc(32), cipherKey: Buffer.alloc(32) };
/**
 * Reads a token for one purpose. Returns undefined for every kind of fault (form, key, purpose, proof, time), so that
 * a caller can't answer differently. The caller compares the epoch.
 */
export function readLink(keys, purpose, token, now) {
    const [id, body = '', ...rest] = token.length > LONGEST ? [] : token.split('.');
    // The computation is the same for every fault, so that the time it takes reveals nothing.
    const key = keys.find((one) => one.id === id) ?? NO_KEY;
    const bytes = Buffer.from(body, 'base64url');
    const start = Buffer.alloc(PROOF_BYTES);
    bytes.copy(start);
    const payload = encrypted(key.cipherKey, start, bytes.subarray(PROOF_BYTES));
    const same = timingSafeEqual(proof(key.key, purpose, payload), start);
    // Base64url has several spellings of the last bits. Only the one this program writes is accepted.
    if (key === NO_KEY || !same || rest.length > 0 || bytes.toString('base64url') !== body)
        return undefined;
    const [account, subscription, destination, edition, epoch, seconds] = JSON.parse(payload.toString());
    if (seconds > 0 && now >= seconds * 1000)
        return undefined;
    return {
        purpose,
        account,
        epoch,
        ...(subscription ? { subscription } : {}),
        ...(destination ? { destination } : {}),
        ...(edition ? { edition } : {}),
        ...(seconds > 0 ? { expiresAt: seconds * 1000 } : {}),
    };
}
/** Makes addresses below `publicUrl` (without a trailing slash). */
export function createLinks(keys, publicUrl) {
    const make = (purpose) => ({ now, ...about }) => {
        const life = LINK_LIFE[purpose];
        const claim = { ...about, purpose, ...(life === undefined ? {} : { expiresAt: now + life }) };
        const path = purpose === 'edition' ? 'editions' : purpose;
        return `${publicUrl}/${path}/${signLink(keys, claim)}`;
    };
    return {
        unsubscribe: make('unsubscribe'),
        resubscribe: make('resubscribe'),
        preferences: make('preferences'),
        edition: make('edition'),
        feed: make('feed'),
        confirm: (token) => `${publicUrl}/confirm/${token}`,
    };
}
//# sourceMappingURL=link-token.js.map