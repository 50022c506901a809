// A token must never be printed by accident. From the moment it is read, it is in a wrapper that shows a placeholder
// in every ordinary way of printing (string, JSON, inspect, spread).
import { createHash, timingSafeEqual } from 'node:crypto';
const HIDDEN = '[secret]';
/** Wraps `value`. The value is only in the closure, so no enumeration can reach it. */
export function secret(value) {
    const hidden = () => HIDDEN;
    const wrapped = { reveal: () => value, toString: hidden, toJSON: hidden };
    Object.defineProperty(wrapped, Symbol.for('nodejs.util.inspect.custom'), { value: hidden });
    return Object.freeze(wrapped);
}
/** Returns 16 hex digits that tell two secrets apart without revealing either. Used in cache keys and rejections. */
export function fingerprint(value) {
    return createHash('sha256').update(`jobcrier:${value.reveal()}`).digest('hex').slice(0, 16);
}
/**
 * Returns the last four characters, the only part of a token that is ever shown; only dots if it has fewer than 12
 * characters.
 */
export function lastFour(value) {
    const text = value.reveal();
    return text.length < 12 ? '····' : text.slice(-4);
}
/** Compares in constant time. Both are hashed first, so that the lengths are equal. */
export function sameSecret(a, b) {
    const digest = (text) => createHash('sha256').update(text).digest();
    return timingSafeEqual(digest(a), digest(b));
}
//# sourceMappingURL=secret.js.map