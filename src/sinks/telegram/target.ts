// A Telegram target as people write it and as it is stored: a chat id, @channel, or `start:` and a word.
import { UserError } from '../../domain/errors.js';
import { shown } from '../../domain/input.js';

/** `start`: the private chat of the person who opened the bot's link with this word first. */
export type Place =
  | { readonly kind: 'chat'; readonly chat: string }
  | { readonly kind: 'start'; readonly word: string };

const WANTED =
  'wanted the id of a chat such as -1001234567890, a public channel such as @rustjobs, or start: and at least 12 letters and digits of your choice';

/** Returns the canonical form of a target. Throws a {@link UserError}. */
export function parseTelegramTarget(target: unknown): string {
  const text = typeof target === 'string' || Number.isSafeInteger(target) ? String(target).trim() : '';
  if (/^-?[1-9]\d{3,18}$/u.test(text)) return text;
  // Names of channels and groups have 5 to 32 characters, and upper case makes no difference.
  if (/^@[a-z]\w{4,31}$/iu.test(text)) return text.toLowerCase();
  // Bot API, "Deep linking": up to 64 characters. A short word could be guessed.
  if (/^start:[\w-]{12,64}$/u.test(text)) return text;
  throw new UserError(`telegram target: ${WANTED}. Got ${shown(target)}.`, 2);
}

/** Reads a target that {@link parseTelegramTarget} returned. */
export function placeOf(target: string): Place {
  return target.startsWith('start:')
    ? { kind: 'start', word: target.slice('start:'.length) }
    : { kind: 'chat', chat: target };
}

/** Groups and channels have negative ids or a name. Positive ids are people. */
export function isShared(target: string): boolean {
  return /^[-@]/u.test(target);
}
