// When several postings are one job. Employers list a job once for each place, with another id and another link. Such
// postings share a card where people read them; each keeps its key, its link and its outcome.
import type { Pay } from './pay.js';
import { fold, type Posting } from './posting.js';
import { best } from './ranking.js';
import { appliedAt, type Marked } from './stages.js';

/** Longer titles and locations are compared as they are. UTF-16 units. */
const LONGEST = 300;
/** What separates a place from the title before it. */
const SEPARATOR = /[,|@·:/]|\s[-–—]\s/gu;
/** Matches every title from which a place might be removed. Most have none, and forms of places take longest. */
const MAY_HAVE_PLACE = /[([,|@·:/]|\s[-–—]\s/u;
const BRACKETS = /[([]([^()[\]]*)[)\]]/gu;

const isRemote = ({ remote, location }: Posting) => remote === true || /\bremote\b/i.test(location ?? '');

function withoutRemote(folded: string): string {
  if (!folded.includes('remote')) return folded;
  return folded
    .replace(/\bremote\b/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** The posting's own place in the forms that a title may have: "lisbon portugal", "lisbon"; empty for "Remote" alone. */
function placeForms(posting: Posting): ReadonlySet<string> {
  const parts = (posting.location ?? '').slice(0, LONGEST).split(/[,;|/]/u);
  const forms = parts.map((_, index) => withoutRemote(fold(parts.slice(0, index + 1).join(' '))));
  const country = withoutRemote(fold(posting.country));
  const named = [...forms, ...(posting.location ? [] : [country])].filter((form) => form !== '');
  return new Set([...named, ...(isRemote(posting) ? [''] : [])]);
}

/** The folded title, without the posting's own place in brackets or after a separator. */
function titleOf(posting: Posting): string {
  const { title = '' } = posting;
  const folded = fold(title);
  if (title.length > LONGEST || title.search(MAY_HAVE_PLACE) < 0) return folded;
  const forms = placeForms(posting);
  const isPlace = (text: string) => fold(text) !== '' && forms.has(withoutRemote(fold(text)));
  const bare = title.replace(BRACKETS, (whole, inside: string) => (isPlace(inside) ? ' ' : whole));
  for (const { index, 0: separator } of bare.matchAll(SEPARATOR))
    if (isPlace(bare.slice(index + separator.length))) return fold(bare.slice(0, index)) || folded;
  return fold(bare) || folded;
}

/**
 * Returns what postings of the same job share, wherever it is and under any key: company and title, both folded, the
 * title without the posting's own place. Undefined without company or title.
 */
function jobOf(posting: Posting): string | undefined {
  const company = fold(posting.company);
  const title = titleOf(posting);
  return company && title ? `${company}\n${title}` : undefined;
}

/**
 * Returns a function that says when a person applied to the job of a posting, under another key than the posting's; the
 * latest time, in milliseconds since the epoch.
 */
export function appliedTo(
  marked: readonly (Marked & { readonly posting: Posting })[],
): (posting: Posting) => number | undefined {
  const byJob = new Map<string, { readonly key: string; readonly at: number }[]>();
  for (const one of marked) {
    const [at, job] = [appliedAt(one), jobOf(one.posting)];
    if (at === undefined || job === undefined) continue;
    byJob.set(job, [...(byJob.get(job) ?? []), { key: one.posting.key, at }]);
  }
  return (posting) => {
    const same = byJob.get(jobOf(posting) ?? '') ?? [];
    const times = same.filter((one) => one.key !== posting.key).map(({ at }) => at);
    return times.length > 0 ? Math.max(...times) : undefined;
  };
}

/** The folded place of a posting; "remote" if only that is known, empty if nothing is. */
function placeIn(posting: Posting): string {
  const named = fold(posting.location) || fold(posting.country);
  return named || (posting.remote ? 'remote' : '');
}

/**
 * True if one place (see {@link jobIn}) is the other with more words, such as "Berlin" and "Berlin, Germany", but not
 * "Remote" and "Remote, EU".
 */
export function isSamePlace(a: string, b: string): boolean {
  const [short = '', long = ''] = a.length < b.length ? [a, b] : [b, a];
  return short === long || (short !== 'remote' && long.startsWith(`${short} `));
}

function payIn({ pay, salary }: Posting): string {
  const { min, max, currency, unit }: Partial<Pay> = pay ?? {};
  return pay ? JSON.stringify([min, max, currency, unit]) : fold(salary);
}

/**
 * What a posting must share with others to be the same job, company, title and the pay that the employer names, and its
 * place. Undefined if one of them, except pay, or the link is unknown.
 */
export function jobIn(posting: Posting): { readonly job: string; readonly place: string } | undefined {
  const [job, place] = [jobOf(posting), placeIn(posting)];
  if (job === undefined || place === '' || posting.applyUrl === undefined) return undefined;
  return { job: `${job}\n${payIn(posting)}`, place };
}

/** True for two postings of the same job in different places, with different links. */
export function isElsewhere(a: Posting, b: Posting): boolean {
  const [one, other] = [jobIn(a), jobIn(b)];
  if (!one || !other || one.job !== other.job || a.applyUrl === b.applyUrl) return false;
  return !isSamePlace(one.place, other.place);
}

/** A posting as it may be shown with others. */
interface Shown extends Posting {
  readonly seenBefore?: string;
  readonly twice?: true;
}

/** The posting that leads a card, and the same job in other places, which the card names with their links. */
export type Card<T> = T & { readonly also?: readonly T[] };

/** True for a posting of which a card needs to say nothing but its place. */
export const mayJoin = ({ seenBefore, twice }: Shown) => seenBefore === undefined && twice === undefined;

/** Most places of a card, and most characters of their links, so that each card fits into every kind of message. */
export const MOST_PLACES = 10;
const MOST_LINKED = 1_500;

/**
 * Puts postings of the same job in several places on one card. Each posting is on one card, and the first of a card leads
 * it; with `scoreOf` the one with the highest score, the last of equals. A posting of which a card says more than its
 * place (that it was seen before, or comes twice) leads its own. Cards are in the order of their leads, so cards made of the postings of these cards, or of some of them, are the same.
 */
export function cardsOf<T extends Shown>(
  postings: readonly T[],
  scoreOf?: (posting: T) => number,
): readonly Card<T>[] {
  const cards: T[][] = [];
  const byJob = new Map<string, T[][]>();
  const linked = (card: readonly T[]) => card.reduce((sum, { applyUrl = '' }) => sum + applyUrl.length, 0);
  for (const posting of postings) {
    const job = jobOf(posting) ?? posting.key;
    const others = byJob.get(job) ?? [];
    const card = mayJoin(posting)
      ? others.find(
          (one) =>
            one.length < MOST_PLACES &&
            linked(one) + (posting.applyUrl ?? '').length <= MOST_LINKED &&
            one.every((member) => isElsewhere(member, posting)),
        )
      : undefined;
    if (card) card.push(posting);
    else {
      const alone = [posting];
      cards.push(alone);
      byJob.set(job, [...others, alone]);
    }
  }
  return cards.map((card) => {
    const [first] = card as [T, ...T[]];
    const [lead = first] = scoreOf && mayJoin(first) ? best(card, 1, scoreOf) : [first];
    const also = card.filter((one) => one !== lead);
    return also.length > 0 ? { ...lead, also } : lead;
  });
}

/** All postings of a card, the leading one first. */
export function onCard<T>({ also = [], ...lead }: Card<T>): readonly T[] {
  return [lead as T, ...also];
}
