// How well a posting fits its reader. The number orders digests and their picks, and decides which postings stay under a
// cap. It never leaves a posting out.
import type { Filter } from './filter.js';
import { positiveTerms } from './filter.js';
import type { Posting } from './posting.js';
import { matchTerm, type Term, wishIn } from './rules/index.js';
import { type Role, rolesOf } from './rules/role.js';
import { isTag } from './tags.js';

/** A posting and the reasons of its match, see `judge`. */
export interface MatchedPosting extends Posting {
  readonly matched: readonly string[];
}

/** What a reader wishes. */
export interface Wishes {
  /** What the filter requires or wants, see {@link positiveTerms}. */
  readonly terms: readonly Term[];
  /** Postings that the reader saved or applied to. */
  readonly kept: readonly Traits[];
}

/** A term that the posting meets, pay that it names, or how many postings like it the reader saved or applied to. */
export type Reason = Pick<Term, 'term' | 'values'> | { readonly named: 'pay' } | { readonly saved: number };

/** `score`: 0 to 100, two decimals. `reasons`: the strongest first, at most {@link MOST_REASONS}. */
export interface Fit {
  readonly score: number;
  readonly reasons: readonly Reason[];
}

/** A fit as others may see it: without what its reader saved. */
export function shareable({ score, reasons }: Fit): Fit {
  return { score, reasons: reasons.filter((reason) => !('saved' in reason)) };
}

/** No wishes besides the reasons of the match. */
export const NO_WISHES: Wishes = { terms: [], kept: [] };

/** The wishes of a reader. `kept`: what the reader saved or applied to, newest first. */
export function wishesOf(filter: Filter, kept: readonly Posting[] = []): Wishes {
  return { terms: positiveTerms(filter), kept: kept.slice(0, MOST_KEPT).map(traitsOf) };
}

const MOST_REASONS = 2;
const DAY = 86_400_000;
/** After this many days, a posting is not new any more. */
const NEW_DAYS = 14;

/** Points for a match and against it that a posting has before anything is known. The more there are, the less one wish decides. */
const NEUTRAL = 4;
const POINTS = {
  /** A wanted term ("rather level: senior"), and one that the posting says it does not meet. */
  want: 4,
  unmet: -1.5,
  /** A required term, which no posting of the subscription contradicts, but not every posting says. */
  require: 0.75,
  pay: 1,
  company: 0.5,
  /** A posting of today. */
  fresh: 1,
  /** At least {@link ENOUGH_ALIKE} postings like it were saved or applied to. */
  saved: 3,
} as const;
/** More matching tags and words say nothing more. */
const MOST_MATCHES = 4;
const ENOUGH_ALIKE = 3;
const MOST_KEPT = 50;

/** Terms about what a posting mentions. A posting that does not mention it says nothing against it. */
const MENTIONS: ReadonlySet<Term['term']> = new Set(['tag', 'words', 'company']);

/** What speaks for a posting (positive) or against it. */
interface Point {
  readonly points: number;
  readonly reason?: Reason;
}

/**
 * Returns how well a posting fits, by itself: other postings don't count. Each thing it says adds points for or against,
 * and the score is the share of those for it. What it does not say adds nothing, so that the others count for more. So
 * a wish that is met never lowers the score, and a posting never gains by saying less, unless it leaves out what
 * contradicts a wish. `now` in milliseconds since the epoch.
 */
export function fitOf(posting: MatchedPosting, { terms, kept }: Wishes, now: number): Fit {
  const recorded = posting.matched.map(termIn);
  const points = [
    ...wishPoints(posting, terms, recorded, now),
    ...recorded
      .filter(({ mode }) => mode === 'require')
      .slice(0, MOST_MATCHES)
      .map((reason): Point => ({ points: POINTS.require, reason })),
    ...keptPoints(posting, kept),
    ...factPoints(posting, now),
  ];
  const sum = (sign: 1 | -1) =>
    points.reduce((total, one) => total + Math.max(0, sign * one.points), NEUTRAL);
  return {
    score: Math.round((10_000 * sum(1)) / (sum(1) + sum(-1))) / 100,
    reasons: strongest(points),
  };
}

/** The term that a reason of a match stands for. Tags and words are reasons as they are. */
export function termIn(reason: string): Term {
  return wishIn(reason) ?? { term: isTag(reason) ? 'tag' : 'words', values: [reason], mode: 'require' };
}

/**
 * Wanted terms among the reasons of the match are met, because the match was judged by the whole description, of which
 * only a part is kept. Those that are not among the wishes are from another subscription with the same destination.
 */
function wishPoints(
  posting: Posting,
  terms: readonly Term[],
  recorded: readonly Term[],
  now: number,
): readonly Point[] {
  const met = recorded.filter(({ mode }) => mode === 'want');
  const others = met.filter((one) => !terms.some((wish) => wish.mode === 'want' && isSame(wish, one)));
  const first = others.filter((one, at) => others.findIndex(({ term }) => term === one.term) === at);
  return [
    ...terms.map((wish) => termPoint(posting, wish, met, now)),
    ...first.map((reason): Point => ({ points: POINTS.want, reason })),
  ];
}

function isSame(wish: Term, { term, values }: Term): boolean {
  if (wish.term !== term) return false;
  return wish.values.length === 0 || wish.values.some((value) => values.includes(value));
}

function termPoint(posting: Posting, wish: Term, met: readonly Term[], now: number): Point {
  const { term, mode } = wish;
  const found = matchTerm(wish, posting, now);
  const told = mode === 'want' ? met.filter((one) => isSame(wish, one)) : [];
  if (found.is === 'yes' || found.is === 'partly' || told.length > 0) {
    const values = found.met.length > 0 ? found.met : told.flatMap((one) => one.values);
    return { points: mode === 'want' ? POINTS.want : POINTS.require, reason: { term, values } };
  }
  return { points: found.is === 'no' && !MENTIONS.has(term) ? POINTS.unmet : 0 };
}

/** Whether the posting is like others that the reader saved or applied to. */
function keptPoints(posting: Posting, kept: readonly Traits[]): readonly Point[] {
  if (kept.length === 0) return [];
  const traits = traitsOf(posting);
  const saved = kept.filter((one) => isAlike(one, traits)).length;
  if (saved === 0) return [];
  return [{ points: (POINTS.saved * Math.min(saved, ENOUGH_ALIKE)) / ENOUGH_ALIKE, reason: { saved } }];
}

function factPoints({ pay, salary, company, postedAt = '' }: Posting, now: number): readonly Point[] {
  const days = Math.max(0, Math.floor((now - Date.parse(postedAt)) / DAY));
  return [
    ...(pay || salary ? [{ points: POINTS.pay, reason: { named: 'pay' } as const }] : []),
    ...(company ? [{ points: POINTS.company }] : []),
    ...(days < NEW_DAYS ? [{ points: (POINTS.fresh * (NEW_DAYS - days)) / NEW_DAYS }] : []),
  ];
}

function strongest(points: readonly Point[]): readonly Reason[] {
  const reasons = points.toSorted((a, b) => b.points - a.points).flatMap(({ reason }) => reason ?? []);
  const isPayMet = reasons.some((reason) => 'term' in reason && reason.term === 'pay');
  return reasons
    .filter((reason) => !(isPayMet && 'named' in reason))
    .slice(0, MOST_REASONS)
    .map((reason) => ('term' in reason ? { term: reason.term, values: reason.values } : reason));
}

/** What two postings are compared by. */
interface Traits {
  readonly key: string;
  readonly company?: string;
  readonly roles: readonly Role[];
  readonly tags: readonly string[];
}

/** Common tags that two postings of one role family need to be alike. */
const COMMON_TAGS = 2;

function traitsOf({ key, company, title = '', tags = [] }: Posting): Traits {
  return { key, ...(company ? { company: company.toLowerCase() } : {}), roles: rolesOf(title), tags };
}

/** True for two postings of one company, or of one role family with common tags. */
function isAlike(one: Traits, other: Traits): boolean {
  if (one.key === other.key) return false;
  if (one.company !== undefined && one.company === other.company) return true;
  return (
    one.roles.some((role) => other.roles.includes(role)) &&
    one.tags.filter((tag) => other.tags.includes(tag)).length >= COMMON_TAGS
  );
}
