// What a subscription asks for: the part sent to the API (tags, country, remote, limit) and the part applied here
// (words, pay, further terms). The API silently accepts invalid values, so they are refused here.

import * as v from 'valibot';
import { nearestCountries, resolveCountry } from './countries.js';
import { defined } from './defined.js';
import { fields, read, shown, text, whole } from './input.js';
import type { Posting } from './posting.js';
import { matchTerm, printTerm, TERMS, type Term } from './rules/index.js';
import { folded } from './rules/words.js';
import { isTag, nearestTags, type Tag } from './tags.js';
import { LONGEST_WANT, readSentence } from './want/read.js';

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
  /** Further terms. None of them changes the requests. */
  readonly terms?: readonly Term[];
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

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/**
 * Replaces `want`, one sentence, by the fields that it names. Terms are added to those given beside it. Any other field may
 * be named in one of the two places only, because one of them would be ignored silently.
 */
const EXPANDED = v.rawTransform<unknown, unknown>(({ dataset, addIssue, NEVER }) => {
  const given: Record<string, unknown> = Object(dataset.value);
  if (!Object.hasOwn(given, 'want')) return dataset.value;
  const { want, ...rest } = given;
  if (isEmpty(want)) return rest;
  const wrong = (message: string, twice = '') => {
    addIssue({
      message: `want: ${message}`,
      received: twice,
      path: [{ type: 'object', origin: 'value', input: given, key: 'want', value: want }],
    });
    return NEVER;
  };
  if (typeof want !== 'string') return wrong('wanted a sentence.');
  if (want.length > LONGEST_WANT)
    return wrong(`wanted at most ${LONGEST_WANT} characters, got ${want.length}.`);
  const { fields: named } = readSentence(want);
  const names = Object.keys(named);
  if (names.length === 0)
    return wrong('none of its words can be used; wanted a sentence such as "senior rust, remote in Europe".');
  const twice = names.filter((name) => name !== 'terms' && !isEmpty(rest[name]) && rest[name] !== false);
  if (twice.length > 0)
    return wrong(
      `it says something about ${twice.join(', ')}, which is given beside it; wanted it in one of the two.`,
      twice.join(', '),
    );
  const terms = [isEmpty(rest.terms) ? [] : rest.terms, named.terms ?? []].flat();
  return { ...rest, ...named, terms };
});

/**
 * A filter in the form of the subscriptions file. Country names and codes are converted to slugs. Tags must be in the
 * API's list. `want` is a sentence that stands for further fields; see src/domain/want/read.ts.
 */
export const FILTER = v.pipe(
  v.unknown(),
  EXPANDED,
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
      terms: v.optional(TERMS, []),
    },
    'filter: wanted fields such as tags and country.',
  ),
  // The API only knows true; false sets no condition.
  v.transform(
    ({ remote, terms, ...rest }): Filter => ({
      ...rest,
      ...(remote ? { remote } : {}),
      ...(terms.length > 0 ? { terms } : {}),
    }),
  ),
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
  const essence = ({ tags, country, remote, include, exclude, minSalary, payUnknown, terms }: Filter) =>
    JSON.stringify([
      [...tags].sort(),
      country,
      remote,
      list(include),
      list(exclude),
      minSalary,
      minSalary === undefined ? undefined : payUnknown,
      list((terms ?? []).map((term) => printTerm({ ...term, values: term.values.toSorted() }))),
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
  return questionOf(
    [query.tag ?? '', query.country ?? '', query.remote ? 'remote' : ''].join('|'),
    query.limit,
  );
}

/** Returns the {@link queryKey} with a limit and what {@link subjectOf} returns. */
export function questionOf(subject: string, limit: number): string {
  return `${subject}|${limit}`;
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

/** A term of a filter as it is applied. */
interface Applied extends Term {
  /** How the rule is called: "exclude: intern", "not level: junior". */
  readonly rule: string;
  /** The rule that removes a posting that does not say. Left out where such a posting stays. */
  readonly unknown?: string;
}

/** The fields that the API applies. They remove a posting that does not say, because the API would not return it. */
function upstreamTerms({ tags, remote, country }: Filter): readonly Applied[] {
  const term = (one: Pick<Term, 'term' | 'values'>, rule: string): Applied => ({
    ...one,
    mode: 'require',
    rule,
    unknown: rule,
  });
  return [
    ...(tags.length > 0 ? [term({ term: 'tag', values: tags }, `tags: ${tags.join(', ')}`)] : []),
    ...(remote ? [term({ term: 'remote', values: [] }, 'remote')] : []),
    ...(country ? [term({ term: 'country', values: [country] }, `country: ${country}`)] : []),
  ];
}

/** The terms that are applied here. Each excluded word is a term, so that it is named when it removes a posting. */
function localTerms({ include, exclude, minSalary, payUnknown, terms = [] }: Filter): readonly Applied[] {
  const applied: Applied[] = exclude.map((word) => ({
    term: 'words',
    values: [word],
    mode: 'exclude',
    rule: `exclude: ${word}`,
  }));
  if (include.length > 0)
    applied.push({ term: 'words', values: include, mode: 'require', rule: `include: ${include.join(', ')}` });
  if (minSalary !== undefined)
    applied.push({
      term: 'pay',
      values: [`${minSalary} USD/year`],
      mode: 'require',
      rule: `minSalary: ${minSalary}`,
      ...defined({ unknown: payUnknown === 'drop' ? PAY_UNKNOWN : undefined }),
    });
  return [...applied, ...terms.map((term) => ({ ...term, rule: printTerm(term) }))];
}

/**
 * What a filter requires or wants, without the tags and words that it requires: those that a posting has are reasons of its
 * match.
 */
export function positiveTerms(filter: Filter): readonly Term[] {
  return [...upstreamTerms(filter), ...localTerms(filter)]
    .filter(({ term, mode }) => mode === 'want' || (mode === 'require' && term !== 'tag' && term !== 'words'))
    .map(({ term, values, mode }) => ({ term, values, mode }));
}

/** What a posting says about one rule of a filter. */
export interface RuleAnswer extends Term {
  /** How the rule is called. If it removes the posting because that does not say, this says so too. */
  readonly rule: string;
  /** True if the posting is as the rule wants it, false if not, undefined if it does not say. */
  readonly isMet?: boolean;
  /** True if the rule removes the posting. */
  readonly removes: boolean;
  /** What the posting says, in the words of the term. */
  readonly saw: readonly string[];
  readonly reasons: readonly string[];
}

function answer({ rule, unknown, ...term }: Applied, posting: Posting, now: number): RuleAnswer {
  const { is, saw, met } = matchTerm(term, posting, now);
  const { mode } = term;
  if (is === 'unknown')
    return { ...term, rule: unknown ?? rule, removes: unknown !== undefined, saw, reasons: [] };
  // A posting that also offers something that is not excluded stays.
  const isMet = mode === 'exclude' ? is !== 'yes' : is !== 'no';
  return {
    ...term,
    rule,
    isMet,
    removes: !isMet && mode !== 'want',
    saw,
    reasons: isMet ? reasonsOf(term, met) : [],
  };
}

/**
 * The reasons that a reader sees: tags and words as they are, and what was wanted as a term ("rather level: senior"), from
 * which the ranking and the cards know it.
 */
function reasonsOf({ term, mode }: Term, met: readonly string[]): readonly string[] {
  if (mode === 'require') return term === 'tag' || term === 'words' ? met : [];
  if (mode === 'exclude') return [];
  return met.length > 0
    ? met.map((value) => printTerm({ term, values: [value], mode }))
    : [printTerm({ term, values: [], mode })];
}

/**
 * What a posting that the API returned says about every rule of a filter, in the order in which they are applied. What it
 * does not say about the rules of the API, the API has said by returning it. `now` in milliseconds since the epoch.
 */
export function answersOf(filter: Filter, posting: Posting, now: number): readonly RuleAnswer[] {
  const upstream = upstreamTerms(filter).map(({ unknown: _none, ...term }) => {
    const { isMet = true, ...rest } = answer(term, posting, now);
    return { ...rest, isMet, removes: false };
  });
  return [...upstream, ...localTerms(filter).map((term) => answer(term, posting, now))];
}

function verdictOf(
  terms: readonly Applied[],
  posting: Posting,
  askedTags: readonly string[],
  now: number,
): Verdict {
  const reasons: string[] = [];
  for (const term of terms) {
    const { removes, rule, reasons: own } = answer(term, posting, now);
    if (removes) return { ok: false, rule };
    reasons.push(...own);
  }
  return { ok: true, matched: [...new Set([...askedTags, ...reasons])] };
}

/**
 * Applies the rules the API does not know to a posting it returned. `askedTags` are the tags of the requests that
 * returned the posting; they are the first reasons of a match. `now` in milliseconds since the epoch.
 */
export function judge(filter: Filter, posting: Posting, askedTags: readonly string[], now: number): Verdict {
  return verdictOf(localTerms(filter), posting, askedTags, now);
}

/**
 * Returns every rule applied here that removes a posting, each excluded word as a separate rule. Empty for a match. With
 * `isListed` false, for a posting that the filter's requests did not return: also the API's rules.
 */
export function brokenRules(
  filter: Filter,
  posting: Posting,
  now: number,
  isListed = true,
): readonly string[] {
  return [...(isListed ? [] : upstreamTerms(filter)), ...localTerms(filter)]
    .map((term) => answer(term, posting, now))
    .flatMap(({ removes, rule }) => (removes ? rule : []));
}

/** True if the filter's requests would return the posting, as far as its own fields say. */
export function isAskedFor(filter: Filter, posting: Posting, now: number): boolean {
  return upstreamTerms(filter).every((term) => !answer(term, posting, now).removes);
}

/** The rule that removes postings without comparable pay. */
export const PAY_UNKNOWN = 'minSalary: pay unknown';

/**
 * Like {@link judge}, for a posting that this filter's requests did not return (another subscription found it, or it
 * is in the history). Also applies the API's rules, as far as the posting's own fields allow.
 */
export function wouldMatch(filter: Filter, posting: Posting, now: number): Verdict {
  return verdictOf([...upstreamTerms(filter), ...localTerms(filter)], posting, [], now);
}
