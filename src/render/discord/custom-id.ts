// The state of a card's buttons is in their custom_id, so that they work after a restart and on old messages.
// A posting is named by a hash of its key: no order of postings, no repacking can make a button mean another one.
import { createHash } from 'node:crypto';
import type { Mark } from '../../domain/account.js';

const VERBS = { save: 'saved', applied: 'applied', dismiss: 'dismissed' } as const satisfies Record<
  string,
  Mark
>;
export type CardVerb = keyof typeof VERBS;

/** What a pressed button or menu of a card asks for. `ref` is what {@link postingRef} gives. */
export type CardAction =
  | {
      readonly kind: 'mark';
      readonly mark: Mark;
      readonly edition: string;
      readonly ref: string;
      /** The card's message, where the button is on another one. */
      readonly message?: string;
    }
  | { readonly kind: 'pick'; readonly edition: string; readonly part: number };

/** 10 characters that name a posting within its edition. */
export function postingRef(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 10);
}

/** `m:<verb>:<edition>:<ref>`, with `:<message>` for a button that is not on the card itself; at most 100 characters. */
export function markId(verb: CardVerb, edition: string, ref: string, message?: string): string {
  return `m:${verb}:${edition}:${ref}${message ? `:${message}` : ''}`;
}

/** `m:pick:<edition>:<part>`; the menu's values are posting refs. */
export function pickId(edition: string, part: number): string {
  return `m:pick:${edition}:${part}`;
}

/** Reads a custom_id; undefined for one that is not a card's. */
export function parseCardId(customId: string): CardAction | undefined {
  const [head, verb = '', edition = '', last = '', ...rest] = customId.split(':');
  const [message] = rest;
  if (head !== 'm' || edition === '' || last === '' || rest.length > 1) return undefined;
  if (message !== undefined && !/^\d{17,20}$/u.test(message)) return undefined;
  if (verb === 'pick')
    return /^\d{1,4}$/u.test(last) && message === undefined
      ? { kind: 'pick', edition, part: Number(last) }
      : undefined;
  if (!Object.hasOwn(VERBS, verb)) return undefined;
  return { kind: 'mark', mark: VERBS[verb as CardVerb], edition, ref: last, ...(message ? { message } : {}) };
}
