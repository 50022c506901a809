// A delivery as the message Discord gets: cards for what is announced at once, a list grouped by tag for a digest.
// Whatever the postings hold, the result is within Discord's limits.
import type { Delivery } from '../../ports/sink.js';
import { textsFor } from '../texts.js';
import { type CardOptions, cardEmbed } from './card.js';
import { cardControls } from './components.js';
import { digestEmbeds } from './digest.js';
import { plain } from './escape.js';
import { type Embed, firstFitting, LIMITS, type MessagePayload } from './payload.js';

/** The finished message of a delivery; the same delivery always gives the same message. */
export function renderMessage(delivery: Delivery): MessagePayload {
  return delivery.every === 'immediate' ? cardMessage(delivery) : digestMessage(delivery);
}

/** Cards, the newest need: a ping of the configured role, what is over the cap, and the buttons. */
export function cardMessage(delivery: Delivery): MessagePayload {
  return message(delivery, cardEmbeds(delivery), more(delivery));
}

/** A tidy list; see {@link digestEmbeds}. */
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

/** The configured role, pinged by an edition's first message alone; nobody in a direct message. */
function mentionedRole({ destination, part }: Delivery): string | undefined {
  const role = destination.options?.mention;
  if (part !== 0 || destination.target.startsWith('dm:')) return undefined;
  return typeof role === 'string' && /^\d{17,20}$/u.test(role) ? role : undefined;
}

function more({ more: count, moreUrl, locale }: Delivery): string {
  if (count === 0) return '';
  const words = textsFor(locale).card.more({ count });
  return moreUrl && moreUrl.length < LIMITS.content - 200 ? `${words}: <${moreUrl}>` : words;
}

/** Steps by which a crowded message is thinned until it fits; the packing makes the last ones rare. */
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
