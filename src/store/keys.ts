// Keys made of several ids, such that one id's rows are one range.
import type { RangeTable } from './table.js';

/** Ids may hold a colon (`discord:1`); encoded, the parts stay apart. */
export function key(kind: string, ...ids: readonly string[]): string {
  return [kind, ...ids.map(encodeURIComponent)].join(':');
}

/** The id at the end of a key. */
export function lastOf(row: string): string {
  return decodeURIComponent(row.slice(row.lastIndexOf(':') + 1));
}

/** All keys that go on after these parts. */
export function under(kind: string, ...ids: readonly string[]): { from: string; to: string } {
  const prefix = key(kind, ...ids);
  // The semicolon comes right after the colon.
  return { from: `${prefix}:`, to: `${prefix};` };
}

/** A range at once, for rows that are about to change under the reader. */
export async function all<T>(
  table: RangeTable<T>,
  range: { from: string; to: string },
): Promise<readonly (readonly [string, T])[]> {
  const rows: (readonly [string, T])[] = [];
  for await (const row of table.range(range)) rows.push(row);
  return rows;
}
