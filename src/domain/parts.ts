// Processes long lists in parts.

/** Splits a list into parts of at most `size`, in order. */
export function partsOf<T>(list: readonly T[], size = 200): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** Groups items into pages of at most `size`, in order. */
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
