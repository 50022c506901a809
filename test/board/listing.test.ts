// Filters, order and form of the JSON listing, over real HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src/board/job.js';
import { startBoard, type TestBoard } from '../helpers/board.js';

// Deliberately not in order of dates.
const JOBS: Job[] = [
  { id: 'undated', title: 'No date', tags: ['rust'], location: 'Remote' },
  {
    id: 'old',
    title: 'Old',
    tags: ['rust', 'solidity'],
    postedAt: '2026-10-01',
    location: 'Berlin, Germany',
  },
  { id: 'rfc', title: 'Wire date', tags: ['rust'], date: 'Wed, 04 Nov 2026 15:00:00 +0000', is_remote: true },
  {
    id: 'same-1',
    title: 'Same day 1',
    tags: ['golang'],
    postedAt: '2026-11-02',
    remote: true,
    country: 'germany',
  },
  { id: 'same-2', title: 'Same day 2', tags: ['golang'], postedAt: '2026-11-02', location: 'NYC, USA' },
  {
    id: 'epoch',
    title: 'Epoch',
    tags: ['python'],
    date_epoch: 1793923200,
    country: 'portugal',
    location: 'Berlin',
  },
  {
    id: 7,
    title: 'Numeric id',
    tags: ['rust', 'not-in-the-list'],
    postedAt: '2026-10-15',
    remote: true,
    country: null,
    location: ' Remote, Lisbon Portugal',
    description: '<p>Hi</p>',
    salary_min_value: '100',
    perks: { gym: [true, null] },
  },
];

let board: TestBoard;

beforeAll(async () => {
  board = await startBoard({ jobs: JOBS });
});
afterAll(() => board.close());

async function ask(params: Record<string, string> | string = {}, base = board): Promise<Job[]> {
  const search = typeof params === 'string' ? params : new URLSearchParams(params).toString();
  const response = await fetch(`${base.address('/api/v1')}&${search}`);
  expect(response.status).toBe(200);
  const [status, version, jobs, ...rest] = (await response.json()) as [string, string, Job[]];
  expect([typeof status, version, rest]).toEqual(['string', 'v1', []]);
  return jobs;
}

const idsOf = (jobs: Job[]) => jobs.map((job) => job.id);

test('newest first in any date field, equal dates in file order, undated ones last', async () => {
  expect(idsOf(await ask())).toEqual(['epoch', 'rfc', 'same-1', 'same-2', 7, 'old', 'undated']);
});

test('serves a job as it is in the file: unknown fields, nulls and types kept, missing ones missing', async () => {
  const jobs = await ask();
  for (const job of JOBS) expect(jobs).toContainEqual(job);
});

describe('tag', () => {
  test.each([
    ['rust', ['rfc', 7, 'old', 'undated']],
    ['solidity', ['old']],
    ['zero-knowledge', []],
    ['python', []],
    ['not-in-the-list', []],
    ['Rust', []],
    ['rust,golang', []],
    ['smart contract', []],
    ['__proto__', []],
  ])('%s gives %j', async (tag, ids) => {
    expect(idsOf(await ask({ tag }))).toEqual(ids);
  });

  test('uses only the first of several, and ignores an empty one', async () => {
    expect(idsOf(await ask('tag=solidity&tag=golang'))).toEqual(['old']);
    expect(await ask('tag=')).toHaveLength(JOBS.length);
  });
});

describe('country', () => {
  test.each([
    ['germany', ['same-1', 'old']],
    ['portugal', ['epoch', 7]],
    ['united-states', ['same-2']],
    ['france', []],
    ['Germany', []],
    ['DE', []],
    ['de', []],
    ['usa', []],
    ['united states', []],
    ['germany-', []],
    ['constructor', []],
  ])('%s gives %j', async (country, ids) => {
    expect(idsOf(await ask({ country }))).toEqual(ids);
  });
});

describe('remote', () => {
  test('true selects jobs that say they are remote', async () => {
    expect(idsOf(await ask({ remote: 'true' }))).toEqual(['rfc', 'same-1', 7]);
  });

  test.each(['false', '0', '', 'yes', 'TRUE'])('%j is ignored', async (remote) => {
    expect(await ask({ remote })).toHaveLength(JOBS.length);
  });
});

test('filters are combined', async () => {
  expect(idsOf(await ask({ tag: 'rust', country: 'portugal', remote: 'true' }))).toEqual([7]);
  expect(idsOf(await ask({ tag: 'golang', country: 'germany', limit: '1' }))).toEqual(['same-1']);
  expect(await ask({ tag: 'solidity', remote: 'true' })).toEqual([]);
});

describe('show_description', () => {
  test('false leaves out descriptions and nothing else', async () => {
    const described = JOBS.find((job) => job.id === 7) as Job;
    const { description: _, ...bare } = described;
    expect(
      await ask({ tag: 'rust', remote: 'true', country: 'portugal', show_description: 'false' }),
    ).toEqual([bare]);
  });

  test.each(['true', '', 'no'])('%j keeps them', async (show_description) => {
    expect((await ask({ country: 'portugal', show_description }))[1]).toHaveProperty('description');
  });
});

describe('limit', () => {
  let many: TestBoard;
  beforeAll(async () => {
    many = await startBoard({
      jobs: Array.from({ length: 130 }, (_, index) => ({ id: String(index), tags: ['ai'] })),
    });
  });
  afterAll(() => many.close());

  test.each([
    ['', 20],
    ['limit=1', 1],
    ['limit=50', 50],
    ['limit=100', 100],
    ['limit=101', 100],
    ['limit=1e9', 100],
    ['limit=99999999999999999999', 100],
    ['limit=0', 20],
    ['limit=-1', 20],
    ['limit=abc', 20],
    ['limit=3.5', 20],
    ['limit=', 20],
    ['limit=NaN', 20],
    ['limit=Infinity', 20],
    ['limit=5&limit=abc', 5],
    ['limit=%00%ff', 20],
  ])('%j gives %i jobs, the first ones', async (search, count) => {
    const jobs = await ask(search, many);
    expect(idsOf(jobs)).toEqual(Array.from({ length: count }, (_, index) => String(index)));
  });
});

test('answers a thousand different filters in a row correctly, although only some are cached', {
  tags: 'long',
}, async () => {
  for (let limit = 1; limit <= 100; limit++) {
    for (const tag of ['rust', 'golang', 'ai'])
      await fetch(board.address('/api/v1', { tag, limit: String(limit) }));
  }
  expect(idsOf(await ask({ tag: 'rust', limit: '2' }))).toEqual(['rfc', 7]);
});
