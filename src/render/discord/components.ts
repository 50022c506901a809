// What can be pressed under a message: three buttons for one posting, a menu that picks one of several. Who presses
// is answered in private, so the same row serves everyone in the channel.
import type { Posting } from '../../domain/posting.js';
import { withoutAddresses } from '../../domain/text.js';
import type { Texts } from '../language/en.js';
import { type CardVerb, markId, pickId, postingRef } from './custom-id.js';
import { plain } from './escape.js';
import { type ActionRow, LIMITS } from './payload.js';

const EMOJI = { save: '🔖', applied: '✅', dismiss: '🙈' } as const satisfies Record<CardVerb, string>;

/** *Save*, *Applied*, *Not for me* for one posting. `ref` is what `postingRef` gives; `message`: the card's, for buttons elsewhere. */
export function markButtons(edition: string, ref: string, texts: Texts, message?: string): ActionRow {
  const verbs: readonly CardVerb[] = ['save', 'applied', 'dismiss'];
  return {
    type: 1,
    components: verbs.map((verb) => ({
      type: 2,
      style: 2,
      label: texts.card[verb],
      emoji: { name: EMOJI[verb] },
      custom_id: markId(verb, edition, ref, message),
    })),
  };
}

/** A menu of the first 25 postings; its values are posting refs. */
function pickMenu(edition: string, part: number, postings: readonly Posting[], texts: Texts): ActionRow {
  const byRef = new Map(postings.map((posting) => [postingRef(posting.key), posting]));
  const options = [...byRef].slice(0, LIMITS.options).map(([ref, posting]) => {
    const about = shown([posting.company, posting.location].filter(Boolean).join(' · '));
    const label = shown(posting.title ?? '') || texts.card.noTitle;
    return { label, value: ref, ...(about ? { description: about } : {}) };
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

/** Buttons for one posting, the menu for several, nothing for none. */
export function cardControls(
  edition: string,
  part: number,
  postings: readonly Posting[],
  texts: Texts,
): readonly ActionRow[] {
  const [only] = postings;
  if (!only) return [];
  if (postings.length === 1) return [markButtons(edition, postingRef(only.key), texts)];
  return [pickMenu(edition, part, postings, texts)];
}
