// A recipient recognizes a repeated attempt by the id, so the id must be the same after a crash.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliveryPlan } from '../../src/domain/delivery.js';
import { editionId, pagesOf, partsOf, postingRef } from '../../src/domain/edition.js';
import type { Destination } from '../../src/domain/subscription.js';

test('the id is the same for the same subscription, destination, slot and members, in any process', () => {
  expect(editionId('rust', 'abc', 1_795_000_000_000, ['id:1', 'id:2'])).toBe('QZf0pcCxxPmeb5zGvCmj');
});

test('the id has twenty characters that any header, nonce and address accepts', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.nat(), fc.array(fc.string()), (one, other, slot, keys) => {
      expect(editionId(one, other, slot, keys)).toMatch(/^[A-Za-z0-9]{20}$/u);
    }),
  );
});

test('the id differs for anything else', () => {
  const ids = [
    editionId('a', 'b', 1, ['x', 'y']),
    editionId('a', 'c', 1, ['x', 'y']),
    editionId('c', 'b', 1, ['x', 'y']),
    editionId('a', 'b', 2, ['x', 'y']),
    editionId('a', 'b', 1, ['y', 'x']),
    editionId('a', 'b', 1, ['x']),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

test('a posting is named by ten characters, always the same', () => {
  expect(postingRef('id:1')).toBe('uCSqnwrffl');
});

test('a delivery is one unit for each subscription and destination, in the lane of the destination', () => {
  const destination = { id: 'abc', sink: 'email' } as Destination;
  expect(deliveryPlan({ id: 'rust' }, destination, 5)).toEqual({
    queue: 'deliver:email',
    lane: 'abc',
    unit: 'rust\nabc',
    at: 5,
  });
});

test.each([
  [[], 2, []],
  [[1, 2], 2, [[1, 2]]],
  [[1, 2, 3], 2, [[1, 2], [3]]],
])('%j in parts of %s is %j', async (list, size, parts) => {
  expect(partsOf(list, size)).toEqual(parts);
  async function* items() {
    yield* list;
  }
  const pages: (readonly number[])[] = [];
  for await (const page of pagesOf(items(), size)) pages.push(page);
  expect(pages).toEqual(parts);
});
