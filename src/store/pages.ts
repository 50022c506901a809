// Reads ranges of keys in byte order, page by page. Each page is a query by itself: rows may be written in between, and a
// row that is deleted before its page is read does not come.
import { defined } from '../domain/defined.js';
import type { KeyRange, KvTable } from './backend.js';
import { lastOf } from './keys.js';

/** A key with the stored text. */
type Row = readonly [key: string, text: string];

/** The rows of a page, if a caller does not need fewer at a time. */
const PAGE = 1000;

/** Yields the pages of a range; none of them is empty. */
export async function* pagesOf(
  table: Pick<KvTable, 'page'>,
  range: KeyRange,
  size = PAGE,
): AsyncIterable<readonly Row[]> {
  for (let next = range; ; ) {
    const rows = await table.page(next, size);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (rows.length < size) return;
    next = { after: last[0], ...defined({ to: range.to }) };
  }
}

/** Yields the rows of a range. */
export async function* rowsOf(table: Pick<KvTable, 'page'>, range: KeyRange): AsyncIterable<Row> {
  for await (const page of pagesOf(table, range)) yield* page;
}

/** Returns the ids at the end of the keys of a range. */
export async function idsIn(table: Pick<KvTable, 'page'>, range: KeyRange): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const [key] of rowsOf(table, range)) ids.push(lastOf(key));
  return ids;
}
