// The ledger: per subscription, one record with what was seen and what is still owed. The store has no
// transactions, so what must change together lives here and changes in one write. Everything in this
// file is a pure function from a ledger to the next one.
import type { Edition } from './edition.js';
import type { MendName } from './errors.js';
import { covers, limitOf, subjectOf, type Verdict } from './filter.js';
import { likeness, type Posting, type ReadPosting } from './posting.js';
import {
  bounded,
  type Done,
  type Fate,
  linkMark,
  openSeen,
  type Seen,
  type SeenSet,
  seenBound,
} from './seen.js';
import { snippet } from './text.js';

/** A posting still owed to one or more destinations. */
export interface Owed {
  readonly posting: Posting;
  readonly matched: readonly string[];
  readonly at: number;
  /** Nobody looked from then until it was found: a slot in between was missed for want of anybody running, and is made up for. */
  readonly since?: number;
  /** Destination ids. */
  readonly to: readonly string[];
  readonly seenBefore?: string;
  /** Reasons of other subscriptions that share a destination, by destination id. */
  readonly also?: Readonly<Record<string, readonly string[]>>;
  /** Destination ids where another member's subscription announces it too, with another link. */
  readonly twice?: readonly string[];
}

/** Why a destination gets nothing until its owner acts: what the far side said, and by name what mends it. */
export interface Parked {
  readonly at: number;
  readonly why: string;
  readonly mend?: MendName;
  /** The subscription's last resume at that time; any other frees the destination, whatever the clock says. */
  readonly resumedAt?: number;
}

/** See the file's head. */
export interface Ledger {
  readonly version: 1;
  readonly baselineAt?: number;
  /** The questions answered at the last poll: a new one has old answers, so it gets a baseline of its own. */
  readonly asked?: readonly string[];
  readonly polledAt?: number;
  /** The last pause (by its beginning) whose postings are recorded; another one's are not yet. */
  readonly pause?: number;
  /** What each question last showed, by its subject: for the gap alarm, and not to be forgotten while it is shown. */
  readonly recent: Readonly<Record<string, readonly string[]>>;
  readonly seen: Readonly<Record<string, Seen>>;
  readonly outbox: readonly Owed[];
  readonly editions: readonly Edition[];
  readonly parked: Readonly<Record<string, Parked>>;
  /** The destinations it was last written for, in the subscription's order; see moving.ts. */
  readonly places?: readonly string[];
  /** When each destination had its last edition. */
  readonly lastEdition: Readonly<Record<string, number>>;
}

export const EMPTY_LEDGER: Ledger = {
  version: 1,
  recent: {},
  seen: {},
  outbox: [],
  editions: [],
  parked: {},
  lastEdition: {},
};

/** A posting of a poll with the filter's verdict. */
export interface Finding extends ReadPosting {
  readonly verdict: Verdict;
  /** The questions it answers, each with the least limit that would have returned it. */
  readonly by: readonly string[];
  readonly also?: Readonly<Record<string, readonly string[]>>;
}

/** What {@link record} needs to know about the subscription and the moment. */
export interface RecordOptions {
  readonly now: number;
  /** All questions of the filter, see {@link covers}. */
  readonly asked: readonly string[];
  /** Those whose answer is among the findings; the others were unchanged. */
  readonly answered: readonly string[];
  /** Destination ids that are owed what matches. */
  readonly destinations: readonly string[];
  /** The poll before this one, where nothing ran in between: what is found now may have been there at once after it. */
  readonly since?: number;
  /** Beginning of the subscription's last pause: what appeared in it is recorded, not sent. */
  readonly pause?: number;
  /** When a gap was found that is watched, so that answers reach further down than they did before it. */
  readonly gapAt?: number;
  /** Newest matching postings owed at the baseline. */
  readonly newest: number;
  readonly reposts: boolean;
}

/** What a poll meant. `gap`: no posting in common with the poll before, so some may have been missed. */
export interface Recorded {
  readonly ledger: Ledger;
  readonly baseline: boolean;
  readonly gap: boolean;
  readonly counts: { readonly matched: number; readonly filtered: number; readonly reposts: number };
  /** Postings seen for the first time, with their fate. */
  readonly fresh: readonly { readonly posting: Posting; readonly fate: Fate; readonly by?: string }[];
}

/** Keeps what a card, a mail and a page show; whole descriptions would make every ledger write a hundred times larger. */
export function trimmed(posting: Posting): Posting {
  const { description, extra: _extra, ...rest } = posting;
  const text = snippet(description, 400);
  return text === undefined ? rest : { ...rest, description: text };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Newest first by the day they carry; those without one stay where the feed has them, after the others. */
function byDay({ posting: a }: Finding, { posting: b }: Finding): number {
  const [one, other] = [a.postedAt ?? '', b.postedAt ?? ''];
  return one < other ? 1 : one > other ? -1 : 0;
}

/**
 * How far down the answers, by subject, a posting may have been missed in a gap: to the last one known from before it.
 * What stands below that one was there before, out of reach of the limit. With none left, all of it may be news.
 */
function depths(findings: readonly Finding[], seen: SeenSet, gapAt: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { keys, by } of findings) {
    const known = seen.entries[seen.find(keys) ?? ''];
    if (known === undefined || known.at >= gapAt) continue;
    for (const one of by) found.set(subjectOf(one), Math.max(limitOf(one), found.get(subjectOf(one)) ?? 0));
  }
  return found;
}

/** What becomes of a posting that matched and was not seen before, unless it is announced. */
function hushed(
  isOld: boolean,
  silent: boolean,
  repostOf: string | undefined,
): Pick<Seen, 'fate' | 'by'> | undefined {
  if (silent) return { fate: 'paused' };
  if (isOld) return { fate: 'baseline' };
  return repostOf === undefined ? undefined : { fate: 'repost', by: repostOf };
}

/**
 * Detects what is new in a poll and makes it owed. The first poll is the baseline: everything is recorded,
 * nothing owed but the `newest` asked for. Keys, not dates or ids, decide: old postings return to the top of feeds.
 */
export function record(ledger: Ledger, findings: readonly Finding[], options: RecordOptions): Recorded {
  const { now, asked, answered, pause, gapAt } = options;
  const baseline = ledger.baselineAt === undefined;
  const silent = !baseline && pause !== undefined && pause !== ledger.pause;
  const isKnown = (question: string) => ledger.asked?.some((former) => covers(former, question)) ?? false;
  const seen = openSeen(ledger.seen);
  const depth = gapAt === undefined ? undefined : depths(findings, seen, gapAt);
  const isMissed = (question: string) =>
    depth !== undefined &&
    subjectOf(question) in ledger.recent &&
    limitOf(question) <= (depth.get(subjectOf(question)) ?? Number.POSITIVE_INFINITY);
  const owed: Owed[] = [];
  const fresh: { posting: Posting; fate: Fate; by?: string }[] = [];
  const present = new Set<string>();
  const shown = new Map<string, string[]>();
  const counts = { matched: 0, filtered: 0, reposts: 0 };
  let newest = options.newest;

  for (const { posting, keys, verdict, by, also } of [...findings].sort(byDay)) {
    const former = seen.find(keys);
    const key = former ?? posting.key;
    present.add(key);
    for (const subject of by.map(subjectOf)) shown.set(subject, [...(shown.get(subject) ?? []), key]);
    if (former) continue;
    const like = likeness(posting);
    const first = like === undefined ? undefined : seen.like(like);
    const firstSeen = first === undefined ? undefined : seen.entries[first];
    const repostOf = options.reposts || firstSeen?.fate === 'filtered' ? undefined : first;
    // A question asked for the first time is answered with postings of the past weeks: they are recorded, not announced.
    const isOld = baseline
      ? verdict.ok && newest-- <= 0
      : !by.some((question) => isKnown(question) || isMissed(question));
    const fate = verdict.ok
      ? (hushed(isOld, silent, repostOf) ?? { fate: 'matched' as const })
      : { fate: 'filtered' as const, by: verdict.rule };
    counts[verdict.ok ? 'matched' : 'filtered']++;
    if (fate.fate === 'repost') counts.reposts++;
    seen.add(keys, { at: now, ...fate, ...(like ? { like } : {}) });
    fresh.push({ posting, ...fate });
    if (fate.fate !== 'matched' || !verdict.ok || options.destinations.length === 0) continue;
    owed.push({
      posting: trimmed(posting),
      matched: verdict.matched,
      at: now,
      ...(options.since === undefined ? {} : { since: options.since }),
      to: options.destinations,
      ...(firstSeen ? { seenBefore: dayOf(firstSeen.at) } : {}),
      ...(also ? { also } : {}),
    });
  }

  // Feeds list the newest first; readers get the oldest first.
  const outbox = [...ledger.outbox, ...owed.reverse()];
  const last = Object.values(ledger.recent).flat();
  const comparable = !baseline && !silent && asked.every((one) => isKnown(one) && answered.includes(one));
  // An empty feed shares nothing with anything and is no sign of a gap.
  const both = last.length > 0 && present.size > 0;
  const gap = comparable && both && !last.some((key) => present.has(key));
  const recent = Object.fromEntries(
    asked.map((question) => {
      const now = shown.get(subjectOf(question)) ?? [];
      return [subjectOf(question), now.length > 0 ? now : (ledger.recent[subjectOf(question)] ?? [])];
    }),
  );
  const keep = new Set([...Object.values(recent).flat(), ...outbox.map((one) => one.posting.key)]);
  const next: Ledger = {
    ...ledger,
    baselineAt: ledger.baselineAt ?? now,
    asked,
    polledAt: now,
    ...(pause === undefined ? {} : { pause }),
    recent,
    seen: bounded(seen.entries, keep, seenBound(asked.length, findings.length)),
    outbox,
  };
  return { ledger: next, baseline, gap, counts, fresh };
}

/** Marks postings as done for one destination and forgets what is owed to nobody any more. */
export function finish(ledger: Ledger, destination: string, keys: readonly string[], done: Done): Ledger {
  if (keys.length === 0) return ledger;
  const set = new Set(keys);
  const seen: Record<string, Seen> = { ...ledger.seen };
  const links = new Map(ledger.outbox.map(({ posting }) => [posting.key, posting.applyUrl]));
  for (const key of set) {
    const entry = seen[key];
    const how = done.how === 'sent' ? { ...done, link: linkMark(links.get(key)) } : done;
    if (entry) seen[key] = { ...entry, done: { ...entry.done, [destination]: how } };
  }
  const outbox = ledger.outbox
    .map((owed) =>
      set.has(owed.posting.key) ? { ...owed, to: owed.to.filter((id) => id !== destination) } : owed,
    )
    .filter((owed) => owed.to.length > 0);
  return { ...ledger, seen, outbox };
}

/** Notes that postings come to a destination by another account's subscription too, with another link: each keeps its own reasons. */
export function markTwice(ledger: Ledger, destination: string, keys: ReadonlySet<string>): Ledger {
  if (keys.size === 0) return ledger;
  const outbox = ledger.outbox.map((owed) => {
    if (!keys.has(owed.posting.key) || !owed.to.includes(destination)) return owed;
    const { [destination]: _theirs, ...also } = owed.also ?? {};
    return { ...owed, also, twice: [...new Set([...(owed.twice ?? []), destination])] };
  });
  return { ...ledger, outbox };
}

/** What one destination is owed and no open edition holds yet, oldest first. */
export function pending(ledger: Ledger, destination: string): readonly Owed[] {
  const held = new Set(
    ledger.editions
      .filter((edition) => edition.destination === destination)
      .flatMap((edition) => [...edition.parts.flat(), ...edition.rest]),
  );
  return ledger.outbox.filter((owed) => owed.to.includes(destination) && !held.has(owed.posting.key));
}

/** True while anything is owed to anyone. */
export function owesAnything(ledger: Ledger): boolean {
  return ledger.outbox.length > 0 || ledger.editions.length > 0;
}
