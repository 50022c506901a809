// How many postings a mail holds, so that Gmail does not cut it.
import { expect, test } from 'vitest';
import type { Posting } from '../../src/domain/posting.js';
import { packBySize } from '../../src/sinks/email/pack.js';

const posting =
  (fields: Partial<Posting> = {}) =>
  (_: unknown, n: number): Posting => ({
    key: `id:${n}`,
    title: 'Dev',
    company: 'Acme',
    ...fields,
  });
const many = (count: number, fields?: object) => Array.from({ length: count }, posting(fields));
const sizes = (postings: readonly Posting[], address = 0) =>
  packBySize(postings, address).map(({ length }) => length);

test('keeps the order, and loses nothing', () => {
  const postings = many(130);
  expect(packBySize(postings, 0).flat()).toEqual(postings);
  expect(packBySize([], 0)).toEqual([]);
});

test('of small ones at most 60', () => {
  expect(sizes(many(121))).toEqual([60, 60, 1]);
});

test('of larger ones as many as there are bytes for, counted in UTF-8', () => {
  // 455 bytes and 7 for title and company; 48,000 for all.
  const withLink = (bytes: number) => many(100, { applyUrl: 'x'.repeat(bytes) });
  expect(sizes(withLink(1_000 - 462))).toEqual([48, 48, 4]);
  expect(sizes(withLink(1_001 - 462))).toEqual([47, 47, 6]);
  expect(sizes(many(100, { applyUrl: 'ü'.repeat(269) }))).toEqual([48, 48, 4]);
});

test('counts characters that become entities, the place and the last day to apply', () => {
  expect(sizes(many(100, { applyUrl: `${'&<>\'"'.repeat(17)}${'x'.repeat(28)}` }))).toEqual([48, 48, 4]);
  expect(sizes(many(100, { applyUrl: 'x'.repeat(538 - 100), location: 'l'.repeat(100) }))).toEqual([
    48, 48, 4,
  ]);
  const applyBy = { day: '2026-01-31', words: 'w'.repeat(100) };
  expect(sizes(many(100, { applyUrl: 'x'.repeat(538 - 100), applyBy }))).toEqual([48, 48, 4]);
});

test('counts only as much of a text as is shown', () => {
  const long = { title: 't'.repeat(5_000), company: 'c'.repeat(5_000), location: 'l'.repeat(5_000) };
  // 455, 200, 100 and 120 bytes.
  expect(sizes(many(60, { ...long, applyUrl: 'x'.repeat(125) }))).toEqual([48, 12]);
  expect(sizes(many(60, { ...long, applyUrl: 'x'.repeat(126) }))).toEqual([47, 13]);
});

test('leaves room for the first words of a posting that has only a title', () => {
  const bare = (bytes: number) => many(60, { company: undefined, applyUrl: 'x'.repeat(bytes) });
  // 455 bytes, 3 of the title, and 280.
  expect(sizes(bare(262))).toEqual([48, 12]);
  expect(sizes(bare(263))).toEqual([47, 13]);
});

test('leaves room for links to save and hide, of which the first postings have more', () => {
  // A link has 70 bytes and its address, here 30; the first five postings of a mail have two more.
  const postings = (bytes: number) => many(60, { applyUrl: 'x'.repeat(bytes - 462 - 100) });
  expect(sizes(postings(1_000), 30)).toEqual([47, 13]);
  expect(sizes(postings(979), 30)).toEqual([48, 12]);
  expect(sizes(postings(980), 30)).toEqual([47, 13]);
});

test('a posting that is too large alone has a mail for itself', () => {
  const large = { key: 'id:large', title: 'Dev', applyUrl: 'x'.repeat(60_000) };
  expect(sizes([...many(2), large, ...many(2)])).toEqual([2, 1, 2]);
});
