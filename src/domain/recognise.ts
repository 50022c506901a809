// Finds out which postings of a poll are known, and under which keys. A key alone is not enough: several postings may
// share one (one careers page for two jobs), and the keys of a feed may change (new ids, another token's links) while
// its postings stay the same. Two postings in the same answer are never the same posting, unless one is a copy of the
// other with fewer fields.
import { limitOf, subjectOf, type Verdict } from './filter.js';
import { likeness, nameOf, type ReadPosting } from './posting.js';
import { kindOf, type SeenSet, sharedKey } from './seen.js';

/** A posting in the answers of one poll, with the filter's verdict. */
export interface ListedPosting extends ReadPosting {
  readonly verdict: Verdict;
  /** The questions it answers. The limit in each is the lowest one that would have returned it. */
  readonly by: readonly string[];
  /** Its mark in the answer to each of them. */
  readonly marks?: readonly (string | undefined)[];
}

/** What is known about the postings of one poll. */
export interface Recognition {
  /** The key under which a finding was seen before this poll. */
  readonly known: ReadonlyMap<ListedPosting, string>;
  /** Subjects whose keys have all changed: their postings have new keys and known titles. */
  readonly rekeyed: readonly string[];
  /**
   * The key of a finding that is not in `known`. If the poll has already recorded a copy of it, `isCopy` is true and
   * the key is that of the copy; otherwise it is the finding's own key, or one made with {@link sharedKey} if that
   * key is taken.
   */
  keyOf(finding: ListedPosting): { readonly key: string; readonly isCopy: boolean };
  /** True when another posting in one of the finding's answers is recorded under `key`. */
  standsBeside(finding: ListedPosting, key: string): boolean;
}

/** What distinguishes a posting from others that share its key. */
interface Face {
  readonly name: string | undefined;
  readonly link: string | undefined;
  readonly subjects: ReadonlySet<string>;
}

/** Groups what is in answers by the subject of the question, in the order of each answer. `place`: where it is, from 1. */
export function answersOf<T extends { readonly subject: string; readonly place: number }>(
  all: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const answers = new Map<string, T[]>();
  for (const one of all) {
    const answer = answers.get(one.subject);
    if (answer) answer.push(one);
    else answers.set(one.subject, [one]);
  }
  for (const answer of answers.values()) answer.sort(byPlace);
  return answers;
}

const byPlace = (a: { readonly place: number }, b: { readonly place: number }) => a.place - b.place;

/** Returns the findings of each question in the order of its answer, by subject. */
function windowsOf(findings: readonly ListedPosting[]): ReadonlyMap<string, readonly ListedPosting[]> {
  const placed: { finding: ListedPosting; subject: string; place: number }[] = [];
  for (const finding of findings)
    for (const question of finding.by)
      placed.push({ finding, subject: subjectOf(question), place: limitOf(question) });
  const windows = new Map<string, readonly ListedPosting[]>();
  for (const [subject, answer] of answersOf(placed)) windows.set(subject, answer.map(findingOf));
  return windows;
}

const findingOf = ({ finding }: { readonly finding: ListedPosting }) => finding;

/** A change of keys needs at least this many titles in common. A single one may be a repost. */
const FEWEST_NAMES = 2;

/**
 * Looks at all findings of a poll together. The caller adds the unknown findings to `seen` as it records them.
 * `former`: what each question last showed and with which token, by subject.
 */
export function recognise(
  findings: readonly ListedPosting[],
  seen: SeenSet,
  former: {
    readonly recent: Readonly<Record<string, readonly string[]>>;
    readonly tokens?: Readonly<Record<string, string>>;
  },
  { token, reposts }: { readonly token?: string; readonly reposts: boolean },
): Recognition {
  const faces = new Map<ListedPosting, Face>();
  for (const finding of findings) faces.set(finding, faceOf(finding));
  const face = (finding: ListedPosting) => faces.get(finding) as Face;
  const known = new Map<ListedPosting, string>();
  const claims = new Map<string, ListedPosting[]>();

  function claim(finding: ListedPosting, key: string): void {
    known.set(finding, key);
    hold(finding, key);
  }

  function hold(finding: ListedPosting, key: string): void {
    claims.set(key, [...(claims.get(key) ?? []), finding]);
  }

  function rivals(finding: ListedPosting, others: readonly ListedPosting[]): readonly ListedPosting[] {
    return others.filter(
      (other) => other !== finding && (isBareLink(finding) || sameAnswer(face(finding), face(other))),
    );
  }

  /** True when `key` belongs to a different posting in the same answer as the finding. */
  function isTaken(finding: ListedPosting, key: string): boolean {
    return rivals(finding, claims.get(key) ?? []).some((other) => differ(face(finding), face(other)));
  }

  const isEmpty = () => Object.keys(seen.entries).length === 0;
  const standsBeside = (finding: ListedPosting, key: string) =>
    rivals(finding, claims.get(key) ?? []).length > 0;
  const hasLink = (key: string, link: string | undefined) => link !== undefined && seen.hasLink(key, link);

  /** Finds postings under the key the feed gives them. If several share the key, title and link distinguish them. */
  function byKey(group: readonly ListedPosting[]): void {
    const [first] = group as [ListedPosting];
    const family = seen.family(first.keys[0] as string);
    if (family.length === 0) return;
    const unknown = () => group.filter((finding) => !known.has(finding));
    const isSame = (finding: ListedPosting, key: string) => {
      const { name, link } = face(finding);
      return name === seen.entries[key]?.name && (link === undefined || hasLink(key, link));
    };
    for (const finding of unknown()) {
      const key = family.find((one) => isSame(finding, one) && !isTaken(finding, one));
      if (key) claim(finding, key);
    }
    // An edited posting is recognised by the feature that did not change, if no other posting has it too.
    const features = [
      (key: string, { link }: Face) => hasLink(key, link),
      (key: string, { name }: Face) => name !== undefined && seen.entries[key]?.name === name,
    ];
    for (const has of features)
      for (const finding of unknown()) {
        const [key, ...more] = family.filter((one) => has(one, face(finding)));
        if (key === undefined || more.length > 0) continue;
        if (claims.has(key) || rivals(finding, group).some((other) => has(key, face(other)))) continue;
        claim(finding, key);
      }
    const [only, ...others] = family as [string];
    if (others.length > 0) return;
    const left = unknown().filter((finding) => !isTaken(finding, only));
    const isAlone = (finding: ListedPosting) =>
      !rivals(finding, left).some((other) => differ(face(finding), face(other)));
    // If no title was recorded, the oldest of several is the most likely to be the known one.
    const oldest = seen.entries[only]?.name === undefined ? left.at(-1) : undefined;
    for (const finding of left) if (isAlone(finding) || finding === oldest) claim(finding, only);
  }

  /** Finds a posting by a weaker key, or by a first key that replaced its former one. */
  function byOtherKey(finding: ListedPosting): string | undefined {
    if (isEmpty()) return undefined;
    const [own = '', ...weaker] = finding.keys;
    const { name } = face(finding);
    const isNamesake = (key: string) => name !== undefined && seen.entries[key]?.name === name;
    const owners = finding.keys.flatMap((key) =>
      seen
        .owners(key)
        .toReversed()
        .filter((owner) => kindOf(owner) !== kindOf(own) || seen.wasRenamed(owner, own))
        .sort((a, b) => Number(isNamesake(b)) - Number(isNamesake(a))),
    );
    const exact = weaker.filter((key) => Object.hasOwn(seen.entries, key));
    const found = [...exact, ...owners].find((key) => !isTaken(finding, key));
    if (found) return found;
    // Two keys of one kind are two postings, such as two ids with one careers page. The exception: the title is the
    // same too, and the former posting is gone.
    return weaker
      .flatMap((key) =>
        seen.owners(key).filter((owner) => isNamesake(owner) && isSameJob(finding, key, owner)),
      )
      .find((owner) => !standsBeside(finding, owner));
  }

  /** An id in the link or a listing address belongs to one posting. A link alone may belong to any number of jobs. */
  function isSameJob({ posting }: ListedPosting, shared: string, owner: string): boolean {
    if (['id', 'url'].includes(kindOf(shared))) return true;
    const entry = seen.entries[owner];
    if (reposts || entry?.fate === 'filtered') return false;
    const like = likeness(posting);
    return like && entry?.like ? like === entry.like : posting.location === undefined;
  }

  /**
   * Matches findings by title and company with what the same question last showed. Returns the former key of each
   * finding that matches.
   */
  function byName(
    window: readonly ListedPosting[],
    last: readonly string[],
  ): readonly (readonly [ListedPosting, string])[] {
    const left = last.filter((key) => !claims.has(key));
    const found: (readonly [ListedPosting, string])[] = [];
    for (const finding of window) {
      if (known.has(finding)) continue;
      const { name } = face(finding);
      const at = name === undefined ? -1 : left.findIndex((key) => seen.entries[key]?.name === name);
      if (at >= 0) found.push([finding, ...(left.splice(at, 1) as [string])]);
    }
    return found;
  }

  const rekeyed: string[] = [];
  // If nothing was seen, nothing is known.
  const toFind = isEmpty() ? [] : findings;
  for (const group of groupsOf(toFind)) byKey(group);
  for (const finding of toFind) {
    const key = known.has(finding) ? undefined : byOtherKey(finding);
    if (key) claim(finding, key);
  }

  const windows = [...windowsOf(toFind)];
  const isNew = new Map(
    windows.map(([subject, window]) => [subject, window.every((finding) => !known.has(finding))]),
  );
  for (const [subject, window] of windows) {
    const lastToken = former.tokens?.[subject];
    const isNewToken = token !== undefined && lastToken !== undefined && lastToken !== token;
    if (!isNewToken && !isNew.get(subject)) continue;
    const last = former.recent[subject] ?? [];
    if (last.length === 0) continue;
    const found = byName(window, last);
    // Findings that became known through another tag's answer count as well.
    const all = [...found.map(([finding]) => finding), ...window.filter((finding) => known.has(finding))];
    const names = new Set(all.map((finding) => face(finding).name));
    const isRekeyed = names.size >= FEWEST_NAMES && 2 * all.length >= Math.min(window.length, last.length);
    if (!isNewToken && !isRekeyed) continue;
    for (const [finding, key] of found) claim(finding, key);
    if (!isNewToken) rekeyed.push(subject);
  }

  return {
    known,
    rekeyed,
    standsBeside,
    keyOf(finding) {
      const [own = ''] = finding.keys;
      const copy = Object.hasOwn(seen.entries, own) && claims.has(own) && !isTaken(finding, own);
      const other = copy ? own : byOtherKey(finding);
      const key = other ?? (Object.hasOwn(seen.entries, own) ? sharedKey(own, face(finding)) : own);
      const isCopy = Object.hasOwn(seen.entries, key);
      hold(finding, key);
      return { key, isCopy };
    },
  };
}

/** True when title, company and link are the same, as far as they are set. */
export function looksSame(a: ReadPosting, b: ReadPosting): boolean {
  return nameOf(a.posting) === nameOf(b.posting) && linkOf(a) === linkOf(b);
}

/**
 * True for a posting that has only a link as its key. The link may be a careers page with any number of jobs, so two
 * titles in one poll are two jobs, even if two questions show them.
 */
function isBareLink({ keys: [own = ''] }: ReadPosting): boolean {
  return kindOf(own) === 'link';
}

/** True when two answers of one poll may show two versions of one posting. An answer from the cache may be older. */
export function mayBeVersions(a: ReadPosting, b: ReadPosting): boolean {
  return !isBareLink(a) || !isOther(nameOf(a.posting), nameOf(b.posting));
}

function linkOf({ keys }: ReadPosting): string | undefined {
  return keys.find((key) => kindOf(key) === 'link');
}

function faceOf(finding: ListedPosting): Face {
  return {
    name: nameOf(finding.posting),
    link: linkOf(finding),
    subjects: new Set(finding.by.map(subjectOf)),
  };
}

function groupsOf(findings: readonly ListedPosting[]): readonly (readonly ListedPosting[])[] {
  const groups = new Map<string, ListedPosting[]>();
  for (const finding of findings) {
    const [own = ''] = finding.keys;
    groups.set(own, [...(groups.get(own) ?? []), finding]);
  }
  return [...groups.values()];
}

/** True when titles or links differ. A missing title or link does not count. */
function differ(a: Face, b: Face): boolean {
  return isOther(a.name, b.name) || isOther(a.link, b.link);
}

function isOther(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

function sameAnswer(a: Face, b: Face): boolean {
  for (const subject of a.subjects) if (b.subjects.has(subject)) return true;
  return false;
}
