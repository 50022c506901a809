// Splits an edition into messages before it is sent. The result is stored and never computed again, so it depends
// only on the postings. The language and the reasons are not known yet, so it reserves room for them.
import type { Posting } from '../../domain/posting.js';
import { packPostings } from '../pack.js';
import { LANGUAGES } from '../texts.js';
import { cardText, footer, MOST_CARDS } from './card.js';
import { digestLine } from './digest.js';
import { escaped } from './escape.js';
import { LIMITS, largest } from './payload.js';

const LOCALES = Object.keys(LANGUAGES);
/** Characters to reserve in a message of cards for the mention and "and N more", and in each card for the reasons. */
const CARDS_RESERVE = 500;
const CARD_RESERVE = 60;
/** The same for a list: title, period, footer, "and N more"; and a line. */
const LIST_RESERVE = 1100;
const LINE_RESERVE = 20;

/** Messages of an immediate edition: cards for a few postings, lists for a burst of more than {@link MOST_CARDS}. */
export function packImmediate<T extends Posting>(postings: readonly T[], source: string): T[][] {
  return postings.length > MOST_CARDS ? packList(postings, source) : packCards(postings, source);
}

function packCards<T extends Posting>(postings: readonly T[], source: string): T[][] {
  const last = largest(
    Object.values(LANGUAGES).map(({ card }) => footer(escaped(source, 100), postings, card).length),
  );
  const cost = (posting: T) =>
    largest(
      LOCALES.map(
        (locale) => cardText({ ...posting, matched: [], twice: true }, { locale, source, now: 0 }).length,
      ),
    );
  return packPostings(postings, cost, {
    most: MOST_CARDS,
    budget: LIMITS.allTexts - CARDS_RESERVE - last,
    each: CARD_RESERVE,
  });
}

/** Messages of a list: as many postings as fit into the embeds of one message and the 25 options of its menu. */
export function packList<T extends Posting>(postings: readonly T[], source: string): T[][] {
  const cost = (posting: T) =>
    largest(
      LOCALES.map((locale) => digestLine({ ...posting, matched: [] }, { locale, source, now: 0 }).length),
    );
  return packPostings(postings, cost, {
    most: LIMITS.options,
    budget: LIMITS.allEmbeds - LIST_RESERVE,
    each: LINE_RESERVE,
  });
}
