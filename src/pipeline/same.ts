// Comparing records.

/** Whether two records are equal. Their order of fields is ignored, because the store may change it. */
export function same(a: unknown, b: unknown): boolean {
  return isEqual(a, b) || isEqual(sorted(a), sorted(b));
}

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, sorted(one)]));
}
