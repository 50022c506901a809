// The seen set: every posting a subscription ever found, by posting key, with its fate. Only the seen set decides
// what is new, because neither the dates nor the ids of a feed are in order.

import { hash } from 'node:crypto';
import { defined } from './defined.js';

/** What became of a posting when it was first seen. */
export type Fate = 'baseline' | 'matched' | 'filtered' | 'repost' | 'paused';

/** The outcome of a posting at a destination. */
export interface Done {
  readonly at: number;
  /**
   * sent: the receiving service accepted it; more: it was over the cap of an edition and is on the edition's page;
   * limit: it was over the limit per day;
   * elsewhere: another subscription delivered it; moved: it is now waiting for the destination `to`.
   */
  readonly how: 'sent' | 'more' | 'limit' | 'elsewhere' | 'parked' | 'expired' | 'dropped' | 'moved';
  readonly why?: string;
  /** Destination id. */
  readonly to?: string;
  /** The {@link linkMark} of the apply link it was sent with; absent in older ledgers. */
  readonly link?: string;
}

/** Returns a mark that is the same for two links only if they are equal byte for byte; empty for no link. */
export function linkMark(link: string | undefined): string {
  return link === undefined ? '' : hash('sha256', link, 'base64url').slice(0, 22);
}

/** One entry of the seen set. Times in milliseconds since the epoch. */
export interface Seen {
  readonly at: number;
  readonly fate: Fate;
  /** The rule that removed it, or the key of the posting it repeats. */
  readonly by?: string;
  readonly like?: string;
  /** Title and company as last read, shortened. Postings are compared by it when the keys of the feed change. */
  readonly name?: string;
  /** Its weaker keys, shortened. The same posting may return without the key it was first known by. */
  readonly alias?: readonly string[];
  /** First keys it returned under after the feed changed its keys, shortened. */
  readonly renamed?: readonly string[];
}

/** 60 bits of a hash: enough to tell a subscription's few thousand postings apart, at a tenth of the length. */
function brief(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 10);
}

/** Returns the kind of a key: `id`, `guid`, `url`, `link` or `hash`. */
export function kindOf(key: string): string {
  return /^[a-z]*/u.exec(key)?.[0] ?? '';
}

/** Separates a key that several postings share from what tells them apart. {@link postingKeys} never writes it. */
const SHARED = '~';
/** Highest number of keys kept per posting, newest last. A feed may give a posting another key with every answer. */
const MOST_ALIASES = 6;

/** Returns the key of a further posting under a shared key; always the same for the same title, company and link. */
export function sharedKey(
  key: string,
  { name = '', link = '' }: { readonly name?: string | undefined; readonly link?: string | undefined },
): string {
  return `${key}${SHARED}${brief(`${name}\n${link}`)}`;
}

/** Returns the key as the feed gave it. */
export function baseOf(key: string): string {
  const end = key.indexOf(SHARED);
  return end < 0 ? key : key.slice(0, end);
}

/** Highest number of keys listed under one name, see {@link namesOf}. */
export const MOST_UNDER_NAME = 50;

/**
 * Returns the names under which a seen posting is found besides its key: weaker and former keys, its likeness, and
 * the key it shares.
 */
export function namesOf(key: string, { alias = [], renamed = [], like }: Seen): readonly string[] {
  const base = baseOf(key);
  const names: string[] = [];
  for (const one of alias) names.push(`>${one}`);
  for (const one of renamed) names.push(`>${one}`);
  if (like !== undefined) names.push(`=${like}`);
  if (base !== key) names.push(`~${brief(base)}`);
  return names;
}

/** Returns the names under which to look for what was seen by one of these keys or likenesses. */
export function namesFor(keys: readonly string[], likes: readonly string[]): readonly string[] {
  const names: string[] = [];
  for (const key of keys) {
    const [base, hashed] = [baseOf(key), brief(key)];
    names.push(`>${hashed}`, `~${base === key ? hashed : brief(base)}`);
  }
  for (const like of likes) names.push(`=${like}`);
  return names;
}

/** A seen set that can be added to. */
export interface SeenSet {
  readonly entries: Readonly<Record<string, Seen>>;
  /**
   * Returns the key a posting was seen under, by any of its keys. A shared weaker key counts only between postings
   * with keys of different kinds: two ids with one careers page are two postings; an id and a bare link to it are
   * one.
   */
  find(keys: readonly string[]): string | undefined;
  /** Keys of all postings that have `key` as a weaker key or returned under it, in the order they were seen. */
  owners(key: string): readonly string[];
  /** The seen keys that the feed gave as `key`; more than one when several postings share it. */
  family(key: string): readonly string[];
  /** True when the posting seen under `key` has this link (as one of {@link postingKeys}). */
  hasLink(key: string, link: string): boolean;
  /** True when the posting seen under `key` returned with `first` as its first key. */
  wasRenamed(key: string, first: string): boolean;
  /** The first key seen with this likeness. A filtered posting comes last, because it was never announced. */
  like(likeness: string): string | undefined;
  add(keys: readonly string[], entry: Omit<Seen, 'alias' | 'renamed'>): void;
  /** Records the keys and name a posting returned with. Changes nothing if they are known. */
  learn(key: string, keys: readonly string[], name: string | undefined): void;
}

/**
 * Opens a seen set; `before` is not changed. Indexes are built when first needed, because most polls find nothing
 * new.
 */
export function openSeen(before: Readonly<Record<string, Seen>>): SeenSet {
  const entries: Record<string, Seen> = { ...before };
  let owners: Map<string, string[]> | undefined;
  let families: Map<string, string[]> | undefined;
  let likes: Map<string, string> | undefined;

  function index(key: string, { alias = [], renamed = [], like }: Seen): void {
    if (!owners || !likes) return;
    for (const one of [...alias, ...renamed]) {
      const known = owners.get(one);
      if (!known) owners.set(one, [key]);
      else if (!known.includes(key)) known.push(key);
    }
    const former = like === undefined ? undefined : likes.get(like);
    if (like && (!former || entries[former]?.fate === 'filtered')) likes.set(like, key);
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
      entries[key] = weaker.length > 0 ? { alias: weaker.map(brief), ...entry } : entry;
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
        ...defined({
          name,
          alias: aliases.length > 0 ? aliases : undefined,
          renamed: firsts.length > 0 ? firsts : undefined,
        }),
      };
      entries[key] = next;
      index(key, next);
    },
  };
}

/**
 * Keys kept for each question: ten times the most postings one answer holds, because a posting may return long after
 * it left the feed.
 */
const PER_QUESTION = 1000;
const PER_POSTING = 10;

/** Returns how many keys a subscription keeps if it asks `questions` and last got `postings`. */
export function seenBound(questions: number, postings: number): number {
  return Math.max(PER_QUESTION * Math.max(questions, 1), PER_POSTING * postings);
}

/**
 * Removes the oldest keys above the bound, except those in `keep`: postings a feed still shows or that are waiting to
 * be sent would return as new.
 */
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
