// How the answers for one subscription are put together, and when the marks of their records say enough.
import { describe, expect, test } from 'vitest';
import { parseFilter } from '../../src/domain/filter.js';
import { EMPTY_LEDGER, type Ledger } from '../../src/domain/ledger.js';
import type { Posting, ReadPosting } from '../../src/domain/posting.js';
import type { Tag } from '../../src/domain/tags.js';
import { type Asked, readAnswers, readNews, sortAnswers } from '../../src/pipeline/ask.js';
import type { Listing } from '../../src/ports/feed.js';

const NOW = Date.UTC(2026, 10, 23, 8);

function read(id: string, more: Partial<Posting> = {}, mark: string | undefined = `m${id}`): ReadPosting {
  const posting = { key: `id:${id}`, id, title: `Job ${id}`, company: 'Acme', ...more };
  return { posting, keys: [posting.key], ...(mark === undefined ? {} : { mark }) };
}

/** A listing of these records, and which marks it was asked for. */
function listingOf(...records: readonly ReadPosting[]): Listing & { asked: (readonly string[] | 'all')[] } {
  const asked: (readonly string[] | 'all')[] = [];
  return {
    asked,
    count: records.length,
    marks: records.flatMap(({ mark }) => mark ?? []),
    async read(marks) {
      asked.push(marks ? [...marks] : 'all');
      return marks ? records.filter(({ mark }) => mark !== undefined && marks.has(mark)) : records;
    },
  };
}

const asked = (subject: string, listing: Listing, hash = 'h', limit = 100): Asked => ({
  request: { lane: 'lane', subject },
  query: { ...(subject.startsWith('|') ? {} : { tag: subject.split('|')[0] as Tag }), limit },
  answer: { kind: 'postings', listing, validator: { hash }, kept: false },
});
const ledger = (more: Partial<Ledger>): Ledger => ({ ...EMPTY_LEDGER, ...more });

describe('the answers for a subscription', () => {
  const filter = parseFilter({ tags: ['rust', 'defi', 'dao'], limit: 2 });

  test('are sorted by what is new, known, missing and full', () => {
    const listing = listingOf(read('1'), read('2'));
    const answers = [
      asked('rust||', listing, 'new', 2),
      { ...asked('defi||', listing, 'old'), formerlyAt: 5 },
    ];
    expect(sortAnswers({ filter }, answers, { 'defi||': 'old', 'rust||': 'older' })).toEqual({
      listings: [{ query: { tag: 'rust', limit: 2 }, subject: 'rust||', listing }],
      answered: ['rust|||2'],
      unchanged: ['defi|||2'],
      unanswered: ['dao|||2'],
      full: ['rust|||2'],
      versions: { 'rust||': 'new', 'defi||': 'old' },
    });
  });

  test('are full only with as many postings as the request asked for', () => {
    const listing = listingOf(read('1'), read('2'));
    expect(sortAnswers({ filter }, [asked('rust||', listing, 'h', 3)]).full).toEqual([]);
    expect(sortAnswers({ filter }, [asked('rust||', listing, 'h', 1)]).full).toEqual(['rust|||2']);
  });

  test('that the feed says are unchanged are that, also without a version that was heard', () => {
    const answer = { kind: 'unchanged', validator: { hash: 'x' } } as const;
    const sorted = sortAnswers({ filter }, [{ ...asked('rust||', listingOf()), answer }]);
    expect([sorted.answered, sorted.unchanged, sorted.versions]).toEqual([
      [],
      ['rust|||2'],
      { 'rust||': 'x' },
    ]);
  });

  test('have each posting once, with every question that shows it and every tag', async () => {
    const both = parseFilter({ tags: ['rust', 'defi'] });
    const answers = sortAnswers({ filter: both }, [
      asked('rust||', listingOf(read('1'), read('2', { tags: ['defi'] }))),
      asked('defi||', listingOf(read('3'), read('1'))),
    ]);
    const { postings, shown } = await readAnswers(both, answers, NOW);
    expect(shown).toEqual([]);
    const found = postings.map(({ posting, by, marks, verdict }) => [
      posting.key,
      by,
      marks,
      verdict.ok && verdict.matched.toSorted(),
    ]);
    expect(found).toEqual([
      ['id:1', ['rust|||1', 'defi|||2'], ['m1', 'm1'], ['defi', 'rust']],
      ['id:2', ['rust|||2'], ['m2'], ['defi', 'rust']],
      ['id:3', ['defi|||1'], ['m3'], ['defi']],
    ]);
  });

  test('have two postings that share a key in one answer as two, and an older version of one as one', async () => {
    const both = parseFilter({ tags: ['rust', 'defi'] });
    const twins = [read('1', { title: 'A' }, 'a'), read('1', { title: 'B' }, 'b')];
    const one = sortAnswers({ filter: both }, [asked('rust||', listingOf(...twins))]);
    expect((await readAnswers(both, one, NOW)).postings).toHaveLength(2);
    const older = read('1', { title: 'A, formerly' }, 'c');
    const two = sortAnswers({ filter: both }, [
      asked('rust||', listingOf(twins[0]!)),
      asked('defi||', listingOf(older)),
    ]);
    const { postings } = await readAnswers(both, two, NOW);
    expect(postings.map(({ posting, marks }) => [posting.title, marks])).toEqual([['A', ['a', 'c']]]);
  });

  test('have no mark for a posting that only its text and date identify', async () => {
    const plain = parseFilter({});
    const listing = listingOf(read('1', { key: 'hash:x' }), read('2'));
    const { postings } = await readAnswers(
      plain,
      sortAnswers({ filter: plain }, [asked('||', listing)]),
      NOW,
    );
    expect(postings.map(({ marks }) => marks)).toEqual([[undefined], ['m2']]);
  });

  test('count a place beyond the limit as an answer to the question with that limit', async () => {
    const two = parseFilter({ limit: 2 });
    const listing = listingOf(read('1'), read('2'), read('3'));
    const answers = sortAnswers({ filter: two }, [asked('||', listing, 'h', 2)]);
    expect((await readAnswers(two, answers, NOW)).postings.map(({ by }) => by)).toEqual([
      ['|||1'],
      ['|||2'],
      ['|||2'],
    ]);
  });
});

describe('what is new by its marks', () => {
  const filter = parseFilter({});
  const former = { recent: { '||': ['id:1', 'id:2'] }, marks: { '||': ['m1', 'm2'] } };
  const news = (listing: Listing, before: Partial<Ledger> = former) =>
    readNews(filter, sortAnswers({ filter }, [asked('||', listing)]), ledger(before), NOW);

  test('is read alone, and the rest is shown under the keys it has', async () => {
    const listing = listingOf(read('3'), read('1'), read('2'));
    const found = await news(listing);
    expect(listing.asked).toEqual([['m3']]);
    expect(found?.postings.map(({ posting, by }) => [posting.key, by])).toEqual([['id:3', ['|||1']]]);
    expect(found?.shown).toEqual([
      { key: 'id:1', subject: '||', place: 2, mark: 'm1' },
      { key: 'id:2', subject: '||', place: 3, mark: 'm2' },
    ]);
  });

  test('is shown up to the limit of the question', async () => {
    const two = parseFilter({ limit: 2 });
    const answers = sortAnswers({ filter: two }, [
      asked('||', listingOf(read('3'), read('1'), read('2')), 'h', 2),
    ]);
    const found = await readNews(two, answers, ledger(former), NOW);
    expect(found?.shown.map(({ key, place }) => [key, place])).toEqual([
      ['id:1', 2],
      ['id:2', 2],
    ]);
  });

  test('is nothing in the same records in another order, of which none is read', async () => {
    const listing = listingOf(read('2'), read('1'));
    expect(await news(listing)).toMatchObject({ postings: [], shown: [{ key: 'id:2' }, { key: 'id:1' }] });
    expect(listing.asked).toEqual([]);
  });

  test.each([
    ['a question that was not recorded with marks', listingOf(read('1')), { recent: former.recent }],
    ['a listing in which not every record has a mark', listingOf(read('1'), read('2', {}, '')), former],
    ['a listing of which more than half is new', listingOf(read('3'), read('4'), read('1')), former],
    [
      'two new records with the same mark',
      listingOf(read('3', {}, 'x'), read('4', {}, 'x'), read('1'), read('2')),
      former,
    ],
  ])('is not certain for %s', async (_what, listing, before) => {
    const bare = { ...listing, marks: listing.marks.filter(Boolean) };
    expect(await news(bare, before)).toBeUndefined();
  });

  test('is certain when just half is new', async () => {
    expect((await news(listingOf(read('3'), read('1'))))?.postings).toHaveLength(1);
  });

  test('is not certain when a record has lost its mark', async () => {
    const listing = listingOf(read('3'), read('1'), read('2'));
    const { mark: _, ...bare } = read('3');
    expect(await news({ ...listing, read: async () => [bare] })).toBeUndefined();
  });
});
