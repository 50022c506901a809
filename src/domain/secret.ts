// A token must never be printed by accident. From the moment it is read, it is in a wrapper that shows a placeholder
// in every ordinary way of printing (string, JSON, inspect, spread).
import { hash, timingSafeEqual } from 'node:crypto';

const HIDDEN = '[secret]';

/** A string that only {@link Secret.reveal} returns. */
export interface Secret {
  reveal(): string;
  toString(): string;
  toJSON(): string;
}

/** Wraps `value`. The value is only in the closure, so no enumeration can reach it. */
export function secret(value: string): Secret {
  const hidden = () => HIDDEN;
  const wrapped = { reveal: () => value, toString: hidden, toJSON: hidden };
  Object.defineProperty(wrapped, Symbol.for('nodejs.util.inspect.custom'), { value: hidden });
  return Object.freeze(wrapped);
}

/** Returns 16 hex digits that tell two secrets apart without revealing either. Used in cache keys and rejections. */
export function fingerprint(value: Secret): string {
  return hash('sha256', `jobcrier:${value.reveal()}`, 'hex').slice(0, 16);
}

/**
 * Returns the last four characters, the only part of a token that is ever shown; only dots if it has fewer than 12
 * characters.
 */
export function lastFour(value: Secret): string {
  const text = value.reveal();
  return text.length < 12 ? '····' : text.slice(-4);
}

/** Compares in constant time. Both are hashed first, so that the lengths are equal. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(a), digest(b));
}
