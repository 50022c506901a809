// Splits the postings of an edition into messages within a limit.
import type { Posting } from '../domain/posting.js';

export interface Room {
  /** Most postings in a message. */
  readonly most: number;
  /** Most characters of all postings in a message. */
  readonly budget: number;
  /** Characters to add to each posting, for what is not known yet. */
  readonly each: number;
}

/** Fills each message in order. `cost`: the characters of a posting. A posting over the budget gets its own message. */
export function packPostings<T extends Posting>(
  postings: readonly T[],
  cost: (posting: T) => number,
  { most, budget, each }: Room,
): T[][] {
  const parts: T[][] = [];
  let part: T[] = [];
  let used = 0;
  for (const posting of postings) {
    const size = each + cost(posting);
    if (part.length > 0 && (part.length >= most || used + size > budget)) {
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
