// Renders a delivery as a Discord message: cards for the few postings of an immediate delivery, a list grouped by tag
// for many and for a digest. The result is always within Discord's limits.
import { defined } from '../../domain/defined.js';
import { discordId } from '../../domain/discord-id.js';
import { type EditionPosting, postingRef } from '../../domain/edition.js';
import { cardsOf } from '../../domain/same-job.js';
import type { Delivery } from '../../ports/sink.js';
import { textsFor } from '../texts.js';
import { cardLayout, fitsMessage, MOST_CARDS } from './card.js';
import { cardButtons, pickMenu } from './components.js';
import { digestEmbeds, moreLine } from './digest.js';
import { COMPONENTS_V2, type Layout, type MessagePayload } from './payload.js';

/**
 * Returns the finished message of a delivery. The same delivery always gives the same message. A part that was packed
 * as a list, or by version 0.1, is shown as cards if it fits.
 */
export function renderMessage(delivery: Delivery): MessagePayload {
  const { every } = delivery;
  const postings = cardsOf(delivery.postings);
  const role = mentionedRole(delivery);
  const allowed_mentions = { parse: [], roles: role ? [role] : [] };
  const mention = role ? `<@&${role}>` : undefined;
  if (every === 'immediate' && postings.length <= MOST_CARDS) {
    const components = cards(postings, delivery, mention);
    if (fitsMessage(components)) return { flags: COMPONENTS_V2, components, allowed_mentions };
  }
  const { edition, part, locale } = delivery;
  return {
    ...defined({ content: mention || undefined }),
    embeds: digestEmbeds(delivery),
    components: [pickMenu(edition, part, postings, textsFor(locale))],
    allowed_mentions,
  };
}

function cards(postings: readonly EditionPosting[], delivery: Delivery, above: string | undefined): Layout {
  const { edition, locale, source, slot, destination } = delivery;
  const texts = textsFor(locale);
  const [below] = moreLine(delivery);
  return cardLayout(postings, {
    locale,
    source,
    now: slot,
    timezone: destination.cadence.timezone,
    ...defined({ above: above || undefined, below: below || undefined }),
    controls: ({ key }) => cardButtons(edition, postingRef(key), texts),
  });
}

/** The configured role. Only the first message of an edition mentions it, and a direct message never does. */
function mentionedRole({ destination, part }: Delivery): string | undefined {
  const role = destination.options?.mention;
  if (part !== 0 || destination.target.startsWith('dm:')) return undefined;
  return discordId(role);
}
