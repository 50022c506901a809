// Splits an edition into messages before it is sent. The result is stored and never computed again, so it depends
// only on the postings. The language and the reasons are not known yet, so it reserves room for them.
import type { EditionPosting } from '../../domain/edition.js';
import { cardsOf } from '../../domain/same-job.js';
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
export function packImmediate(postings: readonly EditionPosting[], source: string): EditionPosting[][] {
  const cards = cardsOf(postings);
  return cards.length > MOST_CARDS ? packAsList(cards, source) : packCards(cards, source);
}

function packCards(cards: readonly EditionPosting[], source: string): EditionPosting[][] {
  const last = largest(
    Object.values(LANGUAGES).map(({ card }) => footer(escaped(source, 100), cards, card).length),
  );
  const cost = (posting: EditionPosting) =>
    largest(
      LOCALES.map(
        (locale) => cardText({ ...posting, matched: [], twice: true }, { locale, source, now: 0 }).length,
      ),
    );
  return packPostings(cards, cost, {
    most: MOST_CARDS,
    budget: LIMITS.allTexts - CARDS_RESERVE - last,
    each: CARD_RESERVE,
  });
}

/** Messages of a list: as many cards as fit into the embeds of one message and the 25 options of its menu. */
export function packList(postings: readonly EditionPosting[], source: string): EditionPosting[][] {
  return packAsList(cardsOf(postings), source);
}

function packAsList(cards: readonly EditionPosting[], source: string): EditionPosting[][] {
  const cost = (posting: EditionPosting) =>
    largest(
      LOCALES.map((locale) => digestLine({ ...posting, matched: [] }, { locale, source, now: 0 }).length),
    );
  return packPostings(cards, cost, {
    most: LIMITS.options,
    budget: LIMITS.allEmbeds - LIST_RESERVE,
    each: LINE_RESERVE,
  });
}
