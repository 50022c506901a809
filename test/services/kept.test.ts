// Searches in what is kept for an account, and the sum of its week.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Posting } from '../../src/domain/posting.js';
import { DAY, HOUR, type Lab, MINUTE, openLab } from '../helpers/lab.js';
import { putFound, putMatches } from '../helpers/put.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab();
});
afterEach(() => lab.close());

const RARELY = { account: 'alice', schedule: '0 0 1 1 *' };
const posting = (id: string, more: Partial<Posting> = {}): Posting => ({
  key: `id:${id}`,
  title: `Job ${id}`,
  company: 'Acme',
  applyUrl: `https://board.example/r/${id}`,
  ...more,
});

/** Archives postings for Alice as if a poll had found them so long ago, the oldest first. */
async function archive(...found: (readonly [daysAgo: number, posting: Posting])[]): Promise<void> {
  for (const [daysAgo, one] of found)
    await putFound(lab.stores.ledgers, 'alice', [
      { at: lab.clock.now() - daysAgo * DAY, subscription: 's', posting: one },
    ]);
}
const search = (wanted: Partial<Parameters<Lab['services']['search']>[1]> = {}, account = 'alice') =>
  lab.services.search(account, { days: 30, limit: 10, ...wanted });
const keysOf = async (...of: Parameters<typeof search>) =>
  (await search(...of)).postings.map(({ posting: { key } }) => key.slice(3));

describe('a search', () => {
  test('finds the newest first, within its days and up to its limit, and counts all', async () => {
    await archive([40, posting('old')], [3, posting('a')], [2, posting('b')], [1, posting('c')]);
    expect(await keysOf()).toEqual(['c', 'b', 'a']);
    expect(await keysOf({ days: 2 })).toEqual(['c', 'b']);
    const { total, postings } = await search({ limit: 2 });
    expect([total, postings.map(({ at }) => at)]).toEqual([
      3,
      [lab.clock.now() - DAY, lab.clock.now() - 2 * DAY],
    ]);
    expect(postings[0]?.posting.matched).toEqual([]);
    expect(await keysOf({}, 'bob')).toEqual([]);
  });

  test('finds postings that have all words, in any field, case and accent', async () => {
    await archive(
      [5, posting('title', { title: 'Ingeniero Técnico' })],
      [4, posting('company', { company: 'Ünïted Zoo' })],
      [3, posting('place', { location: 'São Paulo' })],
      [2, posting('tags', { tags: ['zero-knowledge', 'rust'] })],
      [1, posting('text', { description: 'We write Haskell.' })],
    );
    for (const [words, key] of [
      ['TECNICO', 'title'],
      ['united', 'company'],
      ['sao  paulo', 'place'],
      ['paulo são', 'place'],
      ['rust', 'tags'],
      ['haskell', 'text'],
    ] as const)
      expect(await keysOf({ words }), words).toEqual([key]);
    expect(await keysOf({ words: 'rust haskell' })).toEqual([]);
    // Words of different fields do not run together.
    expect(await keysOf({ words: 'técnicoacme' })).toEqual([]);
    expect(await keysOf({ words: '  ' })).toHaveLength(5);
  });

  test('goes by the rule of a subscription, if one is named, and says what matched', async () => {
    await lab.add({ ...RARELY, filter: { include: ['rust'] } });
    await archive([2, posting('a', { title: 'Rust Engineer' })], [1, posting('b', { title: 'Go Engineer' })]);
    const { postings } = await search({ subscription: 's' });
    expect(postings.map(({ posting: { key, matched } }) => [key, matched.length])).toEqual([['id:a', 1]]);
    await expect(search({ subscription: 's' }, 'bob')).rejects.toThrow('no such subscription');
  });

  test('shows the mark of a posting, and finds those with a mark', async () => {
    await archive([3, posting('a')], [2, posting('b', { company: 'Beta' })], [1, posting('c')]);
    await lab.services.markKept('alice', 'id:b', 'saved');
    lab.clock.advance(HOUR);
    await lab.services.markKept('alice', 'id:a', 'saved');
    await lab.services.markKept('alice', 'id:c', 'applied');
    expect((await search()).postings.map(({ mark }) => mark)).toEqual(['applied', 'saved', 'saved']);
    const { postings } = await search({ mark: 'saved' });
    expect(postings.map(({ posting: { key }, at }) => [key, at])).toEqual([
      ['id:a', lab.clock.now()],
      ['id:b', lab.clock.now() - HOUR],
    ]);
    expect(postings.map((one) => 'elsewhere' in one || 'card' in one || 'before' in one)).toEqual([
      false,
      false,
    ]);
    expect(await keysOf({ mark: 'saved', words: 'beta' })).toEqual(['b']);
    lab.clock.advance(2 * DAY);
    expect(await keysOf({ mark: 'saved', days: 2 })).toEqual(['a']);
  });

  test('says that the link of a card of another account is not kept', async () => {
    await lab.stores.marks.update('alice', () => ({
      postings: {
        a: { mark: 'saved', at: lab.clock.now(), card: 'x', posting: { ...posting('a'), matched: [] } },
        b: {
          mark: 'saved',
          at: lab.clock.now() - 1,
          card: 'x',
          posting: { key: 'id:b', title: 'b', matched: [] },
        },
      },
      hiddenCompanies: [],
      hiddenTags: [],
    }));
    expect((await search({ mark: 'saved' })).postings.map(({ elsewhere }) => elsewhere)).toEqual([
      undefined,
      true,
    ]);
  });
});

describe('the sum of a week', () => {
  test('counts what matched each subscription in this week and the one before', async () => {
    await lab.add(RARELY);
    await lab.add({ id: 'new', ...RARELY });
    // Their first polls begin the counts. They must not come after those below.
    await lab.settled();
    const now = lab.clock.now();
    const count = (id: string, at: number, many: number, isFirst = false) =>
      putMatches(lab.stores.ledgers, id, { now: at, count: many, isFirst });
    await count('s', now - 20 * DAY, 0, true);
    await count('s', now - 15 * DAY, 50);
    await count('s', now - 13 * DAY, 3);
    await count('s', now - 6 * DAY, 2);
    await count('s', now - HOUR, 4);
    await count('new', now - 3 * DAY, 0, true);
    await count('new', now - 2 * DAY, 1);
    await lab.add({ id: 'bare', ...RARELY });
    const { from, to, subscriptions } = await lab.services.pulse('alice');
    expect([from, to]).toEqual([now - 7 * DAY, now]);
    expect(subscriptions.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
      { id: 'bare', about: 'about bare', matched: 0 },
      { id: 'new', about: 'about new', matched: 1 },
      { id: 's', about: 'about s', matched: 6, before: 3 },
    ]);
  });

  test('lists what a rule lets through, the best first, with what matched in any of them', async () => {
    await lab.add({ ...RARELY, filter: { include: ['rust'] } });
    await lab.add({ id: 't', ...RARELY, filter: { include: ['remote', 'rust'] } });
    await archive(
      [9, posting('old', { title: 'Rust' })],
      [3, posting('no', { title: 'Go' })],
      [2, posting('one', { title: 'Remote Go' })],
      [1, posting('both', { title: 'Remote Rust' })],
    );
    const { postings } = await lab.services.pulse('alice');
    expect(postings.map(({ key }) => key)).toEqual(['id:both', 'id:one']);
    expect(postings[0]?.fit?.score).toBeGreaterThan(0);
    const [both] = postings;
    expect(both?.matched).toEqual([...new Set(both?.matched)]);
    expect(both?.matched.length).toBeGreaterThan(0);
    expect((await lab.services.pulse('bob')).postings).toEqual([]);
    lab.clock.advance(7 * DAY + MINUTE);
    expect((await lab.services.pulse('alice')).postings).toEqual([]);
  });
});
