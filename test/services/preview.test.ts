// What a filter finds in the feed, and in what is kept of the last weeks.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseFilter } from '../../src/domain/filter.js';
import type { Posting } from '../../src/domain/posting.js';
import { secret } from '../../src/domain/secret.js';
import { DAY, job, type Lab, openLab } from '../helpers/lab.js';
import { TOKENS } from '../helpers/lab-life.js';
import { putFound } from '../helpers/put.js';

const alice = { account: 'alice' };
let lab: Lab;
beforeEach(async () => {
  lab = await openLab({ jobs: [job(1), job(2, { title: 'Intern' })] });
});
afterEach(() => lab.close());

const preview = (filter: object = {}) => lab.services.preview(alice, filter);
const estimate = (filter: object = {}) => lab.services.estimate(alice, filter);
const posting = (id: string, more: Partial<Posting> = {}): Posting => ({
  key: `id:${id}`,
  title: `Job ${id}`,
  tags: ['rust'],
  ...more,
});
/** Archives postings for Alice as if polls had found them so many days ago, the oldest first. */
async function archive(...found: (readonly [daysAgo: number, posting: Posting])[]): Promise<void> {
  for (const [daysAgo, one] of found)
    await putFound(lab.stores.ledgers, 'alice', [
      { at: lab.clock.now() - daysAgo * DAY, subscription: 's', posting: one },
    ]);
}
const ago = (days: number) => new Date(lab.clock.now() - days * DAY).toISOString();

describe('a preview of the feed', () => {
  test.each<[string, () => unknown, object, number]>([
    [
      'no token',
      () => lab.stores.accounts.remove('alice'),
      { fault: { name: 'noToken' }, message: 'You have no API token yet. Set one with /token set first.' },
      0,
    ],
    [
      'a token that was refused before',
      () => lab.p.tokens.reject('alice', secret(TOKENS.alice), 'no longer valid'),
      {
        fault: { name: 'tokenRejected' },
        message: 'Your API token was rejected. Set a new one with /token set first.',
      },
      0,
    ],
    [
      'a token that is refused now',
      () => lab.front.answer({ status: 401 }),
      { fault: { name: 'tokenRejected' } },
      1,
    ],
    [
      'an API that asks for a pause',
      () => lab.front.answer({ status: 429, headers: { 'retry-after': '99' } }),
      { fault: { name: 'boardBusy' } },
      1,
    ],
    ['an API that is down', () => lab.front.answer({ status: 503 }), { fault: { name: 'boardAway' } }, 1],
    [
      'an answer that is no feed',
      () => lab.front.answer({ status: 200, body: '<html></html>' }),
      { fault: { name: 'boardAway' } },
      1,
    ],
  ])('with %s ends with a sentence, after at most one request', async (_what, given, error, requests) => {
    await given();
    await expect(preview()).rejects.toMatchObject(error);
    expect(lab.front.asked).toHaveLength(requests);
  });

  test('hides no bug', async () => {
    const bug = new TypeError('a bug');
    lab.p.feed.fetch = () => Promise.reject(bug);
    await expect(preview()).rejects.toBe(bug);
  });

  test('names the tags of a posting that are asked for, also those whose request did not return it', async () => {
    await lab.post(job(3, { tags: ['rust', 'defi', 'dao'] }), job(4, { tags: ['defi'] }));
    const { matches } = await preview({ tags: ['rust', 'defi'], limit: 1 });
    expect(matches.map(({ key, matched }) => [key, matched])).toEqual([
      ['id:3', ['rust', 'defi']],
      ['id:4', ['defi']],
    ]);
  });

  test('counts the rules that remove something, the most frequent first', async () => {
    await lab.post(job(3, { title: 'Junior' }), job(4, { title: 'Junior' }), job(5, { title: 'Intern' }));
    const found = await preview({ exclude: ['intern', 'junior', 'job 1'] });
    expect(found.removedBy).toEqual([
      { rule: 'exclude: intern', count: 2 },
      { rule: 'exclude: junior', count: 2 },
      { rule: 'exclude: job 1', count: 1 },
    ]);
    // The newest comes first, and its rule removes the fewest.
    await lab.post(job(6, { title: 'Junior' }), job(7, { title: 'Junior' }), job(8, { title: 'Senior' }));
    expect((await preview({ exclude: ['intern', 'junior', 'senior'] })).removedBy).toEqual([
      { rule: 'exclude: junior', count: 4 },
      { rule: 'exclude: intern', count: 2 },
      { rule: 'exclude: senior', count: 1 },
    ]);
  });

  test('names the rule that alone removes the most, only when nothing matches', async () => {
    expect(await preview({ exclude: ['intern'] })).not.toHaveProperty('emptiedBy');
    await lab.post(job(3, { title: 'Intern' }), job(4, { title: 'Senior' }));
    // The newest comes first, and is removed by another rule.
    expect((await preview({ exclude: ['senior', 'intern', 'job 1'] })).emptiedBy).toEqual({
      rule: 'exclude: intern',
      count: 2,
    });
  });
});

describe('the weeks of a preview', () => {
  test('count a posting once, in the week in which it was found', async () => {
    await archive(
      [15, posting('a')],
      [14, posting('b')],
      [8, posting('b')],
      [3, posting('c')],
      [2, posting('d')],
      [2, posting('d')],
    );
    expect((await preview()).weeks).toEqual([2, 0, 2]);
  });

  test('add what the rules removed of them, except what is in the feed now and what the API leaves out', async () => {
    await archive(
      [5, posting('2', { title: 'Intern' })],
      [4, posting('a', { title: 'Intern' })],
      [3, posting('a', { title: 'Intern' })],
      [2, posting('b', { title: 'All remote intern' })],
      [1, posting('c', { tags: ['defi'] })],
      [1, posting('d', { location: 'Berlin', remote: false })],
    );
    expect((await preview({ exclude: ['intern'] })).removedBy).toEqual([
      { rule: 'exclude: intern', count: 3 },
    ]);
    expect((await preview({ exclude: ['remote'] })).removedBy).toEqual([
      { rule: 'exclude: remote', count: 1 },
    ]);
    expect((await preview({ tags: ['rust'] })).removedBy).toEqual([]);
    expect((await preview({ remote: true })).removedBy).toEqual([]);
  });
});

describe('an estimate', () => {
  test('counts a posting for the day on which it was posted, at the latest for the one on which it was found', async () => {
    await archive(
      [2, posting('old', { postedAt: ago(28.01) })],
      [2, posting('just', { postedAt: ago(28) })],
      [2, posting('future', { postedAt: ago(-30) })],
      [2, posting('undated')],
    );
    // Three in four weeks.
    expect(await estimate()).toMatchObject({ looked: 3, matches: 3, perWeek: 1 });
  });

  test('is per week, of the time since the first posting, and at least of one week', async () => {
    await archive([1, posting('a')], [1, posting('b')]);
    expect(await estimate()).toMatchObject({ matches: 2, perWeek: 2 });
    await archive([1, posting('c')], [1, posting('d', { postedAt: ago(14) })]);
    expect(await estimate()).toMatchObject({ matches: 4, perWeek: 2 });
  });

  test('names the tags that no posting has, and is none if that is true of all', async () => {
    expect(await estimate({ tags: ['rust'] })).toBeUndefined();
    expect(await estimate()).toBeUndefined();
    await archive([2, { key: 'id:a', title: 'Without tags' }], [1, posting('b')]);
    expect(await estimate({ tags: ['rust', 'defi'] })).toMatchObject({ unknown: ['defi'], looked: 1 });
    expect(await estimate({ tags: ['rust'] })).toMatchObject({ unknown: [], looked: 1 });
    expect(await estimate()).toMatchObject({ unknown: [], looked: 2 });
    expect(await estimate({ tags: ['dao', 'defi'] })).toBeUndefined();
  });

  test('counts postings without comparable pay for the least pay, whether or not others pay less', async () => {
    const rule = { minSalary: 90_000, payUnknown: 'drop', exclude: ['intern'] };
    await archive(
      [3, posting('a', { title: 'Intern' })],
      [2, posting('b', { title: 'Intern' })],
      [1, posting('c', { title: 'Intern', pay: { min: 95_000, currency: 'USD', unit: 'year' } })],
    );
    expect((await estimate(rule))?.removes).toEqual([
      { rule: 'exclude: intern', count: 3 },
      { rule: 'minSalary: 90000', count: 2, payUnknown: 2 },
    ]);
  });

  test('is asked about when a changed rule leaves nothing of at least three postings, and the former one something', async () => {
    const former = parseFilter({ tags: ['rust'] });
    const emptied = (filter: object, before = former) => lab.services.emptied(alice, before, filter);
    expect(await emptied({ exclude: ['job'] })).toBeUndefined();
    await archive([3, posting('a')], [2, posting('b')]);
    expect(await emptied({ exclude: ['job'] })).toBeUndefined();
    await archive([1, posting('c')]);
    expect(await emptied({ exclude: ['job'] })).toMatchObject({ looked: 3, matches: 0 });
    expect(await emptied({ exclude: ['job c'] })).toBeUndefined();
    expect(await emptied({ exclude: ['job'] }, parseFilter({ include: ['zebra'] }))).toBeUndefined();
    // Nothing is known of the former rule.
    expect(await emptied({ exclude: ['job'] }, parseFilter({ tags: ['dao'] }))).toMatchObject({ looked: 3 });
  });
});
