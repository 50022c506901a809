// Work on long lists, some items at a time.

/** Cuts a list into parts of at most `size`, in order, so that work on them is done some at a time. */
export function partsOf<T>(list: readonly T[], size = 200): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** Some items at a time. */
export async function* pagesOf<T>(items: AsyncIterable<T>, size: number): AsyncIterable<readonly T[]> {
  let page: T[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
