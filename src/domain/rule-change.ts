// Changes of a filter that one posting suggests: what to leave out after "Not for me", and what to put first after "More
// like this". A change can be undone, also after other changes.
import { defined } from './defined.js';
import { UserError } from './errors.js';
import { type Filter, judge, parseFilter, wouldMatch } from './filter.js';
import { yearly } from './pay.js';
import type { Posting } from './posting.js';
import { parseRegion } from './regions.js';
import { hasTerm, matchTerm, type Term, type TermName, withoutTerm, withTerm } from './rules/index.js';
import { withoutAddresses } from './text.js';

/** What a person likes or does not like about a posting. */
type Reason = 'company' | 'level' | 'pay' | 'place' | 'topic';

/** Values that a filter gets, and values that it loses. */
export interface RuleChange {
  readonly add?: Term;
  readonly drop?: Term;
}

/** A change that a posting suggests. */
export interface RuleChoice {
  /** Names the choice among those of the posting: "not-company", "rather-tag-2". */
  readonly id: string;
  readonly reason: Reason;
  /** What the filter then says: "not company: Acme". */
  readonly says: Term;
  readonly change: RuleChange;
}

/** What a change would have done with the postings that a filter let through. */
export interface RuleEffect {
  /** How many postings the filter let through. */
  readonly of: number;
  /** How many of them would have been left out, or put first. */
  readonly count: number;
}

/** A posting offers further tags, but a menu with all of them can't be read. */
const MOST_TOPICS = 5;

/** One thing that a posting says. */
interface Aspect {
  readonly id: string;
  readonly reason: Reason;
  readonly term: TermName;
  readonly values: readonly string[];
}

/** What a posting says about itself, apart from its pay. Tags that the filter asks for are left out. */
function aspectsOf(posting: Posting, filter: Filter, now: number): readonly Aspect[] {
  const said = (term: TermName) => matchTerm({ term, values: [], mode: 'require' }, posting, now).saw;
  const aspect = (reason: Reason, term: TermName, values = said(term)): readonly Aspect[] =>
    values.length > 0 ? [{ id: term, reason, term, values }] : [];
  const countries = aspect('place', 'country');
  const region = parseRegion(posting.location ?? '');
  const topics = said('tag').flatMap((tag, index) =>
    filter.tags.some((one) => one === tag)
      ? []
      : { id: `tag-${index}`, reason: 'topic' as const, term: 'tag' as const, values: [tag] },
  );
  return [
    ...aspect('company', 'company'),
    ...aspect('level', 'level'),
    ...(countries.length > 0 ? countries : aspect('place', 'region', region ? [region] : [])),
    ...topics.slice(0, MOST_TOPICS),
    ...aspect('topic', 'role'),
  ].filter(({ values }) => values.every((value) => withoutAddresses(value) === value));
}

/**
 * Returns the changes that would leave a posting out, each for another reason. A reason is left out if the posting does
 * not say anything about it, or if the changed filter would contradict itself. `now` in milliseconds since the epoch.
 */
export function exclusions(filter: Filter, posting: Posting, now: number): readonly RuleChoice[] {
  const aspects = aspectsOf(posting, filter, now).flatMap(({ id, reason, term, values }) => {
    const change = against(filter, posting, { term, values, mode: 'exclude' }, now);
    return change ? choiceOf('not', id, reason, { term, values, mode: 'exclude' }, change) : [];
  });
  const isOnSite = posting.remote === false;
  const onSite: Term = { term: 'remote', values: [], mode: 'require' };
  const paid = morePay(filter, posting);
  return [
    ...aspects.filter(({ reason }) => reason === 'company' || reason === 'level'),
    ...(paid ? [choiceOf('not', 'pay', 'pay', paid.add, paid)] : []),
    ...aspects.filter(({ reason }) => reason === 'place'),
    ...(isOnSite ? [choiceOf('not', 'remote', 'place', onSite, { add: onSite })] : []),
    ...aspects.filter(({ reason }) => reason === 'topic'),
  ].filter(({ change }) => {
    const next = offered(filter, change);
    return next !== undefined && !judge(next, posting, [], now).ok;
  });
}

/** Returns the changes that would put postings like this one first. */
export function wishes(filter: Filter, posting: Posting, now: number): readonly RuleChoice[] {
  const remote: readonly Aspect[] =
    posting.remote && !filter.remote ? [{ id: 'remote', reason: 'place', term: 'remote', values: [] }] : [];
  return [...aspectsOf(posting, filter, now), ...remote]
    .map(({ id, reason, term, values }) => {
      const add: Term = { term, values, mode: 'want' };
      return choiceOf('rather', id, reason, add, { add });
    })
    .filter(({ change }) => offered(filter, change) !== undefined);
}

function choiceOf(
  verb: 'not' | 'rather',
  id: string,
  reason: Reason,
  says: Term,
  change: RuleChange,
): RuleChoice {
  return { id: `${verb}-${id}`, reason, says, change };
}

/**
 * A value that the filter asks for is no longer asked for; any other is excluded. Undefined if nothing else is asked for:
 * then nothing could match.
 */
function against(filter: Filter, posting: Posting, excluded: Term, now: number): RuleChange | undefined {
  if (excluded.term === 'country' && filter.country !== undefined) return undefined;
  const required = filter.terms?.find((one) => one.term === excluded.term && one.mode === 'require');
  if (!required) return { add: excluded };
  const met = matchTerm(required, posting, now).met.filter(
    (value) => excluded.term !== 'tag' || excluded.values.includes(value),
  );
  if (met.length === 0) return { add: excluded };
  return met.length < required.values.length ? { drop: { ...required, values: met } } : undefined;
}

/**
 * The least pay, raised above what the posting offers: to the next amount with two digits and zeros. In the currency and
 * for the period that it names.
 */
function morePay(filter: Filter, { pay }: Posting): { readonly add: Term; readonly drop?: Term } | undefined {
  const { currency, unit = 'year' } = pay ?? {};
  const top = pay?.max ?? pay?.min;
  if (currency === undefined || top === undefined || yearly(pay, currency) === undefined) return undefined;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(top)) - 1);
  const next = (Math.floor(top / step) + 1) * step;
  const floor = floorOf(filter);
  const isInDollars = floor !== undefined && yearly(pay) !== undefined;
  const own = filter.terms?.find(
    ({ term, mode, values }) =>
      term === 'pay' && mode === 'require' && values[0]?.split(/[ /]/u)[1] === currency,
  );
  const inYear = yearly({ min: next, currency, unit }, currency);
  const add = isInDollars ? `${Math.ceil(inYear ?? next)} USD/year` : `${next} ${currency}/${unit}`;
  const drop = isInDollars ? floor : own?.values[0];
  return {
    add: payTerm(add),
    ...defined({ drop: drop === undefined ? undefined : payTerm(drop) }),
  };
}

const payTerm = (value: string): Term => ({ term: 'pay', values: [value], mode: 'require' });

/** The field `minSalary` in the form of a value of `pay`. */
function floorOf({ minSalary }: Filter): string | undefined {
  return minSalary === undefined ? undefined : `${minSalary} USD/year`;
}

/** All terms, with `minSalary` as one of them. */
function termsOf(filter: Filter): readonly Term[] {
  const floor = floorOf(filter);
  return [...(filter.terms ?? []), ...(floor === undefined ? [] : [payTerm(floor)])];
}

/**
 * Returns the changed filter. Values that it has already, or does not have any more, stay as they are. Throws a
 * {@link UserError} if it has too many terms.
 */
export function changedBy(filter: Filter, change: RuleChange): Filter {
  return isMade(filter, change) ? filter : applied(filter, change);
}

function applied(filter: Filter, { add, drop }: RuleChange): Filter {
  const floor = floorOf(filter);
  const isFloor = floor !== undefined && drop?.term === 'pay' && drop.values[0] === floor;
  if (isFloor && add) return parseFilter({ ...filter, minSalary: Number.parseInt(add.values[0] ?? '', 10) });
  const { terms = [] } = filter;
  const fewer = drop ? withoutTerm(terms, drop) : terms;
  return parseFilter({ ...filter, terms: add ? withTerm(fewer, add) : fewer });
}

/** The changed filter; undefined if the change is made already, or a rule can't say it. */
function offered(filter: Filter, change: RuleChange): Filter | undefined {
  if (isMade(filter, change)) return undefined;
  try {
    const next = changedBy(filter, change);
    return isMade(next, change) ? next : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** True when the filter is as the change leaves it, so that the change can be undone. */
export function isMade(filter: Filter, { add, drop }: RuleChange): boolean {
  const terms = termsOf(filter);
  if (add) return hasTerm(terms, add);
  const others = terms.find(({ term, mode }) => term === drop?.term && mode === drop.mode);
  // A filter that asks for none of the values any more was changed otherwise.
  return others !== undefined && drop?.values.some((value) => others.values.includes(value)) === false;
}

/** Returns the filter without a change. A filter that no longer has it stays as it is. */
export function withoutChange(filter: Filter, change: RuleChange): Filter {
  const { add, drop } = change;
  return isMade(filter, change) ? applied(filter, defined({ add: drop, drop: add })) : filter;
}

/**
 * Returns what a change would have done with former postings, each with when it was found, in milliseconds since the
 * epoch. `own`: the filter's own requests returned it.
 */
export function effectOf(
  filter: Filter,
  change: RuleChange,
  former: readonly { readonly posting: Posting; readonly at: number; readonly own: boolean }[],
): RuleEffect {
  const next = changedBy(filter, change);
  const passes = (one: Filter, { posting, at, own }: (typeof former)[number]) =>
    (own ? judge(one, posting, [], at) : wouldMatch(one, posting, at)).ok;
  const through = former.filter((one) => passes(filter, one));
  const { add } = change;
  const touched =
    add?.mode === 'want'
      ? through.filter(({ posting, at }) => ['yes', 'partly'].includes(matchTerm(add, posting, at).is))
      : through.filter((one) => !passes(next, one));
  return { of: through.length, count: touched.length };
}
