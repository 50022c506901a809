// Splits an edition into messages before it is sent. The result is stored and never computed again, so it depends
// only on the postings. The language and the reasons are not known yet, so it reserves room for them.
import type { Posting } from '../../domain/posting.js';
import { packPostings } from '../pack.js';
import { LANGUAGES } from '../texts.js';
import { cardEmbed, footer } from './card.js';
import { digestLine } from './digest.js';
import { embedSize, LIMITS, largest } from './payload.js';

const LOCALES = Object.keys(LANGUAGES);
/**
 * Characters to reserve: in a card for the usual reasons and labels; in a digest for title, period, footer, "and N
 * more".
 */
const CARD_RESERVE = 60;
const DIGEST_RESERVE = 1100;
const LINE_RESERVE = 20;

/**
 * Messages of cards: up to 10 embeds within 6,000 characters. No two have the same link, because Discord merges
 * such embeds into one.
 */
export function packCards<T extends Posting>(postings: readonly T[], source: string): T[][] {
  const noted = largest(
    LOCALES.map((locale) => footer({ locale, source, note: LANGUAGES[locale]?.card.note ?? '' }).length),
  );
  const cost = (posting: T) =>
    largest(
      LOCALES.map((locale) => embedSize(cardEmbed({ ...posting, matched: [] }, { locale, source, now: 0 }))),
    );
  return packPostings(postings, cost, {
    most: LIMITS.embeds,
    budget: LIMITS.allEmbeds - noted,
    each: CARD_RESERVE,
    apart: true,
  });
}

/** Messages of a digest: as many postings as fit into the embeds of one message and the 25 options of its menu. */
export function packDigest<T extends Posting>(postings: readonly T[], source: string): T[][] {
  const cost = (posting: T) =>
    largest(
      LOCALES.map((locale) => digestLine({ ...posting, matched: [] }, { locale, source, now: 0 }).length),
    );
  return packPostings(postings, cost, {
    most: LIMITS.options,
    budget: LIMITS.allEmbeds - DIGEST_RESERVE,
    each: LINE_RESERVE,
    apart: false,
  });
}
