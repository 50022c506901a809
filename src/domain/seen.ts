// The seen set: every posting a subscription ever came across, by posting key, with what became of it. It alone
// decides what is new, because neither dates nor ids of a feed are in order.
import { createHash } from 'node:crypto';

/** What became of a posting when it was first seen. */
export type Fate = 'baseline' | 'matched' | 'filtered' | 'repost' | 'paused';

/** How a destination was done with a posting. */
export interface Done {
  readonly at: number;
  /**
   * sent: the far side accepted it; more: over the cap of an edition, on its page; elsewhere: another subscription
   * brought it; moved: owed to the destination `to` since.
   */
  readonly how: 'sent' | 'more' | 'elsewhere' | 'parked' | 'expired' | 'dropped' | 'moved';
  readonly why?: string;
  /** Destination id. */
  readonly to?: string;
  /** What {@link linkMark} gives for the apply link it was sent with; absent in older ledgers. */
  readonly link?: string;
}

/** Two links have the same mark when they are the same byte for byte; no link has an empty one. */
export function linkMark(link: string | undefined): string {
  return link === undefined ? '' : createHash('sha256').update(link).digest('base64url').slice(0, 22);
}

/** One line of the seen set. Times in milliseconds since the epoch. */
export interface Seen {
  readonly at: number;
  readonly fate: Fate;
  /** The rule that removed it, or the key it is a repost of. */
  readonly by?: string;
  readonly like?: string;
  /** Its weaker keys, shortened: the same posting may come back without the key it was first known by. */
  readonly alias?: readonly string[];
  readonly done?: Readonly<Record<string, Done>>;
}

/** 60 bits of a key: enough to tell the few thousand of a subscription apart, a tenth of its length. */
function brief(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 10);
}

function kindOf(key: string): string {
  return /^[a-z]*/u.exec(key)?.[0] ?? '';
}

/** A seen set that is being added to. */
export interface SeenSet {
  readonly entries: Readonly<Record<string, Seen>>;
  /**
   * The key a posting was seen under, by any of its keys. A shared weaker key counts only between postings known by
   * keys of different kinds: two ids with one careers page are two postings, an id and a bare link to it are one.
   */
  find(keys: readonly string[]): string | undefined;
  /** The first key seen of that likeness; one that was filtered out was never announced and comes last. */
  like(likeness: string): string | undefined;
  add(keys: readonly string[], entry: Omit<Seen, 'alias'>): void;
}

/** Opens a seen set; `before` stays as it is. The indexes are made when they are first needed: most polls bring nothing new. */
export function openSeen(before: Readonly<Record<string, Seen>>): SeenSet {
  const entries: Record<string, Seen> = { ...before };
  let owners: Map<string, string> | undefined;
  let likes: Map<string, string> | undefined;

  function index(key: string, { alias = [], like }: Seen): void {
    for (const one of alias) owners?.set(one, key);
    const former = like === undefined ? undefined : likes?.get(like);
    if (like && (!former || entries[former]?.fate === 'filtered')) likes?.set(like, key);
  }

  function indexAll(): void {
    if (owners) return;
    owners = new Map();
    likes = new Map();
    for (const [key, entry] of Object.entries(entries)) index(key, entry);
  }

  return {
    entries,
    find(keys) {
      const known = keys.find((key) => Object.hasOwn(entries, key));
      if (known) return known;
      indexAll();
      return keys
        .map((key) => owners?.get(brief(key)))
        .find((owner) => owner && kindOf(owner) !== kindOf(keys[0] as string));
    },
    like(likeness) {
      indexAll();
      return likes?.get(likeness);
    },
    add(keys, entry) {
      const [key = '', ...weaker] = keys;
      entries[key] = { ...entry, ...(weaker.length > 0 ? { alias: weaker.map(brief) } : {}) };
      index(key, entries[key]);
    },
  };
}

/** Keys kept for each question asked: ten times the most one answer holds, for a posting may slide back long after it left the feed. */
const PER_QUESTION = 1000;
const PER_POSTING = 10;

/** How many keys a subscription keeps that asks `questions` and last got `postings`. */
export function seenBound(questions: number, postings: number): number {
  return Math.max(PER_QUESTION * Math.max(questions, 1), PER_POSTING * postings);
}

/** Forgets the oldest keys over the bound, but none to keep: what a feed still shows, and what is owed, would come back as new. */
export function bounded(
  seen: Readonly<Record<string, Seen>>,
  keep: ReadonlySet<string>,
  bound: number,
): Readonly<Record<string, Seen>> {
  const entries = Object.entries(seen);
  if (entries.length <= bound) return seen;
  const old = entries.filter(([key]) => !keep.has(key)).sort((a, b) => a[1].at - b[1].at);
  const dropped = new Set(old.slice(0, entries.length - bound).map(([key]) => key));
  return Object.fromEntries(entries.filter(([key]) => !dropped.has(key)));
}
