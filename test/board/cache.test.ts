// The board's cache of answers: one tag per query until the files change, and bodies while there is space.
import { describe, expect, test } from 'vitest';
import { createCatalogue } from '../../src/board/catalogue.js';
import type { Job } from '../../src/board/job.js';
import { createBuffers, createListings, type Listing } from '../../src/board/listing.js';

import { parseQuery } from '../../src/board/query.js';
import { startBoard } from '../helpers/board.js';

const PARTNERED = 'https://jobs.example/r/1__{partner}';
const jobs = (count: number, applyUrl = 'https://jobs.example/r/1'): Job[] =>
  Array.from({ length: count }, (_, id) => ({
    id: String(id),
    title: `Job ${id}`,
    tags: [id % 2 === 0 ? 'rust' : 'solidity'],
    country: 'germany',
    description: 'word '.repeat(200),
    apply_url: applyUrl,
  }));

/** Listings that count how often a tag is computed. */
function counted(list: readonly Job[], keptBytes?: number) {
  let tags = 0;
  const listings = createListings(createCatalogue(list), {
    home: 'http://board.example/',
    digest: (body) => {
      tags++;
      return String(body.length);
    },
    ...(keptBytes === undefined ? {} : { keptBytes }),
  });
  const get = (search: string, partner?: string, format: 'json' | 'rss' = 'rss'): Listing =>
    listings.get(format, parseQuery(new URLSearchParams(search)), partner);
  return { get, tags: () => tags };
}

describe('a tag', () => {
  test('is computed once per query, for all callers and spellings', () => {
    const { get, tags } = counted(jobs(9));
    const first = get('tag=rust&limit=5');
    for (const search of ['limit=5&tag=rust', 'tag=rust&limit=5&remote=false', 'tag=rust&limit=5&x=1'])
      expect(get(search, 'ann')).toBe(first);
    expect(get('tag=rust&limit=5', 'ben').body()).toBe(first.body());
    expect(tags()).toBe(1);
    const others = ['tag=solidity&limit=5', 'tag=rust&limit=4', 'tag=rust&limit=5&show_description=false'];
    for (const search of others) get(search);
    get('tag=rust&limit=5', undefined, 'json');
    expect(tags()).toBe(5);
  });

  test('is computed for each owner if links contain the owner', () => {
    const { get, tags } = counted(jobs(1, PARTNERED));
    const [ann, ben, none] = [get('', 'ann'), get('', 'ben'), get('')];
    expect(ann.body().toString()).toContain('/r/1__ann<');
    expect(ben.body().toString()).toContain('/r/1__ben<');
    expect(none.body().toString()).toContain('/r/1__{partner}<');
    expect(get('', 'ann')).toBe(ann);
    expect(tags()).toBe(3);
  });

  test('is the same for all queries that find nothing, of which there is no limit', () => {
    const { get, tags } = counted(jobs(3, PARTNERED));
    const nothing = get('tag=nonsense');
    for (const search of ['tag=Rust', 'country=a', 'country=b&limit=7', 'country=DE', 'tag=defi&remote=true'])
      expect(get(search, search.length > 9 ? 'ann' : undefined)).toBe(nothing);
    expect(tags()).toBe(1);
    expect(nothing.body().toString()).not.toContain('<item>');
  });

  test('stays when its body was dropped; the body is made again and is the same', () => {
    const { get, tags } = counted(jobs(40), 200_000);
    const first = get('limit=5');
    const body = first.body();
    expect(first.body()).toBe(body);
    for (let limit = 6; limit < 30; limit++) get(`limit=${limit}`).body();
    expect(get('limit=5')).toBe(first);
    expect(first.body()).not.toBe(body);
    expect(first.body().equals(body)).toBe(true);
    expect(tags()).toBe(25);
  });
});

test('compresses a body once, also when several request it at the same moment', async () => {
  const { get } = counted(jobs(5));
  const [one, other] = await Promise.all([get('').gzipped(), get('').gzipped()]);
  expect(one).toBe(other);
  expect(await get('').gzipped()).toBe(one);
});

test('keeps the cache below its limit, and keeps what was requested last', () => {
  const buffers = createBuffers(1000);
  for (let n = 0; n < 100; n++) {
    buffers.keep(`of ${n}`, Buffer.alloc(50 + n));
    buffers.get('of 0');
    expect(buffers.size()).toBeLessThanOrEqual(1000);
  }
  expect(buffers.get('of 0')).toBeDefined();
  expect(buffers.get('of 1')).toBeUndefined();
  expect(buffers.get('of 99')).toBeDefined();
  const large = Buffer.alloc(251);
  expect(buffers.keep('large', large)).toBe(large);
  expect(buffers.get('large')).toBeUndefined();
  buffers.keep('of 99', Buffer.alloc(1));
  expect(buffers.get('of 99')).toHaveLength(1);
});

test('a change of the tokens file is a new version with the same tags', async () => {
  const board = await startBoard({ jobs: jobs(2), tokens: [{ token: 'a' }] });
  try {
    const ask = async () => {
      const { headers } = await fetch(board.address('/api/v1'));
      return [headers.get('etag'), headers.get('last-modified')];
    };
    const [etag, date] = await ask();
    await board.setTokens([{ token: 'a' }, { token: 'b' }]);
    // The date of the new version may be ahead of the clock, and is not sent earlier.
    const [same, later] = await ask();
    expect(same).toBe(etag);
    expect(later).not.toBe(date);
  } finally {
    await board.close();
  }
});
