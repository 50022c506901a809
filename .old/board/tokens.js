// Who may make requests: the tokens file, read into a lookup. Only keyed hashes of tokens are kept, so that neither
// the duration of a comparison nor a dump of this table reveals a token.
import { hash, randomBytes } from 'node:crypto';
import { FileFault } from './json-file.js';
const PROCESS_KEY = randomBytes(32).toString('hex');
/** Reads the content of the tokens file. Throws a FileFault that names the entry by its number, never by its token. */
export function parseTokens(content) {
    if (!Array.isArray(content))
        throw new FileFault('must be a JSON array of tokens');
    const tokens = new Map();
    content.forEach((entry, index) => {
        const record = parseToken(entry, `token ${index + 1}`);
        if (tokens.has(record.id))
            throw new FileFault(`token ${index + 1} is there twice`);
        tokens.set(record.id, record);
    });
    return tokens;
}
/** The record of a token that is known and not expired at `now`, otherwise undefined. `id`: its {@link idOf}. */
export function findToken(tokens, id, now) {
    const record = tokens.get(id);
    return record?.expiresAt !== undefined && record.expiresAt <= now ? undefined : record;
}
function parseToken(entry, name) {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
        throw new FileFault(`${name} must be an object`);
    }
    const { token, permissions = [], expiresAt, rateLimit, partner } = entry;
    if (typeof token !== 'string' || token === '')
        throw new FileFault(`${name} has no "token" text`);
    if (!Array.isArray(permissions))
        throw new FileFault(`${name}: "permissions" must be a list`);
    return {
        id: idOf(token),
        permissions: permissions.map(String),
        ...(expiresAt != null && { expiresAt: parseExpiry(expiresAt, name) }),
        ...(rateLimit != null && { rateLimit: parseRateLimit(rateLimit, name) }),
        ...(partner != null && { partner: parsePartner(partner, name) }),
    };
}
function parseExpiry(value, name) {
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(time))
        throw new FileFault(`${name}: "expiresAt" must be an ISO 8601 time`);
    return time;
}
function parseRateLimit(value, name) {
    const { requests, windowSeconds } = Object(value);
    const ok = typeof requests === 'number' &&
        Number.isInteger(requests) &&
        requests >= 0 &&
        typeof windowSeconds === 'number' &&
        Number.isFinite(windowSeconds) &&
        windowSeconds > 0;
    if (ok)
        return { requests, windowSeconds };
    throw new FileFault(`${name}: "rateLimit" must be { "requests": whole number, "windowSeconds": seconds }`);
}
// It is put into links unchanged, so it may hold nothing that needs escaping in a URL, in JSON or in XML.
function parsePartner(value, name) {
    if (typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value))
        return value;
    throw new FileFault(`${name}: "partner" may hold only letters, digits, "-" and "_"`);
}
/** Keyed hash of a token, or of a text that holds one. */
export function idOf(text) {
    return hash('sha256', PROCESS_KEY + text, 'base64url');
}
export function createQuota() {
    const windows = new Map();
    function take(id, limit, now) {
        const length = limit.windowSeconds * 1000;
        let window = windows.get(id);
        if (window === undefined || now >= window.start + length || now < window.start) {
            window = { start: now, used: 0 };
            windows.set(id, window);
        }
        const allowed = window.used < limit.requests;
        if (allowed)
            window.used++;
        return {
            allowed,
            remaining: Math.max(0, limit.requests - window.used),
            resetSeconds: Math.max(1, Math.ceil((window.start + length - now) / 1000)),
        };
    }
    function keep(known) {
        for (const id of windows.keys())
            if (!known.has(id))
                windows.delete(id);
    }
    return { take, keep };
}
//# sourceMappingURL=tokens.js.map