// Which postings are worth a reader's time first. Used where an edition is cut to its cap and where a digest is put in
// order, so that what is shown at the top is what would have been kept.
import type { Posting } from './posting.js';

const DAY = 86_400_000;

/** Higher is better: days of freshness, pay that is said, how many of the wanted things it has. `now` in milliseconds. */
export function worth(posting: Posting, matched: readonly string[], now: number): number {
  const age = posting.postedAt ? (now - Date.parse(posting.postedAt)) / DAY : 14;
  const fresh = Math.max(0, 14 - Math.max(0, age)) / 14;
  const pay = posting.pay || posting.salary ? 1 : 0;
  return fresh + pay + Math.min(matched.length, 4) * 0.75;
}

/** The best `count` of a list that has the newest last, in their order; among equals the newer ones. */
export function best<T extends { readonly posting: Posting; readonly matched: readonly string[] }>(
  list: readonly T[],
  count: number,
  now: number,
): readonly T[] {
  if (list.length <= count) return list;
  const chosen = new Set(
    list
      .map((one, index) => ({ one, index, worth: worth(one.posting, one.matched, now) }))
      .sort((a, b) => b.worth - a.worth || b.index - a.index)
      .slice(0, count)
      .map(({ one }) => one),
  );
  return list.filter((one) => chosen.has(one));
}
