// Which postings a reader should see first: the order of a digest, its picks, and what stays under a cap. All follow the
// fit of src/domain/fit.ts, so the postings at the top are those that a cut would keep.
import type { EditionPosting } from './edition.js';
import { fitOf, NO_WISHES } from './fit.js';

/**
 * Returns a list with the best first. Equals keep their order. Postings of an edition have their fit; others are compared
 * by what they say. `now` in milliseconds since the epoch.
 */
export function ranked(postings: readonly EditionPosting[], now: number): readonly EditionPosting[] {
  return postings
    .map((posting) => ({ posting, score: (posting.fit ?? fitOf(posting, NO_WISHES, now)).score }))
    .sort((a, b) => b.score - a.score)
    .map(({ posting }) => posting);
}

/** Up to this number of postings, all are picks. */
const FEWEST_PICKS = 3;
const MOST_PICKS = 5;
/** One more pick for each of these many postings. */
const PER_PICK = 10;

/**
 * Chooses the postings to show in full: all of up to three, otherwise the best three to five. The first of each company
 * come before further ones of it. Those without a title or a link come last, because a reader can't act on them.
 * `postings`: the best first.
 */
export function picksOf(postings: readonly EditionPosting[]): readonly EditionPosting[] {
  const count = Math.max(FEWEST_PICKS, Math.min(MOST_PICKS, Math.ceil(postings.length / PER_PICK)));
  const whole = postings.filter(({ title, applyUrl }) => title !== undefined && applyUrl !== undefined);
  const companies = new Set<string>();
  const firsts = whole.filter(({ key, company = key }) => {
    const name = company.toLowerCase();
    return companies.has(name) ? false : companies.add(name);
  });
  if (firsts.length >= count) return firsts.slice(0, count);
  return [...new Set([...firsts, ...whole, ...postings])].slice(0, count);
}

/** Returns the `count` with the highest scores of a list that has the newest last, in the same order; newer ones of equals. */
export function best<T>(list: readonly T[], count: number, scoreOf: (one: T) => number): readonly T[] {
  if (list.length <= count) return list;
  const chosen = new Set(
    list
      .map((one, index) => ({ one, index, score: scoreOf(one) }))
      .sort((a, b) => b.score - a.score || b.index - a.index)
      .slice(0, count)
      .map(({ one }) => one),
  );
  return list.filter((one) => chosen.has(one));
}
