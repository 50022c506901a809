// Splits an edition into messages before it is sent. The result is written down and never computed again, so it may
// depend on the postings alone; language and reasons are not known yet, and the renderer makes room for them.
import type { Posting } from '../../domain/posting.js';
import { LANGUAGES } from '../texts.js';
import { cardEmbed, footer } from './card.js';
import { digestLine } from './digest.js';
import { embedSize, LIMITS, largest } from './payload.js';

const LOCALES = Object.keys(LANGUAGES);
/** Of a card: the usual reasons and labels. Of a digest: title, period, footer, "and N more". */
const CARD_RESERVE = 60;
const DIGEST_RESERVE = 1100;
const LINE_RESERVE = 20;

/** Messages of cards: up to 10 embeds within 6,000 characters, no two with the same link (Discord merges those into one). */
export function packCards<T extends Posting>(postings: readonly T[], source: string): T[][] {
  const noted = largest(
    LOCALES.map((locale) => footer({ locale, source, note: LANGUAGES[locale]?.card.note ?? '' }).length),
  );
  const cost = (posting: T) =>
    CARD_RESERVE +
    largest(
      LOCALES.map((locale) => embedSize(cardEmbed({ ...posting, matched: [] }, { locale, source, now: 0 }))),
    );
  return pack(postings, cost, { most: LIMITS.embeds, budget: LIMITS.allEmbeds - noted, apart: true });
}

/** Messages of a digest: what fits the embeds of one message and the 25 lines of its menu. */
export function packDigest<T extends Posting>(postings: readonly T[], source: string): T[][] {
  const cost = (posting: T) =>
    LINE_RESERVE +
    largest(
      LOCALES.map((locale) => digestLine({ ...posting, matched: [] }, { locale, source, now: 0 }).length),
    );
  return pack(postings, cost, {
    most: LIMITS.options,
    budget: LIMITS.allEmbeds - DIGEST_RESERVE,
    apart: false,
  });
}

interface Room {
  readonly most: number;
  readonly budget: number;
  /** Postings with the same link go into different messages. */
  readonly apart: boolean;
}

function pack<T extends Posting>(postings: readonly T[], cost: (posting: T) => number, room: Room): T[][] {
  const parts: T[][] = [];
  let part: T[] = [];
  let used = 0;
  for (const posting of postings) {
    const size = cost(posting);
    const twin = room.apart && posting.applyUrl && part.some((other) => other.applyUrl === posting.applyUrl);
    if (part.length > 0 && (part.length >= room.most || used + size > room.budget || twin)) {
      parts.push(part);
      part = [];
      used = 0;
    }
    part.push(posting);
    used += size;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
