// Orders a digest: by tag, best matches first, with a limit for each company. Pure. Every given posting is in the
// result exactly once, because a posting in an edition is counted as delivered.
import { defined } from '../domain/defined.js';
import type { EditionPosting } from '../domain/edition.js';
import { isTag } from '../domain/tags.js';

/** Postings under one tag. `rest`: postings beyond the limit of their company, by company. */
export interface Group {
  /** Slug; absent for postings without a common tag, and when there is only one group. */
  readonly tag?: string;
  readonly postings: readonly EditionPosting[];
  readonly rest: readonly { readonly company: string; readonly postings: readonly EditionPosting[] }[];
}

const PER_COMPANY = 3;
/** Fewer rows than this need no headings. */
const LEAST_GROUPED = 5;
/** Fewest rows under a heading. Days are many, so a pair of rows is not worth one. */
const LEAST_ROWS = { tag: 2, day: 3 } as const;

/**
 * Returns the tag a posting is listed under: the first wanted tag it matched, otherwise the most common of its tags.
 * Empty when it has none in common with another one.
 */
function tagger(postings: readonly EditionPosting[]): (posting: EditionPosting) => string {
  let common: ReadonlyMap<string, number> | undefined;
  return ({ matched, tags = [] }) => {
    const wanted = matched.find(isTag);
    if (wanted) return wanted;
    common ??= countsOfTags(postings);
    const times = (tag: string) => common?.get(tag) ?? 0;
    const own = tags.filter((tag) => isTag(tag) && times(tag) > 1);
    return own.sort((a, b) => times(b) - times(a) || a.localeCompare(b))[0] ?? '';
  };
}

function countsOfTags(postings: readonly EditionPosting[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { tags = [] } of postings) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return counts;
}

/** Groups by tag, the largest first and those without a tag last. `postings`: the best first. */
export function groupPostings(postings: readonly EditionPosting[]): readonly Group[] {
  const byTag = grouped(postings, tagger(postings));
  // A single group needs no heading.
  const single = byTag.size === 1;
  // Counted over the whole edition: three under each of five tags would be fifteen.
  const counts = new Map<string, number>();
  return [...byTag]
    .sort(([a, some], [b, others]) => Number(a === '') - Number(b === '') || others.length - some.length)
    .map(([tag, members]) => {
      const { within, beyond } = limited(members, counts);
      return {
        ...defined({ tag: tag && !single ? tag : undefined }),
        postings: within,
        rest: byCompany(beyond),
      };
    });
}

/** Rows under one heading: a tag (slug), a day (YYYY-MM-DD), a company, or what is in no other section. */
export interface Section {
  readonly by: 'tag' | 'day' | 'company' | 'rest';
  /** Empty for `rest`. */
  readonly name: string;
  readonly postings: readonly EditionPosting[];
}

/**
 * Groups the postings that are no picks: by tag, the largest section first, or by day when all have the same tag.
 * Sections of one posting become one section at the end, and so do days of two and fewer than five rows. A company with
 * more than three postings in the edition, counted with `picks`, has a section with those beyond. `postings`: the best
 * first.
 */
export function sectionsOf(
  postings: readonly EditionPosting[],
  picks: readonly EditionPosting[],
): readonly Section[] {
  const chosen = new Set(picks);
  const counts = new Map<string, number>();
  limited(picks, counts);
  const others = postings.filter((posting) => !chosen.has(posting));
  const { within, beyond } = limited(others, counts);
  const companies = byCompany(beyond);
  const single = companies.filter((one) => one.postings.length === 1).flatMap((one) => one.postings);
  const rows = [...within, ...single];
  const byTag = grouped(rows, tagger(postings));
  const by = byTag.size > 1 ? 'tag' : 'day';
  const groups = by === 'tag' ? byTag : grouped(rows, ({ postedAt = '' }) => postedAt);
  const isSmall = rows.length < LEAST_GROUPED || groups.size === 1;
  const named = [...groups].filter(
    ([name, { length }]) => !isSmall && name !== '' && length >= LEAST_ROWS[by],
  );
  const kept = new Set<EditionPosting>();
  for (const [, members] of named) for (const posting of members) kept.add(posting);
  const sections: readonly Section[] = [
    ...named
      .sort(([a, some], [b, more]) => (by === 'tag' ? more.length - some.length : b.localeCompare(a)))
      .map(([name, members]) => ({ by, name, postings: members }) as const),
    { by: 'rest', name: '', postings: rows.filter((posting) => !kept.has(posting)) },
    ...companies
      .filter((one) => one.postings.length > 1)
      .map((one) => ({ by: 'company', name: one.company, postings: one.postings }) as const),
  ];
  return sections.filter((section) => section.postings.length > 0);
}

function grouped(
  postings: readonly EditionPosting[],
  nameOf: (posting: EditionPosting) => string,
): ReadonlyMap<string, readonly EditionPosting[]> {
  const groups = new Map<string, EditionPosting[]>();
  for (const posting of postings) {
    const name = nameOf(posting);
    const members = groups.get(name);
    if (members) members.push(posting);
    else groups.set(name, [posting]);
  }
  return groups;
}

/**
 * Divides postings into up to {@link PER_COMPANY} of each company and those beyond. Those without a company are not
 * limited. `counts`: how many each company has already; it is increased.
 */
function limited(postings: readonly EditionPosting[], counts: Map<string, number>) {
  const within: EditionPosting[] = [];
  const beyond: EditionPosting[] = [];
  for (const posting of postings) {
    const company = posting.company?.toLowerCase();
    const count = company ? (counts.get(company) ?? 0) + 1 : 0;
    if (company) counts.set(company, count);
    (count <= PER_COMPANY ? within : beyond).push(posting);
  }
  return { within, beyond };
}

/** Postings that all have a company, by company as the first of them spells it. */
function byCompany(postings: readonly EditionPosting[]): Group['rest'] {
  const groups = grouped(postings, ({ company = '' }) => company.toLowerCase());
  return [...groups.values()].map((members) => ({ company: members[0]?.company ?? '', postings: members }));
}
