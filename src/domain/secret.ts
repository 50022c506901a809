// A token must never be printed by accident, so from the moment it is read it travels in a wrapper
// that every ordinary way of printing (string, JSON, inspect, spread) shows as a placeholder.
import { createHash, timingSafeEqual } from 'node:crypto';

const HIDDEN = '[secret]';

/** A string that only {@link Secret.reveal} gives back. */
export interface Secret {
  reveal(): string;
  toString(): string;
  toJSON(): string;
}

/** Wraps `value`; the value lives in the closure alone, so no enumeration can reach it. */
export function secret(value: string): Secret {
  const hidden = () => HIDDEN;
  const wrapped = { reveal: () => value, toString: hidden, toJSON: hidden };
  Object.defineProperty(wrapped, Symbol.for('nodejs.util.inspect.custom'), { value: hidden });
  return Object.freeze(wrapped);
}

/** 16 hex digits that tell two secrets apart without giving either away; used in cache keys and rejections. */
export function fingerprint(value: Secret): string {
  return createHash('sha256').update(`jobcrier:${value.reveal()}`).digest('hex').slice(0, 16);
}

/** The last four characters, all that is ever shown of a token; a token of under 12 characters shows nothing. */
export function lastFour(value: Secret): string {
  const text = value.reveal();
  return text.length < 12 ? '····' : text.slice(-4);
}

/** Compares in constant time; hashing first makes the lengths equal. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
