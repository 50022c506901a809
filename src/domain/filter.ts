// What a subscription asks for: the part sent to the API (tags, country, remote, limit) and the part applied here
// (words, pay). The API silently accepts invalid values, so they are refused here.

import * as v from 'valibot';
import { countryOfLocation, nearestCountries, resolveCountry } from './countries.js';
import { defined } from './defined.js';
import { fields, read, shown, text, whole } from './input.js';
import { yearly } from './pay.js';
import type { Posting } from './posting.js';
import { isTag, nearestTags, type Tag } from './tags.js';
import { plainText } from './text.js';

/** A validated filter. Empty lists and absent fields set no condition. */
export interface Filter {
  /** Postings match if they have any of these tags. */
  readonly tags: readonly Tag[];
  readonly country?: string;
  readonly remote?: true;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /**
   * Lowest yearly pay, in whole units of a dollar-like currency. Compared with the upper end of the employer's range.
   */
  readonly minSalary?: number;
  /** Whether postings without comparable pay from the employer are kept when `minSalary` is set. */
  readonly payUnknown: 'keep' | 'drop';
  /** How many postings each request asks for, 1 to 100. */
  readonly limit: number;
}

/** The filter parameters of one request (jobs API, List jobs), with at most one tag. */
export interface Query {
  readonly tag?: Tag;
  readonly country?: string;
  readonly remote?: true;
  readonly limit: number;
}

export const MAX_LIMIT = 100;
/** Each tag needs its own request. */
export const MOST_TAGS = 10;
export const MOST_WORDS = 20;
/** Highest number of characters of a word or phrase. */
export const LONGEST_WORD = 60;

/** A list, or text with commas. Not tidied yet, so that faults have the place that an item has in the list. */
const LIST = v.pipe(
  v.union([v.array(v.union([v.string(), v.number()])), v.string()], 'a list of words'),
  v.transform((given) =>
    (typeof given === 'string' ? given.split(',') : given).map((item) =>
      String(item).trim().replace(/\s+/gu, ' '),
    ),
  ),
);
const tidied = <T extends string>(items: readonly T[]) => [...new Set(items.filter((item) => item !== ''))];

const WORDS = v.pipe(
  LIST,
  v.transform(tidied),
  v.check(
    (words) => words.length <= MOST_WORDS && words.every((word) => word.length <= LONGEST_WORD),
    `wanted at most ${MOST_WORDS} words or phrases of at most ${LONGEST_WORD} characters each.`,
  ),
);

function didYouMean(near: readonly string[], otherwise: string): string {
  return near.length > 0 ? `did you mean ${near.join(', ')}?` : otherwise;
}

const TAGS = v.pipe(
  LIST,
  v.transform((tags) => tags.map((tag) => tag.toLowerCase())),
  v.checkItems(
    (tag) => tag === '' || isTag(tag),
    ({ input }) =>
      `${shown(input)} is not a tag of the jobs API; ${didYouMean(nearestTags(input, 3), 'wanted one that "jobcrier subscriptions add --help" lists.')}`,
  ),
  v.check(
    (tags) => tidied(tags).length <= MOST_TAGS,
    ({ input }) => `wanted at most ${MOST_TAGS} (each needs its own request), got ${tidied(input).length}.`,
  ),
  v.transform((tags) => tidied(tags.filter(isTag))),
);

const COUNTRY = text(
  (given) => resolveCountry(given)?.slug,
  ({ input }) =>
    `${shown(input)} is not known; ${didYouMean(typeof input === 'string' ? nearestCountries(input, 3) : [], 'wanted a country such as germany or united-states.')}`,
);

/**
 * A filter in the form of the subscriptions file. Country names and codes are converted to slugs. Tags must be in the
 * API's list.
 */
export const FILTER = v.pipe(
  fields(
    'filter',
    {
      tags: v.optional(TAGS, []),
      country: v.exactOptional(COUNTRY),
      remote: v.optional(v.boolean('true or false'), false),
      include: v.optional(WORDS, []),
      exclude: v.optional(WORDS, []),
      minSalary: v.exactOptional(whole(1, 10_000_000)),
      limit: v.optional(whole(1, MAX_LIMIT), MAX_LIMIT),
      payUnknown: v.optional(v.picklist(['keep', 'drop'], 'keep or drop'), 'keep'),
    },
    'filter: wanted fields such as tags and country.',
  ),
  // The API only knows true; false sets no condition.
  v.transform(({ remote, ...rest }): Filter => (remote ? { ...rest, remote } : rest)),
);

/** A fault in one field of a filter; its path begins with the field. */
export type FilterIssue = v.InferIssue<typeof FILTER>;

/** Reads a {@link FILTER}. Throws a {@link UserError} that lists every fault. */
export function parseFilter(value: unknown): Filter {
  return read(FILTER, value ?? {}, 'filter');
}

/**
 * True when two filters let the same postings through, whatever the order of their words. `limit` is ignored, because
 * it only says how far to look.
 */
export function isSameFilter(one: Filter, other: Filter): boolean {
  const list = (words: readonly string[]) =>
    [...new Set(words.map((word) => folded(word).toLowerCase()))].sort();
  const essence = ({ tags, country, remote, include, exclude, minSalary, payUnknown }: Filter) =>
    JSON.stringify([
      [...tags].sort(),
      country,
      remote,
      list(include),
      list(exclude),
      minSalary,
      minSalary === undefined ? undefined : payUnknown,
    ]);
  return essence(one) === essence(other);
}

/**
 * Returns the requests a filter needs: one per tag, or one without a tag (jobs API, Limits 3). `limit` overrides the
 * filter's own limit.
 */
export function queriesOf(filter: Filter, limit = filter.limit): readonly Query[] {
  const base = {
    ...defined({ country: filter.country || undefined, remote: filter.remote || undefined }),
    limit,
  };
  return filter.tags.length === 0 ? [base] : filter.tags.map((tag) => ({ tag, ...base }));
}

/** Returns a stable text for a query: all its fields in a fixed order (jobs API, Limits 4). */
export function queryKey(query: Query): string {
  return [query.tag ?? '', query.country ?? '', query.remote ? 'remote' : '', query.limit].join('|');
}

/** Returns what a {@link queryKey} asks for, without its limit. */
export function subjectOf(question: string): string {
  return question.slice(0, question.lastIndexOf('|'));
}

/** Returns the tag of a {@link queryKey}; undefined if it asks for all tags. */
export function tagOf(question: string): string | undefined {
  return question.slice(0, question.indexOf('|')) || undefined;
}

/** Returns the limit of a {@link queryKey}. */
export function limitOf(question: string): number {
  return Number(question.slice(question.lastIndexOf('|') + 1));
}

/**
 * True when the answer to `former` (a {@link queryKey}) included what `question` returns: the same fields and at
 * least the same limit.
 */
export function covers(former: string, question: string): boolean {
  return subjectOf(former) === subjectOf(question) && limitOf(former) >= limitOf(question);
}

/** A match with reasons that people recognise, or the rule that removed the posting, which people can change. */
export type Verdict =
  | { readonly ok: true; readonly matched: readonly string[] }
  | { readonly ok: false; readonly rule: string };

/** An accented letter may be one character or two. Words are compared in one form, so that both are equal. */
function folded(text: string): string {
  return text.normalize('NFC');
}

function hasWord(haystack: string, word: string): boolean {
  const escaped = folded(word)
    .replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')
    .replace(/ /gu, '\\s+');
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'iu').test(haystack);
}

/** The text in which words are searched. The bars keep a phrase from starting in one field and ending in the next. */
function textOf({ title, company, tags, description }: Posting): string {
  return folded([title, company, tags?.join(' | '), plainText(description ?? '')].join(' | '));
}

/**
 * Applies the rules the API does not know to a posting it returned. `askedTags` are the tags of the requests that
 * returned the posting; they are the first reasons of a match.
 */
export function judge(filter: Filter, posting: Posting, askedTags: readonly string[]): Verdict {
  const haystack = filter.include.length + filter.exclude.length > 0 ? textOf(posting) : '';
  const excluded = filter.exclude.find((word) => hasWord(haystack, word));
  if (excluded) return { ok: false, rule: `exclude: ${excluded}` };
  const included = filter.include.filter((word) => hasWord(haystack, word));
  if (filter.include.length > 0 && included.length === 0)
    return { ok: false, rule: `include: ${filter.include.join(', ')}` };
  if (filter.minSalary !== undefined) {
    const pay = yearly(posting.pay);
    if (pay === undefined && filter.payUnknown === 'drop')
      return { ok: false, rule: 'minSalary: pay unknown' };
    if (pay !== undefined && pay < filter.minSalary)
      return { ok: false, rule: `minSalary: ${filter.minSalary}` };
  }
  return { ok: true, matched: [...new Set([...askedTags, ...included])] };
}

/**
 * Returns every rule applied here that removes a posting, each excluded word as a separate rule. Empty for a match.
 */
export function brokenRules(filter: Filter, posting: Posting): readonly string[] {
  const { include, exclude, minSalary, payUnknown, limit } = filter;
  const open: Filter = { tags: [], include: [], exclude: [], payUnknown, limit };
  const single: readonly Filter[] = [
    ...exclude.map((word) => ({ ...open, exclude: [word] })),
    { ...open, include },
    { ...open, ...defined({ minSalary }) },
  ];
  return single.flatMap((one) => {
    const verdict = judge(one, posting, []);
    return verdict.ok ? [] : verdict.rule;
  });
}

/**
 * Like {@link judge}, for a posting that this filter's requests did not return (another subscription found it, or it
 * is in the history). Also applies the API's rules, as far as the posting's own fields allow.
 */
export function wouldMatch(filter: Filter, posting: Posting): Verdict {
  const tags = filter.tags.filter((tag) => posting.tags?.includes(tag));
  if (filter.tags.length > 0 && tags.length === 0)
    return { ok: false, rule: `tags: ${filter.tags.join(', ')}` };
  if (filter.remote && posting.remote !== true) return { ok: false, rule: 'remote' };
  if (filter.country) {
    const country = posting.country ?? countryOfLocation(posting.location ?? '');
    if (country !== filter.country) return { ok: false, rule: `country: ${filter.country}` };
  }
  return judge(filter, posting, tags);
}
