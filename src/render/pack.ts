// Splits the cards of an edition into messages within a limit.
import { type Card, onCard } from '../domain/same-job.js';

export interface Room {
  /** Most cards in a message. */
  readonly most: number;
  /** Most characters of all cards in a message. */
  readonly budget: number;
  /** Characters to add to each card, for what is not known yet. */
  readonly each: number;
}

/**
 * Fills each message in order, and returns the postings of each. The postings of a card stay together. `cost`: the characters
 * of a card. A card over the budget gets its own message.
 */
export function packPostings<T>(
  cards: readonly Card<T>[],
  cost: (card: Card<T>) => number,
  { most, budget, each }: Room,
): T[][] {
  const parts: Card<T>[][] = [];
  let part: Card<T>[] = [];
  let used = 0;
  for (const card of cards) {
    const size = each + cost(card);
    if (part.length > 0 && (part.length >= most || used + size > budget)) {
      parts.push(part);
      part = [];
      used = 0;
    }
    part.push(card);
    used += size;
  }
  if (part.length > 0) parts.push(part);
  return parts.map((cards) => cards.flatMap(onCard));
}
