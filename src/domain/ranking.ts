// Which postings a reader should see first. Used to cut an edition to its cap, to sort a digest and to choose its
// picks, so the postings at the top are those that a cut would keep.
import type { EditionPosting } from './edition.js';
import type { Posting } from './posting.js';
import { wishIn } from './rules/index.js';

const DAY = 86_400_000;
/** More than everything else together, so that a posting that meets one more wish comes first. */
const PER_WISH = 10;

/**
 * Returns a score, higher is better: how many wishes it meets ("rather level: senior"), then how many of the tags and
 * words it has, whether it states pay and company, and how fresh it is. A field that is absent adds nothing and takes
 * nothing. `now` in milliseconds since the epoch.
 */
export function worth(posting: Posting, matched: readonly string[], now: number): number {
  const age = (now - Date.parse(posting.postedAt ?? '')) / DAY;
  const fresh = Number.isNaN(age) ? 0 : Math.max(0, 14 - Math.max(0, age)) / 14;
  const pay = posting.pay || posting.salary ? 1 : 0;
  const company = posting.company ? 0.5 : 0;
  const wishes = matched.filter((reason) => wishIn(reason) !== undefined).length;
  return wishes * PER_WISH + fresh + pay + company + Math.min(matched.length - wishes, 4) * 0.75;
}

/** Returns a list with the best first. Equals keep their order. */
export function ranked(postings: readonly EditionPosting[], now: number): readonly EditionPosting[] {
  return postings
    .map((posting) => ({ posting, worth: worth(posting, posting.matched, now) }))
    .sort((a, b) => b.worth - a.worth)
    .map(({ posting }) => posting);
}

/** Up to this number of postings, all are picks. */
const FEWEST_PICKS = 3;
const MOST_PICKS = 5;
/** One more pick for each of these many postings. */
const PER_PICK = 10;

/**
 * Chooses the postings to show in full: all of up to three, otherwise the best three to five. The first of each company
 * come before further ones of it. Those without a title or a link come last, because a reader can't act on them. `now`
 * in milliseconds since the epoch.
 */
export function picksOf(postings: readonly EditionPosting[], now: number): readonly EditionPosting[] {
  const count = Math.max(FEWEST_PICKS, Math.min(MOST_PICKS, Math.ceil(postings.length / PER_PICK)));
  const all = ranked(postings, now);
  const whole = all.filter(({ title, applyUrl }) => title !== undefined && applyUrl !== undefined);
  const companies = new Set<string>();
  const firsts = whole.filter(({ key, company = key }) => {
    const name = company.toLowerCase();
    return companies.has(name) ? false : companies.add(name);
  });
  return [...new Set([...firsts, ...whole, ...all])].slice(0, count);
}

/** Returns the best `count` of a list that has the newest last, in the same order. Among equals, newer ones win. */
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
