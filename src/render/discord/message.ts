// Renders a delivery as a Discord message: cards for an immediate delivery, a list grouped by tag for a digest. The
// result is always within Discord's limits.
import { discordId } from '../../domain/discord-id.js';
import type { Delivery } from '../../ports/sink.js';
import { textsFor } from '../texts.js';
import { type CardOptions, cardEmbed } from './card.js';
import { cardControls } from './components.js';
import { digestEmbeds } from './digest.js';
import { plain } from './escape.js';
import { type Embed, firstFitting, LIMITS, type MessagePayload } from './payload.js';

/** Returns the finished message of a delivery. The same delivery always gives the same message. */
export function renderMessage(delivery: Delivery): MessagePayload {
  return delivery.every === 'immediate' ? cardMessage(delivery) : digestMessage(delivery);
}

/** Renders cards, a mention of the configured role, the number of postings that are left out, and the buttons. */
export function cardMessage(delivery: Delivery): MessagePayload {
  return message(delivery, cardEmbeds(delivery), more(delivery));
}

/** Renders a list; see {@link digestEmbeds}. */
function digestMessage(delivery: Delivery): MessagePayload {
  return message(delivery, digestEmbeds(delivery), '');
}

function message(delivery: Delivery, embeds: readonly Embed[], line: string): MessagePayload {
  const { edition, part, postings, locale } = delivery;
  const role = mentionedRole(delivery);
  const content = [role ? `<@&${role}>` : '', line].filter(Boolean).join('\n');
  return {
    ...(content ? { content } : {}),
    embeds,
    components: cardControls(edition, part, postings, textsFor(locale)),
    allowed_mentions: { parse: [], roles: role ? [role] : [] },
  };
}

/** The configured role. Only the first message of an edition mentions it, and a direct message never does. */
function mentionedRole({ destination, part }: Delivery): string | undefined {
  const role = destination.options?.mention;
  if (part !== 0 || destination.target.startsWith('dm:')) return undefined;
  return discordId(role);
}

function more({ more: count, moreUrl, locale }: Delivery): string {
  if (count === 0) return '';
  const words = textsFor(locale).card.more({ count });
  return moreUrl && moreUrl.length < LIMITS.content - 200 ? `${words}: <${moreUrl}>` : words;
}

/** Layouts from the largest to the smallest, tried until the message fits. Packing makes the last ones rare. */
const THINNER: readonly Pick<CardOptions, 'snippet' | 'brief'>[] = [
  {},
  { snippet: 160 },
  { snippet: 80 },
  { snippet: 0 },
  { snippet: 0, brief: true },
];

function cardEmbeds(delivery: Delivery): readonly Embed[] {
  const { postings, locale, source, slot, destination } = delivery;
  const texts = textsFor(locale);
  const note = postings.some((posting) => posting.applyUrl) ? texts.card.note : undefined;
  const options = { locale, source: plain(source, 100), now: slot, timezone: destination.cadence.timezone };
  const at = (thin: Pick<CardOptions, 'snippet' | 'brief'>) =>
    postings.map((posting, index) =>
      cardEmbed(posting, {
        ...options,
        ...thin,
        ...(note && index === postings.length - 1 ? { note } : {}),
      }),
    );
  return firstFitting(THINNER, at);
}
