// Kept results are found again, and neither many nor long keys fill the memory.
import { expect, test } from 'vitest';
import { remember } from '../../src/domain/remember.js';

test('keeps a result, at most 500 of them, and none of a long key', () => {
  const kept = new Map<string, number>();
  for (let index = 0; index < 500; index++) expect(remember(kept, `key ${index}`, index)).toBe(index);
  expect([kept.size, kept.get('key 0')]).toEqual([500, 0]);
  expect(remember(kept, 'one more', -1)).toBe(-1);
  expect([...kept]).toEqual([['one more', -1]]);
  expect(remember(kept, 'x'.repeat(501), 1)).toBe(1);
  expect([...kept.keys()]).toEqual(['one more']);
  remember(kept, 'x'.repeat(500), 1);
  expect(kept.size).toBe(2);
});
