// Which postings of a poll are known, and as which. A key alone does not tell: several postings may share one (one
// careers page for two jobs), and the keys of a feed may change (new ids, another token's links) while its postings do
// not. Two postings that stand in one answer are never the same one, unless one of them is a thinner copy of the other.
import { limitOf, subjectOf } from './filter.js';
import { likeness, nameOf, type ReadPosting } from './posting.js';
import { kindOf, type SeenSet, sharedKey } from './seen.js';

/** A posting with the questions it answers, each with its place in the answer for a limit. */
export interface Listed extends ReadPosting {
  readonly by: readonly string[];
}

/** What is known of the postings of one poll. */
export interface Recognition {
  /** The key a finding was seen under before this poll. */
  readonly known: ReadonlyMap<Listed, string>;
  /** Subjects whose keys have all changed: what they list is new by its keys and old by its titles. */
  readonly rekeyed: readonly string[];
  /** The key of a finding that is not in `known`: its own, or that of its copy recorded in this poll, in which case `isCopy`. */
  keyOf(finding: Listed): { readonly key: string; readonly isCopy: boolean };
  /** True when another posting of one of the finding's answers is recorded under `key`. */
  standsBeside(finding: Listed, key: string): boolean;
}

/** What tells a posting from others that share its key. */
interface Face {
  readonly name: string | undefined;
  readonly link: string | undefined;
  readonly subjects: ReadonlySet<string>;
}

/** The findings of each question in the order of its answer, by subject. */
export function windowsOf<T extends Pick<Listed, 'by'>>(
  findings: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const windows = new Map<string, { finding: T; place: number }[]>();
  for (const finding of findings)
    for (const question of finding.by) {
      const window = windows.get(subjectOf(question)) ?? [];
      window.push({ finding, place: limitOf(question) });
      windows.set(subjectOf(question), window);
    }
  return new Map(
    [...windows].map(([subject, window]) => [
      subject,
      window.sort((a, b) => a.place - b.place).map((one) => one.finding),
    ]),
  );
}

/** Fewest titles in common that show a change of keys; a single one may well be a repost. */
const FEWEST_NAMES = 2;

/**
 * Looks at all findings of a poll together. `seen` is added to by the caller as it records the unknown ones; `former`: what
 * each question last showed, and with which token, by its subject.
 */
export function recognise(
  findings: readonly Listed[],
  seen: SeenSet,
  former: {
    readonly recent: Readonly<Record<string, readonly string[]>>;
    readonly tokens?: Readonly<Record<string, string>>;
  },
  { token, reposts }: { readonly token?: string; readonly reposts: boolean },
): Recognition {
  const faces = new Map(findings.map((finding) => [finding, faceOf(finding)]));
  const face = (finding: Listed) => faces.get(finding) as Face;
  const known = new Map<Listed, string>();
  const claims = new Map<string, Listed[]>();

  function claim(finding: Listed, key: string): void {
    known.set(finding, key);
    hold(finding, key);
  }

  function hold(finding: Listed, key: string): void {
    claims.set(key, [...(claims.get(key) ?? []), finding]);
  }

  function rivals(finding: Listed, others: readonly Listed[]): readonly Listed[] {
    return others.filter(
      (other) => other !== finding && (isBareLink(finding) || sameAnswer(face(finding), face(other))),
    );
  }

  /** True when `key` is taken by a posting that stands in one answer with the finding and is another one. */
  function isTaken(finding: Listed, key: string): boolean {
    return rivals(finding, claims.get(key) ?? []).some((other) => differ(face(finding), face(other)));
  }

  const standsBeside = (finding: Listed, key: string) => rivals(finding, claims.get(key) ?? []).length > 0;
  const hasLink = (key: string, link: string | undefined) => link !== undefined && seen.hasLink(key, link);

  /** Postings under the key the feed gives them. Several may share it; then title and link tell them apart. */
  function byKey(group: readonly Listed[]): void {
    const [first] = group as [Listed];
    const family = seen.family(first.keys[0] as string);
    if (family.length === 0) return;
    const unknown = () => group.filter((finding) => !known.has(finding));
    const isSame = (finding: Listed, key: string) => {
      const { name, link } = face(finding);
      return name === seen.entries[key]?.name && (link === undefined || hasLink(key, link));
    };
    for (const finding of unknown()) {
      const key = family.find((one) => isSame(finding, one) && !isTaken(finding, one));
      if (key) claim(finding, key);
    }
    // Of one that was edited, what stayed as it was tells which it is, when no other has the same.
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
    const isAlone = (finding: Listed) =>
      !rivals(finding, left).some((other) => differ(face(finding), face(other)));
    // Where no title was kept, the oldest of several is the likeliest to be the one that was seen.
    const oldest = seen.entries[only]?.name === undefined ? left.at(-1) : undefined;
    for (const finding of left) if (isAlone(finding) || finding === oldest) claim(finding, only);
  }

  /** By a weaker key, or by a first key it was renamed to. */
  function byOtherKey(finding: Listed): string | undefined {
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
    // Two keys of one kind are two postings: two ids with one careers page. Unless the title is the same too, and the
    // former one is gone.
    return weaker
      .flatMap((key) =>
        seen.owners(key).filter((owner) => isNamesake(owner) && isSameJob(finding, key, owner)),
      )
      .find((owner) => !standsBeside(finding, owner));
  }

  /** An id in the link and a listing address belong to one posting; a link alone may be any number of jobs'. */
  function isSameJob({ posting }: Listed, shared: string, owner: string): boolean {
    if (['id', 'url'].includes(kindOf(shared))) return true;
    const entry = seen.entries[owner];
    if (reposts || entry?.fate === 'filtered') return false;
    const like = likeness(posting);
    return like && entry?.like ? like === entry.like : posting.location === undefined;
  }

  /** By title and company, among what the same question showed last. The new key, for each that is found. */
  function byName(
    window: readonly Listed[],
    last: readonly string[],
  ): readonly (readonly [Listed, string])[] {
    const left = last.filter((key) => !claims.has(key));
    const found: (readonly [Listed, string])[] = [];
    for (const finding of window) {
      if (known.has(finding)) continue;
      const { name } = face(finding);
      const at = name === undefined ? -1 : left.findIndex((key) => seen.entries[key]?.name === name);
      if (at >= 0) found.push([finding, ...(left.splice(at, 1) as [string])]);
    }
    return found;
  }

  for (const group of groupsOf(findings)) byKey(group);
  for (const finding of findings) {
    const key = known.has(finding) ? undefined : byOtherKey(finding);
    if (key) claim(finding, key);
  }

  const rekeyed: string[] = [];
  const windows = [...windowsOf(findings)];
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
    // Those another tag's answer has just been found to know count as well.
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

/** The same title, company and link, as far as there are any. */
export function looksSame(a: ReadPosting, b: ReadPosting): boolean {
  return nameOf(a.posting) === nameOf(b.posting) && linkOf(a) === linkOf(b);
}

/**
 * True for a posting that is known by its link alone. The link may be a careers page with any number of jobs, so two titles
 * of one poll are two jobs, also when two questions show them.
 */
function isBareLink({ keys: [own = ''] }: ReadPosting): boolean {
  return kindOf(own) === 'link';
}

/** True when two answers of one poll may show two versions of one posting, as an answer of the cache may be the older one. */
export function mayBeVersions(a: ReadPosting, b: ReadPosting): boolean {
  return !isBareLink(a) || !isOther(nameOf(a.posting), nameOf(b.posting));
}

function linkOf({ keys }: ReadPosting): string | undefined {
  return keys.find((key) => kindOf(key) === 'link');
}

function faceOf(finding: Listed): Face {
  return {
    name: nameOf(finding.posting),
    link: linkOf(finding),
    subjects: new Set(finding.by.map(subjectOf)),
  };
}

function groupsOf(findings: readonly Listed[]): readonly (readonly Listed[])[] {
  const groups = new Map<string, Listed[]>();
  for (const finding of findings) {
    const [own = ''] = finding.keys;
    groups.set(own, [...(groups.get(own) ?? []), finding]);
  }
  return [...groups.values()];
}

/** Different titles or different links; what one of them lacks says nothing. */
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
