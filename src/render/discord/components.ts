// The controls of a message: two buttons under each card, a menu under a list. The reply to a press is private, so
// everyone in the channel can use the same controls.

import { defined } from '../../domain/defined.js';
import { discordId } from '../../domain/discord-id.js';
import { postingRef } from '../../domain/edition.js';
import type { Posting } from '../../domain/posting.js';
import type { Mark } from '../../domain/stages.js';
import { withoutAddresses } from '../../domain/text.js';
import type { Texts } from '../texts.js';
import { plain } from './escape.js';
import { type ActionRow, type Button, LIMITS } from './payload.js';

const EMOJI = { save: '🔖', applied: '✅', dismiss: '🙈', like: '👍', why: '❔', company: '🏢' } as const;
/** The button for everything else. It needs no translation. */
const MORE = '···';

/**
 * *Save* and *···*, under a card. `ref` is what {@link postingRef} returns; `message`: the message to which the card
 * belongs, for a private copy of it.
 */
export function cardButtons(edition: string, ref: string, texts: Texts, message?: string): ActionRow {
  const more = { type: 2, style: 2, label: MORE, custom_id: cardId('more', edition, ref, message) } as const;
  return { type: 1, components: [cardButton('save', edition, ref, texts, message), more] };
}

/** What *···* answers with: *Applied*, *Not for me*, *More like this*, *Why did I get this?*, *About the company* */
export function moreButtons(
  edition: string,
  ref: string,
  texts: Texts,
  message: string | undefined,
  hasCompany: boolean,
): ActionRow {
  const all = ['applied', 'dismiss', 'like', 'why', 'company'] as const;
  const verbs = all.filter((verb) => hasCompany || verb !== 'company');
  return { type: 1, components: verbs.map((verb) => cardButton(verb, edition, ref, texts, message)) };
}

function cardButton(
  verb: keyof typeof EMOJI,
  edition: string,
  ref: string,
  texts: Texts,
  message: string | undefined,
): Button {
  return {
    type: 2,
    style: 2,
    label: texts.card[verb],
    emoji: { name: EMOJI[verb] },
    custom_id: cardId(verb, edition, ref, message),
  };
}

/** A menu of the first 25 postings; its values are posting refs. */
export function pickMenu(
  edition: string,
  part: number,
  postings: readonly Posting[],
  texts: Texts,
): ActionRow {
  const byRef = new Map(postings.map((posting) => [postingRef(posting.key), posting]));
  const options = [...byRef].slice(0, LIMITS.options).map(([ref, posting]) => {
    const about = shown([posting.company, posting.location].filter(Boolean).join(' · '));
    const label = shown(posting.title ?? '') || texts.card.noTitle;
    return { label, value: ref, ...defined({ description: about || undefined }) };
  });
  return {
    type: 1,
    components: [
      {
        type: 3,
        custom_id: pickId(edition, part),
        placeholder: plain(texts.card.pick, 150),
        min_values: 1,
        max_values: 1,
        options,
      },
    ],
  };
}

function shown(text: string): string {
  return plain(withoutAddresses(text), LIMITS.optionText);
}

// The state of a card's buttons is in their custom_id, so that they work after a restart and on old messages. A
// posting is named by a hash of its key, so a button keeps its posting when the order or the packing changes.

const MARKS = { save: 'saved', applied: 'applied', dismiss: 'dismissed' } as const satisfies Record<
  string,
  Mark
>;
/** The marks that have a button on a card. */
export type CardMark = (typeof MARKS)[keyof typeof MARKS];
type CardVerb = keyof typeof MARKS | 'more' | 'like' | 'why' | 'company';

/** A posting of an edition. `ref` is what {@link postingRef} returns. */
interface CardRef {
  readonly edition: string;
  readonly ref: string;
  /** The card's message, for a button on another message. */
  readonly message?: string;
}

/** What a button or menu of a card asks for. */
export type CardAction =
  | ({ readonly kind: 'mark'; readonly mark: CardMark } & CardRef)
  | ({ readonly kind: 'more' } & CardRef)
  | ({ readonly kind: 'like' } & CardRef)
  | ({ readonly kind: 'why' } & CardRef)
  | ({ readonly kind: 'company' } & CardRef)
  | { readonly kind: 'pick'; readonly edition: string; readonly part: number };

/** `m:<verb>:<edition>:<ref>`, plus `:<message>` for a button on another message; at most 100 characters. */
export function cardId(verb: CardVerb, edition: string, ref: string, message?: string): string {
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
  if (message !== undefined && !discordId(message)) return undefined;
  if (verb === 'pick')
    return /^\d{1,4}$/u.test(last) && message === undefined
      ? { kind: 'pick', edition, part: Number(last) }
      : undefined;
  const card = { edition, ref: last, ...defined({ message: message || undefined }) };
  if (verb === 'more' || verb === 'like' || verb === 'why' || verb === 'company')
    return { kind: verb, ...card };
  if (!Object.hasOwn(MARKS, verb)) return undefined;
  return { kind: 'mark', mark: MARKS[verb as keyof typeof MARKS], ...card };
}
