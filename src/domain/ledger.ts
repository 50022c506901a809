// The ledger: one value per subscription with what was seen and what is waiting to be sent. The store has no
// transactions, so everything that must change together is in the ledger and changes in one write. Every function in
// this file is a pure function from a ledger to the next one.
import { readApplyBy } from './apply-by.js';
import { defined } from './defined.js';
import type { Edition, EditionPosting } from './edition.js';
import { type Awaited, awaitedFrom } from './enrich.js';
import type { FixName } from './errors.js';
import { covers, limitOf, subjectOf } from './filter.js';
import type { Fit } from './fit.js';
import { countMatches, type MatchCounts } from './match-counts.js';
import { likeness, nameOf, type Posting } from './posting.js';
import { answersOf, type ListedPosting, type Recognition, recognise } from './recognise.js';
import { baseOf, type Done, type Fate, linkMark, openSeen, type Seen, type SeenSet } from './seen.js';
import { snippet } from './text.js';

/** A posting that is waiting to be sent to one or more destinations. */
export interface Owed {
  readonly posting: Posting;
  readonly matched: readonly string[];
  readonly at: number;
  /**
   * Set when no process polled between this time and `at`. A slot in between was missed because no process was
   * running, and is made up for.
   */
  readonly since?: number;
  /** Destination ids. */
  readonly to: readonly string[];
  readonly seenBefore?: string;
  /** Reasons of other subscriptions that share a destination, by destination id. Set when it is cut into an edition. */
  readonly also?: Readonly<Record<string, readonly string[]>>;
  /** The days on which readers of private destinations applied to the same job before, by destination id. */
  readonly applied?: Readonly<Record<string, string>>;
  /** Destination ids where another member's subscription announces the posting too, with a different link. */
  readonly twice?: readonly string[];
  /** Set while the fields that the feed left out are requested; see enrich.ts. */
  readonly awaits?: Awaited;
  /** How well it fits the reader of a destination, by destination id. Set when it is cut into an edition. */
  readonly fit?: Readonly<Record<string, Fit>>;
}

/** What waits in an outbox, in numbers. Times in milliseconds since the epoch. */
export interface Waiting {
  /** Each is counted once, however many destinations it is waiting for. */
  readonly postings: number;
  /** When the oldest of them was put in the outbox. */
  readonly oldest: number;
  readonly places: readonly {
    readonly destination: string;
    readonly postings: number;
    readonly oldest: number;
  }[];
}

/** Why a destination gets nothing until its owner acts: what the receiving service said, and the name of the fix. */
export interface Parked {
  readonly at: number;
  readonly why: string;
  readonly fix?: FixName;
  /**
   * The subscription's last resume when the destination was parked. Any other resume frees the destination, whatever
   * the clock says.
   */
  readonly resumedAt?: number;
}

/** The state of one subscription, see the top of this file. */
export interface Ledger {
  readonly version: 1;
  readonly baselineAt?: number;
  /**
   * The questions of the last poll that were ever answered. A new question returns old postings, so it gets its own
   * baseline.
   */
  readonly asked?: readonly string[];
  readonly polledAt?: number;
  /** The start of the last pause whose postings are recorded. Postings of a later pause are not recorded yet. */
  readonly pause?: number;
  /**
   * Subjects of questions that were not answered since that pause. Their next answer may hold postings that appeared
   * during it.
   */
  readonly unheard?: readonly string[];
  /**
   * The posting keys each question last showed, by subject. Used for the gap alarm, and to keep these postings in the
   * seen set.
   */
  readonly recent: Readonly<Record<string, readonly string[]>>;
  /** The marks of the records in `recent`, in the same order; empty for a record without a mark. */
  readonly marks?: Readonly<Record<string, readonly string[]>>;
  /** Fingerprint of the token each question was last asked with, by subject. Another token may return other links. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** The version of the answer to each question that was recorded last, by subject. */
  readonly heard?: Readonly<Record<string, string>>;
  /** When a posting last matched; milliseconds since the epoch. */
  readonly matchedAt?: number;
  /** How many postings matched. For a stored ledger, only the hours of the last day with a match. */
  readonly matches?: MatchCounts;
  /** When a gap was found, by subject, for as long as it is watched. */
  readonly gaps?: Readonly<Record<string, number>>;
  /** The gaps whose notice was sent: until when each is watched, by subject. */
  readonly toldGaps?: Readonly<Record<string, number>>;
  /** What is known about postings, by key. For a stored ledger, only what was read. */
  readonly seen: Readonly<Record<string, Seen>>;
  /** The total number of postings seen. */
  readonly seenCount?: number;
  /**
   * Outcomes by posting key and destination id, as far as they were read; undefined for an outcome that no longer
   * counts.
   */
  readonly done: Readonly<Record<string, Readonly<Record<string, Done | undefined>>>>;
  readonly outbox: readonly Owed[];
  /**
   * What waits and was not read, so it is not in `outbox`. Postings can be added to such a ledger. Anything else that is
   * done with those that wait needs the whole outbox.
   */
  readonly unread?: Waiting | undefined;
  readonly editions: readonly Edition[];
  readonly parked: Readonly<Record<string, Parked>>;
  /** The destinations the ledger was last written for, in the subscription's order; see moving.ts. */
  readonly places?: readonly string[];
  /** When each destination had its last edition. */
  readonly lastEdition: Readonly<Record<string, number>>;
  /** How many postings each destination with a limit per day got at once on its last day (YYYY-MM-DD in its zone). */
  readonly today?: Readonly<Record<string, { readonly day: string; readonly count: number }>>;
}

export const EMPTY_LEDGER: Ledger = {
  version: 1,
  recent: {},
  seen: {},
  done: {},
  outbox: [],
  editions: [],
  parked: {},
  lastEdition: {},
};

/** A posting that was shown before and has not changed, so nothing is recorded for it. */
export interface Shown {
  /** The key it was recorded under. */
  readonly key: string;
  /** The subject of the question whose answer shows it. */
  readonly subject: string;
  /** Its place in that answer, from 1 up to the limit of the question. */
  readonly place: number;
  readonly mark: string;
}

/** What {@link record} needs to know about the subscription and the poll. */
export interface RecordOptions {
  readonly now: number;
  /** All questions of the filter, see {@link covers}. */
  readonly asked: readonly string[];
  /** The questions whose answers are in the findings. The answers to the others were unchanged. */
  readonly answered: readonly string[];
  /** The questions without an answer: they failed or were not asked. */
  readonly unanswered?: readonly string[];
  /** The questions whose answer held as many postings as were asked for, so there may be more below it. */
  readonly full?: readonly string[];
  /** Fingerprint of the token that asked. */
  readonly token?: string;
  /** Ids of the destinations that get the matching postings. */
  readonly destinations: readonly string[];
  /** The previous poll, if no process ran in between. A posting found now may have appeared right after it. */
  readonly since?: number;
  /** Start of the subscription's last pause. Postings that appeared during it are recorded, not sent. */
  readonly pause?: number;
  /** The end of that pause. */
  readonly resumedAt?: number;
  /** How many of the newest matching postings are sent at the baseline. */
  readonly newest: number;
  readonly reposts: boolean;
  /** Until when fields that the feed leaves out may be requested; absent if they are not. */
  readonly enrichUntil?: number;
}

/**
 * The result of a poll. `gaps`: subjects of questions whose answer does not reach back to known postings, so some may
 * have been missed. `rekeyed`: subjects of questions whose postings returned under other keys.
 */
export interface Recorded {
  readonly ledger: Ledger;
  readonly baseline: boolean;
  readonly gaps: readonly string[];
  readonly rekeyed: readonly string[];
  readonly counts: { readonly matched: number; readonly filtered: number; readonly reposts: number };
  /** How many of the new postings are announced. */
  readonly announced: number;
  /** Postings seen for the first time, {@link trimmed}, with their fate. */
  readonly fresh: readonly { readonly posting: Posting; readonly fate: Fate; readonly by?: string }[];
}

/**
 * Keeps the fields that a card, a mail and a page show, and the last day to apply that the description names. Full
 * descriptions would make every ledger write a hundred times larger.
 */
export function trimmed(posting: Posting): Posting {
  const { key, description, extra: _extra, ...rest } = posting;
  return {
    key,
    ...rest,
    ...defined({
      description: snippet(description, 400),
      applyBy: readApplyBy(description, posting.postedAt),
    }),
  };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Sorts by posting day, newest first. Postings without a day come last, in the order of the feed. */
function byDay({ posting: a }: ListedPosting, { posting: b }: ListedPosting): number {
  const [one, other] = [a.postedAt ?? '', b.postedAt ?? ''];
  return one < other ? 1 : one > other ? -1 : 0;
}

/** After a gap, the request is made more often and with the highest limit for this long. Milliseconds. */
export const GAP_WATCH_MS = 24 * 3_600_000;

/** Gaps that are still watched at `now`. */
function watched(gaps: Readonly<Record<string, number>> = {}, now: number): Record<string, number> {
  const left: Record<string, number> = {};
  for (const [subject, at] of Object.entries(gaps)) if (at + GAP_WATCH_MS > now) left[subject] = at;
  return left;
}

/** A posting in the answer to a question. */
interface Place extends Omit<Shown, 'mark'> {
  /** Absent for a posting that was shown before. */
  readonly isNew?: boolean;
  readonly mark: string | undefined;
}

/** What became of a finding. */
type Keyed = Required<Pick<Place, 'key' | 'isNew'>>;

const keyOfPlace = ({ key }: Place) => key;
/** Empty for a record without a mark. */
const markOfPlace = ({ mark = '' }: Place) => mark;

/** The postings of each answer in its order, by subject. `keyed`: the keys of the findings, and whether they are new. */
function answersWith(
  findings: readonly ListedPosting[],
  keyed: ReadonlyMap<ListedPosting, Keyed>,
  shown: readonly Shown[],
): ReadonlyMap<string, readonly Place[]> {
  const places: Place[] = [];
  for (const finding of findings) {
    const { by, marks = [] } = finding;
    const { key, isNew } = keyed.get(finding) as Keyed;
    for (const [at, question] of by.entries())
      places.push({ key, isNew, subject: subjectOf(question), place: limitOf(question), mark: marks[at] });
  }
  places.push(...shown);
  return answersOf(places);
}

function isCovered(question: string, asked: readonly string[]): boolean {
  for (const former of asked) if (covers(former, question)) return true;
  return false;
}

/** Whether a ledger holds an answer to a question. */
function isAsked({ asked = [] }: Ledger, question: string): boolean {
  return isCovered(question, asked);
}

/** Whether the last answer about a subject held as many postings as were asked for. */
function wasFull({ asked = [], recent }: Ledger, subject: string): boolean {
  for (const one of asked)
    if (subjectOf(one) === subject && (recent[subject] ?? []).length >= limitOf(one)) return true;
  return false;
}

/**
 * How far down an answer a posting may have been missed in a gap: down to the last posting known from before the gap.
 * Postings below that one existed before, beyond the limit. If no such posting is left, the whole answer may be new.
 */
function depthOf(subject: string, gapAt: number, known: Recognition['known'], seen: SeenSet): number {
  const places = [...known]
    .filter(([, key]) => (seen.entries[key]?.at ?? gapAt) < gapAt)
    .flatMap(([{ by }]) => by.filter((one) => subjectOf(one) === subject).map(limitOf));
  return places.length > 0 ? Math.max(...places) : Number.POSITIVE_INFINITY;
}

/**
 * Whether postings may have appeared and gone unseen between a question's last answer and this one. That is so when
 * the window is full and its last posting is new: then nothing shows that the window reaches back to known postings.
 * Postings pinned at the top or at the bottom prove nothing. There is no gap when at least half of the last window is
 * still here and there was more below it: then the new postings at the end only moved up.
 */
function isGap(window: readonly Place[], last: readonly string[], lastWasFull: boolean): boolean {
  const keys = new Set(window.map((one) => one.key));
  const stayed = last.length > 0 && 2 * last.filter((key) => keys.has(key)).length >= last.length;
  if (window.at(-1)?.isNew) return !(stayed && lastWasFull);
  let pinned = 0;
  while (pinned < last.length && window.at(-1 - pinned)?.key === last.at(-1 - pinned)) pinned++;
  return pinned > 0 && window.at(-1 - pinned)?.isNew === true && !stayed;
}

/** Whether every question was answered since a pause, and the answers are recorded. */
export function isPauseRecorded({ pause, unheard = [] }: Ledger, pausedAt: number): boolean {
  return pause === pausedAt && unheard.length === 0;
}

/** The fate of a posting that matched and was not seen before, or undefined if it is announced. */
function silenced(
  isOld: boolean,
  silent: boolean,
  repostOf: string | undefined,
): Pick<Seen, 'fate' | 'by'> | undefined {
  if (silent) return { fate: 'paused' };
  if (isOld) return { fate: 'baseline' };
  return repostOf === undefined ? undefined : { fate: 'repost', by: repostOf };
}

/**
 * A poll later than this after the end of a pause no longer shows what was there when the pause ended. Milliseconds.
 */
const PAUSE_LOOK_MS = 60_000;
/** A posting's day comes from its publisher's clock, which may be behind. Milliseconds. */
const DAY_SLACK_MS = 12 * 3_600_000;

/**
 * Whether a new posting appeared before the pause ended. The first poll runs immediately after the pause, so
 * everything it shows did. If that poll came too late, only the posting's day can decide. A posting without a day is
 * sent, so that it is not lost.
 */
function isFromPause({ postedAt }: Posting, { now, resumedAt }: RecordOptions): boolean {
  if (resumedAt === undefined || now - resumedAt <= PAUSE_LOOK_MS) return true;
  return postedAt !== undefined && postedAt < dayOf(resumedAt - DAY_SLACK_MS);
}

/**
 * Whether marks are enough to tell what is new: every question is known, has the same token, and needs no closer
 * look.
 */
export function mayGoByMarks(
  { baselineAt, asked: known = [], pause, unheard = [], gaps, tokens = {}, marks = {} }: Ledger,
  { now, asked, answered, pause: paused, token }: RecordOptions,
): boolean {
  if (baselineAt === undefined || unheard.length > 0) return false;
  if (paused !== undefined && paused !== pause) return false;
  if (Object.keys(watched(gaps, now)).length > 0) return false;
  for (const question of asked) {
    const subject = subjectOf(question);
    const isKnown = isCovered(question, known) && tokens[subject] === token && subject in marks;
    if (answered.includes(question) && !isKnown) return false;
  }
  return true;
}

/**
 * Whether all findings are certainly new: nothing in the seen set has one of their keys or likenesses, and no two
 * findings share one.
 */
export function areNew(findings: readonly ListedPosting[], { seen }: Pick<Ledger, 'seen'>): boolean {
  return Object.keys(seen).length === 0 && (findings.length < 2 || haveNothingInCommon(findings));
}

function haveNothingInCommon(findings: readonly ListedPosting[]): boolean {
  const known = new Set<string>();
  for (const { keys, posting } of findings)
    for (const one of [...keys, likeness(posting) ?? '', nameOf(posting) ?? '']) {
      if (known.has(one)) return false;
      if (one !== '') known.add(one);
    }
  return true;
}

/**
 * Finds what is new in a poll and puts it in the outbox. The first poll is the baseline: everything is recorded, and
 * only the `newest` postings asked for are sent. Postings are compared by key, not by date or id, because old
 * postings return to the top of feeds. Each question is compared with its own answers, and a question that is
 * answered for the first time has its own baseline. `shown`: the other postings in the answers, see
 * {@link mayGoByMarks} and {@link areNew}.
 */
export function record(
  ledger: Ledger,
  findings: readonly ListedPosting[],
  options: RecordOptions,
  shown: readonly Shown[] = [],
): Recorded {
  const { now, asked, pause } = options;
  const baseline = ledger.baselineAt === undefined;
  const pauseEnded = !baseline && pause !== undefined && pause !== ledger.pause;
  const unheard = new Set(pauseEnded ? asked.map(subjectOf) : ledger.unheard);
  const seen = openSeen(ledger.seen);
  const sorted = [...findings].sort(byDay);
  const recognised = recognise(sorted, seen, ledger, options);
  const watch = watched(ledger.gaps, now);
  const depths = new Map<string, number>();
  for (const [subject, at] of Object.entries(watch))
    depths.set(subject, depthOf(subject, at, recognised.known, seen));
  const owed: Owed[] = [];
  const fresh: { posting: Posting; fate: Fate; by?: string }[] = [];
  const keyed = new Map<ListedPosting, Keyed>();
  const counts = { matched: 0, filtered: 0, reposts: 0 };
  let newest = options.newest;

  for (const finding of sorted) {
    const { posting, keys, verdict, by } = finding;
    const name = nameOf(posting);
    const former = recognised.known.get(finding);
    const { key, isCopy } = former ? { key: former, isCopy: true } : recognised.keyOf(finding);
    keyed.set(finding, { key, isNew: former === undefined });
    if (isCopy) {
      seen.learn(key, keys, name);
      continue;
    }
    const like = likeness(posting);
    const first = like === undefined ? undefined : seen.like(like);
    const firstSeen = first === undefined ? undefined : seen.entries[first];
    // Two postings that share a key and are in the same answer are two jobs, however similar they are.
    const isTwin =
      first !== undefined && baseOf(first) === baseOf(key) && recognised.standsBeside(finding, first);
    const repostOf = options.reposts || firstSeen?.fate === 'filtered' || isTwin ? undefined : first;
    let [isNews, isHeard] = [false, false];
    for (const question of by) {
      const subject = subjectOf(question);
      if (!isAsked(ledger, question) && limitOf(question) > (depths.get(subject) ?? 0)) continue;
      isNews = true;
      isHeard ||= !unheard.has(subject);
    }
    // The first answer to a question holds postings of the past weeks. They are recorded, not announced.
    const isOld = baseline ? verdict.ok && newest-- <= 0 : !isNews;
    const silent = isNews && !isHeard && isFromPause(posting, options);
    const fate = verdict.ok
      ? (silenced(isOld, silent, repostOf) ?? { fate: 'matched' as const })
      : { fate: 'filtered' as const, by: verdict.rule };
    counts[verdict.ok ? 'matched' : 'filtered']++;
    if (fate.fate === 'repost') counts.reposts++;
    const named = defined({ like, name });
    seen.add([key, ...keys.slice(1)], { at: now, ...fate, ...named });
    const recorded = trimmed(key === posting.key ? posting : { ...posting, key });
    fresh.push({ posting: recorded, ...fate });
    if (fate.fate !== 'matched' || !verdict.ok || options.destinations.length === 0) continue;
    owed.push({
      posting: recorded,
      matched: verdict.matched,
      at: now,
      ...defined({ since: options.since }),
      to: options.destinations,
      ...defined({
        seenBefore: firstSeen && !isTwin ? dayOf(firstSeen.at) : undefined,
        awaits: awaitedFrom(posting, by, options.enrichUntil),
      }),
    });
  }

  const { gapsFound, ...known } = answersAfter(ledger, options, {
    answers: answersWith(findings, keyed, shown),
    unheard,
    watch,
  });
  const announced = fresh.filter((one) => one.fate === 'matched').length;
  const next: Ledger = {
    ...ledger,
    baselineAt: ledger.baselineAt ?? now,
    polledAt: now,
    ...defined({ pause }),
    ...known,
    matches: countMatches(ledger.matches, { now, count: announced, isFirst: baseline }),
    seen: seen.entries,
    seenCount: (ledger.seenCount ?? Object.keys(ledger.seen).length) + fresh.length,
    // Feeds list the newest first; readers get the oldest first.
    outbox: [...ledger.outbox, ...owed.reverse()],
  };
  const { rekeyed } = recognised;
  return { ledger: next, baseline, gaps: gapsFound, rekeyed, counts, announced, fresh };
}

/** What a ledger knows about each question after a poll, and the subjects of those with a gap. */
interface AnswersAfter
  extends Required<Pick<Ledger, 'asked' | 'unheard' | 'recent' | 'marks' | 'tokens' | 'gaps'>> {
  readonly gapsFound: readonly string[];
}

/**
 * `answers`: the postings of each answer, by subject. `unheard`: subjects not answered since a pause. `watch`: gaps that are
 * still watched.
 */
function answersAfter(
  ledger: Ledger,
  { now, asked, answered, unanswered = [], full = [], token }: RecordOptions,
  {
    answers,
    unheard,
    watch,
  }: {
    readonly answers: ReadonlyMap<string, readonly Place[]>;
    readonly unheard: ReadonlySet<string>;
    readonly watch: Readonly<Record<string, number>>;
  },
): AnswersAfter {
  const gapsFound: string[] = [];
  const heard: string[] = [];
  const stillUnheard: string[] = [];
  const recent: Record<string, readonly string[]> = {};
  const marks: Record<string, readonly string[]> = {};
  const tokens: Record<string, string> = {};
  const gaps: Record<string, number> = {};
  for (const question of asked) {
    const subject = subjectOf(question);
    const places = answers.get(subject) ?? [];
    const last = ledger.recent[subject] ?? [];
    const isHeard = !unanswered.includes(question);
    if (isHeard) heard.push(question);
    else {
      // What is known about a question is kept while it gives no answer.
      for (const former of ledger.asked ?? []) if (subjectOf(former) === subject) heard.push(former);
      if (unheard.has(subject)) stillUnheard.push(subject);
    }
    const isCompared = answered.includes(question) && full.includes(question) && !unheard.has(subject);
    if (isCompared && isAsked(ledger, question) && isGap(places, last, wasFull(ledger, subject)))
      gapsFound.push(subject);
    const keys = places.length > 0 ? places.map(keyOfPlace) : last;
    if (keys.length > 0) recent[subject] = keys;
    const marked = places.length > 0 ? places.map(markOfPlace) : ledger.marks?.[subject];
    if (marked) marks[subject] = marked;
    const by = isHeard && token ? token : ledger.tokens?.[subject];
    if (by !== undefined) tokens[subject] = by;
    const gapAt = gapsFound.includes(subject) ? now : watch[subject];
    if (gapAt !== undefined) gaps[subject] = gapAt;
  }
  return { asked: heard, unheard: stillUnheard, recent, marks, tokens, gaps, gapsFound };
}

/**
 * Marks postings as done for one destination and removes postings that no destination is waiting for from the outbox.
 */
export function finish(ledger: Ledger, destination: string, keys: readonly string[], outcome: Done): Ledger {
  if (keys.length === 0) return ledger;
  const set = new Set(keys);
  const done = { ...ledger.done };
  const postings = new Map(ledger.outbox.map(({ posting }) => [posting.key, posting]));
  for (const key of set) {
    const how =
      outcome.how === 'sent' ? { ...outcome, link: linkMark(postings.get(key)?.applyUrl) } : outcome;
    done[key] = { ...done[key], [destination]: how };
  }
  const outbox = ledger.outbox
    .map((owed) =>
      set.has(owed.posting.key) ? { ...owed, to: owed.to.filter((id) => id !== destination) } : owed,
    )
    .filter((owed) => owed.to.length > 0);
  return { ...ledger, done, outbox };
}

/**
 * Records that another account's subscription also brings these postings to a destination, with another link. Each
 * then shows only its own reasons.
 */
export function markTwice(ledger: Ledger, destination: string, keys: ReadonlySet<string>): Ledger {
  if (keys.size === 0) return ledger;
  const outbox = ledger.outbox.map((owed) => {
    if (!keys.has(owed.posting.key) || !owed.to.includes(destination)) return owed;
    const { [destination]: _theirs, ...also } = owed.also ?? {};
    return { ...owed, also, twice: [...new Set([...(owed.twice ?? []), destination])] };
  });
  return { ...ledger, outbox };
}

/** Notes the reasons of the other subscriptions that share a destination, for the postings of these keys. */
export function markReasons(
  ledger: Ledger,
  destination: string,
  keys: ReadonlySet<string>,
  reasonsOf: (posting: Posting) => readonly string[],
): Ledger {
  const outbox = ledger.outbox.map((owed) => {
    if (!keys.has(owed.posting.key) || !owed.to.includes(destination)) return owed;
    return { ...owed, also: { ...owed.also, [destination]: [...new Set(reasonsOf(owed.posting))] } };
  });
  return { ...ledger, outbox };
}

/** Why a posting matched, with the reasons of every subscription that shares the destination. */
export function reasonsAt({ matched, also }: Owed, destination: string): readonly string[] {
  return [...new Set([...matched, ...(also?.[destination] ?? [])])];
}

/** A posting as the readers of a destination see it. */
export function postingAt(owed: Owed, destination: string): EditionPosting {
  return {
    ...owed.posting,
    matched: reasonsAt(owed, destination),
    ...defined({
      fit: owed.fit?.[destination],
      seenBefore: owed.seenBefore || undefined,
      appliedOn: owed.applied?.[destination],
      twice: owed.twice?.includes(destination) || undefined,
    }),
  };
}

/** Notes when the reader of a destination applied to the jobs of these postings, by key, in milliseconds since the epoch. */
export function markApplied(ledger: Ledger, destination: string, times: ReadonlyMap<string, number>): Ledger {
  if (times.size === 0) return ledger;
  const outbox = ledger.outbox.map((owed) => {
    const at = times.get(owed.posting.key);
    return at === undefined ? owed : { ...owed, applied: { ...owed.applied, [destination]: dayOf(at) } };
  });
  return { ...ledger, outbox };
}

/** The postings in a destination's outbox that are not in an open edition, oldest first. */
export function pending(ledger: Ledger, destination: string): readonly Owed[] {
  const held = new Set(
    ledger.editions
      .filter((edition) => edition.destination === destination)
      .flatMap((edition) => [...edition.parts.flat(), ...edition.rest]),
  );
  return ledger.outbox.filter((owed) => owed.to.includes(destination) && !held.has(owed.posting.key));
}

/** True while anything is waiting to be sent to any destination. */
export function owesAnything(ledger: Ledger): boolean {
  return ledger.outbox.length > 0 || ledger.editions.length > 0;
}
