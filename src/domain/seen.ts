// The seen set: every posting a subscription ever came across, by posting key, with what became of it. It alone
// decides what is new, because neither dates nor ids of a feed are in order.
import { createHash } from 'node:crypto';

/** What became of a posting when it was first seen. */
export type Fate = 'baseline' | 'matched' | 'filtered' | 'repost' | 'paused';

/** How a destination was done with a posting: its outcome. */
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
  /** Title and company as last read, shortened: what a posting is compared by when the keys of the feed change. */
  readonly name?: string;
  /** Its weaker keys, shortened: the same posting may come back without the key it was first known by. */
  readonly alias?: readonly string[];
  /** First keys it came back under after the feed had changed them, shortened. */
  readonly renamed?: readonly string[];
}

/** 60 bits of a text: enough to tell the few thousand of a subscription apart, a tenth of its length. */
function brief(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 10);
}

/** What kind of key it is: `id`, `guid`, `url`, `link` or `hash`. */
export function kindOf(key: string): string {
  return /^[a-z]*/u.exec(key)?.[0] ?? '';
}

/** Stands between a key that several postings share and what tells them apart; {@link postingKeys} never writes it. */
const SHARED = '~';
/** Most keys kept of one posting, newest last: a feed may give it another one with every answer. */
const MOST_ALIASES = 6;

/** The key of a further posting under a key that several share; the same for the same title, company and link. */
export function sharedKey(
  key: string,
  { name = '', link = '' }: { readonly name?: string | undefined; readonly link?: string | undefined },
): string {
  return `${key}${SHARED}${brief(`${name}\n${link}`)}`;
}

/** The key as the feed gave it. */
export function baseOf(key: string): string {
  const end = key.indexOf(SHARED);
  return end < 0 ? key : key.slice(0, end);
}

/** Most keys listed under one name, see {@link namesOf}. */
export const MOST_UNDER_NAME = 50;

/** Names under which a seen posting is found besides its key: weaker and former keys, its likeness, the key it shares. */
export function namesOf(key: string, { alias = [], renamed = [], like }: Seen): readonly string[] {
  const base = baseOf(key);
  return [
    ...[...alias, ...renamed].map((one) => `>${one}`),
    ...(like === undefined ? [] : [`=${like}`]),
    ...(base === key ? [] : [`~${brief(base)}`]),
  ];
}

/** The names to look under for whatever was seen by one of these keys or likenesses. */
export function namesFor(keys: readonly string[], likes: readonly string[]): readonly string[] {
  return [
    ...keys.flatMap((key) => [`>${brief(key)}`, `~${brief(baseOf(key))}`]),
    ...likes.map((like) => `=${like}`),
  ];
}

/** A seen set that is being added to. */
export interface SeenSet {
  readonly entries: Readonly<Record<string, Seen>>;
  /**
   * The key a posting was seen under, by any of its keys. A shared weaker key counts only between postings known by
   * keys of different kinds: two ids with one careers page are two postings, an id and a bare link to it are one.
   */
  find(keys: readonly string[]): string | undefined;
  /** Keys of all that have `key` among their weaker ones, or came back under it, in the order they were seen. */
  owners(key: string): readonly string[];
  /** The keys seen that the feed gave as `key`: more than one when several postings share it. */
  family(key: string): readonly string[];
  /** True when the posting seen under `key` has that link (as one of {@link postingKeys}). */
  hasLink(key: string, link: string): boolean;
  /** True when the posting seen under `key` came back with `first` as its first key. */
  wasRenamed(key: string, first: string): boolean;
  /** The first key seen of that likeness; one that was filtered out was never announced and comes last. */
  like(likeness: string): string | undefined;
  add(keys: readonly string[], entry: Omit<Seen, 'alias' | 'renamed'>): void;
  /** Notes under what keys and name a posting came back; nothing when it knows them. */
  learn(key: string, keys: readonly string[], name: string | undefined): void;
}

/** Opens a seen set; `before` stays as it is. The indexes are made when they are first needed: most polls bring nothing new. */
export function openSeen(before: Readonly<Record<string, Seen>>): SeenSet {
  const entries: Record<string, Seen> = { ...before };
  let owners: Map<string, string[]> | undefined;
  let families: Map<string, string[]> | undefined;
  let likes: Map<string, string> | undefined;

  function index(key: string, { alias = [], renamed = [], like }: Seen): void {
    for (const one of [...alias, ...renamed]) {
      const known = owners?.get(one);
      if (!known) owners?.set(one, [key]);
      else if (!known.includes(key)) known.push(key);
    }
    const former = like === undefined ? undefined : likes?.get(like);
    if (like && (!former || entries[former]?.fate === 'filtered')) likes?.set(like, key);
  }

  function indexAll(): void {
    if (owners) return;
    owners = new Map();
    likes = new Map();
    for (const [key, entry] of Object.entries(entries)) index(key, entry);
  }

  function joinFamily(key: string): void {
    const base = baseOf(key);
    if (base !== key) families?.set(base, [...(families.get(base) ?? []), key]);
  }

  function ownersOf(key: string): readonly string[] {
    indexAll();
    return owners?.get(brief(key)) ?? [];
  }

  return {
    entries,
    find(keys) {
      const known = keys.find((key) => Object.hasOwn(entries, key));
      return (
        known ??
        keys
          .map((key) => ownersOf(key).at(-1))
          .find((owner) => owner && kindOf(owner) !== kindOf(keys[0] as string))
      );
    },
    owners: ownersOf,
    family(key) {
      if (!families) {
        families = new Map();
        for (const one of Object.keys(entries)) joinFamily(one);
      }
      return [...(Object.hasOwn(entries, key) ? [key] : []), ...(families.get(key) ?? [])];
    },
    hasLink: (key, link) => baseOf(key) === link || (entries[key]?.alias?.includes(brief(link)) ?? false),
    wasRenamed: (key, first) => entries[key]?.renamed?.includes(brief(first)) ?? false,
    like(likeness) {
      indexAll();
      return likes?.get(likeness);
    },
    add([key = '', ...weaker], entry) {
      entries[key] = { ...entry, ...(weaker.length > 0 ? { alias: weaker.map(brief) } : {}) };
      index(key, entries[key]);
      joinFamily(key);
    },
    learn(key, [first = '', ...weaker], name) {
      const { alias = [], renamed = [], ...entry } = entries[key] as Seen;
      const news = weaker.filter((one) => one !== key).map(brief);
      const moreAlias = news.filter((one) => !alias.includes(one));
      const isRenamed = first !== baseOf(key) && ![...alias, ...renamed].includes(brief(first));
      if (moreAlias.length === 0 && !isRenamed && (name === undefined || name === entry.name)) return;
      const aliases = [...alias, ...moreAlias].slice(-MOST_ALIASES);
      const firsts = [...renamed, ...(isRenamed ? [brief(first)] : [])].slice(-MOST_ALIASES);
      const next: Seen = {
        ...entry,
        ...(name === undefined ? {} : { name }),
        ...(aliases.length > 0 ? { alias: aliases } : {}),
        ...(firsts.length > 0 ? { renamed: firsts } : {}),
      };
      entries[key] = next;
      index(key, next);
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
