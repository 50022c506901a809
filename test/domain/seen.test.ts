// The seen set by itself: under which keys a posting is found again, and what is kept of them.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  baseOf,
  bounded,
  kindOf,
  linkMark,
  namesFor,
  namesOf,
  openSeen,
  type Seen,
  seenBound,
  sharedKey,
} from '../../src/domain/seen.js';

const matched = { at: 1, fate: 'matched' } as const;
/** The form in which keys are stored, which later versions must find again. */
const brief = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 10);

/** A seen set with one posting for each list of keys. */
function seenWith(...postings: readonly (readonly string[])[]) {
  const seen = openSeen({});
  for (const keys of postings) seen.add(keys, matched);
  return seen;
}

describe('the mark of a link', () => {
  test('is 22 characters of its hash, and empty without a link', () => {
    const link = 'https://jobs.example/a?b=1';
    expect(linkMark(link)).toBe(createHash('sha256').update(link).digest('base64url').slice(0, 22));
    expect(linkMark(undefined)).toBe('');
    expect(linkMark('')).not.toBe('');
  });
});

describe('a key', () => {
  test.each([
    ['id:1', 'id'],
    ['link:https://a.example', 'link'],
    ['1id:2', ''],
    ['', ''],
  ])('%j is of the kind %j', (key, kind) => {
    expect(kindOf(key)).toBe(kind);
  });

  test('that several postings share gets a part from title, company and link', () => {
    const key = sharedKey('link:x', { name: 'dev', link: 'link:y' });
    expect(key).toBe(`link:x~${brief('dev\nlink:y')}`);
    expect(sharedKey('link:x', {})).toBe(`link:x~${brief('\n')}`);
    expect(baseOf(key)).toBe('link:x');
    expect(baseOf('link:x')).toBe('link:x');
  });
});

describe('the names of a seen posting', () => {
  test('are those that are looked for by its weaker keys, former keys, likeness and shared key', () => {
    const key = sharedKey('link:x', { name: 'dev' });
    const entry: Seen = { ...matched, alias: [brief('link:a')], renamed: [brief('id:2')], like: 'l' };
    expect(namesOf(key, entry)).toEqual([
      `>${brief('link:a')}`,
      `>${brief('id:2')}`,
      '=l',
      `~${brief('link:x')}`,
    ]);
    const wanted = new Set(namesFor(['link:a', 'id:2', 'link:x'], ['l']));
    expect(namesOf(key, entry).filter((name) => !wanted.has(name))).toEqual([]);
    expect(namesOf('id:1', matched)).toEqual([]);
  });

  test('are looked for by every key, once as a weaker key and once as a shared one', () => {
    expect(namesFor([`link:x~${brief('a')}`], ['l', 'm'])).toEqual([
      `>${brief(`link:x~${brief('a')}`)}`,
      `~${brief('link:x')}`,
      '=l',
      '=m',
    ]);
  });
});

describe('a posting is found', () => {
  test('by its own key first, then by a weaker key of a posting whose key is of another kind', () => {
    const seen = seenWith(['id:1', 'link:a'], ['id:2', 'link:b'], ['id:3', 'link:b']);
    expect(seen.find(['id:1'])).toBe('id:1');
    expect(seen.find(['link:c', 'id:2'])).toBe('id:2');
    expect(seen.find(['link:a'])).toBe('id:1');
    // Of several, the one that was seen last.
    expect(seen.find(['link:b'])).toBe('id:3');
    expect(seen.find(['id:9', 'link:a'])).toBeUndefined();
    expect(seen.find(['link:z', 'link:a'])).toBe('id:1');
    expect(seen.find(['link:z'])).toBeUndefined();
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'never by a name that every object has, such as %s',
    (name) => {
      const seen = seenWith(['id:1']);
      expect(seen.find([name])).toBeUndefined();
      expect(seen.owners(name)).toEqual([]);
      expect(seen.family(name)).toEqual([]);
      expect(seen.hasLink(name, 'link:a')).toBe(false);
      expect(seen.wasRenamed(name, 'id:2')).toBe(false);
      expect(seen.like(name)).toBeUndefined();
    },
  );

  test('under a shared key with all others that share it', () => {
    const [one, two] = ['a', 'b'].map((name) => sharedKey('link:x', { name })) as [string, string];
    const seen = seenWith(['link:x'], [one]);
    expect(seen.family('link:x')).toEqual(['link:x', one]);
    seen.add([two], matched);
    expect(seen.family('link:x')).toEqual(['link:x', one, two]);
    expect(seenWith([one], [two]).family('link:x')).toEqual([one, two]);
    expect(seen.family('link:y')).toEqual([]);
  });

  test('by a likeness: the first one that was announced, a filtered one only if there is no other', () => {
    const seen = openSeen({ 'id:0': { ...matched, fate: 'filtered', like: 'l' } });
    expect(seen.like('l')).toBe('id:0');
    seen.add(['id:1'], { ...matched, like: 'l' });
    seen.add(['id:2'], { ...matched, like: 'l' });
    expect(seen.like('l')).toBe('id:1');
    seen.add(['id:3'], matched);
    expect(seen.like('')).toBeUndefined();
    expect(seen.like('other')).toBeUndefined();
  });
});

describe('a link', () => {
  test('belongs to the posting that has it as its own or as a weaker key', () => {
    const seen = seenWith(['id:1', 'link:a'], ['link:b'], ['id:2']);
    expect(seen.hasLink('id:1', 'link:a')).toBe(true);
    expect(seen.hasLink('link:b', 'link:b')).toBe(true);
    expect(seen.hasLink(sharedKey('link:b', { name: 'x' }), 'link:b')).toBe(true);
    expect(seen.hasLink('id:1', 'link:b')).toBe(false);
    expect(seen.hasLink('id:2', 'link:a')).toBe(false);
    expect(seen.hasLink('id:404', 'link:a')).toBe(false);
  });
});

describe('a posting that returns', () => {
  test('changes nothing if its keys and name are known', () => {
    const seen = seenWith(['id:1', 'link:a']);
    seen.learn('id:1', ['id:1', 'link:a'], 'dev');
    const before = seen.entries['id:1'];
    expect(before).toEqual({ ...matched, alias: [brief('link:a')], name: 'dev' });
    seen.learn('id:1', ['id:1', 'link:a'], 'dev');
    seen.learn('id:1', ['id:1', 'link:a'], undefined);
    seen.learn('id:1', ['id:1'], undefined);
    expect(seen.entries['id:1']).toBe(before);
  });

  test('keeps the name it had if it has none now, and takes a new one', () => {
    const seen = seenWith(['id:1']);
    expect(seen.entries['id:1']).toEqual(matched);
    seen.learn('id:1', ['id:1'], 'dev');
    seen.learn('id:1', ['id:1', 'link:a'], undefined);
    expect(seen.entries['id:1']).toEqual({ ...matched, name: 'dev', alias: [brief('link:a')] });
    seen.learn('id:1', ['id:1'], 'developer');
    expect(seen.entries['id:1']?.name).toBe('developer');
  });

  test('is found by the keys it returned with, and each counts once', () => {
    const seen = seenWith(['id:1', 'link:a']);
    seen.learn('id:1', ['id:1', 'link:a', 'link:b', 'id:1'], undefined);
    expect(seen.entries['id:1']?.alias).toEqual([brief('link:a'), brief('link:b')]);
    expect(seen.owners('link:b')).toEqual(['id:1']);
    seen.add(['id:2', 'link:b'], matched);
    expect(seen.owners('link:b')).toEqual(['id:1', 'id:2']);
    seen.learn('id:1', ['id:1', 'link:c'], undefined);
    expect(seen.owners('link:b')).toEqual(['id:1', 'id:2']);
    expect(seen.owners('link:c')).toEqual(['id:1']);
  });

  test('under another first key was renamed, but not under a weaker key that is known', () => {
    const seen = seenWith(['id:1', 'link:a']);
    seen.learn('id:1', ['link:a'], undefined);
    expect(seen.entries['id:1']).not.toHaveProperty('renamed');
    seen.learn('id:1', ['id:9', 'link:a'], undefined);
    seen.learn('id:1', ['id:9', 'link:a'], undefined);
    expect(seen.entries['id:1']).toEqual({ ...matched, alias: [brief('link:a')], renamed: [brief('id:9')] });
    expect([seen.wasRenamed('id:1', 'id:9'), seen.wasRenamed('id:1', 'link:a')]).toEqual([true, false]);
    expect(seen.owners('id:9')).toEqual(['id:1']);
    const plain = seenWith(['id:1']);
    plain.learn('id:1', ['id:9'], undefined);
    expect(plain.entries['id:1']).toEqual({ ...matched, renamed: [brief('id:9')] });
    // The part that distinguishes postings under one key is not another key.
    const shared = sharedKey('link:x', { name: 'dev' });
    const family = seenWith([shared]);
    family.learn(shared, ['link:x'], undefined);
    expect(family.entries[shared]).toEqual(matched);
  });

  test('keeps the six newest of its weaker and of its former keys', () => {
    const seen = seenWith(['id:1']);
    const links = Array.from({ length: 8 }, (_, n) => `link:${n}`);
    const firsts = links.map((_, n) => `guid:${n}`);
    links.forEach((link, n) => {
      seen.learn('id:1', [firsts[n] as string, link], undefined);
    });
    expect(seen.entries['id:1']?.alias).toEqual(links.slice(2).map(brief));
    expect(seen.entries['id:1']?.renamed).toEqual(firsts.slice(2).map(brief));
  });

  test('does not change the set that was opened', () => {
    const before = { 'id:1': matched };
    const seen = openSeen(before);
    seen.learn('id:1', ['id:1', 'link:a'], 'dev');
    seen.add(['id:2'], matched);
    expect(before).toEqual({ 'id:1': matched });
  });
});

describe('the bound', () => {
  test('removes the oldest, in whatever order they are, except those to keep', () => {
    const at = (time: number): Seen => ({ at: time, fate: 'matched' });
    const seen = { c: at(3), a: at(1), d: at(4), b: at(2) };
    expect(Object.keys(bounded(seen, new Set(), 2))).toEqual(['c', 'd']);
    expect(Object.keys(bounded(seen, new Set(['a']), 2))).toEqual(['a', 'd']);
    expect(bounded(seen, new Set(), 4)).toBe(seen);
  });

  test('is 1,000 keys for each question, or ten times the postings of an answer', () => {
    expect([seenBound(0, 0), seenBound(3, 100), seenBound(1, 101)]).toEqual([1000, 3000, 1010]);
  });
});
