// Which postings of a poll are known, where one key is not enough to tell: shared guids and links, weaker keys, titles.
import { describe, expect, test } from 'vitest';
import { EMPTY_LEDGER, type Ledger, type RecordOptions, record } from '../../src/domain/ledger.js';
import { type Posting, postingKeys } from '../../src/domain/posting.js';
import { type ListedPosting, looksSame, mayBeVersions } from '../../src/domain/recognise.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const LINK = 'https://careers.example/jobs';

/** What a feed gave of a posting. All fields may be missing. */
interface Item {
  readonly id?: string;
  readonly guid?: string;
  readonly url?: string;
  readonly link?: string;
  readonly title?: string;
  readonly fields?: Partial<Posting>;
  readonly by?: readonly string[];
  readonly rule?: string;
}

function listed(item: Item): ListedPosting {
  const { title, link, fields, by = ['|||1'], rule } = item;
  const keys = postingKeys(item);
  const posting: Posting = {
    key: keys[0] as string,
    ...(title === undefined ? {} : { title }),
    ...(link === undefined ? {} : { applyUrl: link }),
    ...fields,
  };
  return { posting, keys, verdict: rule ? { ok: false, rule } : { ok: true, matched: [] }, by };
}

function poll(ledger: Ledger, items: readonly Item[], more: Partial<RecordOptions> = {}) {
  const asked = more.asked ?? ['|||100'];
  return record(ledger, items.map(listed), {
    now: NOW,
    asked,
    answered: asked,
    destinations: ['a'],
    newest: 0,
    reposts: false,
    ...more,
  });
}

/** The number of new postings in an answer after others. */
function newIn(former: readonly Item[], items: readonly Item[], more: Partial<RecordOptions> = {}): number {
  return poll(poll(EMPTY_LEDGER, former, more).ledger, items, more).fresh.length;
}

/** The places of the postings `items` among those of `former`, as they were recognized; -1 for a new one. */
function knownAs(former: readonly Item[], items: readonly Item[], more: Partial<RecordOptions> = {}) {
  const first = poll(EMPTY_LEDGER, former, more);
  const before = first.ledger.recent['||'] ?? [];
  return poll(first.ledger, items, more).ledger.recent['||']?.map((key) => before.indexOf(key));
}

describe('several postings under one guid', () => {
  const under = (title: string | undefined, page?: string): Item => ({
    guid: 'x',
    ...(title && { title }),
    ...(page && { link: `${LINK}/${page}` }),
  });
  const three = [under('Rust', '1'), under('Rust', '2'), under('Go', '1')];
  const two = [under('Rust', '1'), under('Go', '2')];

  test.each<[string, readonly Item[], readonly Item[], readonly number[]]>([
    ['title and link together tell them apart', three, three, [0, 1, 2]],
    ['in any order', three, [...three].reverse(), [2, 1, 0]],
    ['also one alone', three, [under('Rust', '2')], [1]],
    ['a new title: known by the link', two, [under('Senior Go', '2')], [1]],
    ['a new link: known by the title', two, [under('Rust', '3')], [0]],
    ['a new link for each', two, [under('Go', '4'), under('Rust', '3')], [1, 0]],
    ['no link: one of those with the title', three, [under('Rust')], [0]],
    ['a new title on the link of two: new', three, [under('C', '1')], [-1]],
    ['a new title and a new link: new', two, [under('C', '3')], [-1]],
    [
      'no title and a new link: new',
      [under(undefined, '1'), under('Go', '2')],
      [under(undefined, '3')],
      [-1],
    ],
    [
      'two with the link of one: both new',
      two,
      [under('A', '1'), under('B', '1'), under('C', '3')],
      [-1, -1, -1],
    ],
    ['two with the title of one: both new', two, [under('Rust', '3'), under('Rust', '4')], [-1, -1]],
    [
      'one alone with a new title and link: the only one before',
      [under('Rust', '1')],
      [under('Go', '2')],
      [0],
    ],
  ])('%s', (_what, former, items, places) => {
    expect(knownAs(former, items)).toEqual(places);
  });

  test('of a ledger without titles, the last in the answer is the known one', () => {
    const { ledger } = poll(EMPTY_LEDGER, [{ link: LINK, title: 'Rust' }]);
    const seen = Object.fromEntries(
      Object.entries(ledger.seen).map(([key, { name: _, ...entry }]) => [key, entry]),
    );
    const found = ['C', 'Go', 'Rust'].map((title) => ({ link: LINK, title }));
    const { fresh } = poll({ ...ledger, seen }, found);
    expect(fresh.map(({ posting }) => posting.title).sort()).toEqual(['C', 'Go']);
  });

  test('a missing title is no other title', () => {
    expect(poll(EMPTY_LEDGER, [{ link: LINK, title: 'Rust' }, { link: LINK }]).fresh).toHaveLength(1);
    expect(newIn([{ link: LINK, title: 'Rust' }], [{ link: LINK }])).toBe(0);
  });
});

describe('a posting that returns under a weaker key', () => {
  const pair = [
    { id: '1', link: LINK, title: 'Rust' },
    { id: '2', link: LINK, title: 'Go' },
  ];

  test.each<[string, readonly Item[], readonly number[]]>([
    ['is the one with its title', [{ link: LINK, title: 'Rust' }], [0]],
    ['is the one with its title, also the other one', [{ link: LINK, title: 'Go' }], [1]],
    [
      'both return',
      [
        { link: LINK, title: 'Go' },
        { link: LINK, title: 'Rust' },
      ],
      [1, 0],
    ],
    ['is the last of them if it has no title', [{ link: LINK }], [1]],
  ])('%s', (_what, items, places) => {
    expect(knownAs(pair, items)).toEqual(places);
  });

  test('is no news, so the answer shows no gap', () => {
    const asked = ['|||3'];
    const former = ['1', '2', '3'].map((id) => ({ id, link: `${LINK}/${id}`, title: `Job ${id}` }));
    const { ledger } = poll(EMPTY_LEDGER, former, { asked });
    const news = ['5', '4'].map((id, n) => ({ id, title: `Job ${id}`, by: [`|||${n + 1}`] }));
    const thin = (id: string) => ({ link: `${LINK}/${id}`, title: `Job ${id}`, by: ['|||3'] });
    const { gaps, fresh } = poll(ledger, [...news, thin('1')], { asked, full: asked });
    expect([gaps, fresh.length]).toEqual([[], 2]);
    expect(poll(ledger, [...news, thin('6')], { asked, full: asked }).gaps).toEqual(['||']);
  });
});

describe('a new guid with the title of a former posting that is gone', () => {
  const former = { guid: 'a', title: 'Rust', fields: { company: 'Cobalt', location: 'Berlin' } };
  const now = { ...former, guid: 'b' };
  const wanted = { reposts: true };

  test.each<[string, Item, Item, Partial<RecordOptions>, number]>([
    ['the same address', { ...former, url: LINK }, { ...now, url: LINK }, {}, 0],
    ['the same address, if reposts are wanted', { ...former, url: LINK }, { ...now, url: LINK }, wanted, 0],
    ['the same link', { ...former, link: LINK }, { ...now, link: LINK }, {}, 0],
    ['the same link, if reposts are wanted', { ...former, link: LINK }, { ...now, link: LINK }, wanted, 1],
    [
      'the same link and another place',
      { ...former, link: LINK },
      { ...now, link: LINK, fields: { company: 'Cobalt', location: 'Paris' } },
      {},
      1,
    ],
    [
      'the same link and no company',
      { ...former, link: LINK, fields: {} },
      { ...now, link: LINK, fields: {} },
      {},
      0,
    ],
    [
      'the same link, a place and no company',
      { ...former, link: LINK, fields: {} },
      { ...now, link: LINK, fields: { location: 'Paris' } },
      {},
      1,
    ],
    [
      'the same link, and the former was filtered out',
      { ...former, link: LINK, rule: 'x' },
      { ...now, link: LINK },
      {},
      1,
    ],
    ['another title', { ...former, url: LINK }, { ...now, url: LINK, title: 'Go' }, {}, 1],
  ])('%s', (_what, before, after, more, news) => {
    expect(newIn([before], [after], more)).toBe(news);
  });

  test('no title is no title in common', () => {
    expect(newIn([{ guid: 'a', url: LINK }], [{ guid: 'b', url: LINK }])).toBe(1);
  });
});

describe('titles instead of keys', () => {
  const at = (run: string, title: string, place = 1, tag = ''): Item => ({
    link: `https://board.example/r/${run}-${title}`,
    title,
    by: [`${tag}|||${place}`],
  });
  const answer = (run: string, titles: string) => titles.split(' ').map((title, n) => at(run, title, n + 1));
  /** The titles that are new in the second of two answers with other links, and whether its keys have changed. */
  function compared(
    first: string,
    second: string,
    former: RecordOptions['token'],
    token: RecordOptions['token'],
  ) {
    const of = (one: string | undefined) => ({ reposts: true, ...(one && { token: one }) });
    const { ledger } = poll(EMPTY_LEDGER, answer('one', first), of(former));
    const { fresh, rekeyed } = poll(ledger, answer('two', second), of(token));
    return [fresh.map(({ posting }) => posting.title).join(' '), rekeyed.length > 0];
  }

  test.each<[string, string, string, string, boolean]>([
    ['half of the answer and half of the former one', 'A B C D', 'A B X Y', 'X Y', true],
    ['half of a shorter answer', 'A B C D E F G H', 'A B X Y', 'X Y', true],
    ['half of a former, shorter answer', 'A B C D', 'A B S T U V W X', 'S T U V W X', true],
    ['less than half', 'A B C D E', 'A B V W X', 'A B V W X', false],
    ['one title', 'A', 'A', 'A', false],
  ])('with the same token, %s', (_what, first, second, news, rekeyed) => {
    expect(compared(first, second, 't', 't')).toEqual([news, rekeyed]);
  });

  test.each<[string, string | undefined, string | undefined, string]>([
    ['another token', 'one', 'two', ''],
    ['the same token', 'one', 'one', 'A'],
    ['a token that is not known now', 'one', undefined, 'A'],
    ['a token that was not known before', undefined, 'two', 'A'],
  ])('one title counts only with another token: %s', (_what, former, token, news) => {
    expect(compared('A', 'A', former, token)).toEqual([news, false]);
  });

  test('without a title, nothing is recognized by it', () => {
    const bare = (run: string) => ({ link: `https://board.example/r/${run}` });
    const { ledger } = poll(EMPTY_LEDGER, [bare('a'), bare('b'), bare('c')], { token: 'one' });
    expect(poll(ledger, [bare('x')], { token: 'two' }).fresh).toHaveLength(1);
  });

  test('one whose key stayed is not used again for another with its title', () => {
    const dev = (run: string): Item => ({ link: `https://board.example/r/${run}`, title: 'Dev' });
    const { ledger } = poll(EMPTY_LEDGER, [dev('1'), dev('2')], { token: 'one', reposts: true });
    const next = poll(ledger, [dev('1'), dev('3'), dev('4')], { token: 'two', reposts: true });
    expect(next.fresh).toHaveLength(1);
    expect(new Set(next.ledger.recent['||']).size).toBe(3);
  });

  test("a posting that another tag's answer made known counts for this answer, too", () => {
    const asked = ['rust|||100', 'defi|||100'];
    const both = (run: string): Item => ({ ...at(run, 'A'), by: ['rust|||1', 'defi|||1'] });
    const of = (run: string) => [both(run), at(run, 'B', 2, 'rust'), at(run, 'C', 2, 'defi')];
    const { ledger } = poll(EMPTY_LEDGER, of('one'), { asked, reposts: true });
    expect(poll(ledger, of('two'), { asked, reposts: true })).toMatchObject({
      fresh: [],
      rekeyed: ['rust||', 'defi||'],
    });
  });

  test('an answer is kept in its order, whatever the order in which its postings were read', () => {
    const [a, b, c] = answer('one', 'A B C') as [Item, Item, Item];
    const { ledger } = poll(EMPTY_LEDGER, [c, a, b]);
    expect(ledger.recent['||']).toEqual([a, b, c].map((one) => listed(one).keys[0]));
  });
});

describe('two records of different answers', () => {
  const rust = listed({ link: LINK, title: 'Rust' });
  const go = listed({ link: LINK, title: 'Go' });

  test.each<[string, ListedPosting, ListedPosting, { same: boolean; versions: boolean }]>([
    ['with the same title and link', rust, rust, { same: true, versions: true }],
    ['with a link as their only key and other titles', rust, go, { same: false, versions: false }],
    [
      'with a link as their only key, one without a title',
      rust,
      listed({ link: LINK }),
      { same: false, versions: true },
    ],
    [
      'with one id and other titles',
      listed({ id: '1', link: LINK, title: 'Rust' }),
      listed({ id: '1', link: LINK, title: 'Go' }),
      { same: false, versions: true },
    ],
    [
      'with one id and other links',
      listed({ id: '1', link: `${LINK}/1`, title: 'Rust' }),
      listed({ id: '1', link: `${LINK}/2`, title: 'Rust' }),
      { same: false, versions: true },
    ],
  ])('%s', (_what, a, b, { same, versions }) => {
    expect([looksSame(a, b), mayBeVersions(a, b)]).toEqual([same, versions]);
  });
});
